"""Set points of a joint_trajectory_controller as the reference: a stand-in where control_msgs is missing."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectoryPoint

from helpers.nodes.dynamics_harness import NAMES, Harness, Q, V, expected
from helpers.nodes.lone_node import lone_node, receive
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings, Coverage
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.messages import trajectories
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.inputs import ReferenceInput
from modular_dynamics_ros.node.robot_node import FAILURE

pytestmark = pytest.mark.ros
MS = 1_000_000
INSTALLED = trajectories.JointTrajectoryControllerState is not None


def state(stamp, accelerations, names=NAMES, scaling=1.0, q=Q):
    make = trajectories.JointTrajectoryControllerState if INSTALLED else SimpleNamespace
    point = JointTrajectoryPoint(positions=q, velocities=V, accelerations=accelerations)
    header = Header(stamp=stamp_message(stamp))
    return make(header=header, joint_names=list(names), reference=point, speed_scaling_factor=scaling)


@pytest.fixture
def given(four_link):
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


def test_each_joint_state_gets_the_set_point_of_its_cycle(given):
    for k in range(100):
        given.send((1000 + 2 * k) * MS, [float(k)] * 4)
    assert [given.at((1000 + 2 * k) * MS)[0][0] for k in range(100)] == list(range(100))
    assert given.at(1051 * MS)[0].tolist() == [25.0] * 4  # between two cycles: of the last one
    assert given.at(999 * MS)[1] is Coverage.NONE


def test_a_controller_that_stops_is_no_reference_after_stale_after(given):
    given.send(1000 * MS, [1.0] * 4)
    assert given.at(1100 * MS)[1] is Coverage.COVERED
    assert given.at(1101 * MS)[1] is Coverage.NONE


def test_a_bad_set_point_is_refused_and_the_last_good_one_holds(given):
    given.send(1000 * MS, [1.0] * 4)
    given.send(1002 * MS, [1.0, np.inf, 1.0, 1.0])
    assert "acceleration of 'bend' is not finite" in given.node.log.texts("reference")[0]
    assert given.at(1004 * MS)[0].tolist() == [1.0] * 4


def test_a_controller_that_leaves_its_speed_scaling_at_zero_is_followed_with_a_warning(given):
    for k in range(3):
        given.send((1000 + 2 * k) * MS, [1.0] * 4, scaling=0.0, q=Q + k)
    assert given.at(1004 * MS)[0].tolist() == [1.0] * 4
    assert "it counts as 1" in given.node.log.texts("reference")[0]


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
