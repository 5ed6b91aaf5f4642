"""The nodes of a robot's subsystems in this process, connected by DDS."""

import numpy as np
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import modular_dynamics as md
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS
from modular_dynamics_ros.lifecycle.entities import LATCHED
from modular_dynamics_ros.lifecycle.node import SUCCESS
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.subsystem.node import SubsystemNode

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
FOUR_LINK = (ROBOTS / "four_link.urdf").read_text()
SUBSYSTEMS = "stem", "left_branch", "right_branch"


def node_of(name, **parameters):
    """Called as its subsystem, which it takes from its name."""
    overrides = [Parameter(key, value=value) for key, value in parameters.items()]
    return SubsystemNode(cli_args=["--ros-args", "-r", f"__node:={name}"], parameter_overrides=overrides)


class Robot(SpunNodes):
    """All nodes, and one that sends states and hears torques."""

    def __init__(self):
        self.nodes, self.probe = [node_of(name, stale_after=30.0) for name in SUBSYSTEMS], Node("probe")
        super().__init__(*self.nodes, self.probe)
        self.torques = {}
        for name in SUBSYSTEMS:
            self.probe.create_subscription(JointState, f"{name}/joint_torques", self.keep, 100)
        self.states = self.probe.create_publisher(JointState, "joint_states", 100)
        self.descriptions = self.probe.create_publisher(String, "robot_description", LATCHED)
        for node in self.nodes:
            assert node.trigger_configure() == node.trigger_activate() == SUCCESS

    def keep(self, message):
        kept = self.torques.setdefault(stamp_nanoseconds(message.header.stamp), {})
        kept |= dict(zip(message.name, message.effort, strict=True))

    def answer(self, graph, q, v, expected):
        """Send a state until the torques of all joints are these, each time with a new stamp.

        Ten a second: states that come faster than all nodes of this one thread take them are never processed.
        """
        sent = []

        def processed():
            if not sent or self.nodes[0].now() - sent[-1] > 100_000_000:
                message = JointState(name=list(graph.joint_names), position=q.tolist(), velocity=v.tolist())
                sent.append(self.nodes[0].now())
                message.header.stamp = stamp_message(sent[-1])
                self.states.publish(message)
            complete = [self.torques.get(stamp, {}) for stamp in sent]
            return any(
                len(one) == len(q)
                and np.allclose([one[name] for name in graph.joint_names], expected, 0, 1e-9)
                for one in complete
            )

        self.spin_until(processed, "these torques")


def test_a_new_description_changes_the_subsystem_in_all_nodes():
    robot = Robot()
    try:
        graph, rng = md.load_urdf(FOUR_LINK), np.random.default_rng(1)
        q, v = rng.normal(size=(2, 4))
        robot.descriptions.publish(String(data=FOUR_LINK))
        robot.answer(graph, q, v, md.inverse_dynamics(graph, q, v, np.zeros(4)))
        heavier = FOUR_LINK.replace('<mass value="', '<mass value="1')
        assert heavier != FOUR_LINK
        changed = md.load_urdf(heavier)
        expected = md.inverse_dynamics(changed, q, v, np.zeros(4))
        assert np.abs(expected - md.inverse_dynamics(graph, q, v, np.zeros(4))).max() > 1.0
        robot.descriptions.publish(String(data=heavier))
        robot.answer(changed, q, v, expected)
        parts = {status.name for node in robot.nodes for status in node.report()[1]}
        assert parts == {"input", "output", "neighbours", "joint_states", "model"}
    finally:
        robot.close()


def test_another_name_than_that_of_its_subsystem_is_warned_of(capfd):
    node = node_of("arm", subsystem="stem", robot_description_file=str(ROBOTS / "four_link.urdf"))
    assert node.trigger_configure() == SUCCESS
    node.destroy_node()
    assert (
        "look for the topics of 'stem' below 'stem'; start it with -r __node:=stem" in capfd.readouterr().err
    )
