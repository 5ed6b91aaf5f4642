"""dynamics.launch.py beside a running robot: the robot comes by topic, dynamics_node back after a kill."""

import os
import signal
import unittest

import launch_testing
import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from launch_testing.actions import ReadyToTest
from lifecycle_msgs.srv import GetState
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String

import modular_dynamics as md
from helpers.nodes.launch_probe import CHARMIE, Probe, assert_clean_exit, child_process, include
from launch import LaunchDescription

NODE = "dynamics_node"
TOPICS = {
    "joint_states": "/charmie/joint_states",
    "robot_description": "/charmie/robot_description",
    "effort_commands": "/effort_controller/commands",
}


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    robot = include("dynamics.launch.py", namespace="feedforward", **TOPICS)
    return LaunchDescription([robot, ReadyToTest()])


class TestRunning(unittest.TestCase):
    def test_answers_by_the_topics_of_the_robot_also_after_a_kill(self, proc_info) -> None:
        probe = Probe("charmie")
        self.addCleanup(probe.close)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        publisher = probe.node.create_publisher(String, "robot_description", latched)
        publisher.publish(String(data=CHARMIE.read_text()))
        graph = md.load_urdf(str(CHARMIE))
        rest, position = np.zeros(graph.nv), np.full(graph.nq, 0.1)
        probe.publish_states_at_rest(graph.joint_names, position)
        torques: list[JointState] = []
        commands: list[Float64MultiArray] = []
        statuses: list[str] = []

        def on_diagnostics(message: DiagnosticArray) -> None:
            statuses.extend(status.name for status in message.status)

        listen = probe.node.create_subscription
        listen(JointState, f"/feedforward/{NODE}/joint_torques", torques.append, 10)
        listen(Float64MultiArray, TOPICS["effort_commands"], commands.append, 10)
        listen(DiagnosticArray, "/diagnostics", on_diagnostics, 10)
        probe.spin_until(lambda: torques and commands and statuses, "torques, commands and diagnostics")
        expected = md.InverseDynamics(graph)(position, rest, rest)
        # The same code on the same 64-bit numbers in another process: equal up to rounding.
        np.testing.assert_allclose(commands[-1].data, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
        self.assertTrue(all(name.startswith(f"/feedforward/{NODE}: ") for name in statuses), statuses)

        os.kill(child_process(NODE), signal.SIGKILL)
        proc_info.assertWaitForShutdown(process=next(n for n in proc_info.process_names() if NODE in n))
        commands.clear()
        killed = probe.node.get_clock().now().nanoseconds  # no later state can have reached the killed node
        torques.clear()

        def resumed() -> bool:
            stamps = [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m in torques]
            return any(stamp > killed for stamp in stamps)

        probe.spin_until(resumed, "torques of the node that launch has started again")
        state = probe.call(GetState, f"/feedforward/{NODE}/get_state", GetState.Request())
        self.assertEqual(state.current_state.label, "active")


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_nothing_else_was_started(self, proc_info: launch_testing.ProcInfoHandler) -> None:
        self.assertEqual([name for name in proc_info.process_names() if NODE not in name], [])
        assert_clean_exit(proc_info, -signal.SIGKILL)
