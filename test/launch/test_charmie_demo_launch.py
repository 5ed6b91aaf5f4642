"""charmie_demo.launch.py: the player moves the robot and dynamics_node answers."""

import unittest

import launch_testing
import numpy as np
import pytest
from launch_testing.actions import ReadyToTest
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.launch_probe import CHARMIE, Probe, assert_clean_exit, include
from launch import LaunchDescription


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return LaunchDescription([include("charmie_demo.launch.py"), ReadyToTest()])


class TestRunning(unittest.TestCase):
    def test_joint_torques_arrive(self) -> None:
        """Every answer has every joint and finite torques, and the robot really moves."""
        probe = Probe()
        self.addCleanup(probe.close)
        answers: list[JointState] = []
        probe.node.create_subscription(JointState, "dynamics_node/joint_torques", answers.append, 100)
        probe.spin_until(lambda: len(answers) >= 50, "50 messages of joint torques")
        joints = set(md.load_urdf(str(CHARMIE)).joint_names)
        for answer in answers:
            self.assertEqual(set(answer.name), joints)
            self.assertTrue(np.isfinite(answer.effort).all(), answer.effort)
        self.assertNotEqual(list(answers[0].position), list(answers[-1].position))


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_clean_exit(self, proc_info: launch_testing.ProcInfoHandler) -> None:
        self.assertEqual(len(list(proc_info)), 3, "robot_state_publisher, dynamics_node, joint_state_player")
        assert_clean_exit(proc_info)
