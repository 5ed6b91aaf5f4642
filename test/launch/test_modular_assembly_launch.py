"""modular_assembly.launch.py: a module docks by the service, and dynamics_node answers for the new body."""

import unittest

import launch_testing
import pytest
from launch_testing.actions import ReadyToTest
from modular_dynamics_interfaces.srv import Dock
from sensor_msgs.msg import JointState

from helpers.nodes.launch_probe import Probe, assert_clean_exit, include
from launch import LaunchDescription


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return LaunchDescription([include("modular_assembly.launch.py"), ReadyToTest()])


class TestRunning(unittest.TestCase):
    def test_torques_follow_the_body(self) -> None:
        """Torques of v1's hinge come after it has docked, of both after v2 has; a bad request is refused."""
        probe = Probe()
        self.addCleanup(probe.close)
        torques: list[JointState] = []
        probe.node.create_subscription(JointState, "dynamics_node/joint_torques", torques.append, 100)
        client = probe.client(Dock, "assembly_node/dock")

        def dock(module: str, other: str) -> Dock.Response:
            request = Dock.Request(
                module=module, port="3", other_module=other, other_port="4", kind="backbone"
            )
            answered = client.call_async(request)
            probe.spin_until(answered.done, "a response")
            return answered.result()

        def active() -> bool:
            return dock("v0", "v1").success

        probe.spin_until(active, "the first docking")
        probe.spin_until(lambda: any(list(m.name) == ["v1/bend"] for m in torques), "torques of one joint")
        self.assertTrue(dock("v1", "v2").success)
        names = ["v1/bend", "v2/bend"]
        probe.spin_until(lambda: any(sorted(m.name) == names for m in torques), "torques of two joints")
        refused = dock("v0", "v3")
        self.assertEqual((refused.success, refused.error_code), (False, Dock.Response.REFUSED))
        self.assertIn("v1", refused.error_message)


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_exit_codes(self, proc_info) -> None:
        assert_clean_exit(proc_info)
