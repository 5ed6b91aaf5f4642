"""The CHARMIE care robot: dynamics.launch.py, and joint_state_player with the robot's published motion."""

from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import Action, LaunchContext, LaunchDescription
from modular_dynamics_ros.launch_support import SHARE, argument, boolean, node_options, robot_launch

CONFIG, URDF = SHARE / "config", SHARE / "urdf" / "charmie.urdf"


def player(context: LaunchContext) -> list[Action]:
    """It waits until dynamics_node listens."""
    own = {
        "motion_file": LaunchConfiguration("motion_file"),
        "loop": boolean("loop"),
        "wait_for_subscriber": 1,
    }
    parameters = [LaunchConfiguration("params_file"), own]
    return [Node(**node_options(context, "joint_state_player"), parameters=parameters)]


def generate_launch_description() -> LaunchDescription:
    """The robot's nodes, then the player."""
    arguments = [
        argument("motion_file", str(CONFIG / "charmie_motion.yaml"), "motion: YAML profile, CSV or MCAP bag"),
        argument("params_file", str(CONFIG / "charmie.yaml"), "YAML file of both nodes' parameters"),
        *map(argument, ("namespace", "autostart", "log_level", "loop", "quick_discovery", "rviz")),
    ]
    return LaunchDescription([*arguments, robot_launch({"urdf": str(URDF)}), OpaqueFunction(function=player)])
