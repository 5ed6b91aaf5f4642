"""CHARMIE with its real torso: dynamics.launch.py, torso_reaction_node, and joint_state_player.

torso_reaction_node configures and activates itself, so that it does so, too, when it is started again after
its process has died; set autostart to false where a lifecycle manager is to do it.
"""

from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode, Node

from launch import Action, LaunchContext, LaunchDescription
from modular_dynamics_ros.launch_support import SHARE, argument, boolean, node_options, robot_launch

CONFIG, URDF = SHARE / "config", str(SHARE / "urdf" / "charmie_torso.urdf")


def nodes(context: LaunchContext) -> list[Action]:
    """torso_reaction_node, and the player, which waits until both other nodes listen."""
    params, rules = LaunchConfiguration("params_file"), LaunchConfiguration("rules_file")
    own = {"robot_description_file": URDF, "rules_file": rules, "autostart": boolean("autostart")}
    motion = {
        "motion_file": LaunchConfiguration("motion_file"),
        "loop": boolean("loop"),
        "wait_for_subscriber": 2,
    }
    return [
        LifecycleNode(
            **node_options(context, "torso_reaction_node"),
            parameters=[params, own],
            respawn=True,
            respawn_max_retries=3,
        ),
        Node(**node_options(context, "joint_state_player"), parameters=[params, motion]),
    ]


def generate_launch_description() -> LaunchDescription:
    """The robot's nodes, then the others."""
    rules, motion = SHARE / "urdf" / "charmie_torso_rules.yaml", CONFIG / "charmie_torso_motion.yaml"
    arguments = [
        argument("rules_file", str(rules), "YAML file of rules that distribute the loads over the joints"),
        argument("motion_file", str(motion), "motion: YAML profile, CSV or MCAP bag"),
        argument(
            "params_file", str(CONFIG / "charmie_torso.yaml"), "YAML file of the three nodes' parameters"
        ),
        *map(argument, ("namespace", "autostart", "log_level", "loop", "quick_discovery", "rviz")),
    ]
    robot = robot_launch({"urdf": URDF, "rviz_config": str(CONFIG / "charmie_torso.rviz")})
    return LaunchDescription([*arguments, robot, OpaqueFunction(function=nodes)])
