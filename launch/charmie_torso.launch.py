"""CHARMIE with its real torso: dynamics.launch.py, torso_reaction_node, and joint_state_player.

torso_reaction_node configures and activates itself, so that it does so, too, when it is started again after
its process has died; set autostart to false where a lifecycle manager is to do it.
"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode, Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription

SHARE = Path(get_package_share_directory("modular_dynamics_bringup"))
URDF, RULES = (str(SHARE / "urdf" / f"charmie_torso{end}") for end in (".urdf", "_rules.yaml"))
MOTION, PARAMS, RVIZ = (
    str(SHARE / "config" / f"charmie_torso{end}") for end in ("_motion.yaml", ".yaml", ".rviz")
)
BOOLEAN = ["true", "false", "True", "False"]
LEVELS = ["debug", "info", "warn", "error", "fatal"]
ARGUMENTS = [  # name, default, description, choices (None: any)
    ("rules_file", RULES, "YAML file that says which joint bears which share", None),
    ("motion_file", MOTION, "motion to play: YAML profile, CSV or MCAP bag", None),
    ("loop", "true", "play the motion again and again", BOOLEAN),
    ("params_file", PARAMS, "YAML file of the parameters of all three nodes", None),
    ("namespace", "", "namespace of all nodes and topics", None),
    ("autostart", "true", "configure and activate dynamics_node and torso_reaction_node", BOOLEAN),
    ("log_level", "info", "least severe message that the three nodes log", LEVELS),
    ("rviz", "false", "start rviz2 with the robot and arrows of its reactions", BOOLEAN),
]


def generate_launch_description() -> LaunchDescription:
    """The robot's nodes, then the player, which waits until both others listen."""
    forwarded = {
        name: LaunchConfiguration(name)
        for name in ("params_file", "namespace", "autostart", "log_level", "rviz")
    }
    robot = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(SHARE / "launch" / "dynamics.launch.py")),
        launch_arguments={"urdf": URDF, "rviz_config": RVIZ, **forwarded}.items(),
    )
    common = {
        "namespace": LaunchConfiguration("namespace"),
        "output": "screen",
        "arguments": ["--ros-args", "--log-level", LaunchConfiguration("log_level")],
    }

    def parameters(**own: object) -> list:
        return [LaunchConfiguration("params_file"), own]

    def boolean(name: str) -> ParameterValue:
        return ParameterValue(LaunchConfiguration(name), value_type=bool)

    name = "torso_reaction_node"
    files = {"robot_description_file": URDF, "rules_file": LaunchConfiguration("rules_file")}
    reactions = LifecycleNode(
        package="modular_dynamics_ros",
        executable=name,
        name=name,
        parameters=parameters(**files, autostart=boolean("autostart")),
        respawn=True,
        respawn_max_retries=3,
        **common,
    )
    name = "joint_state_player"
    motion = {"motion_file": LaunchConfiguration("motion_file"), "wait_for_subscriber": 2}
    player = Node(
        package="modular_dynamics_ros",
        executable=name,
        name=name,
        parameters=parameters(**motion, loop=boolean("loop")),
        **common,
    )
    args = [DeclareLaunchArgument(n, default_value=v, description=d, choices=c) for n, v, d, c in ARGUMENTS]
    return LaunchDescription([*args, robot, reactions, player])
