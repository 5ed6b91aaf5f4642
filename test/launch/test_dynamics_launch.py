"""dynamics.launch.py on CHARMIE: started by itself in the root namespace, or by hand in another one."""

import unittest

import launch_testing
import launch_testing.asserts
import numpy as np
import pytest
from launch_testing.actions import ReadyToTest
from lifecycle_msgs.msg import Transition
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.launch_probe import CHARMIE, Probe, include, pids_still_running
from launch import LaunchDescription


@pytest.mark.launch_test
@launch_testing.parametrize("namespace, autostart", [("", "true"), ("care", "false")])
def generate_test_description(namespace: str, autostart: str) -> LaunchDescription:
    """The launch file under test."""
    robot = include("dynamics.launch.py", urdf=str(CHARMIE), namespace=namespace, autostart=autostart)
    return LaunchDescription([robot, ReadyToTest()])


class TestRunning(unittest.TestCase):
    """While the nodes run."""

    def test_becomes_active_and_answers(self, namespace: str, autostart: str) -> None:
        """The node becomes active and answers a joint state with the library's torques."""
        probe = Probe(namespace)
        self.addCleanup(probe.close)
        if autostart == "false":
            self.assertEqual(probe.lifecycle_state(), "unconfigured")
            self.assertTrue(probe.change_state(Transition.TRANSITION_CONFIGURE))
            self.assertEqual(probe.lifecycle_state(), "inactive")
            self.assertTrue(probe.change_state(Transition.TRANSITION_ACTIVATE))
        probe.wait_until(lambda: probe.lifecycle_state() == "active", "the active state")
        answer = self._torques_at_rest(probe)
        graph = md.load_urdf(str(CHARMIE))
        position = np.full(graph.nq, 0.1)
        expected = md.InverseDynamics(graph)(position, np.zeros(graph.nv), np.zeros(graph.nv))
        effort = [answer.effort[answer.name.index(name)] for name in graph.joint_names]
        # The same code on the same 64-bit numbers in another process: equal up to rounding.
        np.testing.assert_allclose(effort, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())

    def _torques_at_rest(self, probe: Probe) -> JointState:
        """First answer to a joint state, sent again and again because the topic is best effort."""
        answers: list[JointState] = []
        probe.node.create_subscription(JointState, "dynamics_node/joint_torques", answers.append, 10)
        publisher = probe.node.create_publisher(JointState, "joint_states", qos_profile_sensor_data)
        names = md.load_urdf(str(CHARMIE)).joint_names
        message = JointState(name=names, position=[0.1] * len(names), velocity=[0.0] * len(names))

        def publish() -> None:
            message.header.stamp = probe.node.get_clock().now().to_msg()
            publisher.publish(message)

        probe.node.create_timer(0.02, publish)
        probe.wait_until(lambda: bool(answers), "joint torques")
        return answers[0]


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    """After ctrl-C, which launch_testing's shutdown sends to every process."""

    def test_clean_exit(self, proc_info: launch_testing.ProcInfoHandler) -> None:
        """Both nodes ended with exit code 0 and are gone."""
        self.assertEqual(len(list(proc_info)), 2, "robot_state_publisher and dynamics_node")
        launch_testing.asserts.assertExitCodes(proc_info)
        self.assertEqual(pids_still_running(proc_info), [])
