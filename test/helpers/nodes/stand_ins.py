"""Executables that stand for robot_state_publisher and rviz2 where these are not installed.

The launch files start them by the ament index; the stand-ins take the same arguments and show nothing.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix

__all__ = ["install_stand_ins"]

# As the real one: the parameter's content is published, at the start and after each change.
STATE_PUBLISHER = """
import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

rclpy.init()
node = Node("robot_state_publisher")
latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
publisher = node.create_publisher(String, "robot_description", latched)

def publish(parameters):
    for parameter in parameters:
        if parameter.name == "robot_description":
            publisher.publish(String(data=parameter.value))
    return SetParametersResult(successful=True)

node.declare_parameter("frame_prefix", "")
node.declare_parameter("robot_description", "")
publish([node.get_parameter("robot_description")])
node.add_on_set_parameters_callback(publish)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
"""
RVIZ = """
import signal
signal.signal(signal.SIGINT, lambda *_: None)
signal.signal(signal.SIGTERM, lambda *_: None)
signal.pause()
"""
PROGRAMS = {"robot_state_publisher": STATE_PUBLISHER, "rviz2": RVIZ}


def install_stand_ins() -> list[str]:
    """Make those that are missing, for this process and its children; their names."""
    missing = [name for name in PROGRAMS if not _installed(name)]
    if missing:
        prefix = Path(tempfile.mkdtemp(prefix="modular_dynamics_stand_ins_"))
        atexit.register(shutil.rmtree, prefix, ignore_errors=True)
        index = prefix / "share/ament_index/resource_index/packages"
        index.mkdir(parents=True)
        for name in missing:
            (index / name).touch()
            program = prefix / "lib" / name / name
            program.parent.mkdir(parents=True)
            program.write_text(f"#!{sys.executable}\n{PROGRAMS[name]}")
            program.chmod(0o755)
        os.environ["AMENT_PREFIX_PATH"] = f"{prefix}{os.pathsep}{os.environ['AMENT_PREFIX_PATH']}"
    return missing


def _installed(name: str) -> bool:
    try:
        get_package_prefix(name)
    except PackageNotFoundError:
        return False
    return True
