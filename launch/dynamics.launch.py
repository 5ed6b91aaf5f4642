"""Any robot: robot_state_publisher and dynamics_node, configured and activated when autostart is true.

Where the URDF or the partition file closes loops, robot_state_publisher shows what dynamics_node completes.
"""

import re
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode, LifecycleTransition, Node
from launch_ros.parameter_descriptions import ParameterValue
from lifecycle_msgs.msg import Transition

from launch import Action, LaunchContext, LaunchDescription

RVIZ_CONFIG = str(Path(get_package_share_directory("modular_dynamics_bringup"), "config", "dynamics.rviz"))
BOOLEAN, LEVELS = ["true", "false", "True", "False"], ["debug", "info", "warn", "error", "fatal"]
AUTO = [Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE]
COMPLETED = ("joint_states", "dynamics_node/completed_joint_states")
ARGUMENTS = [  # name, default (None: must be given), description, choices (None: any)
    ("urdf", None, "path of the robot's URDF (plain XML: run xacro first)", None),
    ("partition_file", "", "YAML file of subsystems; wins over the URDF's tags; empty: none", None),
    ("params_file", "", "YAML file of dynamics_node's parameters; empty: the node's defaults", None),
    ("namespace", "", "namespace of all nodes and topics", None),
    ("use_sim_time", "false", "take time from /clock", BOOLEAN),
    ("autostart", "true", "configure and activate dynamics_node", BOOLEAN),
    ("log_level", "info", "least severe message that dynamics_node logs", LEVELS),
    ("rviz", "false", "start rviz2 with the robot", BOOLEAN),
    ("rviz_config", RVIZ_CONFIG, "what rviz2 shows", None),
]


def existing_file(context: LaunchContext, name: str) -> str:
    """Absolute path that a launch argument holds, or "" if it is empty; FileNotFoundError ends the launch."""
    value = LaunchConfiguration(name).perform(context)
    path = Path(value).expanduser().absolute()
    if value and not path.is_file():
        raise FileNotFoundError(f"launch argument {name}: no file '{path}'; give the path of a file")
    return str(path) if value else ""


def closes_loops(urdf: str, partition: str) -> bool:
    """Whether some joints follow others by loops or gears: joint_states may lack them then."""
    tag = r"<\s*(loop_joint|passive|gear)\b"
    section = r"^\s*(loop_joints|passive|gears)\s*:"
    if partition:  # it wins over the URDF's tags
        return re.search(section, Path(partition).read_text("utf-8"), re.MULTILINE) is not None
    return (
        re.search(tag, re.sub(r"<!--.*?-->", "", Path(urdf).read_text("utf-8"), flags=re.DOTALL)) is not None
    )


def nodes(context: LaunchContext) -> list[Action]:
    """Check the files before anything starts, then return the nodes and the start of the lifecycle."""
    urdf, partition, params = (existing_file(context, n) for n in ("urdf", "partition_file", "params_file"))
    if not urdf:
        raise ValueError("launch argument urdf is empty; give the path of a URDF file")
    namespace = LaunchConfiguration("namespace")
    clock = {"use_sim_time": ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool)}
    description = {"robot_description": ParameterValue(Path(urdf).read_text("utf-8"), value_type=str)}
    files = {k: v for k, v in (("robot_description_file", urdf), ("partition_file", partition)) if v}
    rviz = Node(
        package="rviz2",
        executable="rviz2",
        namespace=namespace,
        parameters=[clock],
        arguments=["-d", LaunchConfiguration("rviz_config")],
        condition=IfCondition(LaunchConfiguration("rviz")),
    )
    name = "robot_state_publisher"
    publisher = Node(
        package=name,
        executable=name,
        namespace=namespace,
        parameters=[clock, description],
        remappings=[COMPLETED] if closes_loops(urdf, partition) else [],
    )
    dynamics = LifecycleNode(
        package="modular_dynamics_ros",
        executable="dynamics_node",
        name="dynamics_node",
        namespace=namespace,
        parameters=[*filter(None, [params]), clock, files],
        arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
    )
    autostart = OpaqueFunction(  # the node's full name is known only once the node has been started
        function=lambda _: [
            LifecycleTransition(lifecycle_node_names=[dynamics.node_name], transition_ids=AUTO)
        ],
        condition=IfCondition(LaunchConfiguration("autostart")),
    )
    return [rviz, publisher, dynamics, autostart]  # the first may be missing: then nothing has been started


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes."""
    args = [DeclareLaunchArgument(n, default_value=v, description=d, choices=c) for n, v, d, c in ARGUMENTS]
    return LaunchDescription([*args, OpaqueFunction(function=nodes)])
