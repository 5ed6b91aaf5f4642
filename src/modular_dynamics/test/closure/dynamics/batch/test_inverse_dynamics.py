"""Many states with closed loops: rows as single calls, bad states marked, the same bits on any threads."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.parallel_mechanisms import delta
from helpers.robots.planar_mechanisms import MECHANISMS
from helpers.robots.planar_robots import four_bar
from modular_dynamics.closure import solver_of

ROBOTS = "four_bar", "exoskeleton", "charmie_torso", "crane", "slider_crank"
COUNT = 300


@pytest.fixture(params=[*ROBOTS, "chained", "mimicked", "yoke"])
def graph(request, load_robot):
    return load_robot(request.param) if request.param in ROBOTS else MECHANISMS[request.param]().graph()


def motion(graph, count=COUNT, size=0.02):
    """States along a smooth motion that begins at the reference and stays away from dead points."""
    solver = solver_of(graph)
    start, t = solver.reference()[solver.independent_q], np.linspace(0.0, 1.0, count)[:, None]
    phase = np.arange(len(start)) + 1.0
    q = start + size * np.sin(phase * t)
    return q, size * phase * np.cos(phase * t), -size * phase**2 * np.sin(phase * t)


def test_rows_are_single_calls(graph):
    states = motion(graph)
    batch, guess = md.closed_loop_inverse_dynamics_batch(graph, *states), None
    assert (batch.statuses == md.RowStatus.ANSWERED).all()
    assert batch.reasons == {}
    for row, state in enumerate(zip(*states, strict=True)):
        single = md.closed_loop_inverse_dynamics(graph, *state, guess)
        guess = single.coordinates
        assert batch.tau[row] == pytest.approx(single.tau, rel=1e-10, abs=1e-10 * np.abs(single.tau).max())
        assert batch.coordinates[row] == pytest.approx(guess, abs=1e-10)


def test_the_same_bits_on_any_number_of_threads(graph):
    states = motion(graph, 1000)
    one, four = (md.closed_loop_inverse_dynamics_batch(graph, *states, threads=k) for k in (1, 4))
    assert np.array_equal(one.tau, four.tau)
    assert np.array_equal(one.coordinates, four.coordinates)


def test_given_guesses_make_rows_independent_of_each_other(graph):
    states = motion(graph)
    batch = md.closed_loop_inverse_dynamics_batch(graph, *states)
    order = np.random.default_rng(0).permutation(COUNT)
    again = md.closed_loop_inverse_dynamics_batch(
        graph, *(x[order] for x in states), batch.coordinates[order]
    )
    assert again.tau == pytest.approx(batch.tau[order], rel=1e-10, abs=1e-10 * np.abs(batch.tau).max())
    one = md.closed_loop_inverse_dynamics_batch(graph, *(x[:1] for x in states), batch.coordinates[0])
    assert np.array_equal(one.tau, again.tau[order == 0])


def test_bad_states_are_marked_and_spoil_no_other(load_robot):
    graph = load_robot("four_bar").with_independent_joints("J3")
    q, v, vdot = motion(graph)
    expected = md.closed_loop_inverse_dynamics_batch(graph, q, v, vdot)
    bad = {0: np.nan, 63: 3.0, 64: np.inf, 150: 3.0, 299: -2.9}
    for row, value in bad.items():
        q[row] = value
    batch = md.closed_loop_inverse_dynamics_batch(graph, q, v, vdot)
    status = {0: md.RowStatus.NO_STATE, 64: md.RowStatus.NO_STATE}
    marked = {row: status.get(row, md.RowStatus.CANNOT_CLOSE) for row in bad}
    assert {row: batch.statuses[row] for row in np.flatnonzero(batch.statuses)} == marked
    assert batch.reasons.keys() == bad.keys()
    assert "finite" in batch.reasons[0]
    assert np.isnan(batch.tau[list(bad)]).all()
    assert np.isnan(batch.coordinates[list(bad)]).all()
    good = batch.statuses == md.RowStatus.ANSWERED
    assert batch.tau[good] == pytest.approx(expected.tau[good], rel=1e-9, abs=1e-9)
    with pytest.raises(md.StateError, match=r"row 0: .*finite"):
        md.closed_loop_inverse_dynamics_batch(graph, q, v, vdot, errors="raise")
    with pytest.raises(md.ClosureError, match="row 62: "):
        md.closed_loop_inverse_dynamics_batch(graph, q[1:], v[1:], vdot[1:], errors="raise")


def test_a_dead_point_is_marked_as_one():
    """A parallelogram that would have to pass through its flat position, where two branches meet."""
    graph = four_bar(a=1.0, b=2.0, c=1.0, d=2.0).graph()
    q, rest = np.array([[2.5], [3.8], [2.6]]), np.zeros((3, 1))
    batch = md.closed_loop_inverse_dynamics_batch(graph, q, rest, rest, np.array([2.5, -2.5, -2.5]))
    assert batch.statuses.tolist() == [md.RowStatus.ANSWERED, md.RowStatus.DEAD_POINT, md.RowStatus.ANSWERED]
    assert "dead point" in batch.reasons[1]


def test_loops_that_are_not_planar(load_robot):
    graph = md.load_urdf(delta().urdf())
    states = motion(graph, 5, 0.02)
    batch = md.closed_loop_inverse_dynamics_batch(graph, *states)
    guess = None
    for row, state in enumerate(zip(*states, strict=True)):
        single = md.closed_loop_inverse_dynamics(graph, *state, guess)
        guess = single.coordinates
        assert batch.tau[row] == pytest.approx(single.tau, rel=1e-9, abs=1e-9)


def test_no_states_and_wrong_arguments(load_robot):
    graph = load_robot("four_bar")
    assert md.closed_loop_inverse_dynamics_batch(graph, *np.zeros((3, 0, 1))).tau.shape == (0, 1)
    with pytest.raises(md.StateError, match="errors is 'ignore'"):
        md.closed_loop_inverse_dynamics_batch(graph, *np.zeros((3, 2, 1)), errors="ignore")
    with pytest.raises(md.StateError, match=r"guess has shape \(2, 2\); \(3,\) or \(2, 3\)"):
        md.closed_loop_inverse_dynamics_batch(graph, *np.zeros((3, 2, 1)), np.zeros((2, 2)))
    with pytest.raises(md.StateError, match=r"guess, of all joints: .*finite"):
        md.closed_loop_inverse_dynamics_batch(graph, *np.zeros((3, 2, 1)), np.full(3, np.nan))
    with pytest.raises(md.StateError, match="q has shape"):
        md.closed_loop_inverse_dynamics_batch(graph, *np.zeros((3, 2)))
