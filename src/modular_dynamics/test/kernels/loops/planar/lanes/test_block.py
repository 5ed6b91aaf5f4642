"""States side by side: rows are closed and moved as single states, wherever they fall into lanes."""

from contextlib import suppress

import numpy as np
import pytest
from numba import config

import modular_dynamics as md
from helpers.robots.planar_mechanisms import MECHANISMS
from modular_dynamics.closure import solver_of
from modular_dynamics.kernels.loops.planar.lanes import block
from modular_dynamics.kernels.loops.planar.lanes.sections import LANES

COUNT = 3 * LANES - 5


def motion(graph, count, step):
    """Random states of a smooth motion from the reference on, ``step`` [rad or m] apart."""
    solver, rng = solver_of(graph), np.random.default_rng(0)
    start = solver.reference()[solver.independent_q]
    directions = rng.choice([-1.0, 1.0], len(start))
    q = start + step * np.arange(1, count + 1)[:, None] * directions
    return q, *rng.normal(size=(2, *q.shape))


@pytest.fixture(params=MECHANISMS)
def graph(request):
    return MECHANISMS[request.param]().graph()


def test_rows_as_single_states(graph):
    states = motion(graph, COUNT, 0.005)
    batch, guess = md.closed_loop_inverse_dynamics_batch(graph, *states), None
    assert (batch.statuses == md.RowStatus.ANSWERED).all()
    for row in range(0, COUNT, 6):  # a remainder, and each lane of a vector but two
        single = md.closed_loop_inverse_dynamics(graph, *(x[row] for x in states), guess)
        guess = single.coordinates
        assert batch.tau[row] == pytest.approx(single.tau, rel=1e-9, abs=1e-9 * np.abs(single.tau).max())
        assert batch.coordinates[row] == pytest.approx(guess, abs=1e-10)


def test_a_bad_row_spoils_no_other_in_any_lane(graph):
    q, v, vdot = motion(graph, COUNT, 0.005)
    expected = md.closed_loop_inverse_dynamics_batch(graph, q, v, vdot)
    for row in range(LANES):
        bad = vdot.copy()
        bad[row] = np.inf
        batch = md.closed_loop_inverse_dynamics_batch(graph, q, v, bad)
        assert np.flatnonzero(batch.statuses).tolist() == [row]
        others = np.arange(COUNT) != row
        scale = np.abs(expected.tau).max()
        assert batch.tau[others] == pytest.approx(expected.tau[others], rel=1e-12, abs=1e-12 * scale)
        assert batch.coordinates[others] == pytest.approx(expected.coordinates[others], abs=1e-12)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_large_angles_beside_a_coordinate_that_is_not_finite(value):
    """Whole turns are taken off large angles of all lanes, whatever stands in another one."""
    graph = MECHANISMS["chained"]().graph()  # on a carrier, which moves no loop
    q, v, vdot = motion(graph, COUNT, 0.005)
    carrier = graph.independent_joint_names.index("carrier")
    q[:, carrier] += 1e9
    expected = md.closed_loop_inverse_dynamics_batch(graph, q, v, vdot)
    q[3, carrier] = value
    batch = md.closed_loop_inverse_dynamics_batch(graph, q, v, vdot)
    assert np.flatnonzero(batch.statuses).tolist() == [3]
    others = np.arange(COUNT) != 3
    assert batch.tau[others] == pytest.approx(expected.tau[others], rel=1e-9, abs=1e-9)
    single = md.closed_loop_inverse_dynamics(graph, q[2], v[2], vdot[2])
    assert batch.tau[2] == pytest.approx(single.tau, rel=1e-9, abs=1e-9)


def own_starts(graph, count, spread=0.2, seed=1):
    """States in no order, each near a closed configuration of its own."""
    solver, rng = solver_of(graph), np.random.default_rng(seed)
    reference, p = solver.reference(), len(solver.independent_v)
    starts = np.array(
        [
            solver.close(reference[solver.independent_q] + rng.uniform(-spread, spread, p), reference)
            for _ in range(count)
        ]
    )
    q = starts[:, solver.independent_q] + rng.uniform(-0.05, 0.05, (count, p))
    return (q, *rng.normal(size=(2, count, p))), starts


def test_rows_with_guesses_of_their_own_as_single_states(graph):
    states, starts = own_starts(graph, COUNT)
    batch = md.closed_loop_inverse_dynamics_batch(graph, *states, starts)
    assert (batch.statuses == md.RowStatus.ANSWERED).all()
    for row in range(COUNT):
        single = md.closed_loop_inverse_dynamics(graph, *(x[row] for x in states), starts[row])
        assert batch.tau[row] == pytest.approx(single.tau, rel=1e-9, abs=1e-9 * np.abs(single.tau).max())
        assert batch.coordinates[row] == pytest.approx(single.coordinates, abs=1e-10)
        assert batch.tensions[row] == pytest.approx([*single.tensions.values()], rel=1e-9)


def test_each_row_is_in_the_assembly_mode_and_whole_turn_of_its_guess():
    """Two modes of a four-bar, and turns of its joints, beside each other in one vector."""
    graph = MECHANISMS["four-bar"]().graph()
    solver = solver_of(graph)
    reference = solver.reference()
    (q, v, vdot), starts = own_starts(graph, COUNT)
    mirrored = md.assemble(
        graph, reference + np.where(np.isin(np.arange(graph.nq), solver.independent_q), 0, 3)
    )
    other = mirrored.coordinates
    assert np.abs(np.sin(0.5 * (other - reference))).max() > 0.1  # another mode
    starts[1::3], q[1::3] = other, other[solver.independent_q] + 0.03
    starts[2::3] += 2.0 * np.pi * np.arange(graph.nq)
    q[2::3] += 2.0 * np.pi * np.arange(graph.nq)[solver.independent_q]
    batch = md.closed_loop_inverse_dynamics_batch(graph, q, v, vdot, starts)
    assert (batch.statuses == md.RowStatus.ANSWERED).all()
    assert np.isfinite(batch.sines).all()  # by the compiled function
    for row in range(COUNT):
        single = md.closed_loop_inverse_dynamics(graph, q[row], v[row], vdot[row], starts[row])
        assert batch.coordinates[row] == pytest.approx(single.coordinates, abs=1e-10)
        assert batch.tau[row] == pytest.approx(single.tau, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("change", ["nan", "inf", "large", "open", "far"])
def test_a_bad_guess_spoils_no_other_row_in_any_lane(graph, change):
    """Where a guess is not closed, or far from its state, the general method answers or says why not."""
    states, starts = own_starts(graph, COUNT)
    expected = md.closed_loop_inverse_dynamics_batch(graph, *states, starts)
    dependent = [k for k in range(graph.nq) if k not in solver_of(graph).independent_q]
    for row in range(LANES):
        q, bad = states[0].copy(), starts.copy()
        if change == "far":
            q[row] += 0.4
        else:
            bad[row, dependent] += {"nan": np.nan, "inf": np.inf, "large": 1e200, "open": 0.7}[change]
        batch = md.closed_loop_inverse_dynamics_batch(graph, q, *states[1:], bad)
        others = np.arange(COUNT) != row
        scale = np.abs(expected.tau).max()
        assert not batch.statuses[others].any()
        assert batch.tau[others] == pytest.approx(expected.tau[others], rel=1e-12, abs=1e-12 * scale)
        assert batch.coordinates[others] == pytest.approx(expected.coordinates[others], abs=1e-12)
        state = (q[row], *(x[row] for x in states[1:]), bad[row])
        with suppress(md.ModularDynamicsError):
            single = md.closed_loop_inverse_dynamics(graph, *state)
            assert batch.tau[row] == pytest.approx(single.tau, rel=1e-8, abs=1e-9 * scale)
            assert batch.coordinates[row] == pytest.approx(single.coordinates, abs=1e-9)
            continue
        with pytest.raises(md.ModularDynamicsError) as error:
            md.closed_loop_inverse_dynamics(graph, *state)
        assert batch.reasons[row] == str(error.value)
        assert np.isnan(batch.tau[row]).all()


@pytest.mark.skipif(not config.DISABLE_JIT, reason="compiled functions cannot be watched")
@pytest.mark.parametrize("what", ["motion", "designs", "guesses"])
def test_plain_states_are_computed_side_by_side(what, monkeypatch):
    """None is left to the function for single states, which would give the same results."""
    left, starts = [], None
    graph = next(iter(MECHANISMS.values()))().graph()
    states = [x[None] if what == "designs" else x for x in motion(graph, 2 * LANES, 0.005)]
    if what == "guesses":
        states, starts = own_starts(graph, 2 * LANES)
    parameters = {"gravity z": -9.0} if what == "designs" else None
    monkeypatch.setattr(block, "answer_row", lambda *_: left.append(_) or 1)
    batch = md.closed_loop_inverse_dynamics_batch(graph, *states, starts, parameters=parameters)
    assert (batch.statuses == md.RowStatus.ANSWERED).all()
    assert left == []
