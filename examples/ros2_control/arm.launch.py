"""The mock arm under ros2_control, and dynamics_node, whose torques effort_controller gets.

ros2 launch examples/ros2_control/arm.launch.py; docs/how_to/controllers.md says what then runs.
"""

from pathlib import Path

from launch.actions import IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import Action, LaunchContext, LaunchDescription
from modular_dynamics_ros.launch_support import SHARE, argument, value_of

HERE = Path(__file__).resolve().parent
CONTROLLERS = "joint_state_broadcaster arm_controller effort_controller"
MOCK = "mock_components/GenericSystem"
PARAMETERS = str(HERE / "controllers.yaml")


def spawner(context: LaunchContext) -> list[Action]:
    """Return the node that loads and activates the controllers, then ends."""
    words = [*value_of(context, "controllers").split(), "--param-file", PARAMETERS]
    return [Node(package="controller_manager", executable="spawner", arguments=words)]


def generate_launch_description() -> LaunchDescription:
    """Return the arguments, then the nodes."""
    dynamics = {
        "urdf": str(HERE / "arm.urdf.xacro"),
        "xacro_arguments": ["'plugin:=", LaunchConfiguration("plugin"), "'"],
        "params_file": str(HERE / "dynamics.yaml"),
        "effort_commands": "/effort_controller/commands",
        "controller_state": "/arm_controller/controller_state",
    }
    return LaunchDescription(
        [
            argument("plugin", MOCK, "hardware component of ros2_control: PACKAGE/CLASS"),
            argument("controllers", CONTROLLERS, "controllers to activate, of those in controllers.yaml"),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(SHARE / "launch" / "dynamics.launch.py")),
                launch_arguments=dynamics.items(),
            ),
            Node(package="controller_manager", executable="ros2_control_node", parameters=[PARAMETERS]),
            OpaqueFunction(function=spawner),
        ]
    )
