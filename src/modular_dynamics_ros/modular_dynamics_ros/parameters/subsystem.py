"""Parameters of subsystem_node. `--help` and `ros2 param describe` show these descriptions."""

from dataclasses import dataclass

from modular_dynamics_ros.parameters.kinds import DURATION, GRAVITY, unconfigured
from modular_dynamics_ros.parameters.robot import RobotParameters
from modular_dynamics_ros.parameters.table import parameter

__all__ = ["SubsystemParameters"]


@dataclass(frozen=True)
class SubsystemParameters(RobotParameters):
    """Parameters of subsystem_node."""

    subsystem: str = unconfigured("", "name of the subsystem; empty: the name of the node")
    gravity: tuple[float, ...] = unconfigured(
        (0.0, 0.0, -9.81),
        "gravitational acceleration in the root link's frame; only subsystems on the ground read it, the "
        "others take it from their predecessor's motion",
        **GRAVITY,
    )
    controller_joints: tuple[str, ...] = unconfigured(
        (), "order of the subsystem's joints in ~/effort_commands; empty: all, in the robot's order"
    )
    without_reference: str = parameter(
        "stop",
        "accelerations where no reference covers a joint state: such a joint state is not answered; zero; "
        "those of its last point, held for stale_after. A node that has missed the reference and takes zero "
        "contradicts the others",
        choices=("stop", "zero", "hold"),
    )
    friction: str = parameter(
        "none",
        "whether the URDF's joint damping and friction are added to the torques",
        choices=("none", "urdf"),
    )
    stale_after: float = parameter(
        0.2,
        "a joint state older than this by its stamp is not answered, and a joint's value not used; the input "
        "is stale after this time without an answer; a joint state waits for the motion and the wrenches "
        "with its stamp for the same time, then the neighbour is missing",
        **DURATION,
    )
