"""dynamics.launch.py on the exoskeleton: from its independent joints tf shows the mechanism closed."""

import unittest

import launch_testing
import numpy as np
import pytest
from launch_testing.actions import ReadyToTest
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

import modular_dynamics as md
from helpers.nodes.launch_probe import SHARE, Probe, assert_clean_exit, include
from launch import LaunchDescription
from modular_dynamics.algebra import DualQuaternion, Quaternion, pose, to_rotation_translation

EXOSKELETON = SHARE / "urdf" / "exoskeleton.urdf"
POSITION = [-0.4, -0.9, 0.8, 0.7, 0.3]


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return LaunchDescription([include("dynamics.launch.py", urdf=str(EXOSKELETON)), ReadyToTest()])


class Links:
    """Poses of links in their parents, as tf has them."""

    def __init__(self, probe: Probe) -> None:
        self._above: dict[str, tuple[str, DualQuaternion]] = {}
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        probe.node.create_subscription(TFMessage, "/tf", self._take, 100)
        probe.node.create_subscription(TFMessage, "/tf_static", self._take, latched)

    def _take(self, message: TFMessage) -> None:
        for stamped in message.transforms:
            r, p = stamped.transform.rotation, stamped.transform.translation
            x_above_child = pose(Quaternion(r.w, r.x, r.y, r.z), [p.x, p.y, p.z])
            self._above[stamped.child_frame_id] = stamped.header.frame_id, x_above_child

    def __len__(self) -> int:
        return len(self._above)

    def anchor(self, link: str, x_link_anchor: DualQuaternion) -> np.ndarray:
        """Where an anchor is in the root link's frame [m]."""
        x = x_link_anchor
        while link in self._above:
            link, x_above_link = self._above[link]
            x = x_above_link * x
        return to_rotation_translation(x)[1]


class TestRunning(unittest.TestCase):
    def test_tf_shows_the_loops_closed(self) -> None:
        """The anchors of every loop joint meet in tf."""
        probe = Probe()
        self.addCleanup(probe.close)
        graph = md.load_urdf(EXOSKELETON)
        links, answers, torques = Links(probe), [], []
        probe.node.create_subscription(JointState, "dynamics_node/completed_joint_states", answers.append, 10)
        probe.node.create_subscription(JointState, "dynamics_node/joint_torques", torques.append, 10)
        names = list(graph.independent_joint_names)
        probe.publish_states_at_rest(names, POSITION)
        probe.spin_until(lambda: len(links) == len(graph.links) - 1, "tf of all links")
        probe.spin_until(lambda: bool(answers and torques), "both answers")  # DDS connects them one by one
        self.assertEqual(set(answers[-1].name), set(graph.joint_names))
        self.assertEqual(torques[-1].name, names)
        for loop in graph.loop_joints:
            ends = [links.anchor(end.link, end.x_link_anchor) for end in (loop.predecessor, loop.successor)]
            # robot_state_publisher, and what stands for it, reckons in doubles, from the URDF's text
            np.testing.assert_allclose(*ends, rtol=0.0, atol=1e-9)
        self.assertGreater(np.linalg.norm(ends[0]), 0.1)


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_clean_exit(self, proc_info: launch_testing.ProcInfoHandler) -> None:
        self.assertEqual(len(list(proc_info)), 2, "robot_state_publisher and dynamics_node")
        assert_clean_exit(proc_info)
