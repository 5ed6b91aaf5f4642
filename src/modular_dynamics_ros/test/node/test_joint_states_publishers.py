"""joint_state_publisher's zeros beside a broadcaster, as processes have it: the node says whom it hears."""

import time
from contextlib import closing

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from sensor_msgs.msg import JointState

from helpers.nodes.dynamics_harness import NAMES, Q
from helpers.nodes.process_probe import NODE, ProcessProbe
from helpers.nodes.waiting import SpunNodes
from modular_dynamics_ros.messages.stamps import stamp_message

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


class Publisher:
    def __init__(self, name, names, q):
        self.node, self.names, self.q = Node(name), list(names), np.array(q, float).tolist()
        self.states = self.node.create_publisher(JointState, "joint_states", 10)

    def send(self):
        zeros = [0.0] * len(self.names)
        message = JointState(name=self.names, position=self.q, velocity=zeros)
        message.header.stamp = stamp_message(time.time_ns())
        self.states.publish(message)


class Probe(ProcessProbe):
    def __init__(self, folder, robot, *publishers):
        super().__init__(folder)
        self.publishers, self.values, self.messages = publishers, {}, []
        self.node.destroy_publisher(self.states)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.diagnosed, 10)
        self.nodes = SpunNodes(*(one.node for one in publishers))
        self.processes.start(NODE, "autostart:=true", "stale_after:=30.0", f"robot_description_file:={robot}")

    def diagnosed(self, message):
        for status in message.status:
            if status.name.endswith(": input"):
                self.values = {one.key: one.value for one in status.values}
                self.messages.append(status.message)

    def until(self, reached):
        def sent():
            for one in self.publishers:
                one.send()
            return reached()

        self.spin_until(sent)

    def close(self):
        self.nodes.close()
        super().close()


def test_publishers_that_contradict_each_other_are_named_and_counted(tmp_path, four_link):
    broadcaster = Publisher("joint_state_broadcaster", NAMES, Q)
    with closing(
        Probe(tmp_path, four_link, broadcaster, Publisher("joint_state_publisher", NAMES, 0 * Q))
    ) as probe:
        probe.until(lambda: int(probe.values.get("steps of left beyond its velocity limit", 0)) > 20)
        words = "'/joint_state_broadcaster', '/joint_state_publisher' publish joint states"
        probe.until(lambda: words in probe.messages[-1])  # the middleware may know publishers before nodes
        log = probe.processes.log(NODE)
        assert 1 <= log.count(words) <= len(NAMES)  # once for each joint that is the worst
        assert log.count("publishing torques including gravity (output: full)") == 1
