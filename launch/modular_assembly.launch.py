"""A module assembly that changes while it moves: assembly_node, dynamics_node and robot_state_publisher.

dynamics_node and rviz follow the topic robot_description, robot_state_publisher its parameter.
"""

from launch.actions import OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode, LifecycleTransition, Node
from lifecycle_msgs.msg import Transition

from launch import Action, LaunchContext, LaunchDescription
from modular_dynamics_ros.launch_support import SHARE, argument, boolean, existing_file, node_options

AUTO = [Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE]
PUBLISHER = "robot_state_publisher"
# robot_state_publisher does not start without a description; assembly_node sets the first one
NOTHING = "<robot name='nothing'><link name='nothing'/></robot>"
# it would repeat every description, late, on the topic that assembly_node publishes
REPEATED = ("robot_description", f"{PUBLISHER}/robot_description")


def nodes(context: LaunchContext) -> list[Action]:
    """Check the files before anything starts, then return the nodes and the start of the lifecycle."""
    files = {name: existing_file(context, name) for name in ("assembly_file", "gait_file")}
    params = [path for path in (existing_file(context, "params_file"),) if path]
    namespace, clock = LaunchConfiguration("namespace"), {"use_sim_time": boolean("use_sim_time")}
    own = {**{name: path for name, path in files.items() if path}, PUBLISHER: PUBLISHER}
    assembly = LifecycleNode(**node_options(context, "assembly_node"), parameters=[*params, clock, own])
    dynamics = LifecycleNode(**node_options(context, "dynamics_node"), parameters=[*params, clock])
    publisher = Node(
        package=PUBLISHER,
        executable=PUBLISHER,
        name=PUBLISHER,
        namespace=namespace,
        parameters=[clock, {"robot_description": NOTHING}],
        remappings=[REPEATED],
    )
    rviz = Node(
        package="rviz2",
        executable="rviz2",
        namespace=namespace,
        parameters=[clock],
        arguments=["-d", str(SHARE / "config" / "dynamics.rviz")],
        condition=IfCondition(LaunchConfiguration("rviz")),
    )
    autostart = OpaqueFunction(  # the nodes' full names are known only once they have been started
        function=lambda _: [
            LifecycleTransition(
                lifecycle_node_names=[dynamics.node_name, assembly.node_name], transition_ids=AUTO
            )
        ],
        condition=IfCondition(LaunchConfiguration("autostart")),
    )
    return [rviz, publisher, dynamics, assembly, autostart]


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes."""
    common = ("namespace", "use_sim_time", "autostart", "log_level", "quick_discovery", "rviz")
    arguments = [
        argument("assembly_file", "", "incidence matrix (.yaml or .csv); empty: what the parameters say"),
        argument("gait_file", "", "YAML file of a gait; empty: what the parameters say"),
        argument(
            "params_file",
            str(SHARE / "config" / "modular_assembly.yaml"),
            "YAML file of the parameters of assembly_node and dynamics_node",
        ),
        *map(argument, common),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])
