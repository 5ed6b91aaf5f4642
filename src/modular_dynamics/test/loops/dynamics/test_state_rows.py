"""Batches of closed robots: rows are the single states, errors name theirs."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots import closed_robots

CRANE = closed_robots.STATES["crane"]


@pytest.fixture(scope="module")
def crane():
    return md.load_urdf(closed_robots.path("crane"))


@pytest.fixture
def states():
    rng = np.random.default_rng(3)
    return CRANE + rng.uniform(-0.01, 0.01, (4, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 3))


@pytest.mark.parametrize("guesses", ["none", "one", "each"])
@pytest.mark.parametrize(
    ("function", "more"),
    [
        ("closed_loop_regressor", {"joint_terms": True}),
        ("closed_loop_regressor", {}),
        ("closed_loop_inverse_dynamics_derivatives", {"friction": "urdf"}),
    ],
)
def test_rows_are_the_single_states(crane, states, function, more, guesses):
    single, batch = getattr(md, function), getattr(md, f"{function}_batch")
    closed = np.array([md.close_loops(crane, q) for q in states[0]])
    given = {"none": None, "one": closed[0], "each": closed}[guesses]
    result = batch(crane, *states, given, **more)
    for k, state in enumerate(zip(*states, strict=True)):
        expected = single(crane, *state, closed[k] if guesses == "each" else given, **more)
        assert all(np.array_equal(mine[k], own) for mine, own in zip(result, expected, strict=True))
    none = batch(crane, *(x[:0] for x in states), **more)
    assert [x.shape for x in none] == [(0, *x.shape[1:]) for x in result]


@pytest.mark.parametrize("function", ["closed_loop_regressor", "closed_loop_inverse_dynamics_derivatives"])
def test_a_floating_base_has_more_coordinates_than_velocities(function):
    graph = md.load_urdf(closed_robots.path("four_bar"), floating_base=True)
    single, batch = getattr(md, function), getattr(md, f"{function}_batch")
    q = np.array([[0.1, 0.2, -0.1, 1.0, 0.1, 0.2, 0.0, 0.7], [0.0, 0.3, 0.1, 1.0, 0.0, 0.0, 0.0, 0.8]])
    v, vdot = np.random.default_rng(4).normal(size=(2, 2, 7))
    result = batch(graph, q, v, vdot)
    for k, state in enumerate(zip(q, v, vdot, strict=True)):
        expected = single(graph, *state)
        assert all(np.array_equal(mine[k], own) for mine, own in zip(result, expected, strict=True))


@pytest.mark.parametrize(
    "batch", [md.closed_loop_regressor_batch, md.closed_loop_inverse_dynamics_derivatives_batch]
)
def test_bad_rows_are_named(crane, states, batch):
    q, v, vdot = states
    with pytest.raises(md.StateError, match=r"q, v, vdot have 4, 3, 4 rows; one for each"):
        batch(crane, q, v[:3], vdot)
    with pytest.raises(md.StateError, match=r"q has shape \(3,\); \(n, 3\) is needed, a row for each"):
        batch(crane, q[0], v[0], vdot[0])
    with pytest.raises(md.StateError, match=r"guess has shape \(2, 7\); \(7,\) or \(4, 7\) is needed"):
        batch(crane, q, v, vdot, np.zeros((2, 7)))
    with pytest.raises(md.StateError, match=r"guess is not an array of numbers"):
        batch(crane, q, v, vdot, [[0.0] * 7, [0.0] * 6])
    v[2, 1] = np.nan
    with pytest.raises(md.StateError, match=r"^row 2: v"):
        batch(crane, q, v, vdot)
    q[1] = 5.0
    with pytest.raises(md.ClosureError, match=r"^row 1: "):
        batch(crane, q, vdot, vdot)
