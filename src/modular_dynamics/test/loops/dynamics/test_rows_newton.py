"""Many states of loops that are not planar: rows as single calls, bad rows marked, any number of threads."""

from types import SimpleNamespace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.parallel_mechanisms import ankle, bricard, sarrus
from modular_dynamics.loops import solver_of
from modular_dynamics.loops.assembly.least_squares import LeastSquares
from modular_dynamics.loops.core_loops import GOOD, core_loops

COUNT = 150


@pytest.fixture(params=[ankle, bricard], ids=lambda make: make.__name__)
def graph(request):
    return md.load_urdf(request.param().urdf())


def motion(graph, count=COUNT, size=0.02):
    solver = solver_of(graph)
    start, t = solver.reference()[solver.independent_q], np.linspace(0.0, 1.0, count)[:, None]
    phase = np.arange(len(start)) + 1.0
    q = start + size * np.sin(phase * t)
    return q, size * phase * np.cos(phase * t), -size * phase**2 * np.sin(phase * t)


def answered(graph, states, starts, threads=1):
    """What the core writes, without the general method."""
    q, v, a = (np.ascontiguousarray(x) for x in states)
    tau, coordinates = np.full(v.shape, np.nan), np.full((len(q), graph.nq), np.nan)
    statuses = np.zeros(len(q), np.int64)
    loops, results = graph.once(core_loops), (tau, coordinates, None, statuses)
    loops.inverse_dynamics_rows(q, v, a, starts, *results, False, threads)
    return SimpleNamespace(tau=tau, coordinates=coordinates, statuses=statuses)


def assert_power_is_that_of_energy(graph, q, v, a, batch):
    """Power of the motors is the rate of the energy of all bodies, by central differences."""
    h = 1e-5
    solver = solver_of(graph)
    energies = []
    for sign in (-1.0, 1.0):
        there, rates = q + sign * h * v + 0.5 * h * h * a, v + sign * h * a
        full = solver.close(there, batch.coordinates[0])
        all_rates = solver.projection(full) @ rates
        M = md.mass_matrix(graph.tree, full)
        energies.append(0.5 * all_rates @ M @ all_rates + md.potential_energy(graph.tree, full))
    assert batch.tau[0] @ v == pytest.approx((energies[1] - energies[0]) / (2.0 * h), rel=1e-6, abs=1e-6)


def test_rows_are_single_calls(graph):
    states = motion(graph)
    batch, guess = md.InverseDynamics(graph).solve_many(*states), None
    assert batch.reasons == {}
    for row, state in enumerate(zip(*states, strict=True)):
        single = md.InverseDynamics(graph).solve(*state, guess=guess)
        guess = single.coordinates
        assert batch.tau[row] == pytest.approx(single.tau, rel=1e-9, abs=1e-9 * np.abs(single.tau).max())
        assert batch.coordinates[row] == pytest.approx(guess, abs=1e-9)


def test_the_compiled_function_answers_all_rows_alone(graph):
    rows = answered(graph, motion(graph), solver_of(graph).reference())
    assert (rows.statuses == 0).all()
    for q in rows.coordinates:
        assert max(solver_of(graph).residual(q).values()) < 1e-10


def test_motors_do_the_work_that_bodies_gain(graph):
    q, v, a = (x[40] for x in motion(graph, size=0.2))
    batch = md.InverseDynamics(graph).solve_many(q[None], v[None], a[None])
    assert_power_is_that_of_energy(graph, q, v, a, batch)


def test_the_same_bits_on_any_number_of_threads(graph):
    states = motion(graph, 300)
    one, three = (md.InverseDynamics(graph).solve_many(*states, threads=k) for k in (1, 3))
    assert np.array_equal(one.tau, three.tau)
    assert np.array_equal(one.coordinates, three.coordinates)


def test_given_guesses_make_rows_independent_of_each_other(graph):
    states = motion(graph)
    batch = md.InverseDynamics(graph).solve_many(*states)
    order = np.random.default_rng(0).permutation(COUNT)
    guesses = batch.coordinates[order]
    again = md.InverseDynamics(graph).solve_many(*(x[order] for x in states), guess=guesses)
    assert again.tau == pytest.approx(batch.tau[order], rel=1e-9, abs=1e-9)
    guesses[5] = np.nan
    marked = md.InverseDynamics(graph).solve_many(*(x[order] for x in states), guess=guesses)
    assert np.flatnonzero(marked.statuses).tolist() == [5]
    assert "finite" in marked.reasons[5]


def test_bad_rows_are_marked_and_spoil_no_other(graph):
    states = motion(graph)
    expected = md.InverseDynamics(graph).solve_many(*states)
    states[0][3, 0], states[1][100, 0], states[1][101, 0] = np.nan, np.inf, 1e200  # too large for torques
    bad = {3: md.StateStatus.NO_STATE, 100: md.StateStatus.NO_STATE, 101: md.StateStatus.NO_STATE}
    if len(states[0][0]) == 1:
        states[0][70, 0] -= 2.0  # the hip of this one cannot turn so far
        bad[70] = md.StateStatus.CANNOT_CLOSE
    batch = md.InverseDynamics(graph).solve_many(*states)
    assert {row: batch.statuses[row] for row in np.flatnonzero(batch.statuses)} == bad
    bad = list(bad)
    assert np.isnan(batch.tau[bad]).all()
    assert np.isnan(batch.coordinates[bad]).all()
    good = batch.statuses == md.StateStatus.ANSWERED
    assert batch.tau[good] == pytest.approx(expected.tau[good], rel=1e-9, abs=1e-9)
    with pytest.raises(md.StateError, match=r"row 3: .*finite"):
        md.InverseDynamics(graph).solve_many(*states, errors="raise")


def test_states_out_of_reach_take_no_search_unless_one_is_to_be_raised(monkeypatch):
    """The search takes as long as a hundred answers, and finds out only what the error says."""
    graph = md.load_urdf(bricard().urdf())
    states = motion(graph)
    states[0][70:90, 0] -= 2.0  # the hip cannot turn so far
    searches, search = [], LeastSquares.search
    monkeypatch.setattr(LeastSquares, "search", lambda *a, **k: searches.append(a) or search(*a, **k))
    batch = md.InverseDynamics(graph).solve_many(*states)
    assert np.flatnonzero(batch.statuses == md.StateStatus.CANNOT_CLOSE).tolist() == [*range(70, 90)]
    assert not searches
    with pytest.raises(md.ClosureError, match=r"row 70: .*out of reach"):
        md.InverseDynamics(graph).solve_many(*states, errors="raise")
    assert searches


def test_friction_counts(graph):
    states = motion(graph, 3)
    batch = md.InverseDynamics(graph, friction="urdf").solve_many(*states)
    single = md.InverseDynamics(graph, friction="urdf").solve(*(x[0] for x in states))
    assert batch.tau[0] == pytest.approx(single.tau, rel=1e-9, abs=1e-9)


def test_a_dead_point_is_left_to_the_general_method():
    """Where the plate is highest, legs are straight."""
    graph = md.load_urdf(sarrus().urdf())
    solver = solver_of(graph)
    start = solver.reference()
    straight = start[solver.independent_q] + np.arctan2(0.4, 0.25)
    rest = np.zeros((2, 1))
    rows = answered(graph, (np.array([start[solver.independent_q] + 0.01, straight]), rest, rest), start)
    assert rows.statuses[0] == GOOD
    assert rows.statuses[1] != GOOD
    assert np.isnan(rows.tau[1]).all()
