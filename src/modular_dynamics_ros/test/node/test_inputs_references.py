"""References that reach a node, as trajectories and as set points of a joint_trajectory_controller."""

import time
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from helpers.nodes.dynamics_harness import NAMES, Harness, Q, V, expected
from helpers.nodes.lone_node import hand_over, lone_node, message_info, receive
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings, Coverage
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.lifecycle.node import FAILURE
from modular_dynamics_ros.messages import trajectories
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.trajectories import trajectory_message
from modular_dynamics_ros.node.inputs import ReferenceInput
from modular_dynamics_ros.node.joint_states import JointStates

S = 1_000_000_000


class Input(ReferenceInput):
    """Of four_link; times are in s."""

    def __init__(self, four_link):
        self.node = lone_node()
        self.set_time(100.0)
        self.computation = Computation(load_robot(four_link), ComputationSettings("reference"))
        super().__init__(self.node, self.computation)

    def set_time(self, time):
        self.node.time = round(time * S)

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


def test_a_large_reference_does_not_outlive_a_clock_that_is_set_back_meanwhile(given):
    given.send_large(100.0, 60.0, 1.0)
    given.node.time = 90 * S
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


def coverage_at(given, time):
    """Of a joint state that comes at a time [s]."""
    given.node.time = round(time * S)
    states = JointStates(given.node, given.computation, MagicMock(), MagicMock(), {})
    message = JointState(name=NAMES, position=np.zeros(4), velocity=np.zeros(4))
    states.receive(message, message_info(given.node.time))
    (state, _), _ = states._answer.call_args
    assert state.stamp == given.node.time
    return state.coverage


def test_one_that_is_over_does_not_come_back_when_the_clock_is_set_back(given):
    """By 31 s; half a minute later it is that time again."""
    given.send(100.0, 2.0, 1.0)
    given.send(120.0, 60.0, 1.0)
    assert coverage_at(given, 101.0) is Coverage.COVERED
    assert coverage_at(given, 103.0) is not Coverage.COVERED
    for later in (72.0, 101.0, 121.0):
        assert coverage_at(given, later) is Coverage.NONE
    given.send(122.0, 60.0, 1.0)
    assert coverage_at(given, 123.0) is Coverage.COVERED


pytestmark = pytest.mark.ros
MS = 1_000_000
INSTALLED = trajectories.JointTrajectoryControllerState is not None


def state(stamp, accelerations, names=NAMES, scaling=1.0, q=Q):
    make = trajectories.JointTrajectoryControllerState if INSTALLED else SimpleNamespace
    point = JointTrajectoryPoint(positions=q, velocities=V, accelerations=accelerations)
    header = Header(stamp=stamp_message(stamp))
    return make(header=header, joint_names=list(names), reference=point, speed_scaling_factor=scaling)


@pytest.fixture
def controlled(four_link):
    node = lone_node()
    settings = ComputationSettings("reference", stale_after=0.1)
    computation = Computation(load_robot(four_link), settings)
    one = ReferenceInput(node, computation, "controller_state")

    def send(stamp, accelerations, **more):
        node.time = max(node.time, stamp)
        callbacks = {call.args[1]: call.args[2] for call in node.create_subscription.call_args_list}
        assert list(callbacks) == ["controller_state"]
        receive(node, "controller_state", state(stamp, accelerations, **more))

    yield SimpleNamespace(send=send, node=node, at=lambda t: computation.accelerations.at(t, np.zeros(4), ()))
    one.destroy()


def test_each_joint_state_gets_the_set_point_of_its_cycle(controlled):
    for k in range(100):
        controlled.send((1000 + 2 * k) * MS, [float(k)] * 4)
    assert [controlled.at((1000 + 2 * k) * MS)[0][0] for k in range(100)] == list(range(100))
    assert controlled.at(1051 * MS)[0].tolist() == [25.0] * 4  # between two cycles: of the last one
    assert controlled.at(999 * MS)[1] is Coverage.NONE


def test_a_controller_that_stops_is_no_reference_after_stale_after(controlled):
    controlled.send(1000 * MS, [1.0] * 4)
    assert controlled.at(1100 * MS)[1] is Coverage.COVERED
    assert controlled.at(1101 * MS)[1] is Coverage.NONE


def test_a_bad_set_point_is_refused_and_the_last_good_one_holds(controlled):
    controlled.send(1000 * MS, [1.0] * 4)
    controlled.send(1002 * MS, [1.0, np.inf, 1.0, 1.0])
    assert "acceleration of 'bend' is not finite" in controlled.node.log.texts("reference")[0]
    assert controlled.at(1004 * MS)[0].tolist() == [1.0] * 4


def test_a_controller_that_leaves_its_speed_scaling_at_zero_is_followed_with_a_warning(controlled):
    for k in range(3):
        controlled.send((1000 + 2 * k) * MS, [1.0] * 4, scaling=0.0, q=Q + k)
    assert controlled.at(1004 * MS)[0].tolist() == [1.0] * 4
    assert "it counts as 1" in controlled.node.log.texts("reference")[0]


@pytest.mark.usefixtures("ros")
@pytest.mark.parametrize("robot", [True, False])
def test_without_control_msgs_a_node_is_not_configured_and_says_why(four_link, capfd, monkeypatch, robot):
    monkeypatch.setattr(trajectories, "JointTrajectoryControllerState", None)
    given = {"robot_description_file": four_link} if robot else {}
    harness = Harness(reference_type="controller_state", **given)
    try:
        assert isinstance(harness.node, DynamicsNode)
        assert harness.node.trigger_configure() == FAILURE
        said = capfd.readouterr().err
        assert "reference_type 'controller_state' needs the package control_msgs, which is not" in said
        assert "apt install ros-$ROS_DISTRO-control-msgs" in said
    finally:
        harness.close()


@pytest.mark.usefixtures("ros")
@pytest.mark.skipif(not INSTALLED, reason="needs control_msgs")
def test_the_running_node_answers_with_the_controllers_accelerations(four_link):
    harness = Harness(
        robot_description_file=four_link,
        acceleration_source="reference",
        reference_type="controller_state",
        without_reference="stop",
    )
    try:
        harness.start()
        kind = trajectories.JointTrajectoryControllerState
        controller = harness.probe.create_publisher(kind, "controller_state", 10)
        harness.spin_until(lambda: controller.get_subscription_count() == 1)
        harness.spin_until(lambda: harness.states.get_subscription_count() == 1)
        accelerations = [0.5, -1.0, 2.0, 3.0]
        now = time.time_ns()
        sampler = harness.node.session.computation.accelerations.reference

        def taken():
            controller.publish(state(now, accelerations))
            return sampler.active_at(now) is not None

        harness.spin_until(taken)
        answer = harness.answer_when_connected(stamp=now)
        assert answer.effort.tolist() == expected(four_link, a=accelerations).tolist()
    finally:
        harness.close()
