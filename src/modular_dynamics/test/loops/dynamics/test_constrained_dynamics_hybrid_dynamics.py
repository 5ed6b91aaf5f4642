"""Hybrid dynamics with loops against a saddle-point system of Pinocchio, and both problems that it mixes."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.saddle_point import SaddlePoint
from helpers.robots.closed_robots import STATES
from helpers.robots.spatial_mechanisms import X, Y, Z, platform, spinning_rod
from modular_dynamics.exceptions import ClosureError, StateError
from modular_dynamics.loops import solver_of


def moving_state(graph, q, rng, spins=True):
    """Coordinates and velocities of all joints; free joints spin."""
    solver = solver_of(graph)
    coordinates = solver.close(q)
    W = solver.system.projection(coordinates).W
    rates = rng.normal(size=W.shape[1])
    if not spins:
        rates[len(q) :] = 0.0
    return coordinates, W @ rates


def masks(graph, prescribed):
    known = np.zeros(graph.nv, bool)
    for name in prescribed:
        known[graph.v_slice(name)] = True
    return known, solver_of(graph).independent_v


@pytest.mark.parametrize("make", [lambda: spinning_rod(2), platform, lambda: platform((X, Y, Z))])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_against_a_saddle_point_system_of_pinocchio(make, count):
    graph = make()
    rng, independent = np.random.default_rng(count), graph.independent_joint_names
    q, v = moving_state(graph, 0.1 * rng.normal(size=len(independent)), rng)
    a, tau = rng.normal(size=(2, len(independent)))
    prescribed = independent[:count]
    result = md.constrained_dynamics(graph, q, v, tau, prescribed=prescribed, a=a)
    known, own = masks(graph, prescribed)
    full_a, full_tau = np.zeros((2, graph.nv))
    full_a[own], full_tau[own] = a, tau
    oracle = SaddlePoint(graph, q, v)
    assert oracle.open < 1e-12
    accelerations, torques, residual = oracle.solve(known, full_a, full_tau)
    assert residual < 1e-10
    assert np.abs(result.a - accelerations).max() <= 1e-10 * np.abs(accelerations).max()
    expected = tau.copy()
    expected[known[own]] = torques
    assert np.abs(result.tau - expected).max() <= 1e-10 * max(1.0, np.abs(expected).max())
    # power: what motors supply is the rate of the kinetic and potential energy, of spinning rods as well
    step = 1e-5
    coordinates = [q + s * step * v + 0.5 * step**2 * result.a for s in (1, -1)]
    speeds = [v + s * step * result.a for s in (1, -1)]
    after, before = (md.energy(graph, *state) for state in zip(coordinates, speeds, strict=True))
    assert (after - before) / (2.0 * step) == pytest.approx(result.tau @ v[own], abs=1e-6)


@pytest.mark.parametrize("name", STATES)
def test_all_independent_joints_prescribed_is_inverse_dynamics_and_none_forward_dynamics(load_robot, name):
    graph, rng = load_robot(name), np.random.default_rng(1)
    a, v = rng.normal(size=(2, len(graph.independent_joint_names)))
    inverse = md.InverseDynamics(graph).solve(STATES[name], v, a)
    state, nothing = (graph, inverse.coordinates, inverse.velocities), np.full(len(a), np.nan)
    result = md.constrained_dynamics(*state, nothing, prescribed=graph.independent_joint_names, a=a)
    assert result.tau == pytest.approx(inverse.tau, rel=1e-10, abs=1e-9)
    assert result.a == pytest.approx(inverse.accelerations, rel=1e-9, abs=1e-9)
    forward = md.constrained_dynamics(*state, inverse.tau)
    result = md.constrained_dynamics(*state, inverse.tau, prescribed=[], a=nothing)
    assert result.a == pytest.approx(forward.a, rel=1e-9, abs=1e-9)
    assert result.multipliers == pytest.approx(forward.multipliers, rel=1e-8, abs=1e-7)
    assert result.tensions == pytest.approx(forward.tensions)


def test_external_wrenches_count():
    graph = spinning_rod()
    load = {"rod0": [1.0, 2.0, 3.0, 0.4, 0.5, 0.6]}
    inverse = md.InverseDynamics(graph).solve([0.2], [0.7], [1.5], external_wrenches=load)
    state = graph, inverse.coordinates, inverse.velocities
    result = md.constrained_dynamics(
        *state, [0.0], prescribed=graph.independent_joint_names, a=[1.5], external_wrenches=load
    )
    assert result.tau == pytest.approx(inverse.tau, rel=1e-10)
    assert result.a == pytest.approx(inverse.accelerations, rel=1e-10)
    without = md.constrained_dynamics(*state, [0.0], prescribed=graph.independent_joint_names, a=[1.5])
    assert np.abs(without.tau - inverse.tau).max() > 1e-2
    forward = md.constrained_dynamics(*state, inverse.tau, external_wrenches=load)
    assert forward.a == pytest.approx(inverse.accelerations, rel=1e-10)


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("count", [0, 1])
def test_of_independent_joints(load_robot, name, count):
    """One state or many: prescribed accelerations and given torques stay, the others complete them."""
    graph, rng = load_robot(name), np.random.default_rng(3)
    names = graph.independent_joint_names
    q = STATES[name] + 0.01 * rng.normal(size=(3, len(names)))
    v, a = rng.normal(size=(2, 3, len(names)))
    guess = md.close_loops(graph, STATES[name])
    tau = md.inverse_dynamics(graph, q, v, a, guess=guess)
    known = np.arange(len(names)) < count
    given_a, given_tau = np.where(known, a, np.nan), np.where(known, np.nan, tau)
    found = md.hybrid_dynamics(graph, q, v, given_a, given_tau, names[:count], guess=guess)
    assert found.a == pytest.approx(a, rel=1e-8, abs=1e-8)
    assert found.tau == pytest.approx(tau, rel=1e-8, abs=1e-8 * np.abs(tau).max())
    for k in range(3):
        single = md.hybrid_dynamics(graph, q[k], v[k], given_a[k], given_tau[k], names[:count], guess=guess)
        assert single.a == pytest.approx(found.a[k], rel=1e-9, abs=1e-9)
    none = md.hybrid_dynamics(graph, q[:0], v[:0], a[:0], tau[:0], names[:count])
    assert none.a.shape == none.tau.shape == (0, len(names))
    v[1] = np.nan
    with pytest.raises(StateError, match=r"row 1: v"):
        md.hybrid_dynamics(graph, q, v, given_a, given_tau, names[:count], guess=guess)


def test_errors_name_what_is_wrong(load_robot):
    graph = load_robot("four_bar")
    inverse = md.InverseDynamics(graph).solve([0.7], [0.1], [0.2])
    state = graph, inverse.coordinates, inverse.velocities
    passive = graph.passive_joints[0]
    with pytest.raises(StateError, match=f"prescribed joint '{passive}' is none of"):
        md.constrained_dynamics(*state, [0.0], prescribed=[passive], a=[0.0])
    with pytest.raises(StateError, match="tau has shape"):
        md.constrained_dynamics(*state, [0.0, 1.0])
    with pytest.raises(StateError, match="prescribed is 3; the names of joints"):
        md.constrained_dynamics(*state, [0.0], prescribed=3)
    with pytest.raises(StateError, match="a is not an array of numbers: complex"):
        md.constrained_dynamics(*state, [0.0], prescribed=graph.independent_joint_names, a=[1j])
    both = graph.with_independent_joints(*graph.joint_names)
    zeros = np.zeros(len(graph.joint_names))
    with pytest.raises(ClosureError, match=r"cannot all be prescribed: its loops couple them.* 1 degree"):
        md.constrained_dynamics(both, *state[1:], zeros, prescribed=graph.joint_names, a=zeros)


@pytest.mark.parametrize("size", [1e308, -1e308])
def test_accelerations_that_are_too_large_for_a_number_are_refused(load_robot, size):
    graph = load_robot("four_bar")
    inverse = md.InverseDynamics(graph).solve([0.7], [0.1], [0.2])
    state = graph, inverse.coordinates, inverse.velocities
    with pytest.raises(StateError, match="so large that accelerations or forces are not"):
        md.constrained_dynamics(*state, [size])
