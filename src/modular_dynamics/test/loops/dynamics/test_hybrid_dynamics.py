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
    vdot, tau = rng.normal(size=(2, len(independent)))
    prescribed = independent[:count]
    result = md.closed_loop_hybrid_dynamics(graph, q, v, vdot, tau, prescribed)
    known, own = masks(graph, prescribed)
    full_vdot, full_tau = np.zeros((2, graph.nv))
    full_vdot[own], full_tau[own] = vdot, tau
    oracle = SaddlePoint(graph, q, v)
    assert oracle.open < 1e-12
    accelerations, torques, residual = oracle.solve(known, full_vdot, full_tau)
    assert residual < 1e-10
    assert np.abs(result.vdot - accelerations).max() <= 1e-10 * np.abs(accelerations).max()
    expected = tau.copy()
    expected[known[own]] = torques
    assert np.abs(result.tau - expected).max() <= 1e-10 * max(1.0, np.abs(expected).max())
    # power: what motors supply is the rate of the kinetic and potential energy, of spinning rods as well
    step = 1e-5
    coordinates = [q + s * step * v + 0.5 * step**2 * result.vdot for s in (1, -1)]
    speeds = [v + s * step * result.vdot for s in (1, -1)]
    after, before = (md.energy(graph, *state) for state in zip(coordinates, speeds, strict=True))
    assert (after - before) / (2.0 * step) == pytest.approx(result.tau @ v[own], abs=1e-6)


@pytest.mark.parametrize("name", STATES)
def test_all_independent_joints_prescribed_is_inverse_dynamics_and_none_forward_dynamics(load_robot, name):
    graph, rng = load_robot(name), np.random.default_rng(1)
    vdot, v = rng.normal(size=(2, len(graph.independent_joint_names)))
    inverse = md.closed_loop_inverse_dynamics(graph, STATES[name], v, vdot)
    state, nothing = (graph, inverse.coordinates, inverse.velocities), np.full(len(vdot), np.nan)
    result = md.closed_loop_hybrid_dynamics(*state, vdot, nothing, graph.independent_joint_names)
    assert result.tau == pytest.approx(inverse.tau, rel=1e-10, abs=1e-9)
    assert result.vdot == pytest.approx(inverse.accelerations, rel=1e-9, abs=1e-9)
    forward = md.closed_loop_forward_dynamics(*state, inverse.tau)
    result = md.closed_loop_hybrid_dynamics(*state, nothing, inverse.tau, [])
    assert result.vdot == pytest.approx(forward.accelerations, rel=1e-9, abs=1e-9)
    assert result.multipliers == pytest.approx(forward.multipliers, rel=1e-8, abs=1e-7)
    assert result.tensions == pytest.approx(forward.tensions)


def test_external_wrenches_count():
    graph = spinning_rod()
    load = {"rod0": [1.0, 2.0, 3.0, 0.4, 0.5, 0.6]}
    inverse = md.closed_loop_inverse_dynamics(graph, [0.2], [0.7], [1.5], external_wrenches=load)
    state = graph, inverse.coordinates, inverse.velocities
    result = md.closed_loop_hybrid_dynamics(*state, [1.5], [0.0], graph.independent_joint_names, load)
    assert result.tau == pytest.approx(inverse.tau, rel=1e-10)
    assert result.vdot == pytest.approx(inverse.accelerations, rel=1e-10)
    without = md.closed_loop_hybrid_dynamics(*state, [1.5], [0.0], graph.independent_joint_names)
    assert np.abs(without.tau - inverse.tau).max() > 1e-2


def test_a_batch_equals_single_calls():
    graph, rng = spinning_rod(2), np.random.default_rng(3)
    states = [moving_state(graph, 0.1 * rng.normal(size=2), rng) for _ in range(3)]
    q, v = (np.array(part) for part in zip(*states, strict=True))
    vdot, tau = rng.normal(size=(2, 3, 2))
    prescribed = graph.independent_joint_names[1:]
    batch = md.closed_loop_hybrid_dynamics_batch(graph, q, v, vdot, tau, prescribed)
    for k in range(3):
        single = md.closed_loop_hybrid_dynamics(graph, q[k], v[k], vdot[k], tau[k], prescribed)
        for name in ("vdot", "tau", "multipliers", "tensions"):
            assert np.array_equal(getattr(batch, name)[k], getattr(single, name))
    none = md.closed_loop_hybrid_dynamics_batch(graph, q[:0], v[:0], vdot[:0], tau[:0], prescribed)
    assert none.vdot.shape == (0, graph.nv)
    assert none.tau.shape == (0, 2)
    q[1, 0] += 0.1
    with pytest.raises(ClosureError, match="row 1: 'end0' of"):
        md.closed_loop_hybrid_dynamics_batch(graph, q, v, vdot, tau, prescribed)


def test_errors_name_what_is_wrong(load_robot):
    graph = load_robot("four_bar")
    inverse = md.closed_loop_inverse_dynamics(graph, [0.7], [0.1], [0.2])
    state = graph, inverse.coordinates, inverse.velocities
    passive = graph.passive_joints[0]
    with pytest.raises(StateError, match=f"prescribed joint '{passive}' is none of"):
        md.closed_loop_hybrid_dynamics(*state, [0.0], [0.0], [passive])
    with pytest.raises(StateError, match="tau has shape"):
        md.closed_loop_hybrid_dynamics(*state, [0.0], [0.0, 1.0], [])
    with pytest.raises(StateError, match="prescribed is 3; the names of joints"):
        md.closed_loop_hybrid_dynamics(*state, [0.0], [0.0], 3)
    with pytest.raises(StateError, match="vdot is not an array of numbers: complex"):
        md.closed_loop_hybrid_dynamics(*state, [1j], [0.0], graph.independent_joint_names)
    both = graph.with_independent_joints(*graph.joint_names)
    zeros = np.zeros(len(graph.joint_names))
    with pytest.raises(ClosureError, match=r"cannot all be prescribed: its loops couple them.* 1 degree"):
        md.closed_loop_hybrid_dynamics(both, *state[1:], zeros, zeros, graph.joint_names)


def test_errors_of_a_batch_come_before_its_first_state(load_robot):
    """Also where it has none."""
    graph = load_robot("four_bar")
    rows = [np.zeros((0, width)) for width in (graph.nq, graph.nv, 1, 1)]
    with pytest.raises(StateError, match="prescribed joint 'elbw' is none of"):
        md.closed_loop_hybrid_dynamics_batch(graph, *rows, ["elbw"])
    with pytest.raises(StateError, match=r"coordinates has shape \(0, 9\); \(n, 3\) is needed"):
        md.closed_loop_hybrid_dynamics_batch(graph, np.zeros((0, 9)), *rows[1:], [])
    with pytest.raises(StateError, match="velocities is not an array of numbers"):
        md.closed_loop_hybrid_dynamics_batch(graph, rows[0], [[0.0], [0.0, 1.0]], *rows[2:], [])
    with pytest.raises(StateError, match=r"have 0, 0, 0, 2 rows"):
        md.closed_loop_hybrid_dynamics_batch(graph, *rows[:3], np.zeros((2, 1)), [])


@pytest.mark.parametrize("size", [1e308, -1e308])
def test_accelerations_that_are_too_large_for_a_number_are_refused(load_robot, size):
    graph = load_robot("four_bar")
    inverse = md.closed_loop_inverse_dynamics(graph, [0.7], [0.1], [0.2])
    state = graph, inverse.coordinates, inverse.velocities
    with pytest.raises(StateError, match="so large that accelerations or forces are not"):
        md.closed_loop_hybrid_dynamics(*state, [0.0], [size], [])
    with pytest.raises(StateError, match="so large that accelerations or forces are not"):
        md.closed_loop_forward_dynamics(*state, [size])
