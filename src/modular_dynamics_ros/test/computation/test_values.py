"""Which numbers are taken."""

import numpy as np
import pytest

from modular_dynamics.text import numbers
from modular_dynamics_ros.computation.values import LARGEST, all_usable


def test_the_largest_size_is_that_of_descriptions():
    assert LARGEST == numbers.LARGEST


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1.1e9, -1e300])
def test_numbers_that_no_robot_has_are_not_usable(bad):
    values = np.array([[0.0, LARGEST], [-LARGEST, 1e-300]])
    assert all_usable(values)
    values[1, 0] = bad
    assert not all_usable(values)
