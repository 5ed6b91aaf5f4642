"""Any robot as one subsystem_node per subsystem, and robot_state_publisher."""

from launch.actions import OpaqueFunction
from launch_ros.actions import Node

from launch import Action, LaunchContext, LaunchDescription
from modular_dynamics.urdf import plain_urdf
from modular_dynamics_ros.computation.robot import xacro_mappings
from modular_dynamics_ros.launch_support import (
    SHARE,
    argument,
    described_robot,
    existing_file,
    is_true,
    own_node,
    robot_parameters,
    state_publisher,
    words_of,
)
from modular_dynamics_ros.node.topic_names import subsystem_nodes

TOPICS = ("joint_states", "robot_description", "reference", "controller_state")
SHARED = ("namespace", *TOPICS, "use_sim_time", "frame_prefix", "autostart", "respawn")


def nodes(context: LaunchContext) -> list[Action]:
    """Check the arguments before anything starts, then return the nodes."""
    urdf, partition, params = (existing_file(context, n) for n in ("urdf", "partition_file", "params_file"))
    arguments = words_of(context, "xacro_arguments")
    mappings = xacro_mappings(arguments)
    described = subsystem_nodes(described_robot(urdf, partition, mappings))
    chosen = list(dict.fromkeys(words_of(context, "only"))) or list(described)
    if unknown := [name for name in chosen if name not in described]:
        text = f"launch argument 'only': no subsystem '{unknown[0]}'"
        raise ValueError(f"{text}; there are {', '.join(described)}")
    own = robot_parameters(context, urdf, partition, arguments)
    started: list[Node] = []
    if is_true(context, "robot_state_publisher"):
        started.append(state_publisher(context, plain_urdf(urdf, mappings), []))
    for name in chosen:
        values = {**own, "subsystem": name}
        kind = "subsystem_node"
        node = own_node(context, described[name], params, values, TOPICS, respawn=True, executable=kind)
        started.append(node)
    return started


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes."""
    arguments = [
        argument(
            "urdf", str(SHARE / "urdf" / "charmie.urdf"), "path of the robot's URDF, tagged with subsystems"
        ),
        argument("xacro_arguments"),
        argument("partition_file", "", "YAML file with the content of the URDF's tags; empty: none"),
        argument(
            "params_file", str(SHARE / "config" / "subsystems.yaml"), "YAML file of the nodes' parameters"
        ),
        argument("only", "", "subsystems to start on this computer, with blanks between them; empty: all"),
        *map(argument, (*SHARED, "robot_state_publisher", "log_level")),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])
