"""Parameters of dynamics_node. `--help` and `ros2 param describe` show these descriptions."""

from dataclasses import dataclass

from modular_dynamics_ros.parameters.kinds import DURATION, GRAVITY, RATE, unconfigured
from modular_dynamics_ros.parameters.robot import RobotParameters
from modular_dynamics_ros.parameters.table import parameter

__all__ = ["DynamicsParameters"]


@dataclass(frozen=True)
class DynamicsParameters(RobotParameters):
    """Parameters of dynamics_node."""

    changes_file: str = unconfigured(
        "",
        "path of a YAML file that keeps changes of the robot, such as payloads, over restarts: read when "
        "configuring, written after each change; empty: none",
    )
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
    rate: float = parameter(
        0.0, "how often the newest joint state is answered; 0: every joint state is, when it arrives", **RATE
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
    equation_rate: float = parameter(
        10.0, "how often ~/equation_of_motion is published while subscribed, at most; 0: never", **RATE
    )
    trajectory_delay: float = parameter(
        0.02,
        "time_from_start of the point of ~/joint_trajectory, after the stamp of its joint state",
        **DURATION,
    )
    marker_rate: float = parameter(
        30.0, "how often arrows are published while subscribed; 0: never", **(RATE | {"high": 1e3})
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
    black_box_wait: float = parameter(
        0.0,
        "how long a joint state waits at most for the wrenches of all black boxes with its stamp; without "
        "them it is not answered; 0: none waits, and the newest valid wrench of each counts",
        unit="s",
        low=0.0,
        high=10.0,
    )
    black_box_loads: tuple[str, ...] = unconfigured(
        (),
        "what hangs beyond the sensors of black boxes, each NAME:=MASS X Y Z [kg, m]: mass and its centre in "
        "the connection point's frame; tare_black_box leaves its weight in the wrench, and services at other "
        "poses need it; mass 0 where the wrench holds no weight",
    )
    crosscheck_rate: float = parameter(
        1.0,
        "how often an answer is compared with Pinocchio, before it is published; 0: never",
        **RATE,
    )
    crosscheck_threshold: float = parameter(
        1e-9,
        "largest allowed difference from Pinocchio, relative to the terms that add up to a torque",
        low=1e-12,
        high=1.0,
    )
    crosscheck_largest: int = unconfigured(
        100,
        "number of velocities up to which a robot is compared: Pinocchio's model needs memory and time "
        "that grow with its cube",
        low=1,
        high=2000,
    )
    on_disagreement: str = parameter(
        "stop",
        "what a difference above the threshold does: torques are held back until ten states in a row "
        "agree to half of it; or it is only reported",
        choices=("stop", "warn"),
    )
