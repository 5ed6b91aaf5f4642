"""The parameters of all nodes: add one here. `ros2 param describe` and --help show these descriptions."""

from dataclasses import dataclass

from modular_dynamics_ros.parameters.table import Change, parameter

__all__ = ["DynamicsParameters", "PlayerParameters", "ReactionParameters", "RobotParameters"]


@dataclass(frozen=True)
class RobotParameters:
    """Parameters of every node that answers the joint states of a robot."""

    robot_description_file: str = parameter(
        "",
        "path of the robot's URDF; empty: wait for the topic robot_description",
        change=Change.UNCONFIGURED,
    )
    partition_file: str = parameter(
        "",
        "path of a YAML file that divides the robot into subsystems, instead of the URDF's tags; empty: none",
        change=Change.UNCONFIGURED,
    )
    gravity: tuple[float, ...] = parameter(
        (0.0, 0.0, -9.81),
        "gravitational acceleration in the root link's frame",
        unit="m/s^2",
        length=3,
        change=Change.UNCONFIGURED,
    )
    controller_joints: tuple[str, ...] = parameter(
        (),
        "order of the joints in ~/effort_commands; empty: all joints, in the robot's order",
        change=Change.UNCONFIGURED,
    )
    acceleration_source: str = parameter(
        "zero",
        "where joint accelerations come from: none, the reference trajectory, or the filtered velocities",
        choices=("zero", "reference", "filtered"),
    )
    filter_cutoff: float = parameter(
        10.0,
        "cutoff of the 6th-order Butterworth filter of the velocities",
        unit="Hz",
        low=0.01,
        high=5_000.0,
    )
    stale_after: float = parameter(
        0.2,
        "the input is stale after this time without a good joint state; wrenches from topics, and a "
        "reference beyond its last point, stay valid for the same time",
        unit="s",
        low=0.001,
        high=3600.0,
    )
    closure_tolerance: float = parameter(
        0.01,
        "closed loops: by how much a measured passive joint may differ from its closed position without a "
        "warning",
        unit="rad or m",
        low=0.0,
        high=10.0,
    )
    autostart: bool = parameter(
        False, "configure and activate when the node starts, without a lifecycle manager", change=Change.NEVER
    )


@dataclass(frozen=True)
class DynamicsParameters(RobotParameters):
    """Parameters of dynamics_node."""

    rate: float = parameter(
        0.0,
        "how often the newest joint state is answered; 0: every joint state is, when it arrives",
        unit="Hz",
        low=0.0,
        high=10_000.0,
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
    ramp_time: float = parameter(1.0, "how long ramp_to_zero takes", unit="s", low=0.001, high=3600.0)
    crosscheck_rate: float = parameter(
        1.0, "how often an answer is compared with Pinocchio; 0: never", unit="Hz", low=0.0, high=10_000.0
    )
    crosscheck_threshold: float = parameter(
        1e-9,
        "largest allowed difference from Pinocchio, relative to the robot's largest torque",
        low=0.0,
        high=1.0,
    )


@dataclass(frozen=True)
class ReactionParameters(RobotParameters):
    """Parameters of torso_reaction_node."""

    controller_joints: tuple[str, ...] = parameter(
        (),
        "order of the actuators in ~/effort_commands; empty: all of the rules, in their order",
        change=Change.UNCONFIGURED,
    )
    stale_after: float = parameter(
        0.2,
        "the input is stale after this time without a good joint state; a state waits for a silent topic "
        "of wrenches, and a reference stays valid beyond its last point, for the same time",
        unit="s",
        low=0.001,
        high=3600.0,
    )
    rules_file: str = parameter(
        "",
        "path of the YAML file of rules that distribute the loads over redundant joints; required",
        change=Change.UNCONFIGURED,
    )
    loads: str = parameter(
        "computed",
        "loads of the subsystems that the mechanism carries: computed from their motion, or the wrenches "
        "that dynamics_node publishes on dynamics_node/connections/NAME/wrench for the same joint states; "
        "without these nothing is published",
        choices=("computed", "topics"),
        change=Change.UNCONFIGURED,
    )
    equilibrium_tolerance: float = parameter(
        1e-9,
        "allowed equilibrium residual of a body, relative to the largest reaction; above it, no answer",
        low=0.0,
        high=1.0,
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

    motion_file: str = parameter(
        "", "path of the motion: a profile (.yaml), a table (.csv) or a bag (.mcap)", change=Change.NEVER
    )
    robot_description_file: str = parameter(
        "",
        "path of a URDF, of which the motion must name all joints; empty: not checked",
        change=Change.NEVER,
    )
    bag_topic: str = parameter("/joint_states", "topic of the bag that is played", change=Change.NEVER)
    rate: float = parameter(
        200.0, "joint states per second", unit="Hz", low=0.1, high=2_000.0, change=Change.NEVER
    )
    loop: bool = parameter(False, "start again at the end instead of exiting", change=Change.NEVER)
    publish_reference: bool = parameter(
        True,
        "also publish the motion ahead of time as reference, where it has accelerations",
        change=Change.NEVER,
    )
    wait_for_subscriber: int = parameter(
        1,
        "how many subscribers of joint_states (and of reference, where it is published) to wait for",
        low=0,
        high=100,
        change=Change.NEVER,
    )
    lead_in: bool = parameter(
        False,
        "publish the first pose, at rest, until there are as many subscribers as wait_for_subscriber and the "
        "motion begins",
        change=Change.NEVER,
    )
    start_delay: float = parameter(
        0.5,
        "time from the first reference to the first joint state, so that the reference arrives first",
        unit="s",
        low=0.0,
        high=60.0,
        change=Change.NEVER,
    )
