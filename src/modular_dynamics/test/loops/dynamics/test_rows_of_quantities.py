"""Quantities of many states, one by one: rows are the single states, errors name theirs."""

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


def functions(name):
    """The function, with its results as a tuple."""
    function = getattr(md, name)

    def quantity(*arguments, **options):
        result = function(*arguments, **options)
        return result if isinstance(result, tuple) else (result,)

    return quantity


@pytest.mark.parametrize("guesses", ["none", "one", "each"])
@pytest.mark.parametrize(
    ("function", "more"),
    [
        ("regressor", {"joint_terms": True}),
        ("regressor", {}),
        ("inverse_dynamics_derivatives", {"friction": "urdf"}),
    ],
)
def test_rows_are_the_single_states(crane, states, function, more, guesses):
    quantity = functions(function)
    closed = np.array([md.close_loops(crane, q) for q in states[0]])
    given = {"none": None, "one": closed[0], "each": closed}[guesses]
    result = quantity(crane, *states, guess=given, **more)
    followed = md.close_loops(crane, states[0], given)  # each row from the one before it, or its own guess
    for k, state in enumerate(zip(*states, strict=True)):
        expected = quantity(crane, *state, guess=followed[k], **more)
        assert all(np.array_equal(mine[k], own) for mine, own in zip(result, expected, strict=True))
    none = quantity(crane, *(x[:0] for x in states), **more)
    assert [x.shape for x in none] == [(0, *x.shape[1:]) for x in result]


@pytest.mark.parametrize("function", ["regressor", "inverse_dynamics_derivatives"])
def test_a_floating_base_has_more_coordinates_than_velocities(function):
    graph = md.load_urdf(closed_robots.path("four_bar"), floating_base=True)
    quantity = functions(function)
    q = np.array([[0.1, 0.2, -0.1, 1.0, 0.1, 0.2, 0.0, 0.7], [0.0, 0.3, 0.1, 1.0, 0.0, 0.0, 0.0, 0.8]])
    v, a = np.random.default_rng(4).normal(size=(2, 2, 7))
    result = quantity(graph, q, v, a)
    followed = md.close_loops(graph, q)
    for k, state in enumerate(zip(q, v, a, strict=True)):
        expected = quantity(graph, *state, guess=followed[k])
        assert all(np.array_equal(mine[k], own) for mine, own in zip(result, expected, strict=True))


@pytest.mark.parametrize("quantity", [md.regressor, md.inverse_dynamics_derivatives])
def test_bad_rows_are_named(crane, states, quantity):
    q, v, a = states
    with pytest.raises(md.StateError, match=r"q, v, a have 4, 3, 4 rows; one for each"):
        quantity(crane, q, v[:3], a)
    with pytest.raises(md.StateError, match=r"guess has shape \(2, 7\); \(7,\) or \(4, 7\) is needed"):
        quantity(crane, q, v, a, guess=np.zeros((2, 7)))
    with pytest.raises(md.StateError, match=r"guess is not an array of numbers"):
        quantity(crane, q, v, a, guess=[[0.0] * 7, [0.0] * 6])
    v[2, 1] = np.nan
    with pytest.raises(md.StateError, match=r"^row 2: v"):
        quantity(crane, q, v, a)
    q[1] = 5.0
    with pytest.raises(md.ClosureError, match=r"^row 1: "):
        quantity(crane, q, a, a)
