"""Parameters of joint_state_player. `--help` and `ros2 param describe` show these descriptions."""

from dataclasses import dataclass

from modular_dynamics_ros.parameters.kinds import constant

__all__ = ["PlayerParameters"]


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
