"""A module assembly that changes while it moves: assembly_node, dynamics_node and robot_state_publisher.

dynamics_node and rviz follow the topic robot_description, robot_state_publisher its parameter.
"""

from launch.actions import OpaqueFunction

from launch import Action, LaunchContext, LaunchDescription
from modular_dynamics_ros.launch_support import (
    ROBOT_ARGUMENTS,
    SHARE,
    argument,
    existing_file,
    is_true,
    own_node,
    rviz_nodes,
    start_options,
    state_publisher,
)

PUBLISHER = "robot_state_publisher"
# robot_state_publisher does not start without a description; assembly_node sets the first one
NOTHING = "<robot name='nothing'><link name='nothing'/></robot>"
# it would repeat every description, late, on the topic that assembly_node publishes
REPEATED = ("robot_description", f"{PUBLISHER}/robot_description")
TOPICS = ("joint_states", "robot_description")


def nodes(context: LaunchContext) -> list[Action]:
    """Check the arguments before anything starts, then return the nodes."""
    files = {name: existing_file(context, name) for name in ("assembly_file", "gait_file")}
    params, autostart = existing_file(context, "params_file"), {"autostart": is_true(context, "autostart")}
    own = {**{name: path for name, path in files.items() if path}, PUBLISHER: PUBLISHER, **autostart}
    # not started again by itself: it would begin with the first assembly, whatever is docked by now
    assembly = own_node(context, "assembly_node", params, own, TOPICS)
    others = (*TOPICS, "reference", "controller_state", "effort_commands")
    dynamics = own_node(context, "dynamics_node", params, start_options(context), others, respawn=True)
    return [*rviz_nodes(context, ""), state_publisher(context, NOTHING, [REPEATED]), dynamics, assembly]


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes."""
    arguments = [
        argument("assembly_file", "", "incidence matrix (.yaml); empty: what the parameters say"),
        argument("gait_file", "", "YAML file of a gait; empty: what the parameters say"),
        argument(
            "params_file",
            str(SHARE / "config" / "modular_assembly.yaml"),
            "YAML file of the parameters of assembly_node and dynamics_node",
        ),
        *map(argument, (name for name in ROBOT_ARGUMENTS if name != "fixed_frame")),
        argument("fixed_frame", "v0/cube"),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])
