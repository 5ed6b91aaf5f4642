"""The CHARMIE care robot: dynamics.launch.py, and joint_state_player with the robot's published motion."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription

SHARE = Path(get_package_share_directory("modular_dynamics_bringup"))
BOOLEAN = ["true", "false", "True", "False"]
LEVELS = ["debug", "info", "warn", "error", "fatal"]
MOTION, PARAMS = str(SHARE / "config" / "charmie_motion.yaml"), str(SHARE / "config" / "charmie.yaml")
ARGUMENTS = [  # name, default, description, choices (None: any)
    ("motion_file", MOTION, "motion to play: YAML profile, CSV or MCAP bag", None),
    ("loop", "true", "play the motion again and again", BOOLEAN),
    ("params_file", PARAMS, "YAML file of the parameters of dynamics_node and joint_state_player", None),
    ("namespace", "", "namespace of all nodes and topics", None),
    ("autostart", "true", "configure and activate dynamics_node", BOOLEAN),
    ("log_level", "info", "least severe message that dynamics_node and joint_state_player log", LEVELS),
    ("rviz", "false", "start rviz2 with the robot", BOOLEAN),
]


def generate_launch_description() -> LaunchDescription:
    """The robot's nodes, then the player, which waits until dynamics_node listens."""
    forwarded = {
        name: LaunchConfiguration(name)
        for name in ("params_file", "namespace", "autostart", "log_level", "rviz")
    }
    robot = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(SHARE / "launch" / "dynamics.launch.py")),
        launch_arguments={"urdf": str(SHARE / "urdf" / "charmie.urdf"), **forwarded}.items(),
    )
    player = Node(
        package="modular_dynamics_ros",
        executable="joint_state_player",
        name="joint_state_player",
        namespace=LaunchConfiguration("namespace"),
        output="screen",
        parameters=[
            LaunchConfiguration("params_file"),
            {
                "motion_file": LaunchConfiguration("motion_file"),
                "loop": ParameterValue(LaunchConfiguration("loop"), value_type=bool),
                "wait_for_subscriber": 1,
            },
        ],
        arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
    )
    args = [DeclareLaunchArgument(n, default_value=v, description=d, choices=c) for n, v, d, c in ARGUMENTS]
    return LaunchDescription([*args, robot, player])
