"""Functions of the launch files: arguments, nodes, rviz2, and the launch of a robot."""

import atexit
import shlex
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

import modular_dynamics as md
from launch import LaunchContext

BOOLEAN = ["true", "false", "True", "False"]
LEVELS = ["debug", "info", "warn", "error", "fatal"]
#: Arguments that several launch files have: default, description, choices (None: any).
COMMON: dict[str, tuple[str, str, list[str] | None]] = {
    "namespace": ("", "namespace of all nodes and of all topics without a leading slash", None),
    "use_sim_time": ("false", "take time from /clock", BOOLEAN),
    "frame_prefix": ("", "begins the name of every link in TF, as in robot_state_publisher: left/", None),
    "joint_states": ("joint_states", "topic of the joint states", None),
    "robot_description": ("robot_description", "topic of the robot's URDF", None),
    "reference": ("reference", "topic of the trajectory for acceleration_source: reference", None),
    "controller_state": (
        "controller_state",
        "topic of a joint_trajectory_controller's state for reference_type: controller_state",
        None,
    ),
    "effort_commands": (
        "~/effort_commands",
        "topic to which dynamics_node publishes torques without names, such as /effort_controller/commands",
        None,
    ),
    "autostart": ("true", "configure and activate the lifecycle nodes", BOOLEAN),
    "respawn": ("true", "start a lifecycle node about a robot again when its process has ended", BOOLEAN),
    "log_level": ("info", "lowest severity that the nodes of modular_dynamics log", LEVELS),
    "loop": ("true", "play the motion again and again", BOOLEAN),
    "rviz": ("false", "start rviz2 with the robot", BOOLEAN),
    "rviz_config": (
        "",
        "file of rviz2; empty: config/robot.rviz, with the robot's frames",
        None,
    ),
    "fixed_frame": (
        "",
        "fixed frame of rviz2 without rviz_config; empty: the root link of urdf; without urdf base_link",
        None,
    ),
    "xacro_arguments": (
        "",
        'of a xacro file, as the xacro program has them: "prefix:=left_ tool:=none"',
        None,
    ),
    "robot_state_publisher": (
        "true",
        "start robot_state_publisher with urdf; false where one runs already with the same robot",
        BOOLEAN,
    ),
}
#: Arguments that a launch file of one robot shares with dynamics.launch.py, and passes on to it.
ROBOT_ARGUMENTS = tuple(
    name for name in COMMON if name not in ("loop", "robot_state_publisher", "xacro_arguments")
)
#: Topics that arguments of the same name replace, as the nodes call them.
TOPICS = {
    name: COMMON[name][0]
    for name in ("joint_states", "robot_description", "reference", "controller_state", "effort_commands")
}
SHARE = Path(get_package_share_directory("modular_dynamics_bringup"))
RESPAWN_DELAY = 0.5  # [s] before a node is started again
UNKNOWN_ROOT = "base_link"  # where the robot is known only later: the name that REP 105 recommends


def argument(name: str, default: str | None = None, description: str = "") -> DeclareLaunchArgument:
    """Return a launch argument; those in COMMON need only a name. Without a default it is required."""
    choices = None
    if name in COMMON:
        usual, description, choices = COMMON[name]
        default = usual if default is None else default
    return DeclareLaunchArgument(name, default_value=default, description=description, choices=choices)


def value_of(context: LaunchContext, name: str) -> str:
    """Return what a launch argument is set to."""
    return str(LaunchConfiguration(name).perform(context))


def is_true(context: LaunchContext, name: str) -> bool:
    """Return whether a launch argument of the choices BOOLEAN is true."""
    return value_of(context, name).lower() == "true"


def existing_file(context: LaunchContext, name: str) -> str:
    """Return a launch argument's absolute path, "" if empty; FileNotFoundError ends the launch."""
    value = value_of(context, name)
    path = Path(value).expanduser().absolute()
    if value and not path.is_file():
        raise FileNotFoundError(f"launch argument {name}: no file '{path}'; give the path of a file")
    return str(path) if value else ""


def words_of(context: LaunchContext, name: str) -> list[str]:
    """Return the words of a launch argument, as a shell reads them."""
    value = value_of(context, name)
    try:
        return shlex.split(value)
    except ValueError as error:
        raise ValueError(f"launch argument {name} is {value!r}: {error}") from None


def remappings(context: LaunchContext, *names: str) -> list[tuple[str, str]]:
    """Return remappings from the topics of these arguments to their values."""
    chosen = ((TOPICS[name], value_of(context, name)) for name in names)
    return [(topic, other) for topic, other in chosen if topic != other]


def own_node(
    context: LaunchContext,
    name: str,
    params_file: str,
    parameters: Mapping[str, Any],
    topics: Iterable[str],
    *,
    respawn: bool = False,
    executable: str = "",
) -> Node:
    """Return one of this package's nodes.

    Args:
        name: of the node, and of its executable where that is not given.
        parameters: override those of the file. topics: arguments that remap its topics.
        respawn: whether it is started again where the launch argument respawn is true.
    """
    return Node(
        package="modular_dynamics_ros",
        executable=executable or name,
        name=name,
        namespace=value_of(context, "namespace"),
        output="screen",
        arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
        parameters=[*filter(None, [params_file]), _clock(context), dict(parameters)],
        remappings=remappings(context, *topics),
        respawn=respawn and is_true(context, "respawn"),
        respawn_delay=RESPAWN_DELAY,
    )


def robot_parameters(
    context: LaunchContext, urdf: str, partition: str, xacro_arguments: list[str]
) -> dict[str, Any]:
    """Return a node's parameters about the robot of these arguments."""
    files = {"robot_description_file": urdf, "partition_file": partition}
    own: dict[str, Any] = {name: path for name, path in files.items() if path}
    if xacro_arguments:  # an empty list has no type
        own["xacro_arguments"] = xacro_arguments
    return own | start_options(context)


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
        namespace=value_of(context, "namespace"),
        parameters=[_clock(context), given],
        remappings=[*own, *others],
    )


def rviz_nodes(context: LaunchContext, description: str, partition: str = "") -> list[Node]:
    """Return rviz2 if the argument rviz asks for it, with the argument's file or one for the robot.

    Args:
        description: XML; empty: not known before the nodes run. partition: path; empty: none.
    """
    path, prefix = existing_file(context, "rviz_config"), value_of(context, "frame_prefix")
    if not is_true(context, "rviz"):
        return []
    if not path:
        root = described_robot(description, partition, None).links[0] if description else UNKNOWN_ROOT
        text = (SHARE / "config" / "robot.rviz").read_text(encoding="utf-8")
        text = text.replace("FIXED_FRAME", value_of(context, "fixed_frame") or prefix + root)
        text = text.replace("DESCRIPTION_TOPIC", value_of(context, "robot_description"))
        path = _temporary_file(text.replace("TF_PREFIX", prefix.rstrip("/")))  # rviz2 puts a slash behind it
    options: dict[str, Any] = {"namespace": value_of(context, "namespace"), "parameters": [_clock(context)]}
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


def _clock(context: LaunchContext) -> dict[str, bool]:
    return {"use_sim_time": is_true(context, "use_sim_time")}


def _temporary_file(content: str) -> str:
    """Write a file that exists as long as this process, and return its path."""
    with tempfile.NamedTemporaryFile("w", prefix="modular_dynamics_", suffix=".rviz", delete=False) as file:
        file.write(content)
    atexit.register(Path(file.name).unlink, missing_ok=True)
    return file.name
