import math

import numpy as np
import pytest

from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.base_states import BaseStates
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros

NOW, MS = 1_700_000_000_000_000_000, 1_000_000
LEVEL = Quaternion(1.0, 0.0, 0.0, 0.0)


def states(**settings) -> BaseStates:
    return BaseStates(ComputationSettings(**settings), "odometry")


def turned(yaw) -> Quaternion:
    return Quaternion(math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw))


def near(one, other) -> bool:
    return (one - other).norm() < 1e-15


def test_a_sample_at_the_stamp_is_taken_as_it_is():
    one, twist = states(), np.arange(6.0)
    for k in range(3):
        one.add(NOW + k * MS, turned(k), k * twist)
    state = one.at(NOW + MS)
    assert near(state.orientation, turned(1))
    assert state.twist.tolist() == twist.tolist()
    assert state.acceleration.tolist() == [0.0] * 6


def test_between_samples_the_twist_is_interpolated_and_the_nearer_orientation_turned_on():
    one, spin = states(), np.array([1.0, 0.0, 0.0, 0.0, 0.0, 2.0])
    one.add(NOW, turned(0.0), spin)
    one.add(NOW + 100 * MS, turned(0.5), 2.0 * spin)
    early, late = one.at(NOW + 30 * MS), one.at(NOW + 80 * MS)
    assert near(early.orientation, turned(2.0 * 0.03))
    assert near(late.orientation, turned(0.5 - 4.0 * 0.02))
    assert early.twist == pytest.approx(1.3 * spin)


@pytest.mark.parametrize(("other", "near"), [(-2000, 150), (2000, -150)])
def test_a_sample_that_is_too_far_away_does_not_count_for_the_twist(other, near):
    """Odometry has paused, or one message has a wrong stamp."""
    one, twist = states(stale_after=0.2), np.arange(6.0)
    for stamp, own in sorted({other: twist + 9.0, near: twist}.items()):
        one.add(NOW + stamp * MS, LEVEL, own)
    assert one.at(NOW).twist.tolist() == twist.tolist()


def test_beyond_the_newest_sample_the_base_turns_on():
    one, spin = states(), np.array([1.0, 0.0, 0.0, 0.0, 0.0, -3.0])
    one.add(NOW, turned(0.2), spin)
    state = one.at(NOW + 100 * MS)
    assert near(state.orientation, turned(0.2 - 0.3))
    assert state.twist.tolist() == spin.tolist()


@pytest.mark.parametrize(("offset", "side"), [(201, "0.201 s older"), (-201, "0.201 s newer")])
def test_old_and_early_samples_say_nothing(offset, side):
    one = states(stale_after=0.2)
    with pytest.raises(BadMessage, match="no odometry message has arrived"):
        one.at(NOW)
    one.add(NOW, LEVEL, np.zeros(6))
    one.at(NOW + 200 * MS)
    with pytest.raises(BadMessage, match=f"{side} than the joint state") as error:
        one.at(NOW + offset * MS)
    assert error.value.cause == "no odometry"


def test_after_the_clock_was_set_back_later_samples_are_forgotten():
    one = states()
    for k in range(5):
        one.add(NOW + k * MS, turned(k), np.full(6, float(k)))
    one.add(NOW + MS, turned(9), np.full(6, 9.0))
    assert one.at(NOW + 3 * MS).twist.tolist() == [9.0] * 6
    assert one.at(NOW).twist.tolist() == [0.0] * 6


def test_where_the_filter_is_switched_on_no_acceleration_is_made_up():
    one = states()
    for k in range(10):
        one.add(NOW + k * MS, LEVEL, np.zeros(6))
    one.apply_settings(ComputationSettings(acceleration_source="filtered"))
    with pytest.raises(BadMessage, match="no odometry message has arrived"):
        one.at(NOW + 9 * MS)
    one.add(NOW + 10 * MS, LEVEL, np.zeros(6))
    with pytest.raises(BadMessage, match="filter of the odometry's twist starts"):
        one.at(NOW + 10 * MS)


def test_odometry_that_is_too_slow_for_the_filter_is_named():
    one = states(acceleration_source="filtered", filter_cutoff=10.0)
    for k in range(5):
        one.add(NOW + k * 100 * MS, LEVEL, np.zeros(6))
    with pytest.raises(BadMessage, match="odometry messages come at 10 Hz"):
        one.add(NOW + 500 * MS, LEVEL, np.zeros(6))


def test_a_sample_that_newer_ones_have_overtaken_is_refused_unless_the_clock_was_set_back():
    one = states(stale_after=0.2)
    one.require_order(NOW, NOW)
    assert one.latest() is None
    one.add(NOW, turned(0.3), np.ones(6))
    one.require_order(NOW, NOW)
    one.require_order(NOW - 300 * MS, NOW - 300 * MS)
    with pytest.raises(BadMessage, match=r"0\.150 s older"):
        one.require_order(NOW - 150 * MS, NOW - 100 * MS)
    latest = one.latest()
    assert near(latest.orientation, turned(0.3))
    assert latest.twist.tolist() == [0.0] * 6
