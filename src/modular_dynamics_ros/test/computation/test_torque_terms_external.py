"""The filter of external torques against its differential equation, solved in closed form."""

import numpy as np
import pytest

from modular_dynamics_ros.computation.torque_terms import ExternalTorques

pytestmark = pytest.mark.ros
CUTOFF, GAP, NAN = 2.0, 0.5, np.nan


def ns(seconds):
    return round(1e9 * seconds)


def test_a_step_is_answered_by_the_exponential_at_stamps_of_any_distance():
    one, rng = ExternalTorques(1), np.random.default_rng(3)
    one.update(ns(10.0), np.zeros(1), np.zeros(1), CUTOFF, GAP)
    time = 0.0
    for step in rng.uniform(0.0005, 0.05, 40):
        time += step
        (value,) = one.update(ns(10.0 + time), np.array([5.0]), np.array([2.0]), CUTOFF, GAP)
        assert value == pytest.approx(3.0 * (1.0 - np.exp(-2.0 * np.pi * CUTOFF * time)), rel=1e-6)


def test_each_joint_has_its_own_filter_and_only_known_ones_have_a_value():
    one = ExternalTorques(3)
    first = one.update(ns(1.0), np.array([1.0, 2.0, NAN]), np.array([0.5, NAN, 0.0]), CUTOFF, GAP)
    np.testing.assert_array_equal(first, [0.5, NAN, NAN])
    second = one.update(ns(1.1), np.array([1.0, 2.0, NAN]), np.array([NAN, 0.5, 0.0]), CUTOFF, GAP)
    np.testing.assert_array_equal(second, [NAN, 1.5, NAN])  # begins with its first value
    third = one.update(ns(1.2), np.array([0.0, 0.0, 1.0]), np.zeros(3), CUTOFF, GAP)
    kept = np.exp(-2.0 * np.pi * CUTOFF * np.array([0.2, 0.1]))
    assert third == pytest.approx([0.5 * kept[0], 1.5 * kept[1], 1.0])


def test_it_begins_anew_after_a_gap_and_where_stamps_go_back():
    one = ExternalTorques(1)
    for stamp, raw, expected in ((5.0, 1.0, 1.0), (5.6, 3.0, 3.0), (2.0, 7.0, 7.0)):
        assert one.update(ns(stamp), np.array([raw]), np.zeros(1), CUTOFF, GAP) == pytest.approx([expected])
    assert one.update(ns(2.4), np.zeros(1), np.zeros(1), CUTOFF, GAP) > 0.0  # within the gap it goes on


@pytest.mark.parametrize("before", [(), (1.0,), (1.0, 0.2), (5.0,)])
def test_of_values_with_the_same_stamp_the_last_one_counts(before):
    """Arm and gripper come in two messages of one stamp: the first answer has the gripper of before."""
    several, last = ExternalTorques(2), ExternalTorques(2)
    zeros = np.zeros(2)
    for time in before:  # the last one is after, or long before 1.1 s
        for one in (several, last):
            one.update(ns(time), np.array([1.0, -2.0]), zeros, CUTOFF, GAP)
    for raw in ([9.0, NAN], [NAN, 4.0], [3.0, 7.0]):
        got = several.update(ns(1.1), np.array(raw), zeros, CUTOFF, GAP)
    assert got.tolist() == last.update(ns(1.1), np.array([3.0, 7.0]), zeros, CUTOFF, GAP).tolist()
    got = several.update(ns(1.2), np.array([0.5, 0.6]), zeros, CUTOFF, GAP)
    assert got.tolist() == last.update(ns(1.2), np.array([0.5, 0.6]), zeros, CUTOFF, GAP).tolist()


def test_the_filters_of_joints_that_stay_go_on_in_another_robot():
    before, after, alone = ExternalTorques(2), ExternalTorques(3), ExternalTorques(1)
    for k in range(3):
        before.update(ns(1.0 + 0.1 * k), np.array([k, 2.0]), np.zeros(2), CUTOFF, GAP)
        alone.update(ns(1.0 + 0.1 * k), np.array([k]), np.zeros(1), CUTOFF, GAP)
    after.continue_from(before, np.array([-1, 0, -1]))
    got = after.update(ns(1.3), np.array([5.0, 9.0, 6.0]), np.zeros(3), CUTOFF, GAP)
    (expected,) = alone.update(ns(1.3), np.array([9.0]), np.zeros(1), CUTOFF, GAP)
    np.testing.assert_array_equal(got, [5.0, expected, 6.0])
    assert expected < 9.0
    nobody = ExternalTorques(1)
    nobody.continue_from(ExternalTorques(0), np.array([-1]))
    assert nobody.update(ns(1.0), np.ones(1), np.zeros(1), CUTOFF, GAP) == 1.0
