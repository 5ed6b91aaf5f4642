"""The CHARMIE care robot: dynamics.launch.py, and joint_state_player with the robot's published motion."""

from launch.actions import OpaqueFunction

from launch import Action, LaunchContext, LaunchDescription
from modular_dynamics_ros.launch_support import ROBOT_ARGUMENTS, SHARE, argument, player, robot_launch

CONFIG, URDF = SHARE / "config", str(SHARE / "urdf" / "charmie.urdf")


def nodes(context: LaunchContext) -> list[Action]:
    """The robot's nodes, then the player, which waits until dynamics_node listens."""
    return [robot_launch({"urdf": URDF}), player(context, subscribers=1)]


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes."""
    arguments = [
        argument("motion_file", str(CONFIG / "charmie_motion.yaml"), "motion: YAML profile or CSV"),
        argument("params_file", str(CONFIG / "charmie.yaml"), "YAML file of both nodes' parameters"),
        *map(argument, ("loop", *ROBOT_ARGUMENTS)),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])
