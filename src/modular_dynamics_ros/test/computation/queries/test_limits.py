"""Excesses at their worst points."""

import numpy as np
import pytest

from helpers.query_subjects import hand, subject_of
from modular_dynamics_ros.computation.queries.limits import EFFORT, POSITION, VELOCITY, Excess, excesses

pytestmark = pytest.mark.ros


def found(q, v, tau, names=("j1", "j2", "j3"), text=None):
    robot = subject_of(text or hand()).robot
    return excesses(robot, names, *(np.array(one, dtype=float) for one in (q, v, tau)))


REST = [[0.0] * 3] * 3


def test_within_limits_and_exactly_at_them_nothing_is_found():
    assert found([[1, -1, 0]] * 3, [[9, -9, 0]] * 3, [[9, -9, 9]] * 3) == []


def test_rounding_beyond_a_limit_exceeds_nothing():
    more = 1.0 + 1e-12
    assert found([[more, -more, 0]] * 3, [[9 * more, -9 * more, 0]] * 3, [[9 * more, 0, 0]] * 3) == []
    from_zero = hand().replace('lower="-1"', 'lower="0"')
    assert found([[-1e-17, 0, 0]] * 3, REST, REST, text=from_zero) == []
    assert [one.value for one in found([[-1e-6, 0, 0]] * 3, REST, REST, text=from_zero)] == [-1e-6]


def test_the_worst_point_of_each_joint_and_quantity():
    q = [[1.1, 0, 0], [1.5, 0, -1.2], [1.3, 0, -1.01]]
    v = [[0, -9.5, 0], [0, 9.2, 0], [0, 0, 0]]
    tau = [[0, 0, 8], [0, 0, 10], [0, 0, -12]]
    assert found(q, v, tau) == [
        Excess("j1", POSITION, 1, 1.5, 1.0),
        Excess("j2", VELOCITY, 0, -9.5, -9.0),
        Excess("j3", POSITION, 1, -1.2, -1.0),
        Excess("j3", EFFORT, 2, -12.0, -9.0),
    ]


def test_unknown_efforts_exceed_nothing():
    assert found(REST, REST, [[np.nan] * 3] * 3) == []


def test_limits_of_zero_are_none():
    text = hand().replace('effort="9" velocity="9"', 'effort="0" velocity="0"')
    assert found(REST, [[1e3] * 3] * 3, [[1e3] * 3] * 3, text=text) == []
    without = text.replace('lower="-1" upper="1"', 'lower="0" upper="0"')
    assert found([[5.0] * 3] * 3, REST, REST, text=without) == []
