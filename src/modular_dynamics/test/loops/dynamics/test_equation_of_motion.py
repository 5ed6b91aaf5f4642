"""The prepared equation of motion of closed loops: compiled terms, their general method, and identities."""

import gc
import pickle
import sys

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.parallel_mechanisms import delta
from helpers.robots.planar_mechanisms import MECHANISMS
from modular_dynamics.loops import ClosedLoopEquationOfMotion, solver_of
from modular_dynamics.loops.core_loops import GOOD, core_loops

ROBOTS = "four_bar", "exoskeleton", "charmie_torso", "crane", "slider_crank"


@pytest.fixture(params=[*ROBOTS, *MECHANISMS])
def graph(request, load_robot):
    return load_robot(request.param) if request.param in ROBOTS else MECHANISMS[request.param]().graph()


def states(graph, count, spread=0.05, seed=0):
    """Random q, v and torques near the reference, which is a guess for all of them."""
    rng, solver = np.random.default_rng(seed), solver_of(graph)
    reference, p = solver.reference(), len(solver.independent_v)
    for _ in range(count):
        q = reference[solver.independent_q] + rng.uniform(-spread, spread, p)
        yield q, rng.normal(size=p), 10.0 * rng.normal(size=p), reference


def largest(difference, values):
    return np.abs(difference).max() / np.abs(values).max()


def by_projection(graph, q, guess):
    """Coordinates of all joints, and W, M1 and g1 from the tree's terms."""
    solver = solver_of(graph)
    closed = solver.close(q, guess)
    W = solver.dynamic_projection(closed)
    M, g = md.mass_matrix(graph.tree, closed), md.gravity_torque(graph.tree, closed)
    return closed, W, W.T @ M @ W, W.T @ g


def test_terms_are_those_of_the_tree_projected(graph):
    equation = ClosedLoopEquationOfMotion(graph)
    for q, v, tau, guess in states(graph, 20):
        closed, _, M, g = by_projection(graph, q, guess)
        full = np.empty(graph.nq)
        assert largest(equation.mass_matrix(q, guess, coordinates=full) - M, M) < 1e-12
        assert full == pytest.approx(closed, abs=1e-11)
        assert largest(equation.gravity_torque(q, guess) - g, max(np.abs(g).max(), 1e-3)) < 1e-11
        h = md.closed_loop_inverse_dynamics(graph, q, v, 0.0 * v, guess).tau
        assert largest(equation.bias(q, v, guess) - h, h) < 1e-11
        vdot = equation.forward_dynamics(q, v, tau, guess)
        expected = np.linalg.solve(M, tau - h)
        size = np.abs(np.linalg.inv(M)) @ (np.abs(tau) + np.abs(h))  # of the terms, which may cancel
        assert np.abs(vdot - expected).max() < 1e-13 * np.linalg.cond(M) * size.max()
        # the general method was compared, not used
        assert graph.once(core_loops).mass_matrix(q, guess, np.empty_like(M)) == GOOD
        assert graph.once(core_loops).forward_dynamics(q, v, tau, guess, np.empty_like(v)) == GOOD


def test_inverse_dynamics_of_the_accelerations_gives_the_torques(graph):
    equation = ClosedLoopEquationOfMotion(graph)
    for q, v, tau, guess in states(graph, 20, seed=1):
        vdot = equation.forward_dynamics(q, v, tau, guess)
        back = md.closed_loop_inverse_dynamics(graph, q, v, vdot, guess).tau
        M, h = equation.mass_matrix(q, guess), equation.bias(q, v, guess)
        sizes = np.abs(M) @ np.abs(vdot) + np.abs(h) + np.abs(tau)
        assert np.abs(back - tau).max() < 1e-11 * sizes.max()
        assert np.abs(M @ vdot + h - tau).max() < 1e-11 * sizes.max()


def test_mass_matrix_is_symmetric_and_gives_the_kinetic_energy(graph):
    equation = ClosedLoopEquationOfMotion(graph)
    for q, v, _, guess in states(graph, 5, seed=2):
        full = np.empty(graph.nq)
        M = equation.mass_matrix(q, guess, coordinates=full)
        assert np.array_equal(M, M.T)
        W = md.constraint_projection(graph, q, full)
        kinetic = md.energy(graph, full, W @ v) - md.energy(graph, full, 0.0 * (W @ v))
        assert 0.5 * v @ M @ v == pytest.approx(kinetic, rel=1e-9, abs=1e-9)


def test_functions_give_the_same_and_fill_out(graph):
    equation, (q, v, _, guess) = ClosedLoopEquationOfMotion(graph), next(states(graph, 1))
    pairs = (
        (equation.mass_matrix, md.closed_loop_mass_matrix, (q,)),
        (equation.gravity_torque, md.closed_loop_gravity_torque, (q,)),
        (equation.bias, md.closed_loop_bias, (q, v)),
    )
    for method, function, state in pairs:
        expected = method(*state, guess)
        out = np.empty_like(expected)
        assert method(*state, guess, out) is out
        assert np.array_equal(out, expected)
        assert function(graph, *state, guess, out=out) is out
        assert np.array_equal(out, expected)
        assert np.array_equal(function(graph, *state, guess), expected)


def test_nothing_is_allocated_with_out(graph):
    equation, (q, v, tau, guess) = ClosedLoopEquationOfMotion(graph), next(states(graph, 1))
    M, result, full = np.empty((len(v), len(v))), np.empty(len(v)), np.empty(graph.nq)

    def run():
        for _ in range(200):
            equation.mass_matrix(q, guess, M, full)
            equation.gravity_torque(q, guess, result, full)
            equation.bias(q, v, guess, result, full)
            equation.forward_dynamics(q, v, tau, guess, result, full)

    run()
    gc.collect()
    before = sys.getallocatedblocks()
    run()
    assert sys.getallocatedblocks() - before < 20


def test_without_a_guess_the_general_method_answers(graph):
    equation, (q, v, tau, _) = ClosedLoopEquationOfMotion(graph), next(states(graph, 1, 0.0))
    closed, _, M, g = by_projection(graph, q, None)
    full, out = np.empty(graph.nq), np.empty(len(v))
    assert largest(equation.mass_matrix(q, coordinates=full) - M, M) < 1e-12
    assert np.array_equal(full, closed)
    assert largest(equation.gravity_torque(q) - g, max(np.abs(g).max(), 1e-3)) < 1e-11
    assert equation.forward_dynamics(q, v, tau, out=out, coordinates=full) is out
    assert np.array_equal(full, closed)
    back = md.closed_loop_inverse_dynamics(graph, q, v, out).tau
    sizes = np.abs(M) @ np.abs(out) + np.abs(equation.bias(q, v)) + np.abs(tau)
    assert np.abs(back - tau).max() < 1e-11 * sizes.max()


def test_friction_counts_in_bias_and_accelerations(load_robot):
    graph = load_robot("exoskeleton")
    name = graph.independent_joint_names[-1]
    graph = graph.with_parameters({f"joint {name} damping": 0.7, f"joint {name} friction": 0.4})
    rough, smooth = ClosedLoopEquationOfMotion(graph, "urdf"), ClosedLoopEquationOfMotion(graph)
    for q, v, tau, guess in states(graph, 5):
        expected = np.zeros(len(v))
        expected[-1] = 0.7 * v[-1] + 0.4 * np.sign(v[-1])
        held = rough.bias(q, v, guess) - smooth.bias(q, v, guess)
        assert held == pytest.approx(expected, abs=1e-10)
        slower = rough.forward_dynamics(q, v, tau, guess) - smooth.forward_dynamics(q, v, tau, guess)
        M = smooth.mass_matrix(q, guess)
        assert np.abs(M @ slower + expected).max() < 1e-10 * np.abs(tau).max()
        assert np.array_equal(rough.mass_matrix(q, guess), M)


def test_loops_that_are_not_planar_are_answered():
    graph = md.load_urdf(delta().urdf())
    equation, (q, v, tau, guess) = ClosedLoopEquationOfMotion(graph), next(states(graph, 1))
    assert graph.once(core_loops).mass_matrix(q, guess, np.empty((len(v), len(v)))) != GOOD
    closed, _, M, g = by_projection(graph, q, guess)
    assert np.array_equal(equation.mass_matrix(q, guess), M)
    assert largest(equation.gravity_torque(q, guess) - g, g) < 1e-11
    vdot, full = np.empty(len(v)), np.empty(graph.nq)
    assert equation.forward_dynamics(q, v, tau, guess, vdot, full) is vdot
    assert np.array_equal(full, closed)
    back = md.closed_loop_inverse_dynamics(graph, q, v, vdot, guess).tau
    assert np.abs(back - tau).max() < 1e-11 * (np.abs(M) @ np.abs(vdot) + np.abs(tau)).max()


@pytest.mark.parametrize("which", ["q", "v", "tau", "guess"])
@pytest.mark.parametrize("change", [np.nan, np.inf])
def test_what_is_no_state_is_named_and_never_a_number(graph, which, change):
    equation = ClosedLoopEquationOfMotion(graph)
    state = dict(zip(("q", "v", "tau", "guess"), next(states(graph, 1)), strict=True))
    out = np.full(len(state["v"]), 7.0)
    state[which] = np.full_like(state[which], change)
    with pytest.raises(md.ModularDynamicsError, match="finite"):
        equation.forward_dynamics(**state, out=out)
    assert (out == 7.0).all()
    if which in ("q", "guess"):
        M = np.full((len(out), len(out)), 7.0)
        with pytest.raises(md.ModularDynamicsError, match="finite"):
            equation.mass_matrix(state["q"], state["guess"], M)
        assert (M == 7.0).all()


def test_wrong_results_arrays_are_named(graph):
    equation, (q, v, tau, guess) = ClosedLoopEquationOfMotion(graph), next(states(graph, 1))
    with pytest.raises(md.StateError, match="out is"):
        equation.mass_matrix(q, guess, np.empty(len(v) + 1))
    with pytest.raises(md.StateError, match="out is list"):
        equation.forward_dynamics(q, v, tau, guess, [0.0])
    with pytest.raises(md.StateError, match="coordinates"):
        equation.bias(q, v, guess, coordinates=np.empty(3, np.float32))
    with pytest.raises(md.StateError, match="coordinates"):
        equation.mass_matrix(q, guess, coordinates=np.empty(graph.nq + 1))


def test_a_joint_that_moves_no_inertia_is_an_error_of_the_general_method(load_robot):
    graph = load_robot("four_bar")
    bare = {f"link {name} mass": 0.0 for name in graph.links if f"link {name} mass" in graph.parameters}
    bare |= {name: 0.0 for name in graph.parameters if name.startswith("link ") and " inertia " in name}
    light = graph.with_parameters(bare)
    equation, (q, v, tau, guess) = ClosedLoopEquationOfMotion(light), next(states(light, 1))
    with pytest.raises(md.StateError, match="inertia"):
        equation.forward_dynamics(q, v, tau, guess)


def test_dead_points_are_errors_of_the_general_method(load_robot):
    graph = load_robot("four_bar").with_independent_joints("J3")
    equation, reference = ClosedLoopEquationOfMotion(graph), solver_of(graph).reference()
    index, kinds = solver_of(graph).independent_q, set()
    for angle in np.linspace(-3.0, 3.0, 61):
        q = reference[index] + angle
        try:
            expected = by_projection(graph, q, reference)[2]
        except md.ModularDynamicsError as error:
            kinds.add(type(error))
            with pytest.raises(type(error)):
                equation.mass_matrix(q, reference)
        else:
            kinds.add(None)
            assert equation.mass_matrix(q, reference) == pytest.approx(expected, rel=1e-9)
    assert {None, md.ClosureError} <= kinds


def test_results_that_would_overwrite_each_other_are_refused(load_robot):
    graph = load_robot("four_bar")
    equation, numbers = ClosedLoopEquationOfMotion(graph), np.zeros(graph.nq)
    q, v, tau, guess = next(states(graph, 1))
    own = {"out": numbers[:1], "coordinates": numbers}
    for call in (
        lambda: equation.mass_matrix(q, guess, out=numbers[:1].reshape(1, 1), coordinates=numbers),
        lambda: equation.gravity_torque(q, guess, **own),
        lambda: equation.bias(q, v, guess, **own),
        lambda: equation.forward_dynamics(q, v, tau, guess, **own),
    ):
        with pytest.raises(md.StateError, match="out and coordinates share memory"):
            call()


def test_an_equation_is_pickled_as_its_graph(load_robot):
    equation = ClosedLoopEquationOfMotion(load_robot("four_bar"), friction="urdf")
    q, v, tau, guess = next(states(equation.graph, 1))
    again = pickle.loads(pickle.dumps(equation))
    assert np.array_equal(
        again.forward_dynamics(q, v, tau, guess), equation.forward_dynamics(q, v, tau, guess)
    )
