"""What the launch files share: nodes, rviz2, and the launch of a robot."""

import atexit
import math
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.logging import get_logger
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

import modular_dynamics as md
from launch import LaunchContext
from modular_dynamics_ros.launch_arguments import (
    ROBOT_ARGUMENTS,
    TOPICS,
    existing_file,
    is_true,
    value_of,
)
from modular_dynamics_ros.launch_checks import checked_namespace, checked_topic, require_parameters
from modular_dynamics_ros.rviz_config import robot_displays, rviz_config

__all__ = [
    "SHARE",
    "described_robot",
    "own_node",
    "player",
    "remappings",
    "require_package",
    "robot_launch",
    "robot_parameters",
    "rviz_nodes",
    "start_options",
    "state_publisher",
]

SHARE = Path(get_package_share_directory("modular_dynamics_bringup"))
UNKNOWN_ROOT = "base_link"  # where the robot is known only later: the name that REP 105 recommends


def remappings(context: LaunchContext, *names: str) -> list[tuple[str, str]]:
    """Return remappings from the topics of these arguments to their values."""
    if empty := [name for name in names if not value_of(context, name)]:
        raise ValueError(f"launch argument {empty[0]} is empty; give the name of a topic")
    chosen = ((TOPICS[name], checked_topic(name, value_of(context, name))) for name in names)
    return [(topic, other) for topic, other in chosen if topic != other]


def own_node(
    context: LaunchContext,
    name: str,
    params_file: str,
    own: Mapping[str, Any],
    topics: Iterable[str],
    *,
    respawn: bool = False,
    executable: str = "",
    same: Mapping[str, Any] = MappingProxyType({}),
) -> Node:
    """Return one of this package's nodes.

    Args:
        name: of the node, and of its executable where that is not given.
        own: parameters that override those of the file. topics: arguments that remap its topics.
        respawn: whether it is started again where the argument of this name says so.
        same: parameters that the file must not set otherwise, besides use_sim_time and `start_options`.
    """
    if params_file:
        full_name = f"{checked_namespace(value_of(context, 'namespace'))}/{name}"
        decided = {key: own[key] for key in ("autostart", "frame_prefix") if key in own}
        decided |= {**_clock(context), **same}
        if unused := require_parameters(params_file, full_name, executable or name, decided):
            get_logger("launch").warning(unused)
    return Node(
        package="modular_dynamics_ros",
        executable=executable or name,
        name=name,
        namespace=checked_namespace(value_of(context, "namespace")),
        output="screen",
        arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
        parameters=[*filter(None, [params_file]), _clock(context), dict(own)],
        remappings=remappings(context, *topics),
        respawn=respawn and is_true(context, "respawn"),
        respawn_delay=_respawn_delay(context) if respawn else None,
    )


def robot_parameters(
    context: LaunchContext, urdf: str, partition: str, xacro_arguments: list[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a node's parameters about the robot of these arguments, and those that no file may override."""
    files = {"robot_description_file": urdf, "partition_file": partition}
    own: dict[str, Any] = {name: path for name, path in files.items() if path}
    if xacro_arguments:  # an empty list has no type
        own["xacro_arguments"] = xacro_arguments
    same = {"partition_file": partition, "xacro_arguments": xacro_arguments} if urdf else {}
    return own | start_options(context), same


def start_options(context: LaunchContext) -> dict[str, Any]:
    """Return parameters of every node of a robot: automatic start, and its frames in TF."""
    return {
        "autostart": is_true(context, "autostart"),
        "frame_prefix": value_of(context, "frame_prefix"),
    }


def player(context: LaunchContext, subscribers: int) -> Node:
    """Return joint_state_player for motion_file and loop, which waits for so many subscribers."""
    motion, params = existing_file(context, "motion_file"), existing_file(context, "params_file")
    own: dict[str, Any] = {"loop": is_true(context, "loop"), "wait_for_subscriber": subscribers}
    own |= {"motion_file": motion} if motion else {}
    return own_node(context, "joint_state_player", params, own, ("joint_states", "reference"))


def state_publisher(context: LaunchContext, description: str, others: Sequence[tuple[str, str]]) -> Node:
    """Return robot_state_publisher with a description (XML) and further remappings."""
    name = "robot_state_publisher"
    require_package(name, "or robot_state_publisher:=false")
    taken = [topic for topic, _ in others]
    own = [one for one in remappings(context, "joint_states", "robot_description") if one[0] not in taken]
    given = {
        "robot_description": ParameterValue(description, value_type=str),
        "frame_prefix": value_of(context, "frame_prefix"),
    }
    return Node(
        package=name,
        executable=name,
        name=name,
        namespace=checked_namespace(value_of(context, "namespace")),
        parameters=[_clock(context), given],
        remappings=[*own, *others],
    )


def rviz_nodes(
    context: LaunchContext, description: str, partition: str = "", markers: str = ""
) -> list[Node]:
    """Return rviz2 if the argument rviz asks for it, with the argument's file or one for the robot.

    Args:
        description: XML; empty: not known before the nodes run. partition: path; empty: none.
        markers: topic of markers; empty: none.
    """
    path = existing_file(context, "rviz_config")
    if not is_true(context, "rviz"):
        return []
    require_package("rviz2", "or rviz:=false")
    if not path:
        root, wrenches = robot_displays(description, partition or None) if description else (UNKNOWN_ROOT, [])
        frame = value_of(context, "fixed_frame") or value_of(context, "frame_prefix") + root
        topic, prefix = value_of(context, "robot_description"), value_of(context, "frame_prefix")
        path = _temporary_file(rviz_config(frame, topic, wrenches, markers, prefix))
    namespace = checked_namespace(value_of(context, "namespace"))
    options: dict[str, Any] = {"namespace": namespace, "parameters": [_clock(context)]}
    return [Node(package="rviz2", executable="rviz2", arguments=["-d", path], **options)]


def robot_launch(fixed: Mapping[str, str]) -> IncludeLaunchDescription:
    """Return dynamics.launch.py with fixed arguments, params_file, and the other ROBOT_ARGUMENTS.

    To be returned by an OpaqueFunction: `--show-args` would else list the fixed arguments, too.
    """
    passed = (*ROBOT_ARGUMENTS, "params_file")
    arguments = {**{name: LaunchConfiguration(name) for name in passed}, **fixed}
    source = PythonLaunchDescriptionSource(str(SHARE / "launch" / "dynamics.launch.py"))
    return IncludeLaunchDescription(source, launch_arguments=arguments.items())


def described_robot(urdf: str, partition: str, mappings: Mapping[str, str] | None) -> md.SubsystemGraph:
    """Return the robot of the launch arguments, read to find errors; the nodes log its warnings.

    Args:
        urdf, partition: paths; the second may be empty. mappings: of a xacro file.

    Raises:
        ModularDynamicsError: it cannot be used.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_urdf(urdf, partition or None, mappings=mappings)


def require_package(name: str, otherwise: str) -> None:
    """Raise RuntimeError where a ROS package is not installed: how to install it, and what else helps."""
    try:
        get_package_prefix(name)
    except PackageNotFoundError:
        package = f"ros-$ROS_DISTRO-{name.replace('_', '-')}"
        raise RuntimeError(f"{name} is not installed: apt install {package}, {otherwise}") from None


def _clock(context: LaunchContext) -> dict[str, bool]:
    return {"use_sim_time": is_true(context, "use_sim_time")}


def _respawn_delay(context: LaunchContext) -> float:
    value = value_of(context, "respawn_delay")
    try:
        delay = float(value)
    except ValueError:
        delay = math.nan
    if not 0.0 <= delay < math.inf:
        raise ValueError(f"launch argument respawn_delay is '{value}'; give seconds, 0 or more")
    return delay


def _temporary_file(content: str) -> str:
    """Write a file that exists as long as this process, and return its path."""
    with tempfile.NamedTemporaryFile("w", prefix="modular_dynamics_", suffix=".rviz", delete=False) as file:
        file.write(content)
    atexit.register(Path(file.name).unlink, missing_ok=True)
    return file.name
