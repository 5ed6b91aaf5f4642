"""Which topic tells how the base of a robot moves."""

from collections.abc import Callable

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters

__all__ = ["base_input", "base_source"]


def base_source(parameters: DynamicsParameters) -> str:
    """The name of the topic; empty where the root is fixed."""
    return "odometry" if parameters.floating_base else ""


def base_input(
    parameters: DynamicsParameters,
) -> tuple[Callable[[SessionNode, Computation], Subscriptions], ...]:
    """The input of that topic, if there is one.

    Raises:
        RobotError: its messages cannot be imported.
    """
    if not parameters.floating_base:
        return ()
    try:
        # a node without floating base needs no nav_msgs
        from modular_dynamics_ros.dynamics.odometry_input import OdometryInput  # noqa: PLC0415
    except ImportError as error:
        raise RobotError(
            f"floating_base needs nav_msgs/Odometry, which cannot be imported: {error}"
        ) from error
    return (OdometryInput,)
