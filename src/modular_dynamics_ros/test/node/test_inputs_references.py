"""References that reach a node: what replaces them, and when the clock is set back."""

from unittest.mock import MagicMock

import numpy as np
import pytest
from rclpy.clock import ROSClock
from rclpy.serialization import serialize_message
from rclpy.time import Time
from rclpy.time_source import TimeSource
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from helpers.nodes.lone_node import hand_over, lone_node, message_info, receive
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings, Coverage
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.trajectories import trajectory_message
from modular_dynamics_ros.node.inputs import ReferenceInput
from modular_dynamics_ros.node.joint_states import JointStates

S = 1_000_000_000
NAMES = ["turn", "bend", "left", "right"]


class Input(ReferenceInput):
    """Of four_link, with a clock in simulated time [s]."""

    def __init__(self, four_link):
        self.clock, self.node = ROSClock(), lone_node()
        source = TimeSource()
        source.attach_clock(self.clock)
        source.ros_time_is_active = True
        self.set_time(100.0)
        self.node.get_clock = lambda: self.clock
        self.computation = Computation(load_robot(four_link), ComputationSettings("reference"))
        super().__init__(self.node, self.computation)

    def set_time(self, time):
        self.node.time = round(time * S)
        self.clock.set_ros_time_override(Time(nanoseconds=self.node.time, clock_type=self.clock.clock_type))

    def send(self, start, duration, value, names=NAMES, count=2):
        points = [(np.zeros(len(names)), np.zeros(len(names)), np.full(len(names), value))] * count
        offsets = [round(k * duration * S / (count - 1)) for k in range(count)]
        receive(self.node, "reference", trajectory_message(round(start * S), names, offsets, points))

    def send_large(self, start, duration, value):
        """One of more bytes than are read at once."""
        self.send(start, duration, value, count=1000)

    def hand_over(self):
        """What the executor does once all that have come are read."""
        hand_over(self._worker)

    def cancel(self, stamp=0.0):
        message = JointTrajectory()
        message.header.stamp = stamp_message(round(stamp * S))
        receive(self.node, "reference", message)

    def coverage(self, time):
        return self.computation.accelerations.at(round(time * S), np.zeros(4), ())[1]


@pytest.fixture
def given(four_link):
    one = Input(four_link)
    yield one
    one.destroy()


def test_a_large_reference_is_read_beside_the_executor_and_those_after_it_wait(given):
    given.send_large(0.0, 60.0, 1.0)  # from its arrival on
    given.set_time(101.0)
    given.send(110.0, 1.0, 2.0)
    assert given.coverage(100.5) is Coverage.NONE
    given.hand_over()
    times = (99.9, 100.0, 109.9, 110.5, 111.5)
    expected = [Coverage.NONE, *[Coverage.COVERED] * 3, Coverage.OVER]
    assert [given.coverage(time) for time in times] == expected
    assert given.node.log.texts("reference") == []


@pytest.mark.parametrize("jump", [True, False])
def test_a_large_reference_does_not_outlive_a_clock_that_is_set_back_meanwhile(given, jump):
    given.send_large(100.0, 60.0, 1.0)
    if jump:
        given.set_time(0.0)
    else:
        given.node.time = 90 * S  # of the system: nobody tells
    given.hand_over()
    assert given.coverage(110.0) is Coverage.NONE


@pytest.mark.parametrize("large", [True, False])
def test_a_message_that_cannot_be_read_is_refused(given, large):
    count = 2000 if large else 2
    message = trajectory_message(100 * S, ["bend"], range(1, 1 + count), [(np.zeros(1),)] * count)
    whole = serialize_message(message)
    (call,) = given.node.create_subscription.call_args_list
    call.args[2](whole[: len(whole) * 2 // 3], message_info(given.node.time))
    if large:
        given.hand_over()
    (text,) = given.node.log.texts("reference")
    assert text.startswith("reference refused: its bytes are no trajectory_msgs/JointTrajectory")
    given.send(100.0, 60.0, 1.0)
    assert given.coverage(105.0) is Coverage.COVERED


def test_an_empty_reference_cancels_and_a_bad_one_does_not(given):
    given.send(100.0, 60.0, 1.0)
    given.send(100.0, 60.0, np.nan)
    given.send(100.0, 60.0, 2.0, ["turn", "turn", "left", "right"])
    assert "named more than once" in given.node.log.texts("reference")[0]
    assert given.coverage(105.0) is Coverage.COVERED
    given.set_time(101.0)
    given.cancel()
    assert [given.coverage(time) for time in (100.9, 101.0, 105.0)] == [
        Coverage.COVERED,
        Coverage.OVER,
        Coverage.OVER,
    ]
    given.send(102.0, 60.0, 1.0)
    given.cancel(103.0)
    assert [given.coverage(time) for time in (102.5, 103.5)] == [Coverage.COVERED, Coverage.OVER]


def test_a_reference_that_had_ended_is_in_force_and_said(given):
    given.send(90.0, 60.0, 1.0)
    given.send(95.0, 4.9, 2.0)
    assert given.node.log.texts("reference") == []  # it ended just now
    given.send(95.0, 4.7, 2.0)
    assert given.coverage(100.0) is Coverage.OVER
    assert "had ended before it came" in given.node.log.texts("reference")[0]


def test_references_do_not_outlive_a_clock_that_is_set_back(given):
    given.send(100.0, 60.0, 1.0)
    given.send(120.0, 60.0, 1.0)
    given.set_time(130.0)
    given.set_time(129.95)  # messages of /clock that overtook each other
    assert given.coverage(130.0) is Coverage.COVERED
    given.set_time(0.0)  # the simulation starts again
    assert [given.coverage(time) for time in (0.0, 110.0, 130.0)] == [Coverage.NONE] * 3
    given.send(1.0, 60.0, 1.0)
    assert given.coverage(30.0) is Coverage.COVERED


def coverage_by_system_time(given, time):
    """Of a joint state that comes at a time of the system [s], which is set without a jump of /clock."""
    given.node.time = round(time * S)
    states = JointStates(given.node, given.computation, MagicMock(), MagicMock(), {})
    message = JointState(name=NAMES, position=np.zeros(4), velocity=np.zeros(4))
    states.receive(message, message_info(given.node.time))
    (state, _), _ = states._answer.call_args
    assert state.stamp == given.node.time
    return state.coverage


def test_one_that_is_over_does_not_come_back_when_system_time_is_set_back(given):
    """NTP sets the clock back by 31 s, which nobody tells; half a minute later it is that time again."""
    given.send(100.0, 2.0, 1.0)
    assert coverage_by_system_time(given, 101.0) is Coverage.COVERED
    assert coverage_by_system_time(given, 103.0) is not Coverage.COVERED
    for time in (72.0, 101.0):
        assert coverage_by_system_time(given, time) is Coverage.NONE
