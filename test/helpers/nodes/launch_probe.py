"""What the launch tests share: the installed launch files, and a ROS node that waits on conditions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing import ProcInfoHandler
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from helpers.nodes.waiting import spin_until

SHARE = Path(get_package_share_directory("modular_dynamics_bringup"))
CHARMIE = SHARE / "urdf" / "charmie.urdf"


def include(launch_file: str, **arguments: str) -> IncludeLaunchDescription:
    """Installed launch file `launch_file` with these arguments."""
    source = PythonLaunchDescriptionSource(str(SHARE / "launch" / launch_file))
    return IncludeLaunchDescription(source, launch_arguments=arguments.items())


def pids_still_running(proc_info: ProcInfoHandler) -> list[int]:
    """Process ids among those that were launched whose process still exists."""
    return [info.pid for info in proc_info if Path(f"/proc/{info.pid}").exists()]


class Probe:
    """A node in a context of its own; every wait has a condition, a name for the failure and a time-out."""

    def __init__(self, namespace: str = "") -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = Node("launch_probe", namespace=namespace, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def close(self) -> None:
        """Leave the ROS graph."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    def wait_until(self, condition: Callable[[], object], what: str) -> None:
        """Serve callbacks until the condition holds; AssertionError if it never does."""
        spin_until(self.executor, condition, what)

    def call(self, service_type: type, name: str, request: Any) -> Any:
        """Answer of a service."""
        client = self.node.create_client(service_type, name)
        try:
            self.wait_until(client.service_is_ready, f"service {name}")
            future = client.call_async(request)
            self.wait_until(future.done, f"an answer of service {name}")
            return future.result()
        finally:
            self.node.destroy_client(client)

    def lifecycle_state(self) -> str:
        """State of dynamics_node: unconfigured, inactive, active, ..."""
        return str(self.call(GetState, "dynamics_node/get_state", GetState.Request()).current_state.label)

    def change_state(self, transition: int) -> bool:
        """Whether dynamics_node made the transition."""
        request = ChangeState.Request()
        request.transition.id = transition
        return bool(self.call(ChangeState, "dynamics_node/change_state", request).success)
