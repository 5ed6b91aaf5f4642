"""Excesses at their worst instants."""

import numpy as np
import pytest

from helpers.query_subjects import hand, subject_of
from modular_dynamics_ros.computation.queries.limits import (
    EFFORT,
    POSITION,
    VELOCITY,
    Course,
    Excess,
    excesses,
)

pytestmark = pytest.mark.ros

INSTANTS = np.array([10, 20, 40])
REST = [[0.0] * 3] * 3


def found(q, v, tau, text=None, between=None):
    """Of j1, j2 and j3, which j4 mimics: -0.5 j3 + 0.1; `between` of j1 alone."""
    graph = subject_of(text or hand()).robot.graph
    columns = (np.array(one, dtype=float).T for one in (q, v, tau))
    courses = [
        Course(name, one, rate, between if name == "j1" else None, effort)
        for name, one, rate, effort in zip(("j1", "j2", "j3"), *columns, strict=True)
    ]
    return excesses(graph, INSTANTS, courses)


def test_within_limits_and_exactly_at_them_nothing_is_found():
    assert found([[1, -1, 0]] * 3, [[9, -9, 0]] * 3, [[9, -9, 9]] * 3) == []


def test_rounding_beyond_a_limit_exceeds_nothing():
    more = 1.0 + 1e-12
    assert found([[more, -more, 0]] * 3, [[9 * more, -9 * more, 0]] * 3, [[9 * more, 0, 0]] * 3) == []
    from_zero = hand().replace('lower="-1"', 'lower="0"')
    assert found([[-1e-17, 0, 0]] * 3, REST, REST, text=from_zero) == []
    assert [one.value for one in found([[-1e-6, 0, 0]] * 3, REST, REST, text=from_zero)] == [-1e-6]
    flat = np.full((4, 2), 1.0 + 1e-7), np.full((3, 2), 9.0 + 1e-6)  # between points
    assert found(REST, REST, REST, between=flat) == []


def test_the_worst_point_of_each_joint_and_quantity():
    q = [[1.1, 0, 0], [1.5, 0, -1.2], [1.3, 0, -1.01]]
    v = [[0, -9.5, 0], [0, 9.2, 0], [0, 0, 0]]
    tau = [[0, 0, 8], [0, 0, 10], [0, 0, -12]]
    assert found(q, v, tau) == [
        Excess("j1", POSITION, 1, 20, 1.5, 1.0),
        Excess("j2", VELOCITY, 0, 10, -9.5, -9.0),
        Excess("j3", POSITION, 1, 20, -1.2, -1.0),
        Excess("j3", EFFORT, 2, 40, -12.0, -9.0),
    ]


def test_between_the_points_the_worst_instant_counts():
    positions = np.array([[0.0, 0.0], [-4.0, 4.8], [0.0, 0.0]])  # 2 s (1 - s) times -4 and 4.8
    velocities = np.array([[0.0, 0.0], [0.0, -40.0], [0.0, 0.0]])
    assert found(REST, REST, REST, between=(positions, velocities)) == [
        Excess("j1", POSITION, 1, 30, 2.4, 1.0),
        Excess("j1", VELOCITY, 1, 30, -20.0, -9.0),
    ]
    # a point that is as bad, and one that is worse
    assert (
        found([[0] * 3, [2.4, 0, 0], [0] * 3], REST, REST, between=(positions, velocities))[0].instant == 20
    )
    assert found([[0] * 3, [0] * 3, [-2.5, 0, 0]], REST, REST, between=(positions, velocities))[0] == Excess(
        "j1", POSITION, 2, 40, -2.5, -1.0
    )


def test_of_equal_excesses_on_both_sides_the_first_counts():
    assert found([[0, 0, 0], [-1.5, 0, 0], [1.5, 0, 0]], REST, REST) == [
        Excess("j1", POSITION, 1, 20, -1.5, -1.0)
    ]


def test_mimic_joints_have_limits_of_their_own():
    """Beside positions and velocities of j3 between the points, where j4 goes the other way."""
    graph = subject_of(hand().replace("multiplier='-0.5'", "multiplier='-3'")).robot.graph
    between = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [0.0, 8.0], [0.0, 0.0]])
    assert excesses(graph, INSTANTS, [Course("j3", np.zeros(3), np.zeros(3), between)]) == [
        Excess("j4", POSITION, 0, 15, pytest.approx(-3 * 0.5 + 0.1), -1.0),
        Excess("j4", VELOCITY, 1, 30, -12.0, -9.0),
    ]


def test_unknown_efforts_exceed_nothing():
    graph = subject_of(hand()).robot.graph
    assert excesses(graph, INSTANTS, [Course("j1", np.zeros(3), np.zeros(3))]) == []


def test_limits_of_zero_are_none():
    text = hand().replace('effort="9" velocity="9"', 'effort="0" velocity="0"')
    assert found(REST, [[1e3] * 3] * 3, [[1e3] * 3] * 3, text=text) == []
    without = text.replace('lower="-1" upper="1"', 'lower="0" upper="0"')
    assert found([[5.0] * 3] * 3, REST, REST, text=without) == []


def test_equal_limits_hold_a_joint_there():
    text = hand().replace('lower="-1" upper="1"', 'lower="0.5" upper="0.5"', 1)
    (one,) = found([[0.5, 0, 0], [0.7, 0, 0], [0.5, 0, 0]], REST, REST, text=text)
    assert one == Excess("j1", POSITION, 1, 20, 0.7, 0.5)
