"""States side by side: rows are closed and moved as single states, wherever they fall into lanes."""

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


@pytest.mark.skipif(not config.DISABLE_JIT, reason="compiled functions cannot be watched")
@pytest.mark.parametrize("designs", [False, True])
def test_plain_states_are_computed_side_by_side(designs, monkeypatch):
    """None is left to the function for single states, which would give the same results."""
    left = []
    monkeypatch.setattr(block, "answer_row", lambda *_: left.append(_) or 1)
    graph = next(iter(MECHANISMS.values()))().graph()
    states = [x[None] if designs else x for x in motion(graph, 2 * LANES, 0.005)]
    parameters = {"gravity z": -9.0} if designs else None
    batch = md.closed_loop_inverse_dynamics_batch(graph, *states, parameters=parameters)
    assert (batch.statuses == md.RowStatus.ANSWERED).all()
    assert left == []
