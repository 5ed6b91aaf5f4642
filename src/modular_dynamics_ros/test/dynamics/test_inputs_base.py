"""The state of the root: of a floating base by odometry, of a fixed one that is tilted by an imu."""

import re
import time

import numpy as np
import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu

import modular_dynamics as md
from helpers.nodes.dynamics_harness import Q, V
from helpers.nodes.lone_node import lone_node, message_info
from helpers.nodes.sessions.lone_session import LoneSession, S
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics import inputs
from modular_dynamics_ros.dynamics.inputs import BaseInput
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.lifecycle.node import FAILURE
from modular_dynamics_ros.messages.stamps import stamp_message

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

MS = 1_000_000  # [ns]
TWIST = [0.3, -0.1, 0.2, 0.5, 0.4, -0.6]
HALF = 0.5**0.5


def odometry(stamp, frame="odom", link="base", quaternion=(HALF, 0.0, 0.0, HALF), twist=TWIST, x=1.0):
    """The quaternion is x y z w: here a quarter turn about x."""
    message = Odometry(child_frame_id=link)
    message.header.frame_id, message.header.stamp = frame, stamp_message(stamp)
    message.pose.pose.position.x = x
    o, (linear, angular) = (
        message.pose.pose.orientation,
        (message.twist.twist.linear, message.twist.twist.angular),
    )
    o.x, o.y, o.z, o.w = quaternion
    linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = twist
    return message


def receiver(session, topic):
    """How a message of a topic comes to a session."""
    calls = {call.args[1]: call.args[2] for call in session.node.create_subscription.call_args_list}
    return lambda message: calls[topic](message, message_info(session.node.time))


def test_torques_and_base_wrench_of_a_moving_base(four_link):
    session = LoneSession(four_link, {"~/base_wrench"}, floating_base=True, crosscheck_rate=1000.0)
    session.node.time = 100 * S
    receiver(session, "odometry")(odometry(100 * S))
    (torques,) = session.send(100.001)
    graph = md.load_urdf(four_link, floating_base=True)
    turn = session.computation.base_states.at(session.node.time).orientation
    q = np.concatenate(([0.0, 0.0, 0.0, turn.w, turn.x, turn.y, turn.z], Q))
    tau = md.inverse_dynamics(graph, q, np.concatenate((TWIST, V)), np.zeros(10))
    (wrench,) = session.node.sent["~/base_wrench"]
    force, moment = wrench.wrench.force, wrench.wrench.torque
    given = [force.x, force.y, force.z, moment.x, moment.y, moment.z]
    assert given == pytest.approx(tau[:6].tolist(), rel=1e-12, abs=1e-12)
    assert torques.effort.tolist() == tau[6:].tolist()
    assert torques.name == ["turn", "bend", "left", "right"]
    assert (wrench.header.frame_id, wrench.header.stamp) == ("base", torques.header.stamp)
    assert session.crosschecks.count == 1
    assert session.crosschecks.worst_relative < 1e-12
    root = session.statuses()[1].values["root"]
    assert root == "the base 'base' floats, and moves as topic odometry says"


@pytest.fixture
def lone(four_link):
    """A session without DDS, whose robot floats, and how an odometry message comes."""
    session = LoneSession(four_link, floating_base=True)
    return session, receiver(session, "odometry")


def test_without_odometry_nothing_is_processed_and_the_next_good_one_helps(lone):
    session, send = lone
    assert not session.send(100.0)
    send(odometry(69 * S))
    assert not session.send(100.1)
    send(odometry(100 * S))
    assert len(session.send(100.2)) == 1
    assert session.record.counts.rejected == {"no odometry": 2}
    assert [call.args[0] for call in session.node.log._logger.warning.call_args_list] == [
        "joint_states: not processed: no odometry message has arrived",
        "joint_states: not processed: the nearest odometry message is 31.100 s older than the joint state, "
        "more than 0.2 s (stale_after)",
    ]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"link": "left_branch"}, "its frame is 'left_branch'; the root link 'base' is needed"),
        ({"frame": "map_ned"}, "points down"),
        ({"quaternion": (0.0, 0.0, 0.0, 0.0)}, "x y z w = 0 0 0 0 has the norm 0 instead of 1"),
        ({"quaternion": (0.0, 0.0, float("nan"), 1.0)}, "has the norm nan instead of 1"),
        ({"twist": [float("inf"), 0.0, 0.0, 0.0, 0.0, 0.0]}, "its pose or twist holds NaN, infinite"),
        ({"twist": [1e10, 0.0, 0.0, 0.0, 0.0, 0.0]}, "its twist is beyond 1e+09"),
        ({"x": float("nan")}, "its pose or twist holds NaN, infinite"),
    ],
)
def test_odometry_that_cannot_be_used_is_named_and_the_last_good_one_stays(lone, bad, words):
    session, send = lone
    session.node.time, states = 100 * S, session.computation.base_states
    send(odometry(session.node.time, quaternion=(0.0, 0.0, 0.0, 1.004)))
    for k in range(1, 6):
        send(odometry(session.node.time + k * MS, **bad))
    (text,) = session.node.log.texts("odometry")
    assert words in text
    assert session.node.log._logger.warning.call_count == 1
    assert states.newest == session.node.time
    assert states.at(states.newest).orientation.norm() == pytest.approx(1.0, abs=1e-15)


def test_without_nav_msgs_a_floating_base_is_refused(make, monkeypatch, capfd):
    monkeypatch.setattr(inputs, "Odometry", None)
    assert make(floating_base=True).node.trigger_configure() == FAILURE
    assert (
        "floating_base needs nav_msgs/Odometry: the package nav_msgs is not installed"
        in capfd.readouterr().err
    )


def test_a_fixed_root_is_said_once_and_needs_no_odometry(make, capfd):
    harness = make().activate()
    harness.answer()
    assert capfd.readouterr().err.count("'base' is taken as fixed in the world") == 1
    assert harness.node.count_subscribers("/odometry") == 0
    assert harness.node.count_publishers("/dynamics_node/base_wrench") == 0


TILT = 0.4  # [rad] about x
TILTED = (np.sin(0.5 * TILT), 0.0, 0.0, np.cos(0.5 * TILT))


def imu(stamp, frame="base", quaternion=TILTED, covariance=0.0):
    message = Imu()
    message.header.frame_id, message.header.stamp = frame, stamp_message(stamp)
    o = message.orientation
    o.x, o.y, o.z, o.w = map(float, quaternion)
    message.orientation_covariance[0] = covariance
    return message


def test_gravity_turns_with_the_root(four_link):
    """Torques are those of a fixed root with gravity in its frame, R^T g; so is Pinocchio's comparison."""
    session = LoneSession(four_link, gravity_source="imu", crosscheck_rate=1000.0)
    session.node.time = 100 * S
    receiver(session, "imu")(imu(100 * S))
    (torques,) = session.send(100.001)
    gravity = (0.0, -9.81 * np.sin(TILT), -9.81 * np.cos(TILT))
    graph = md.load_urdf(four_link, gravity=gravity)
    expected = md.inverse_dynamics(graph, Q, V, np.zeros(4))
    assert torques.effort == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert session.crosschecks.count == 1
    assert session.crosschecks.worst_relative < 1e-12


def test_two_sources_of_the_orientation_are_refused(make, capfd):
    assert make(gravity_source="imu", floating_base=True).node.trigger_configure() == FAILURE
    assert re.search("gravity_source 'imu' is for a fixed root", capfd.readouterr().err)


@pytest.fixture
def lone_imu(four_link):
    """A node without DDS, its base's states, and how an imu's message comes."""
    node = lone_node()
    node.time = time.time_ns()
    computation = Computation(load_robot(four_link, "", base_source="imu"), ComputationSettings())
    BaseInput(node, computation, "imu")
    receive = node.create_subscription.call_args.args[2]
    return node, computation.base_states, lambda message, sent: receive(message, message_info(sent))


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"frame": "left_branch"}, "its frame is 'left_branch'; the root link 'base' is needed"),
        ({"covariance": -1.0}, "it measures no orientation"),
        ({"quaternion": (0.0, 0.0, 0.0, 0.0)}, "has the norm 0 instead of 1"),
    ],
)
def test_an_imu_that_cannot_be_used_is_named_and_the_last_good_one_stays(lone_imu, bad, words):
    node, states, send = lone_imu
    send(imu(node.time), node.time)
    for k in range(1, 6):
        send(imu(node.time + k * MS, **bad), node.time)
    assert words in node.log.texts("imu")[0]
    assert node.log._logger.warning.call_count == 1
    assert states.newest == node.time


@pytest.mark.parametrize("simulated", [False, True])
def test_a_message_without_a_stamp_is_as_old_as_its_sending(lone_imu, simulated):
    """The node was stopped for three seconds, and the sensor ended meanwhile."""
    node, states, send = lone_imu
    node.simulated = simulated
    send(imu(0), node.time - 3 * S)
    if simulated:  # the middleware does not know that clock
        assert states.newest == node.time
        return
    assert states.newest == node.time - 3 * S
    with pytest.raises(BadMessage, match=r"3\.000 s older than the joint state"):
        states.at(node.time)
