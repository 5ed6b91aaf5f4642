"""Arguments of the launch files: those that several have, and how their values are read."""

import shlex
from pathlib import Path

from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration

from launch import LaunchContext

__all__ = ["ROBOT_ARGUMENTS", "TOPICS", "argument", "existing_file", "is_true", "value_of", "words_of"]

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
    "respawn_delay": ("0.5", "time before that [s]", None),
    "log_level": ("info", "lowest severity that the nodes of modular_dynamics log", LEVELS),
    "loop": ("true", "play the motion again and again", BOOLEAN),
    "rviz": ("false", "start rviz2 with the robot", BOOLEAN),
    "rviz_config": ("", "configuration file of rviz2; empty: one is made for the robot", None),
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
