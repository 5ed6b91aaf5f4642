"""dynamics_node with gravity_source imu: gravity in the frame of a root that is tilted."""

import re
import time

import numpy as np
import pytest
from sensor_msgs.msg import Imu

import modular_dynamics as md
from helpers.nodes.dynamics_harness import Q, V
from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics.inputs import ImuInput
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.robot_node import FAILURE

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

MS, S = 1_000_000, 1_000_000_000  # [ns]
TILT = 0.4  # [rad] about x
TILTED = (np.sin(0.5 * TILT), 0.0, 0.0, np.cos(0.5 * TILT))


def imu(stamp, frame="base", quaternion=TILTED, covariance=0.0):
    message = Imu()
    message.header.frame_id, message.header.stamp = frame, stamp_message(stamp)
    o = message.orientation
    o.x, o.y, o.z, o.w = map(float, quaternion)
    message.orientation_covariance[0] = covariance
    return message


@pytest.fixture
def tilted(make):
    """The node, connected, with a publisher of imu messages."""
    harness = make(gravity_source="imu", crosscheck_rate=1000.0).start()
    harness.imu = harness.probe.create_publisher(Imu, "imu", 10)
    topic = "/dynamics_node/joint_torques"
    harness.spin_until(
        lambda: (
            harness.states.get_subscription_count()
            and harness.imu.get_subscription_count()
            and harness.probe.count_publishers(topic)
            and harness.node.count_subscribers(topic)
        )
    )
    return harness


def test_gravity_turns_with_the_root(tilted, four_link):
    """Torques are those of a fixed root with gravity in its frame, R^T g; so is Pinocchio's comparison."""
    session, now = tilted.node.session, time.time_ns()
    tilted.imu.publish(imu(now))
    tilted.spin_until(lambda: session.computation.base_states.newest)
    gravity = (0.0, -9.81 * np.sin(TILT), -9.81 * np.cos(TILT))
    graph = md.load_urdf(four_link, gravity=gravity)
    given = tilted.answer(stamp=now + MS).effort
    assert given == pytest.approx(md.inverse_dynamics(graph, Q, V, np.zeros(4)), rel=1e-12, abs=1e-12)
    monitor = session.crosschecks.monitor
    assert monitor.count > 0
    assert monitor.worst_relative < 1e-12


def test_without_orientation_nothing_is_answered(tilted):
    rejected, now = tilted.node.session.record.counts.rejected, time.time_ns()
    states = tilted.node.session.computation.base_states
    tilted.send(stamp=now)
    tilted.spin_until(lambda: rejected["no imu"] == 1)
    tilted.imu.publish(imu(now - 31 * S))
    tilted.spin_until(lambda: states.newest)
    tilted.send(stamp=now + MS)
    tilted.spin_until(lambda: rejected["no imu"] == 2)
    tilted.imu.publish(imu(now))
    tilted.spin_until(lambda: states.newest == now)
    tilted.answer(stamp=now + 2 * MS)


def test_two_sources_of_the_orientation_are_refused(make, capfd):
    assert make(gravity_source="imu", floating_base=True).node.trigger_configure() == FAILURE
    assert re.search("gravity_source 'imu' is for a fixed root", capfd.readouterr().err)


@pytest.fixture
def lone(four_link):
    """A node without DDS, its base's states, and how an imu's message comes."""
    node = lone_node()
    node.time = time.time_ns()
    computation = Computation(load_robot(four_link, "", base_source="imu"), ComputationSettings())
    ImuInput(node, computation)
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
def test_an_imu_that_cannot_be_used_is_named_and_the_last_good_one_stays(lone, bad, words):
    node, states, send = lone
    send(imu(node.time), node.time)
    for k in range(1, 6):
        send(imu(node.time + k * MS, **bad), node.time)
    assert words in node.log.texts("imu")[0]
    assert node.log._logger.warning.call_count == 1
    assert states.newest == node.time


@pytest.mark.parametrize("simulated", [False, True])
def test_a_message_without_a_stamp_is_as_old_as_its_sending(lone, simulated):
    """The node was stopped for three seconds, and the sensor ended meanwhile."""
    node, states, send = lone
    node.simulated = simulated
    send(imu(0), node.time - 3 * S)
    if simulated:  # the middleware does not know that clock
        assert states.newest == node.time
        return
    assert states.newest == node.time - 3 * S
    with pytest.raises(BadMessage, match=r"3\.000 s older than the joint state"):
        states.at(node.time)
