"""Prepared inverse dynamics of closed loops: the compiled function in closed form and the general method."""

import pickle
import threading
from functools import partial

import numpy as np
import pytest

import modular_dynamics as md
from helpers.general_loops import GeneralSolver
from helpers.robots.closed_robots import assert_allocates_nothing, largest
from helpers.robots.closed_robots import states_near as states
from modular_dynamics.loops import solver_of
from modular_dynamics.loops.core_loops import GOOD, core_loops


def test_torques_are_those_of_the_general_method(graph):
    solver = md.InverseDynamics(graph)
    tau, coordinates, general = (
        np.empty(len(solver_of(graph).independent_v)),
        np.empty(graph.nq),
        GeneralSolver(graph),
    )
    for q, v, a, guess in states(graph, 50):
        expected = general.general(q, v, a, guess)
        whole = solver.solve(q, v, a, guess=guess)
        assert graph.once(core_loops).inverse_dynamics(q, v, a, guess, tau) == GOOD
        assert np.array_equal(whole.tau, tau)
        assert whole.accelerations == pytest.approx(expected.accelerations, rel=1e-9, abs=1e-9)
        for name, wrench in expected.wrenches.items():
            assert largest(whole.wrenches[name] - wrench, [1.0, *np.abs(wrench)]) < 1e-9
        assert solver(q, v, a, guess=guess, out=tau, coordinates=coordinates) is tau
        assert largest(tau - expected.tau, expected.tau) < 1e-11
        assert coordinates == pytest.approx(expected.coordinates, abs=1e-11)
        assert np.array_equal(solver(q, v, a, guess=guess), tau)
        assert np.array_equal(md.inverse_dynamics(graph, q, v, a, guess=guess, out=tau.copy()), tau)


def test_the_guess_may_receive_the_coordinates(graph):
    """A motion, each state from the one before; and a state that is refused leaves the guess as it was."""
    solver, (q, v, a, guess) = md.InverseDynamics(graph), next(states(graph, 1))
    moving = guess.copy()
    for part in np.linspace(0.0, 1.0, 20):
        there = guess[solver_of(graph).independent_q] + part * (q - guess[solver_of(graph).independent_q])
        tau = solver(there, v, a, guess=moving, coordinates=moving)
    assert moving == pytest.approx(md.close_loops(graph, q, guess), abs=1e-11)
    assert largest(solver(q, v, a, guess=guess) - tau, tau) < 1e-11
    kept = moving.copy()
    with pytest.raises(md.StateError, match="finite"):
        solver(np.full(len(q), np.nan), v, a, guess=moving, coordinates=moving)
    assert np.array_equal(moving, kept)


def test_nothing_is_allocated_with_out(graph):
    solver, (q, v, a, guess) = md.InverseDynamics(graph), next(states(graph, 1))
    tau, coordinates = np.empty(len(v)), np.empty(graph.nq)

    def run():
        for _ in range(200):
            solver(q, v, a, guess=guess, out=tau, coordinates=coordinates)

    assert_allocates_nothing(run)


def test_without_a_guess_and_with_wrenches_the_general_method_answers(graph):
    solver, (q, v, a, guess) = md.InverseDynamics(graph), next(states(graph, 1, 0.0))
    load = {graph.links[-1]: [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]}
    expected = md.inverse_dynamics(graph, q, v, a, guess=guess, external_wrenches=load)
    assert np.array_equal(solver(q, v, a, guess=guess, external_wrenches=load), expected)
    expected = md.InverseDynamics(graph).solve(q, v, a)
    coordinates, tau = np.empty(graph.nq), np.empty(len(v))
    assert np.array_equal(solver(q, v, a, out=tau, coordinates=coordinates), expected.tau)
    assert np.array_equal(coordinates, expected.coordinates)
    assert np.array_equal(md.inverse_dynamics(graph, q, v, a, out=tau), expected.tau)


@pytest.mark.parametrize("wrenches", [np.ones(6), [], 0.0, "hand"])
def test_wrenches_that_are_no_mapping_are_named(graph, wrenches):
    q, v, a, guess = next(states(graph, 1))
    for one in ((q, v, a), ([q], [v], [a])):
        for function in (md.inverse_dynamics, md.forward_dynamics):
            with pytest.raises(md.exceptions.StateError, match=r"external_wrenches is .*a mapping"):
                function(graph, *one, guess=guess, external_wrenches=wrenches)
        with pytest.raises(md.exceptions.StateError, match="black_box_wrenches are given"):
            md.inverse_dynamics(graph, *one, guess=guess, black_box_wrenches=wrenches)


def test_lists_other_dtypes_and_strides_are_converted(graph):
    solver, (q, v, a, guess) = md.InverseDynamics(graph), next(states(graph, 1))
    expected = solver(q, v, a, guess=guess)
    for changed in (q.tolist(), np.repeat(q, 2)[::2], q.astype(np.longdouble)):
        assert largest(solver(changed, v, a, guess=guess) - expected, expected) < 1e-11


NO_STATES = [(which, change) for which in ("q", "v", "a", "guess") for change in (np.nan, np.inf, 1e300)]
NO_STATES.remove(("a", 1e300))  # torques are that large, too


@pytest.mark.parametrize(("which", "change"), NO_STATES)
def test_what_is_no_state_is_named_and_never_a_number(graph, which, change):
    state = dict(zip(("q", "v", "a", "guess"), next(states(graph, 1)), strict=True))
    state[which] = np.full_like(state[which], change)
    *motion, guess = state.values()
    calls = [(md.InverseDynamics(graph), motion, 1), (partial(md.forward_dynamics, graph), motion, 1)]
    if which in ("q", "guess"):
        calls.append((partial(md.mass_matrix, graph), motion[:1], 2))
    for function, arguments, axes in calls:
        out = np.full((len(motion[1]),) * axes, 7.0)
        with pytest.raises(md.ModularDynamicsError, match=None if change == 1e300 else "finite"):
            function(*arguments, guess=guess, out=out)
        assert (out == 7.0).all()


def test_wrong_results_arrays_are_named(graph):
    solver, state = md.InverseDynamics(graph), next(states(graph, 1))
    with pytest.raises(md.StateError, match="out is"):
        solver(*state[:3], guess=state[3], out=np.empty(len(state[1]) + 1))
    with pytest.raises(md.StateError, match="coordinates"):
        solver(*state[:3], guess=state[3], coordinates=np.empty(3, np.float32))
    with pytest.raises(md.StateError, match="out is list"):
        md.inverse_dynamics(graph, *state[:3], guess=state[3], out=[0.0])
    numbers = np.zeros(graph.nq)
    with pytest.raises(md.StateError, match="out and coordinates share memory"):
        solver(*state[:3], guess=state[3], out=numbers[: len(state[1])], coordinates=numbers)


def test_threads_do_not_disturb_each_other(graph):
    given = list(states(graph, 40))
    expected = [md.InverseDynamics(graph)(*state[:3], guess=state[3]) for state in given]
    wrong = []

    def work(seed):
        for k in np.random.default_rng(seed).permutation(len(given)):
            *state, guess = given[k]
            tau = md.inverse_dynamics(graph, *state, guess=guess, out=np.empty(len(expected[k])))
            if not np.array_equal(tau, expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_solver_is_pickled_as_its_graph(load_robot):
    solver = md.InverseDynamics(load_robot("four_bar"), friction="urdf")
    *state, guess = next(states(solver.graph, 1))
    again = pickle.loads(pickle.dumps(solver))
    assert np.array_equal(again(*state, guess=guess), solver(*state, guess=guess))


def test_many_states_are_computed_as_each_alone(graph):
    """With wrenches, an array for the result and one for the coordinates."""
    given = list(states(graph, 5))
    q, v, a = (np.array([one[k] for one in given]) for k in range(3))
    guess, load = given[0][3], {graph.links[-1]: [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]}
    solver, out, coordinates = md.InverseDynamics(graph), np.empty(v.shape), np.empty((5, graph.nq))
    options = {"guess": guess, "external_wrenches": load, "threads": 1}
    assert solver(q, v, a, **options, out=out, coordinates=coordinates) is out
    assert np.array_equal(md.inverse_dynamics(graph, q, v, a, **options), out)
    many = solver.solve_many(q, v, a, **options)
    assert np.array_equal(many.tau, out)
    for k in range(5):
        alone = solver.solve(q[k], v[k], a[k], guess=guess, external_wrenches=load)
        assert largest(out[k] - alone.tau, alone.tau) < 1e-11
        assert coordinates[k] == pytest.approx(alone.coordinates, abs=1e-11)
        assert many.tensions[k] == pytest.approx([*alone.tensions.values()], rel=1e-9, abs=1e-9)
    with pytest.raises(md.StateError, match=r"out is float64 \(5, \d+\); .* is needed"):
        solver(q, v, a, guess=guess, out=np.empty((5, len(v[0]) + 1)))
    with pytest.raises(md.StateError, match=r"black_box_wrenches are given, but .* has closed loops"):
        solver(q, v, a, guess=guess, black_box_wrenches={"tool": [0.0] * 6})
