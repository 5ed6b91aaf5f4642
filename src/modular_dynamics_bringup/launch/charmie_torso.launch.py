"""CHARMIE with its real torso: dynamics.launch.py, torso_reaction_node, and joint_state_player."""

from launch.actions import OpaqueFunction

from launch import Action, LaunchContext, LaunchDescription
from modular_dynamics_ros.launch_support import (
    ROBOT_ARGUMENTS,
    SHARE,
    argument,
    existing_file,
    own_node,
    player,
    robot_launch,
    start_options,
)

CONFIG, URDF = SHARE / "config", str(SHARE / "urdf" / "charmie_torso.urdf")


def nodes(context: LaunchContext) -> list[Action]:
    """The robot's nodes, torso_reaction_node, and the player, which waits until both others listen."""
    robot = robot_launch({"urdf": URDF})
    files = {"robot_description_file": URDF, "rules_file": existing_file(context, "rules_file")}
    own = files | start_options(context)
    params, topics = existing_file(context, "params_file"), ("joint_states", "reference", "controller_state")
    reactions = own_node(context, "torso_reaction_node", params, own, topics, respawn=True)
    return [robot, reactions, player(context, subscribers=2)]


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes."""
    rules, motion = SHARE / "urdf" / "charmie_torso_rules.yaml", CONFIG / "charmie_torso_motion.yaml"
    arguments = [
        argument("rules_file", str(rules), "YAML file of rules that distribute the loads over the joints"),
        argument("motion_file", str(motion), "motion: YAML profile or CSV"),
        argument(
            "params_file", str(CONFIG / "charmie_torso.yaml"), "YAML file of the three nodes' parameters"
        ),
        *map(argument, ("loop", *ROBOT_ARGUMENTS)),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])
