"""Any robot: robot_state_publisher and dynamics_node, configured and activated when autostart is true.

Where the URDF or the partition file closes loops, robot_state_publisher shows what dynamics_node completes.
"""

import shlex

from launch.actions import OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode, LifecycleTransition, Node
from launch_ros.parameter_descriptions import ParameterValue
from lifecycle_msgs.msg import Transition

from launch import Action, LaunchContext, LaunchDescription
from modular_dynamics.urdf import has_loops, plain_urdf
from modular_dynamics_ros.computation.robot import xacro_mappings
from modular_dynamics_ros.launch_support import SHARE, argument, boolean, existing_file, node_options

AUTO = [Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE]
COMPLETED = ("joint_states", "dynamics_node/completed_joint_states")


def nodes(context: LaunchContext) -> list[Action]:
    """Check the files before anything starts, then return the nodes and the start of the lifecycle."""
    urdf, partition, params = (existing_file(context, n) for n in ("urdf", "partition_file", "params_file"))
    if not urdf:
        raise ValueError("launch argument urdf is empty; give the path of a URDF file")
    namespace, clock = LaunchConfiguration("namespace"), {"use_sim_time": boolean("use_sim_time")}
    arguments = shlex.split(LaunchConfiguration("xacro_arguments").perform(context))
    text = plain_urdf(urdf, xacro_mappings(arguments))
    description = {"robot_description": ParameterValue(text, value_type=str)}
    rviz = Node(
        package="rviz2",
        executable="rviz2",
        namespace=namespace,
        parameters=[clock],
        arguments=["-d", LaunchConfiguration("rviz_config")],
        condition=IfCondition(LaunchConfiguration("rviz")),
    )
    publisher = Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace=namespace,
        parameters=[clock, description],
        remappings=[COMPLETED] if has_loops(text, partition or None) else [],
    )
    files = {k: v for k, v in (("robot_description_file", urdf), ("partition_file", partition)) if v}
    own = {"xacro_arguments": arguments} if arguments else {}  # an empty list has no type
    parameters = [*filter(None, [params]), clock, files | own]
    dynamics = LifecycleNode(**node_options(context, "dynamics_node"), parameters=parameters)
    autostart = OpaqueFunction(  # the node's full name is known only once the node has been started
        function=lambda _: [
            LifecycleTransition(lifecycle_node_names=[dynamics.node_name], transition_ids=AUTO)
        ],
        condition=IfCondition(LaunchConfiguration("autostart")),
    )
    return [rviz, publisher, dynamics, autostart]  # the first may be missing: then nothing has been started


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes."""
    common = ("namespace", "use_sim_time", "autostart", "log_level", "quick_discovery", "rviz")
    arguments = [
        argument("urdf", None, "path of the robot's URDF or xacro file"),
        argument(
            "xacro_arguments",
            "",
            'of a xacro file, as the xacro program has them: "prefix:=left_ tool:=none"',
        ),
        argument(
            "partition_file",
            "",
            "YAML file with the content of the URDF's tags (subsystems, loops, gears, springs); a section in "
            "it replaces the same section of the tags; empty: none",
        ),
        argument("params_file", "", "YAML file of dynamics_node's parameters; empty: the node's defaults"),
        argument("rviz_config", str(SHARE / "config" / "dynamics.rviz"), "configuration file of rviz2"),
        *map(argument, common),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])
