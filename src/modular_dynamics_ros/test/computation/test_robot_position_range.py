"""The positions that a description allows a joint."""

import math

import pytest

from modular_dynamics.model import Limits
from modular_dynamics_ros.computation.robot import position_range

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (-1.0, 2.0, (-1.0, 2.0)),
        (0.5, 0.5, (0.5, 0.5)),
        (None, 2.0, (-math.inf, 2.0)),
        (-1.0, None, (-1.0, math.inf)),
        (None, None, (-math.inf, math.inf)),
        (0.0, 0.0, (-math.inf, math.inf)),
        (-0.0, 0.0, (-math.inf, math.inf)),
        (1.0, -1.0, (-math.inf, math.inf)),
    ],
)
def test_ranges(lower, upper, expected):
    assert position_range(Limits(lower, upper)) == expected
