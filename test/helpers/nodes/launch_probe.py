"""What the launch tests share: the installed launch files, and a ROS node that waits on conditions."""

from collections.abc import Sequence
from pathlib import Path

import psutil
import rclpy
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing import ProcInfoHandler
from launch_testing.asserts import EXIT_OK, assertExitCodes
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

from helpers.nodes.waiting import SpunNodes

SHARE = Path(get_package_share_directory("modular_dynamics_bringup"))
CHARMIE = SHARE / "urdf" / "charmie.urdf"


def include(launch_file: str, **arguments: str) -> IncludeLaunchDescription:
    """Installed launch file `launch_file` with these arguments."""
    source = PythonLaunchDescriptionSource(str(SHARE / "launch" / launch_file))
    return IncludeLaunchDescription(source, launch_arguments=arguments.items())


def assert_clean_exit(proc_info: ProcInfoHandler, *codes: int) -> None:
    """All processes that were launched ended with exit code 0 or one of these, and are gone.

    After ctrl-C, which launch_testing's shutdown sends to every process.
    """
    assertExitCodes(proc_info, allowable_exit_codes=[EXIT_OK, *codes])
    assert [info.pid for info in proc_info if psutil.pid_exists(info.pid)] == []


def child_process(executable: str) -> int:
    """Number of the process of this launch that runs a node: others may run on this machine."""
    words = {child.pid: child.cmdline()[:2] for child in psutil.Process().children()}
    (number,) = [pid for pid, own in words.items() if any(word.endswith(f"/{executable}") for word in own)]
    return number


class Probe(SpunNodes):
    """A node in a context of its own; every wait has a condition, a name for the failure and a time-out."""

    def __init__(self, namespace: str = "") -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = Node("launch_probe", namespace=namespace, context=self.context)
        super().__init__(self.node, context=self.context)

    def close(self) -> None:
        """Leave the ROS graph."""
        super().close()
        rclpy.shutdown(context=self.context)

    def publish_states_at_rest(self, names: Sequence[str], position: Sequence[float]) -> None:
        """Publish a joint state again and again, because the topic is best effort."""
        publisher = self.node.create_publisher(JointState, "joint_states", qos_profile_sensor_data)
        numbers = {"position": list(position), "velocity": [0.0] * len(names)}
        message = JointState(name=list(names), **numbers)

        def publish() -> None:
            message.header.stamp = self.node.get_clock().now().to_msg()
            publisher.publish(message)

        self.node.create_timer(0.02, publish)
