"""subsystems.launch.py: all nodes of the care robot, and what its arguments choose."""

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
    return LaunchDescription([include("subsystems.launch.py", urdf=str(CHARMIE)), ReadyToTest()])


class TestRunning(unittest.TestCase):
    def test_all_joints_have_the_torques_of_the_whole_robot(self) -> None:
        probe, graph = Probe(), md.load_urdf(CHARMIE)
        self.addCleanup(probe.close)
        torques: dict[str, float] = {}

        def keep(message: JointState) -> None:
            torques.update(zip(message.name, message.effort, strict=True))

        for one in graph.subsystems:
            probe.node.create_subscription(JointState, f"{one.name}/joint_torques", keep, 10)
        q = np.full(graph.nv, 0.2)
        probe.publish_states_at_rest(graph.joint_names, q)
        probe.spin_until(lambda: len(torques) == graph.nv, "torques of all joints")
        rest = np.zeros(graph.nv)
        expected = md.inverse_dynamics(graph, q, rest, rest)
        np.testing.assert_allclose([torques[name] for name in graph.joint_names], expected, 0.0, 1e-9)


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_clean_exit(self, proc_info: launch_testing.ProcInfoHandler) -> None:
        assert_clean_exit(proc_info)
