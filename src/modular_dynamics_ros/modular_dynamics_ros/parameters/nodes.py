"""The parameters of all nodes. `--help` and `ros2 param describe` show these descriptions."""

from dataclasses import dataclass
from typing import TypeVar

from modular_dynamics_ros.parameters.table import (
    DURATION,
    GRAVITY,
    RATE,
    constant,
    parameter,
    unconfigured,
)


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
        (0.0, 0.0, -9.81),
        "gravitational acceleration in the root link's frame; of subsystem_node only on the ground",
        **GRAVITY,
    )
    controller_joints: tuple[str, ...] = unconfigured(
        (), "order of the joints, or actuators, in ~/effort_commands; empty: all, in their own order"
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
        "is stale after this time without an answer; wrenches from topics stay valid for the same time, and "
        "joint states wait as long for those of their stamp",
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


@dataclass(frozen=True)
class DynamicsParameters(RobotParameters):
    """Parameters of dynamics_node."""

    offsets_file: str = unconfigured(
        "",
        "path of a YAML file that keeps the offsets of black boxes' sensors over restarts: read when "
        "configuring, written at each tare; empty: none",
    )
    publish_robot_description: bool = unconfigured(
        False,
        "whether the robot of robot_description_file is published on the topic robot_description, again "
        "after each change",
    )
    floating_base: bool = unconfigured(
        False,
        "whether pose and twist of the base are taken from the topic odometry; else the root link is fixed",
    )
    gravity: tuple[float, ...] = parameter(
        (0.0, 0.0, -9.81),
        "gravitational acceleration in the root link's frame; with odometry or imu in their world frame",
        **GRAVITY,
    )
    gravity_source: str = unconfigured(
        "parameter",
        "what tells gravity's direction: the parameter gravity, or the orientation in the topic imu",
        choices=("parameter", "imu"),
    )
    output: str = parameter(
        "full",
        "which torques to publish: all; those at rest, of gravity and springs; the difference, for robots "
        "that compensate gravity themselves; friction, if any, is added to each of them",
        choices=("full", "gravity", "full_minus_gravity"),
    )
    friction: str = parameter(
        "none",
        "whether the URDF's joint damping and friction are added to the torques, whatever output is",
        choices=("none", "urdf"),
    )
    effort_limits: str = parameter(
        "off",
        "torques above the URDF's effort limits: left, clipped one by one, or all scaled by one factor",
        choices=("off", "clip", "scale"),
    )
    on_stale: str = parameter(
        "stop",
        "what is published when the input is stale: nothing; gravity torques at the position measured last, "
        "answered or not; the last torques ramped down to zero",
        choices=("stop", "hold_gravity", "ramp_to_zero"),
    )
    ramp_time: float = parameter(1.0, "how long ramp_to_zero takes", **DURATION)
    on_stale_external_wrench: str = parameter(
        "zero",
        "what counts when an external wrench other than zero stops: zero, the last one, or no joint state is "
        "answered",
        choices=("zero", "hold", "stop"),
    )
    on_stale_black_box: str = parameter(
        "stop",
        "what counts when the wrench of a black box stops: no joint state is answered, the last one, or zero",
        choices=("stop", "hold", "zero"),
    )
    reversed_black_boxes: tuple[str, ...] = unconfigured(
        (), "black boxes whose sensor reports what the black box exerts on the robot, instead of the opposite"
    )
    external_torque_cutoff: float = parameter(
        10.0,
        "cutoff of the low-pass filter of first order of ~/external_torques; 0: not filtered",
        unit="Hz",
        low=0.01,
        high=1e4,
        or_zero=True,
    )
    force_scale: float = parameter(
        0.0,
        "length of an arrow of a force; 0: that of the robot's weight is 0.5 m",
        unit="m/N",
        low=0.0,
        high=10.0,
    )
    moment_scale: float = parameter(
        0.0,
        "length of an arrow of a moment; 0: that of the robot's weight at 0.2 m is 0.5 m",
        unit="m/(N m)",
        low=0.0,
        high=10.0,
    )
    black_box_loads: tuple[str, ...] = unconfigured(
        (),
        "what hangs beyond the sensors of black boxes, each NAME:=MASS X Y Z [kg, m]: mass and its centre in "
        "the connection point's frame; tare_black_box leaves its weight in the wrench, and services at other "
        "poses need it; mass 0 where the wrench holds no weight",
    )
    crosscheck_rate: float = unconfigured(
        1.0,
        "how often an answer is compared with Pinocchio, before it is published; 0: never",
        **RATE,
    )


@dataclass(frozen=True)
class SubsystemParameters(RobotParameters):
    """Parameters of subsystem_node."""

    subsystem: str = unconfigured("", "name of the subsystem; empty: the name of the node")
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


@dataclass(frozen=True)
class ReactionParameters(RobotParameters):
    """Parameters of torso_reaction_node."""

    rules_file: str = unconfigured(
        "", "path of the YAML file of rules that distribute the loads over redundant joints; required"
    )
    loads: str = unconfigured(
        "computed",
        "loads of the subsystems that the mechanism carries: computed from their motion, or the wrenches "
        "that dynamics_node publishes on dynamics_node/connection_wrenches for the same joint states; "
        "without these nothing is published",
        choices=("computed", "topics"),
    )
    equilibrium_tolerance: float = parameter(
        1e-9,
        "allowed equilibrium residual of a body, relative to the largest reaction; above it, no answer",
        low=0.0,
        high=1.0,
    )
    force_scale: float = parameter(0.002, "length of an arrow of a force", unit="m/N", low=0.0, high=10.0)
    moment_scale: float = parameter(
        0.02, "length of an arrow of a moment", unit="m/(N m)", low=0.0, high=10.0
    )


@dataclass(frozen=True)
class AssemblyParameters:
    """Parameters of assembly_node."""

    assembly_file: str = unconfigured(
        "", "path of the incidence matrix of the first assembly (.yaml); empty: one base module"
    )
    base_module: str = unconfigured("v0", "name of the base module, without assembly_file")
    base_kind: str = unconfigured("backbone", "kind of the base module, without assembly_file")
    module_type_files: tuple[str, ...] = unconfigured(
        (), "paths of YAML files of kinds of modules, in addition to the shipped ones"
    )
    robot_name: str = unconfigured("assembly", "name of the robot in robot_description")
    gait_file: str = unconfigured(
        "",
        "path of the YAML file of a gait; it may move joints that the assembly does not have yet; empty: all "
        "joints stand at zero",
    )
    ease: float = unconfigured(
        1.0,
        "how long the motion of a joint grows from zero after its module has docked",
        unit="s",
        low=0.0,
        high=3600.0,
    )
    rate: float = parameter(50.0, "joint states per second; 0: none", **RATE)
    robot_state_publisher: str = unconfigured(
        "",
        "name of a robot_state_publisher whose parameter robot_description is set after each change; empty: "
        "none",
    )
    autostart: bool = constant(
        False, "configure and activate when the node starts, without a lifecycle manager"
    )


@dataclass(frozen=True)
class PlayerParameters:
    """Parameters of joint_state_player; all are read once, at the start."""

    motion_file: str = constant("", "path of the motion: a profile (.yaml) or a table (.csv)")
    rate: float = constant(200.0, "joint states per second", unit="Hz", low=0.1, high=2_000.0)
    loop: bool = constant(False, "start again at the end instead of exiting")
    publish_reference: bool = constant(
        True, "also publish the motion ahead of time as reference, where it has accelerations"
    )
    wait_for_subscriber: int = constant(
        1,
        "how many subscribers of joint_states (and of reference, where it is published) to wait for",
        low=0,
        high=100,
    )
    lead_in: bool = constant(
        False,
        "publish the first pose, at rest, until there are as many subscribers as wait_for_subscriber and the "
        "motion begins",
    )
    start_delay: float = constant(
        0.5,
        "time from the first reference to the first joint state, so that the reference arrives first",
        unit="s",
        low=0.0,
        high=60.0,
    )


@dataclass(frozen=True)
class MoveitParameters:
    """Parameters of moveit_payload_node; all are read once, at the start."""

    object_masses: tuple[str, ...] = constant(
        (), "masses of objects, each as ID=KILOGRAMS with the id that MoveIt has, such as box=0.8"
    )
    set_payload: str = constant("dynamics_node/set_payload", "service that takes the payloads")
