"""Any robot: dynamics_node, and robot_state_publisher where a URDF is given.

Without a URDF dynamics_node takes the robot from the topic robot_description, beside what runs already. Where
the URDF or the partition file closes loops, robot_state_publisher shows what dynamics_node completes.
"""

from launch.actions import OpaqueFunction

from launch import Action, LaunchContext, LaunchDescription
from modular_dynamics.urdf import has_loops, plain_urdf
from modular_dynamics_ros.computation.robot import xacro_mappings
from modular_dynamics_ros.launch_support import (
    ROBOT_ARGUMENTS,
    argument,
    described_robot,
    existing_file,
    is_true,
    own_node,
    robot_parameters,
    rviz_nodes,
    state_publisher,
    words_of,
)

COMPLETED = ("joint_states", "dynamics_node/completed_joint_states")
TOPICS = ("joint_states", "robot_description", "reference", "controller_state", "effort_commands")


def nodes(context: LaunchContext) -> list[Action]:
    """Check the arguments before anything starts, then return the nodes."""
    urdf, partition, params = (existing_file(context, n) for n in ("urdf", "partition_file", "params_file"))
    arguments, description = words_of(context, "xacro_arguments"), ""
    mappings = xacro_mappings(arguments)
    if arguments and not urdf:
        raise ValueError("launch argument xacro_arguments needs urdf: the path of a xacro file")
    if urdf:
        described_robot(urdf, partition, mappings)
        description = plain_urdf(urdf, mappings)
    own = robot_parameters(context, urdf, partition, arguments)
    dynamics = own_node(context, "dynamics_node", params, own, TOPICS, respawn=True)
    publisher = []
    if urdf and is_true(context, "robot_state_publisher"):
        loops = [COMPLETED] if has_loops(description, partition or None) else []
        publisher = [state_publisher(context, description, loops)]
    # the first may be missing: then nothing has been started
    return [*rviz_nodes(context, description, partition), *publisher, dynamics]


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes."""
    arguments = [
        argument(
            "urdf",
            "",
            "path of the robot's URDF or xacro file; empty: the robot that runs already, from the topic "
            "robot_description",
        ),
        argument("xacro_arguments"),
        argument(
            "partition_file",
            "",
            "YAML file with the content of the URDF's tags (subsystems, loops, gears, springs); a section in "
            "it replaces the same section of the tags; empty: none",
        ),
        argument("params_file", "", "YAML file of dynamics_node's parameters; empty: the node's defaults"),
        *map(argument, ("robot_state_publisher", *ROBOT_ARGUMENTS)),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])
