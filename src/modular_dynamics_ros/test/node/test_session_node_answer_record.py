"""A joint state that came in time and was read late: the clocks are not to blame."""

from unittest.mock import MagicMock

import pytest
from sensor_msgs.msg import JointState

from helpers.nodes.dynamics_harness import NAMES, Q, V
from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

pytestmark = pytest.mark.ros
S = 1_000_000_000  # [ns]
BUSY = "not answered: it came in time, but this node was busy for longer than 0.2 s (stale_after)"


class Robot:
    """dynamics_node's session in a node without DDS, and what it says of joint states; times in s."""

    def __init__(self, description, simulated=False, **parameters):
        self.node = lone_node()
        self.node.simulated = simulated
        parameters = DynamicsParameters(**parameters)
        self.session = DynamicsSession(self.node, DynamicsSession.load(description, parameters), parameters)
        self.session.activate(None)

    def receive(self, now, stamp, arrival):
        self.node.time = round(now * S)
        message = JointState(name=NAMES, position=Q.tolist(), velocity=V.tolist())
        message.header.stamp = stamp_message(round(stamp * S))
        self.session.receive(message, message_info(round(arrival * S)))

    @property
    def rejected(self):
        return self.session.record.counts.rejected

    @property
    def said(self):
        return self.node.log.texts("joint_states")


def test_a_busy_node_is_named_once(four_link):
    robot = Robot(four_link)
    for k in range(5):
        robot.receive(100.81, 100.0 + 0.01 * k, 100.001 + 0.01 * k)
    assert robot.said == [BUSY]
    assert robot.rejected == {"too old": 5}
    assert robot.node.log._logger.warning.call_count == 1
    assert robot.node.sent["~/joint_torques"] == []


@pytest.mark.parametrize(
    ("now", "stamp", "arrival", "simulated", "words"),
    [
        (100.0, 99.0, 99.9, False, "behind this node's clock: synchronise"),
        (100.0, 99.0, 0.0, False, "behind this node's clock: synchronise"),  # the middleware does not say
        (100.0, 99.0, 99.0, True, "behind this node's clock: synchronise"),  # another clock
        (100.0, 101.0, 101.0, False, "ahead of this node's clock: synchronise"),
    ],
)
def test_otherwise_the_clocks_are(four_link, now, stamp, arrival, simulated, words):
    robot = Robot(four_link, simulated)
    robot.receive(now, stamp, arrival)
    assert words in robot.said[0]


def test_a_bag_says_what_its_clock_is(four_link):
    robot = Robot(four_link)
    robot.session.record.clock = "the newest stamp: wait"
    robot.receive(100.0, 99.0, 0.0)
    text = "not answered: the stamp is more than 0.2 s (stale_after) behind the newest stamp: wait"
    assert robot.said == [text]


def test_a_state_that_waits_for_its_rate_says_so(four_link):
    robot = Robot(four_link, rate=1.0)
    robot.receive(100.0, 100.0, 100.001)
    robot.node.time = round(100.7 * S)
    robot.node.create_timer.call_args_list[-1].args[1]()
    words = "it came in time, but it waited for its turn (rate) for longer than 0.2 s (stale_after)"
    assert robot.said == [f"not answered: {words}"]


def test_a_state_that_waits_for_wrenches_says_so(four_link, boxed_branch):
    robot = Robot(four_link, partition_file=boxed_branch, black_box_wait=0.1)
    robot.receive(100.0, 100.0, 100.001)
    assert robot.session.boxes.newest == 100 * S  # it waits
    robot.node.time = round(100.7 * S)
    robot.session._on_matched(MagicMock(stamp=100 * S), round(100.001 * S), {})
    words = "it came in time, but it waited for wrenches for longer than 0.2 s (stale_after)"
    assert robot.said == [f"not answered: {words}"]
