"""charmie_torso.launch.py: the full picture, also after torso_reaction_node was killed."""

import os
import signal
import unittest

import launch_testing
import numpy as np
import pytest
from launch_testing.actions import ReadyToTest
from modular_dynamics_interfaces.msg import TorsoReactions
from std_msgs.msg import Float64MultiArray
from visualization_msgs.msg import MarkerArray

from helpers.nodes.launch_probe import Probe, assert_clean_exit, child_process, include
from launch import LaunchDescription

NODE = "torso_reaction_node"


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return LaunchDescription([include("charmie_torso.launch.py"), ReadyToTest()])


class TestRunning(unittest.TestCase):
    def test_reactions_arrive_and_do_so_again_after_a_kill(self, proc_info) -> None:
        """Actuators, springs and joints are finite and in equilibrium; a respawned node goes on."""
        probe = Probe()
        self.addCleanup(probe.close)
        reactions: list[TorsoReactions] = []
        commands: list[Float64MultiArray] = []
        arrows: list[MarkerArray] = []
        listen = probe.node.create_subscription
        listen(TorsoReactions, f"{NODE}/reactions", reactions.append, 100)
        listen(Float64MultiArray, f"{NODE}/effort_commands", commands.append, 100)
        listen(MarkerArray, f"{NODE}/markers", arrows.append, 10)
        probe.spin_until(lambda: len(reactions) >= 50 and arrows, "50 messages of reactions, and arrows")
        for message in reactions:
            self.assertEqual(message.loads, TorsoReactions.TOPICS)
            forces = [actuator.force for actuator in message.actuators]
            self.assertTrue(np.isfinite(forces).all())
            self.assertLess(max(message.residual_force, message.residual_moment), 1e-9)
            self.assertTrue(all(spring.tension > 0.0 for spring in message.springs))
        self.assertEqual(len(commands[-1].data), 2)
        self.assertEqual(len(arrows[-1].markers), 24)
        self.assertNotEqual(reactions[0].actuators[0].position, reactions[-1].actuators[0].position)
        os.kill(child_process(NODE), signal.SIGKILL)
        proc_info.assertWaitForShutdown(process=next(n for n in proc_info.process_names() if NODE in n))
        reactions.clear()
        killed = probe.node.get_clock().now().nanoseconds  # no later state can have reached the killed node

        def resumed() -> bool:
            stamps = [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m in reactions]
            return len([stamp for stamp in stamps if stamp > killed]) >= 50

        probe.spin_until(resumed, "reactions of the node that launch has started again")


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_clean_exit(self, proc_info: launch_testing.ProcInfoHandler) -> None:
        killed = [info.returncode for info in proc_info if info.returncode == -signal.SIGKILL]
        self.assertLessEqual(len(killed), 1)
        assert_clean_exit(proc_info, *killed)
