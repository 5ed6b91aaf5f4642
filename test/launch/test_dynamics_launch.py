"""dynamics.launch.py on CHARMIE: started by itself in the root namespace, or by hand in another one."""

import unittest

import launch_testing
import numpy as np
import pytest
from launch_testing.actions import ReadyToTest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.launch_probe import CHARMIE, Probe, assert_clean_exit, include
from launch import LaunchDescription


@pytest.mark.launch_test
@launch_testing.parametrize("namespace, autostart", [("", "true"), ("care", "false")])
def generate_test_description(namespace: str, autostart: str) -> LaunchDescription:
    robot = include("dynamics.launch.py", urdf=str(CHARMIE), namespace=namespace, autostart=autostart)
    return LaunchDescription([robot, ReadyToTest()])


class TestRunning(unittest.TestCase):
    def test_becomes_active_and_answers(self, namespace: str, autostart: str) -> None:
        """The node becomes active and answers a joint state with the library's torques."""
        probe = Probe(namespace)
        self.addCleanup(probe.close)

        def state() -> str:
            answer = probe.call(GetState, "dynamics_node/get_state", GetState.Request())
            return str(answer.current_state.label)

        def change_state(transition: int) -> bool:
            request = ChangeState.Request()
            request.transition.id = transition
            return bool(probe.call(ChangeState, "dynamics_node/change_state", request).success)

        if autostart == "false":
            self.assertEqual(state(), "unconfigured")
            self.assertTrue(change_state(Transition.TRANSITION_CONFIGURE))
            self.assertEqual(state(), "inactive")
            self.assertTrue(change_state(Transition.TRANSITION_ACTIVATE))
        probe.spin_until(lambda: state() == "active", "the active state")
        graph = md.load_urdf(str(CHARMIE))
        position, rest = np.full(graph.nq, 0.1), np.zeros(graph.nv)
        answers: list[JointState] = []
        probe.node.create_subscription(JointState, "dynamics_node/joint_torques", answers.append, 10)
        probe.publish_states_at_rest(graph.joint_names, position)
        probe.spin_until(lambda: bool(answers), "joint torques")
        expected = md.InverseDynamics(graph)(position, rest, rest)
        effort = [answers[0].effort[answers[0].name.index(name)] for name in graph.joint_names]
        # The same code on the same 64-bit numbers in another process: equal up to rounding.
        np.testing.assert_allclose(effort, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_clean_exit(self, proc_info: launch_testing.ProcInfoHandler) -> None:
        self.assertEqual(len(list(proc_info)), 2, "robot_state_publisher and dynamics_node")
        assert_clean_exit(proc_info)
