"""Numbers within and beyond a bound, at every place, and what is refused."""

import gc

import numpy as np
import pytest

from modular_dynamics.kernels import size_check
from modular_dynamics.kernels.size_check import size_check as check_of


@pytest.fixture(params=[True, False], ids=["compiled", "in NumPy"], autouse=True)
def _either(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(size_check, "entries_are_direct", lambda: False)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 76])
def test_one_number_beyond_the_bound_is_found_wherever_it_is(count):
    check, values = check_of(1e9, count), np.random.default_rng(count).uniform(-1e9, 1e9, count)
    gc.collect()  # the function keeps the bound
    values[::3] = 1e9  # the bound itself is good
    before = values.copy()
    assert check(values) == 0
    np.testing.assert_array_equal(values, before)
    for place in range(count):
        for bad in (np.nan, np.inf, -np.inf, np.nextafter(1e9, np.inf), -1e10, 1e308):
            values[place] = bad
            assert check(values) == 2
        values[place] = -1e9
        assert check(values) == 0


def _read_only(x):
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    "change",
    [
        list,
        lambda x: x.astype(np.float32),
        lambda x: x.astype(int),
        lambda x: np.append(x, 1.0),
        lambda x: x[:-1],
        lambda x: x[np.newaxis],
        lambda x: np.repeat(x, 2)[::2],
        _read_only,
    ],
)
def test_another_argument_is_refused(change):
    assert check_of(1.0, 3)(change(np.zeros(3))) == 1


def test_another_number_of_arguments_is_refused():
    check, values = check_of(1.0, 3), np.zeros(3)
    assert check() == check(values, values) == 1
