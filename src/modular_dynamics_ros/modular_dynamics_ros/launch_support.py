"""What the launch files share: their arguments, the options of nodes, and the launch of a robot."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchContext

__all__ = ["SHARE", "argument", "boolean", "existing_file", "node_options", "robot_launch"]

SHARE = Path(get_package_share_directory("modular_dynamics_bringup"))
BOOLEAN = ["true", "false", "True", "False"]
LEVELS = ["debug", "info", "warn", "error", "fatal"]
#: Arguments that several launch files have: default, description, choices (None: any).
COMMON: dict[str, tuple[str, str, list[str] | None]] = {
    "namespace": ("", "namespace of all nodes and topics", None),
    "autostart": ("true", "configure and activate the lifecycle nodes", BOOLEAN),
    "log_level": ("info", "lowest severity that the nodes of modular_dynamics log", LEVELS),
    "loop": ("true", "play the motion again and again", BOOLEAN),
    "quick_discovery": (
        "false",
        "nodes that are started again hear others at once, instead of after up to 3 s; they then listen on "
        "all network interfaces (only Fast DDS 2: see config/fast_dds_quick_discovery.xml)",
        BOOLEAN,
    ),
    "rviz": ("false", "start rviz2 with the robot", BOOLEAN),
    "use_sim_time": ("false", "take time from /clock", BOOLEAN),
}
#: Arguments that a launch file passes on to dynamics.launch.py.
FORWARDED = ("params_file", "namespace", "autostart", "log_level", "quick_discovery", "rviz")


def argument(name: str, default: str | None = None, description: str = "") -> DeclareLaunchArgument:
    """A launch argument; of those in COMMON the name is enough. Without a default it must be given."""
    choices = None
    if name in COMMON:
        default, description, choices = COMMON[name]
    return DeclareLaunchArgument(name, default_value=default, description=description, choices=choices)


def boolean(name: str) -> ParameterValue:
    """A launch argument as the value of a boolean parameter."""
    return ParameterValue(LaunchConfiguration(name), value_type=bool)


def existing_file(context: LaunchContext, name: str) -> str:
    """Absolute path that a launch argument holds, or "" if it is empty; FileNotFoundError ends the launch."""
    value = LaunchConfiguration(name).perform(context)
    path = Path(value).expanduser().absolute()
    if value and not path.is_file():
        raise FileNotFoundError(f"launch argument {name}: no file '{path}'; give the path of a file")
    return str(path) if value else ""


def node_options(context: LaunchContext, name: str) -> dict[str, Any]:
    """Arguments of `Node` for one of our nodes: where it is, its log level, its environment."""
    quick = LaunchConfiguration("quick_discovery").perform(context).lower() == "true"
    profile = {"FASTRTPS_DEFAULT_PROFILES_FILE": str(SHARE / "config" / "fast_dds_quick_discovery.xml")}
    return {
        "package": "modular_dynamics_ros",
        "executable": name,
        "name": name,
        "namespace": LaunchConfiguration("namespace"),
        "output": "screen",
        "arguments": ["--ros-args", "--log-level", LaunchConfiguration("log_level")],
        "additional_env": profile if quick else {},
    }


def robot_launch(fixed: Mapping[str, str]) -> IncludeLaunchDescription:
    """dynamics.launch.py with fixed arguments and those of the launch file itself."""
    arguments = {**fixed, **{name: LaunchConfiguration(name) for name in FORWARDED}}
    source = PythonLaunchDescriptionSource(str(SHARE / "launch" / "dynamics.launch.py"))
    return IncludeLaunchDescription(source, launch_arguments=arguments.items())
