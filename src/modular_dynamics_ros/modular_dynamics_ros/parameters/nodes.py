"""The parameters of all nodes: add one here. `ros2 param describe` and --help show these descriptions."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from modular_dynamics_ros.parameters.table import Change, parameter

__all__ = [
    "AssemblyParameters",
    "DynamicsParameters",
    "PlayerParameters",
    "ReactionParameters",
    "RobotParameters",
]

unconfigured = partial(parameter, change=Change.UNCONFIGURED)
constant = partial(parameter, change=Change.NEVER)
DURATION: dict[str, Any] = {"unit": "s", "low": 0.001, "high": 3600.0}
RATE: dict[str, Any] = {"unit": "Hz", "low": 0.0, "high": 10_000.0}
RELATIVE: dict[str, Any] = {"low": 0.0, "high": 1.0}


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
    gravity: tuple[float, ...] = unconfigured(
        (0.0, 0.0, -9.81), "gravitational acceleration in the root link's frame", unit="m/s^2", length=3
    )
    controller_joints: tuple[str, ...] = unconfigured(
        (), "order of the joints in ~/effort_commands; empty: all joints, in the robot's order"
    )
    acceleration_source: str = parameter(
        "zero",
        "where joint accelerations come from: none, the reference trajectory, or the filtered velocities",
        choices=("zero", "reference", "filtered"),
    )
    filter_cutoff: float = parameter(
        10.0, "cutoff of the 6th-order Butterworth filter of the velocities", unit="Hz", low=0.01, high=5e3
    )
    stale_after: float = parameter(
        0.2,
        "the input is stale after this time without a good joint state; wrenches from topics, and a "
        "reference beyond its last point, stay valid for the same time",
        **DURATION,
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


@dataclass(frozen=True)
class DynamicsParameters(RobotParameters):
    """Parameters of dynamics_node."""

    rate: float = parameter(
        0.0, "how often the newest joint state is answered; 0: every joint state is, when it arrives", **RATE
    )
    output: str = parameter(
        "full",
        "which torques to publish; full_minus_gravity is for robots that compensate gravity themselves",
        choices=("full", "gravity", "full_minus_gravity"),
    )
    friction: str = parameter(
        "none",
        "whether the URDF's joint damping and friction are added to the torques",
        choices=("none", "urdf"),
    )
    effort_limits: str = parameter(
        "off",
        "torques above the URDF's effort limits: left, clipped one by one, or all scaled by one factor",
        choices=("off", "clip", "scale"),
    )
    on_stale: str = parameter(
        "stop",
        "what is published when the input is stale: nothing; gravity torques at the last position; the last "
        "torques ramped down to zero",
        choices=("stop", "hold_gravity", "ramp_to_zero"),
    )
    ramp_time: float = parameter(1.0, "how long ramp_to_zero takes", **DURATION)
    crosscheck_rate: float = parameter(
        1.0, "how often an answer is compared with Pinocchio; 0: never", **RATE
    )
    crosscheck_threshold: float = parameter(
        1e-9, "largest allowed difference from Pinocchio, relative to the robot's largest torque", **RELATIVE
    )


@dataclass(frozen=True)
class ReactionParameters(RobotParameters):
    """Parameters of torso_reaction_node."""

    controller_joints: tuple[str, ...] = unconfigured(
        (), "order of the actuators in ~/effort_commands; empty: all of the rules, in their order"
    )
    stale_after: float = parameter(
        0.2,
        "the input is stale after this time without a good joint state; a state waits for a silent topic "
        "of wrenches, and a reference stays valid beyond its last point, for the same time",
        **DURATION,
    )
    rules_file: str = unconfigured(
        "", "path of the YAML file of rules that distribute the loads over redundant joints; required"
    )
    loads: str = unconfigured(
        "computed",
        "loads of the subsystems that the mechanism carries: computed from their motion, or the wrenches "
        "that dynamics_node publishes on dynamics_node/connections/NAME/wrench for the same joint states; "
        "without these nothing is published",
        choices=("computed", "topics"),
    )
    equilibrium_tolerance: float = parameter(
        1e-9,
        "allowed equilibrium residual of a body, relative to the largest reaction; above it, no answer",
        **RELATIVE,
    )
    marker_rate: float = parameter(
        30.0, "how often arrows are published while subscribed; 0: never", unit="Hz", low=0.0, high=1e3
    )
    force_scale: float = parameter(0.002, "length of an arrow of a force", unit="m/N", low=0.0, high=10.0)
    moment_scale: float = parameter(
        0.02, "length of an arrow of a moment", unit="m/(N m)", low=0.0, high=10.0
    )


@dataclass(frozen=True)
class PlayerParameters:
    """Parameters of joint_state_player; all are read once, at the start."""

    motion_file: str = constant("", "path of the motion: a profile (.yaml), a table (.csv) or a bag (.mcap)")
    robot_description_file: str = constant(
        "", "path of a URDF or xacro file, of which the motion must name all joints; empty: not checked"
    )
    bag_topic: str = constant("/joint_states", "topic of the bag that is played")
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
class AssemblyParameters:
    """Parameters of assembly_node."""

    assembly_file: str = unconfigured(
        "", "path of the incidence matrix of the first assembly (.yaml or .csv); empty: one base module"
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
    seed: int = unconfigured(
        -1, "seed of the gait, instead of that of its file; -1: that of its file", low=-1, high=2**31 - 1
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
