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
    """Parameters of every node that processes the joint states of a robot."""

    robot_description_file: str = unconfigured(
        "", "path of the robot's URDF or xacro file; empty: the topic robot_description"
    )
    xacro_arguments: tuple[str, ...] = unconfigured(
        (),
        "arguments of the xacro file in robot_description_file, each name:=value; an error with a plain URDF "
        "file, not used with the topic",
    )
    partition_file: str = unconfigured(
        "",
        "path of a YAML file with the content of the URDF's tags (subsystems, loops, gears, springs); each "
        "section in it replaces that section of the tags",
    )
    frame_prefix: str = unconfigured(
        "",
        "prefix of the links' frames in TF, such as left/: the same as that of robot_state_publisher; "
        "published frames have it, received ones may have it",
    )
    strict: bool = unconfigured(
        False,
        "true: refuse a robot, or a change of it, with inertias that no body can have; false: one warning "
        "for each kind, in the log and in the part model of /diagnostics",
    )
    gravity: tuple[float, ...] = unconfigured(
        (0.0, 0.0, -9.81),
        "gravitational acceleration in the root link's frame; takes precedence over the description's",
        **GRAVITY,
    )
    controller_joints: tuple[str, ...] = unconfigured(
        (), "order of the joints in ~/effort_commands; empty: all, in the robot's order"
    )
    acceleration_source: str = parameter(
        "zero",
        "accelerations of the joints. zero: none; reference: those of the reference at the joint state's "
        "stamp; filtered: derivative of the filtered velocities, from the sixth joint state on, late by "
        "3.86 / (2 pi filter_cutoff)",
        choices=("zero", "reference", "filtered"),
    )
    reference_type: str = unconfigured(
        "trajectory",
        "what the reference is. trajectory: JointTrajectory on the topic reference; controller_state: set "
        "points of a joint_trajectory_controller on the topic controller_state, for which the package "
        "control_msgs must be installed",
        choices=("trajectory", "controller_state"),
    )
    filter_cutoff: float = parameter(
        10.0, "cutoff of the 6th-order Butterworth filter of the velocities", unit="Hz", low=0.01, high=5e3
    )
    without_reference: str = parameter(
        "zero",
        "accelerations of a joint state that no reference covers. zero: none; hold: those of the last point "
        "for stale_after, then none; stop: the joint state is not processed",
        choices=("zero", "hold", "stop"),
    )
    stale_after: float = parameter(
        0.2,
        "a joint state older than this by its stamp is not processed, nor an older value of a joint used; "
        "the input is stale after this time without a result; wrenches from topics stay valid for this time, "
        "and joint states wait for this time for wrenches and motions of their stamp",
        **DURATION,
    )
    absent_joints: tuple[str, ...] = unconfigured(
        (),
        "positions of joints that no joint state holds, at rest, each JOINT:=POSITION [rad or m], such as "
        "finger:=0.02; a joint state that holds one takes precedence for stale_after",
    )
    closure_tolerance: float = parameter(
        0.01,
        "closed loops: difference of a measured passive joint from its closed position above which there is "
        "a warning",
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
        "configuring, written at each tare",
    )
    publish_robot_description: bool = unconfigured(
        False,
        "publish the robot of robot_description_file on the topic robot_description, again after each change",
    )
    floating_base: bool = unconfigured(
        False,
        "true: pose and twist of the base come from the topic odometry; false: the root link is fixed",
    )
    gravity: tuple[float, ...] = parameter(
        (0.0, 0.0, -9.81),
        "gravitational acceleration in the root link's frame, with odometry or imu in their world frame; "
        "takes precedence over the description's",
        **GRAVITY,
    )
    gravity_source: str = unconfigured(
        "parameter",
        "direction of gravity. parameter: that of the parameter gravity; imu: the fixed root is turned as "
        "the topic imu says",
        choices=("parameter", "imu"),
    )
    output: str = parameter(
        "full",
        "which torques are published. full: all; gravity: those at rest, of gravity and springs, without "
        "external wrenches and the weight of black boxes; full_minus_gravity: the difference, for robots "
        "that compensate gravity themselves. The parameter friction adds to each of the three",
        choices=("full", "gravity", "full_minus_gravity"),
    )
    friction: str = parameter(
        "none",
        "friction of the joints, added whatever output is. none: none; urdf: the URDF's damping and dry "
        "friction, which rises linearly below 0.001 rad/s or m/s, so that it does not switch at rest",
        choices=("none", "urdf"),
    )
    effort_limits: str = parameter(
        "off",
        "torques above the URDF's effort limits. off: unchanged; clip: each to its limit; scale: all by one "
        'factor. In YAML write "off" in quotes: without them it means false',
        choices=("off", "clip", "scale"),
    )
    on_stale: str = parameter(
        "stop",
        "what is published while the input is stale. stop: nothing; hold_gravity: gravity torques at the "
        "position measured last; ramp_to_zero: the last torques, ramped to zero within ramp_time",
        choices=("stop", "hold_gravity", "ramp_to_zero"),
    )
    ramp_time: float = parameter(1.0, "duration of ramp_to_zero", **DURATION)
    on_stale_external_wrench: str = parameter(
        "zero",
        "what counts when an external wrench other than zero stops. zero: none; hold: the last one; stop: no "
        "joint state is processed",
        choices=("zero", "hold", "stop"),
    )
    on_stale_black_box: str = parameter(
        "stop",
        "what counts when the wrench of a black box stops. stop: no joint state is processed, as before the "
        "first wrench; hold: the last one; zero: none",
        choices=("stop", "hold", "zero"),
    )
    reversed_black_boxes: tuple[str, ...] = unconfigured(
        (),
        "black boxes whose sensor reports the wrench that the black box exerts on the robot, instead of the "
        "opposite",
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
        "length of a force's arrow in ~/markers; 0: the robot's weight is 0.5 m long",
        unit="m/N",
        low=0.0,
        high=10.0,
    )
    moment_scale: float = parameter(
        0.0,
        "length of a moment's arrow in ~/markers; 0: the moment of the robot's weight at 0.2 m is 0.5 m long",
        unit="m/(N m)",
        low=0.0,
        high=10.0,
    )
    black_box_loads: tuple[str, ...] = unconfigured(
        (),
        "load beyond the sensor of a black box, each NAME:=MASS X Y Z [kg, m]: its mass, and its centre in "
        "the connection point's frame; tare leaves its weight in the wrench, hold_gravity and services at "
        "other poses need it; mass 0 where the wrench holds no weight",
    )
    crosscheck_rate: float = unconfigured(
        1.0,
        "how often a result is compared with Pinocchio's before it is published; 0: never, and no model of "
        "Pinocchio is built",
        **RATE,
    )


@dataclass(frozen=True)
class SubsystemParameters(RobotParameters):
    """Parameters of subsystem_node."""

    subsystem: str = unconfigured("", "name of the subsystem; empty: the name of the node")
    gravity: tuple[float, ...] = unconfigured(
        (0.0, 0.0, -9.81),
        "gravitational acceleration in the root link's frame, of subsystems on the ground; the others "
        "receive it with the motion of their connection point",
        **GRAVITY,
    )
    controller_joints: tuple[str, ...] = unconfigured(
        (),
        "order of the joints in ~/effort_commands; empty: all, in the robot's order; joints of other "
        "subsystems are skipped",
    )
    without_reference: str = parameter(
        "stop",
        "accelerations of a joint state that no reference covers. stop: the joint state is not processed; "
        "zero: none; hold: those of the last point for stale_after, then none. A node that has missed the "
        "reference and takes zero contradicts the others",
        choices=("stop", "zero", "hold"),
    )
    friction: str = parameter(
        "none",
        "friction of the joints. none: none; urdf: the URDF's damping and dry friction, which rises linearly "
        "below 0.001 rad/s or m/s",
        choices=("none", "urdf"),
    )


@dataclass(frozen=True)
class ReactionParameters(RobotParameters):
    """Parameters of torso_reaction_node."""

    rules_file: str = unconfigured(
        "", "path of the YAML file of rules that distribute the loads over redundant joints; required"
    )
    controller_joints: tuple[str, ...] = unconfigured(
        (), "order of the actuators in ~/effort_commands; empty: all, in the rules' order"
    )
    loads: str = unconfigured(
        "computed",
        "loads of the subsystems that the mechanism carries. computed: from their motion; topics: the "
        "wrenches that dynamics_node publishes on dynamics_node/connection_wrenches for the same joint "
        "state, so that payloads and sensors count",
        choices=("computed", "topics"),
    )
    equilibrium_tolerance: float = parameter(
        1e-9,
        "allowed equilibrium residual of a body, relative to the largest reaction; above it there is no "
        "result",
        low=0.0,
        high=1.0,
    )
    force_scale: float = parameter(
        0.002, "length of a force's arrow in ~/markers", unit="m/N", low=0.0, high=10.0
    )
    moment_scale: float = parameter(
        0.02, "length of a moment's arrow in ~/markers", unit="m/(N m)", low=0.0, high=10.0
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
        "path of the YAML file of a gait, with a period of at least 0.1 ms; it may move joints that the "
        "assembly does not have yet; empty: all joints stand at zero",
    )
    ease: float = unconfigured(
        1.0,
        "how long the motion of a new module's joints grows from zero; other joints are not disturbed",
        unit="s",
        low=0.0,
        high=3600.0,
    )
    rate: float = parameter(50.0, "joint states per second; 0: none", **RATE)
    robot_state_publisher: str = unconfigured(
        "",
        "name of a robot_state_publisher whose parameter robot_description is set after each change, and "
        "when it starts later",
    )
    autostart: bool = constant(
        False, "configure and activate when the node starts, without a lifecycle manager"
    )


@dataclass(frozen=True)
class PlayerParameters:
    """Parameters of joint_state_player; all are read once, at the start."""

    motion_file: str = constant("", "path of the motion: a profile (.yaml, .yml) or a table (.csv); required")
    rate: float = constant(200.0, "joint states per second", unit="Hz", low=0.1, high=2_000.0)
    loop: bool = constant(False, "true: start again at the end; false: the process ends there")
    publish_reference: bool = constant(
        True, "publish the motion on reference, too, ahead of time, where it has accelerations"
    )
    wait_for_subscriber: int = constant(
        1,
        "number of subscribers of joint_states, and of reference where it is published, that the motion "
        "waits for",
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
