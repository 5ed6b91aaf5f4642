"""A filter's step against the same product in NumPy, and what it refuses."""

import gc

import numpy as np
import pytest

from modular_dynamics.kernels import linear_filter
from modular_dynamics.kernels.linear_filter import linear_filter as filter_of


@pytest.fixture(params=[True, False], ids=["compiled", "in NumPy"])
def _either(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(linear_filter, "entries_are_direct", lambda: False)


def _arguments(rng, rows, signals):
    sizes = rows * signals, signals, signals, 1, rows * signals
    return [rng.normal(size=size) for size in sizes]


@pytest.mark.usefixtures("_either")
@pytest.mark.parametrize(("rows", "signals"), [(1, 1), (11, 1), (11, 7), (11, 38), (4, 0)])
def test_a_step_is_the_product_with_interpolated_inputs(rows, signals):
    rng = np.random.default_rng(rows + signals)
    matrix = rng.normal(size=(rows, rows)) * (rng.random((rows, rows)) < 0.6)
    step = filter_of(matrix, signals)
    gc.collect()  # the function keeps the matrix
    states, before, now, share, result = given = _arguments(rng, rows, signals)
    copies = [x.copy() for x in given[:4]]
    assert step(*given) == 0
    entered = states.reshape(rows, signals).copy()
    entered[0] = (1.0 - share) * before + share * now
    np.testing.assert_allclose(result.reshape(rows, signals), matrix @ entered, rtol=1e-13, atol=1e-13)
    for x, copy in zip(given, copies, strict=False):
        np.testing.assert_array_equal(x, copy)


@pytest.mark.usefixtures("_either")
def test_what_is_not_finite_comes_out_where_it_belongs():
    step, rng = filter_of(np.ones((2, 2)), 3), np.random.default_rng(1)
    states, before, now, share, result = _arguments(rng, 2, 3)
    now[1], states[5] = np.nan, np.inf  # input of the second signal, a state of the third
    assert step(states, before, now, share, result) == 0
    assert np.isfinite(result.reshape(2, 3)).all(axis=0).tolist() == [True, False, False]


def _read_only(x):
    x.flags.writeable = False
    return x


CHANGES = {
    "a list": list,
    "no array": lambda _: None,
    "single precision": lambda x: x.astype(np.float32),
    "integers": lambda x: x.astype(int),
    "one more": lambda x: np.append(x, 1.0),
    "one less": lambda x: x[:-1],
    "two dimensions": lambda x: x[np.newaxis],
    "every second": lambda x: np.repeat(x, 2)[::2] if len(x) > 1 else np.zeros(2),
    "read-only": _read_only,
}


@pytest.mark.usefixtures("_either")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("place", range(5))
def test_other_arguments_are_refused_and_nothing_is_written(place, change):
    arguments = _arguments(np.random.default_rng(2), 3, 2)
    result = arguments[4].copy()
    kept = arguments[4]
    arguments[place] = CHANGES[change](arguments[place].copy())
    assert filter_of(np.eye(3), 2)(*arguments) == 1
    np.testing.assert_array_equal(kept, result)


@pytest.mark.usefixtures("_either")
def test_another_number_of_arguments_is_refused():
    arguments = _arguments(np.random.default_rng(3), 3, 2)
    step = filter_of(np.eye(3), 2)
    assert step(*arguments[:4]) == step() == step(*arguments, arguments[0]) == 1
