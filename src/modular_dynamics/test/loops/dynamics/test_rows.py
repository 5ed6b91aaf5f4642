"""Many states with closed loops: rows as single calls, bad states marked, the same bits on any threads."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.parallel_mechanisms import delta
from helpers.robots.planar_mechanisms import MECHANISMS, four_bar_by_cosines, same_angle, slider_crank
from helpers.robots.planar_robots import four_bar
from modular_dynamics.loops import solver_of

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
    batch, guess = md.InverseDynamics(graph).solve_many(*states), None
    assert (batch.statuses == md.StateStatus.ANSWERED).all()
    assert batch.reasons == {}
    for row, state in enumerate(zip(*states, strict=True)):
        single = md.InverseDynamics(graph).solve(*state, guess=guess)
        guess = single.coordinates
        assert batch.tau[row] == pytest.approx(single.tau, rel=1e-10, abs=1e-10 * np.abs(single.tau).max())
        assert batch.coordinates[row] == pytest.approx(guess, abs=1e-10)


def test_the_same_bits_on_any_number_of_threads(graph):
    states = motion(graph, 1000)
    one, four = (md.InverseDynamics(graph).solve_many(*states, threads=k) for k in (1, 4))
    assert np.array_equal(one.tau, four.tau)
    assert np.array_equal(one.coordinates, four.coordinates)


def test_given_guesses_make_rows_independent_of_each_other(graph):
    states = motion(graph)
    batch = md.InverseDynamics(graph).solve_many(*states)
    order = np.random.default_rng(0).permutation(COUNT)
    again = md.InverseDynamics(graph).solve_many(*(x[order] for x in states), guess=batch.coordinates[order])
    assert again.tau == pytest.approx(batch.tau[order], rel=1e-10, abs=1e-10 * np.abs(batch.tau).max())
    one = md.InverseDynamics(graph).solve_many(*(x[:1] for x in states), guess=batch.coordinates[0])
    assert np.array_equal(one.tau, again.tau[order == 0])


def test_bad_states_are_marked_and_spoil_no_other(load_robot):
    graph = load_robot("four_bar").with_independent_joints("J3")
    q, v, a = motion(graph)
    expected = md.InverseDynamics(graph).solve_many(q, v, a)
    bad = {0: np.nan, 63: 3.0, 64: np.inf, 150: 3.0, 299: -2.9}
    for row, value in bad.items():
        q[row] = value
    batch = md.InverseDynamics(graph).solve_many(q, v, a)
    status = {0: md.StateStatus.NO_STATE, 64: md.StateStatus.NO_STATE}
    marked = {row: status.get(row, md.StateStatus.CANNOT_CLOSE) for row in bad}
    assert {row: batch.statuses[row] for row in np.flatnonzero(batch.statuses)} == marked
    assert batch.reasons.keys() == bad.keys()
    assert "finite" in batch.reasons[0]
    assert np.isnan(batch.tau[list(bad)]).all()
    assert np.isnan(batch.coordinates[list(bad)]).all()
    good = batch.statuses == md.StateStatus.ANSWERED
    assert batch.tau[good] == pytest.approx(expected.tau[good], rel=1e-9, abs=1e-9)
    with pytest.raises(md.StateError, match=r"row 0: .*finite"):
        md.InverseDynamics(graph).solve_many(q, v, a, errors="raise")
    with pytest.raises(md.ClosureError, match="row 62: "):
        md.InverseDynamics(graph).solve_many(q[1:], v[1:], a[1:], errors="raise")


def test_a_dead_point_is_marked_as_one():
    """A parallelogram that would have to pass through its flat position, where two branches meet."""
    graph = four_bar(a=1.0, b=2.0, c=1.0, d=2.0).graph()
    q, rest = np.array([[2.5], [3.8], [2.6]]), np.zeros((3, 1))
    batch = md.InverseDynamics(graph).solve_many(q, rest, rest, guess=np.array([2.5, -2.5, -2.5]))
    assert batch.statuses.tolist() == [
        md.StateStatus.ANSWERED,
        md.StateStatus.DEAD_POINT,
        md.StateStatus.ANSWERED,
    ]
    assert "dead point" in batch.reasons[1]


def test_loops_that_are_not_planar(load_robot):
    graph = md.load_urdf(delta().urdf())
    states = motion(graph, 5, 0.02)
    batch = md.InverseDynamics(graph).solve_many(*states)
    guess = None
    for row, state in enumerate(zip(*states, strict=True)):
        single = md.InverseDynamics(graph).solve(*state, guess=guess)
        guess = single.coordinates
        assert batch.tau[row] == pytest.approx(single.tau, rel=1e-9, abs=1e-9)


def test_no_states_and_wrong_arguments(load_robot):
    graph = load_robot("four_bar")
    assert md.InverseDynamics(graph).solve_many(*np.zeros((3, 0, 1))).tau.shape == (0, 1)
    with pytest.raises(md.StateError, match="errors is 'ignore'"):
        md.InverseDynamics(graph).solve_many(*np.zeros((3, 2, 1)), errors="ignore")
    with pytest.raises(md.StateError, match=r"guess has shape \(2, 2\); \(3,\) or \(2, 3\)"):
        md.InverseDynamics(graph).solve_many(*np.zeros((3, 2, 1)), guess=np.zeros((2, 2)))
    with pytest.raises(md.StateError, match=r"guess, of all joints: .*finite"):
        md.InverseDynamics(graph).solve_many(*np.zeros((3, 2, 1)), guess=np.full(3, np.nan))
    with pytest.raises(md.StateError, match="q has shape"):
        md.InverseDynamics(graph).solve_many(*np.zeros((3, 2)))


@pytest.fixture(params=[*ROBOTS, *MECHANISMS])
def any_graph(request, load_robot):
    return MECHANISMS[request.param]().graph() if request.param in MECHANISMS else load_robot(request.param)


@pytest.mark.parametrize("size", [0.02, 0.2])
def test_random_motions_as_by_the_general_method(any_graph, size):
    """Rates that are no derivatives of the motion: a wrong product of two velocities would show."""
    graph, rng = any_graph, np.random.default_rng(1)
    q, _, _ = motion(graph, 90, size)
    v, a = rng.normal(size=(2, *q.shape))
    batch, guess = md.InverseDynamics(graph).solve_many(q, v, a), None
    for row, state in enumerate(zip(q, v, a, strict=True)):
        try:
            single = md.InverseDynamics(graph).solve(*state, guess=guess)
        except md.ModularDynamicsError:
            assert batch.statuses[row] != md.StateStatus.ANSWERED
            continue
        guess = single.coordinates
        assert batch.statuses[row] == md.StateStatus.ANSWERED
        scale = np.abs(single.tau).max()
        assert batch.tau[row] == pytest.approx(single.tau, rel=1e-9, abs=1e-9 * scale)
        assert batch.coordinates[row] == pytest.approx(guess, abs=1e-9)
        assert batch.tensions[row] == pytest.approx(list(single.tensions.values()), rel=1e-9)


def test_the_same_bits_for_any_number_of_rows(graph):
    """Rows fall into lanes and blocks, the last ones beside copies of them; one row is a single call."""
    states = motion(graph, 70)
    whole = md.InverseDynamics(graph).solve_many(*states)
    for count in range(2, 70):
        part = md.InverseDynamics(graph).solve_many(*(x[:count] for x in states))
        assert np.array_equal(part.tau, whole.tau[:count])
        assert np.array_equal(part.coordinates, whole.coordinates[:count])
    one = md.InverseDynamics(graph).solve_many(*(x[:1] for x in states))
    assert one.tau[0] == pytest.approx(whole.tau[0], rel=1e-12, abs=1e-12 * np.abs(whole.tau[0]).max())


def test_side_by_side_as_one_by_one(any_graph):
    """With a guess for each, rows are answered one by one: another function, equal but for rounding."""
    states = motion(any_graph, 200)
    batch = md.InverseDynamics(any_graph).solve_many(*states)
    single = md.InverseDynamics(any_graph).solve_many(*states, guess=batch.coordinates)
    assert batch.tau == pytest.approx(single.tau, rel=1e-13, abs=1e-13 * np.abs(single.tau).max())
    assert batch.coordinates == pytest.approx(single.coordinates, abs=1e-13)
    assert batch.sines == pytest.approx(single.sines, abs=1e-13)
    scale = np.abs(single.tensions).max(initial=0.0)
    assert batch.tensions == pytest.approx(single.tensions, abs=1e-13 * scale)


@pytest.mark.parametrize("turns", [-4.0, 3.0])
def test_several_turns_of_a_crank(turns):
    """Angles go on beyond a turn; by the law of cosines, and without a jump from row to row."""
    graph = four_bar().graph()
    q = np.linspace(0.4, 0.4 + 2.0 * np.pi * turns, 500)[:, None]
    start = md.InverseDynamics(graph).solve(q[0], np.zeros(1), np.zeros(1)).coordinates
    side = -1.0 if np.sin(start[1]) > 0.0 else 1.0
    batch = md.InverseDynamics(graph).solve_many(q, np.ones(q.shape), np.zeros(q.shape), guess=start)
    assert (batch.statuses == md.StateStatus.ANSWERED).all()
    assert np.abs(np.diff(batch.coordinates, axis=0)).max() < 0.5
    sides = [four_bar_by_cosines(*q[0], way) for way in (side, -side)]
    way = side if same_angle(sides[0], start) else -side
    for angle, coordinates in zip(q[:, 0], batch.coordinates, strict=True):
        assert same_angle(four_bar_by_cosines(angle, way), coordinates)
    turned = batch.coordinates[-1] - batch.coordinates[0]
    assert turned[:2] == pytest.approx([2.0 * np.pi * turns, -2.0 * np.pi * turns], abs=1e-9)


def test_a_guess_some_turns_away_counts():
    graph = four_bar().graph()
    states = motion(graph, 100)
    here = md.InverseDynamics(graph).solve_many(*states)
    guess = here.coordinates[0] + [0.0, 6.0 * np.pi, -4.0 * np.pi]
    there = md.InverseDynamics(graph).solve_many(*states, guess=guess)
    away = np.broadcast_to([0.0, 6.0 * np.pi, -4.0 * np.pi], here.coordinates.shape)
    assert there.coordinates - here.coordinates == pytest.approx(away, abs=1e-12)
    assert there.tau == pytest.approx(here.tau, rel=1e-12, abs=1e-12 * np.abs(here.tau).max())


@pytest.mark.parametrize("seed", range(8))
def test_random_linkages_with_rows_beyond_reach(seed):
    """Four-bars and slider-cranks on a random walk that also leaves what they reach."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        graph = slider_crank(offset=rng.uniform(0.3, 0.7)).graph()
    else:
        a, b, c = rng.uniform(0.6, 1.6, 3)
        graph = four_bar(a, b, c, rng.uniform(1.0, 2.0)).graph()
    graph = graph.with_independent_joints("rocker") if seed % 4 == 0 else graph
    solver = solver_of(graph)
    q = solver.reference()[solver.independent_q] + np.cumsum(rng.normal(0.0, 0.06, (150, 1)), axis=0)
    v, a = rng.normal(size=(2, *q.shape))
    batch, guess = md.InverseDynamics(graph).solve_many(q, v, a), None
    answered = np.flatnonzero(batch.statuses == md.StateStatus.ANSWERED)
    assert len(answered) > 30
    for row in answered:
        single = md.InverseDynamics(graph).solve(q[row], v[row], a[row], guess=guess)
        guess = single.coordinates
        size = (
            1e-10 / min(1.0, np.nan_to_num(batch.sines[row], nan=1e-3)) ** 2
        )  # of rounding, at a dead point
        assert batch.tau[row] == pytest.approx(single.tau, rel=size)
        assert batch.coordinates[row] == pytest.approx(guess, abs=size)
