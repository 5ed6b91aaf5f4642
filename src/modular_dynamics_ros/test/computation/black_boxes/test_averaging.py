"""What counts as at rest, and which times joint states cover."""

import numpy as np
import pytest

from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.black_boxes.averaging import Averaging
from modular_dynamics_ros.computation.values import BaseState, State
from modular_dynamics_ros.exceptions import BadMessage

MS = 1_000_000  # [ns]
BEGIN, DURATION, LONGEST_GAP = 5_000, 500, 100  # [ms]
WRENCH = np.arange(6.0)


def turned(angle, twist=0.0):
    """A base about x [rad], with this angular velocity."""
    orientation = Quaternion(np.cos(0.5 * angle), np.sin(0.5 * angle), 0.0, 0.0)
    return BaseState(orientation, np.array([0.0, 0.0, 0.0, twist, 0.0, 0.0]), np.zeros(6))


class Fed(Averaging):
    """With a wrench after each state; times are in [ms] after the begin."""

    def __init__(self, unit="rad"):
        super().__init__("tool", {"shoulder": "rad", "elbow": unit}, BEGIN * MS, LONGEST_GAP * 1e-3)

    def feed(self, times, q=lambda t: 0.0, base=lambda t: None):
        for t in times:
            state = State((BEGIN + t) * MS, np.array([0.0, q(t)]), np.zeros(2), np.zeros(2), np.zeros(0))
            self.add_state(state._replace(base=base(t)))
            self.add_wrench("flange", WRENCH)
        return self

    def ended(self):
        self.end((BEGIN + DURATION) * MS)
        return self


def refusal(averaging, cause):
    with pytest.raises(BadMessage) as error:
        averaging.ended().result()
    assert error.value.cause == cause
    return str(error.value)


def test_the_mean_is_that_of_the_wrenches_between_joint_states():
    averaging = Fed()
    averaging.add_wrench("flange", 100.0 * WRENCH)  # nobody saw the robot before
    averaging.feed(range(0, 501, 20)).ended()
    assert averaging.complete.is_set()
    averaging.add_wrench("flange", 100.0 * WRENCH)  # nor after
    found = averaging.result()
    assert found.mean == pytest.approx(WRENCH, abs=1e-12)
    assert (found.frame, found.state.stamp) == ("flange", 5_500 * MS)


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ((), "no joint state that can be processed came meanwhile"),
        (range(150, 501, 20), "came for 0.150 s at the beginning, more than 0.1 s"),
        ([*range(0, 201, 20), *range(340, 501, 20)], "came for 0.140 s between two of them, more than 0.1 s"),
        (range(0, 481, 20), "is 0.020 s older than the end of the time"),
        ((0, 20), "is 0.480 s older than the end of the time"),
    ],
)
def test_joint_states_cover_the_time(times, words):
    text = refusal(Fed().feed(times), "no joint state")
    assert words in text
    assert "it is not known whether the robot is at rest" in text


def test_a_state_that_comes_after_the_end_completes_it():
    averaging = Fed().feed(range(-20, 481, 20)).ended()
    assert not averaging.complete.is_set()
    averaging.feed([500])
    assert averaging.complete.is_set()
    averaging.result()


@pytest.mark.parametrize("unit", ["rad", "m"])
def test_the_way_counts_however_slow_a_joint_is(unit):
    text = refusal(Fed(unit).feed(range(0, 501, 20), q=lambda t: 5e-6 * t), "moving")
    assert f"joint 'elbow' moves: velocity 0 {unit}/s, displacement +0.0021 {unit} (at rest: " in text
    assert "a velocity of at most 0.05 rad/s or m/s, a displacement of at most 0.002 rad or m" in text


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_angle_of_the_base_counts_also_where_its_twist_is_zero_or_small(sign):
    """An imu gives no twist; odometry a small one. A quaternion and its negative are one orientation."""
    text = refusal(Fed().feed(range(0, 501, 20), base=lambda t: turned(sign * 5e-5 * t)), "moving")
    assert "the base moves: velocity 0 m/s, turned by 0.011 rad" in text
    slow = Fed().feed(range(0, 501, 20), base=lambda t: turned(sign * 4.5e-5 * t, 0.045))
    assert "the base moves: velocity 0.045 rad/s, turned by 0.0108 rad" in refusal(slow, "moving")

    def either_sign(t):
        base = turned(1.0)
        return BaseState(-base.orientation if t % 40 else base.orientation, base.twist, base.acceleration)

    Fed().feed(range(0, 501, 20), base=either_sign).ended().result()


def test_too_few_wrenches_or_several_frames_are_no_mean():
    few = Fed().feed((0, 80, 160, 240, 320, 400, 480, 500))
    assert "are needed; 7 came" in refusal(few, "no wrench")
    few.add_refused("it is too old")
    few.add_refused("it holds NaN")
    text = refusal(few, "no wrench")
    assert "; 7 came between the joint states meanwhile, and 2 were refused" in text
    assert text.endswith("the last one because of this: it holds NaN")
    averaging = Fed().feed(range(0, 401, 20))
    averaging.add_wrench("tip", WRENCH)
    assert "several frames: ['flange', 'tip']" in refusal(averaging.feed([420, 500]), "several frames")
