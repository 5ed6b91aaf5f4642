"""Parameters of torso_reaction_node. `--help` and `ros2 param describe` show these descriptions."""

from dataclasses import dataclass

from modular_dynamics_ros.parameters.kinds import DURATION, RATE, RELATIVE, unconfigured
from modular_dynamics_ros.parameters.robot import RobotParameters
from modular_dynamics_ros.parameters.table import parameter

__all__ = ["ReactionParameters"]


@dataclass(frozen=True)
class ReactionParameters(RobotParameters):
    """Parameters of torso_reaction_node."""

    controller_joints: tuple[str, ...] = unconfigured(
        (), "order of the actuators in ~/effort_commands; empty: all of the rules, in their order"
    )
    stale_after: float = parameter(
        0.2,
        "the input is stale after this time without a good joint state; a state waits for its wrenches "
        "for the same time",
        **DURATION,
    )
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
        **RELATIVE,
    )
    marker_rate: float = parameter(
        30.0, "how often arrows are published while subscribed; 0: never", **(RATE | {"high": 1e3})
    )
    force_scale: float = parameter(0.002, "length of an arrow of a force", unit="m/N", low=0.0, high=10.0)
    moment_scale: float = parameter(
        0.02, "length of an arrow of a moment", unit="m/(N m)", low=0.0, high=10.0
    )
