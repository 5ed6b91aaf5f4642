"""Parameters of every node that answers the joint states of a robot."""

from dataclasses import dataclass
from typing import TypeVar

from modular_dynamics_ros.parameters.kinds import DURATION, GRAVITY, constant, unconfigured
from modular_dynamics_ros.parameters.table import parameter

__all__ = ["Parameters", "RobotParameters"]


@dataclass(frozen=True)
class RobotParameters:
    """Parameters of every node that answers the joint states of a robot."""

    robot_description_file: str = unconfigured(
        "", "path of the robot's URDF or xacro file; empty: wait for the topic robot_description"
    )
    xacro_arguments: tuple[str, ...] = unconfigured(
        (),
        "arguments of a xacro file in robot_description_file, each name:=value, as for the xacro program",
    )
    partition_file: str = unconfigured(
        "",
        "path of a YAML file with the content of the URDF's tags (subsystems, loops, gears, springs); a "
        "section in it replaces the same section of the tags; empty: none",
    )
    frame_prefix: str = unconfigured(
        "",
        "begins the frames of the links in TF, such as left/: the same as that of robot_state_publisher; "
        "published frames have it, received ones may",
    )
    strict: bool = unconfigured(
        False, "whether a robot with inertias that no body can have is refused; else it is a warning"
    )
    gravity: tuple[float, ...] = unconfigured(
        (0.0, 0.0, -9.81), "gravitational acceleration in the root link's frame", **GRAVITY
    )
    controller_joints: tuple[str, ...] = unconfigured(
        (), "order of the joints in ~/effort_commands; empty: all joints, in the robot's order"
    )
    acceleration_source: str = parameter(
        "zero",
        "where joint accelerations come from: none, the reference trajectory, or the filtered velocities",
        choices=("zero", "reference", "filtered"),
    )
    reference_type: str = unconfigured(
        "trajectory",
        "what the reference is: JointTrajectory on the topic reference, or the set points of a "
        "joint_trajectory_controller, JointTrajectoryControllerState on controller_state",
        choices=("trajectory", "controller_state"),
    )
    filter_cutoff: float = parameter(
        10.0, "cutoff of the 6th-order Butterworth filter of the velocities", unit="Hz", low=0.01, high=5e3
    )
    without_reference: str = parameter(
        "zero",
        "accelerations where no reference covers a joint state: zero; those of its last point, held for "
        "stale_after, then zero; stop: such a joint state is not answered",
        choices=("zero", "hold", "stop"),
    )
    stale_after: float = parameter(
        0.2,
        "a joint state older than this by its stamp is not answered, and a joint's value not used; the input "
        "is stale after this time without an answer; wrenches from topics stay valid for the same time",
        **DURATION,
    )
    absent_joints: tuple[str, ...] = unconfigured(
        (),
        "positions of joints that no joint state holds, at rest, each JOINT:=POSITION [rad or m], such as "
        "finger:=0.02; where a joint state does hold them it counts for stale_after",
    )
    closure_tolerance: float = parameter(
        0.01,
        "closed loops: by how much a measured passive joint may differ from its closed position without a "
        "warning",
        unit="rad or m",
        low=0.0,
        high=10.0,
    )
    autostart: bool = constant(
        False, "configure and activate when the node starts, without a lifecycle manager"
    )


Parameters = TypeVar("Parameters", bound=RobotParameters)
