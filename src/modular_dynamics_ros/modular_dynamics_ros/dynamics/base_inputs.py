"""Which topic has the motion of a robot's base."""

from collections.abc import Callable

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.dynamics.imu_input import ImuInput
from modular_dynamics_ros.exceptions import SettingError
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

__all__ = ["base_input", "base_source"]


def base_source(parameters: DynamicsParameters) -> str:
    """Return the topic's name; empty if the root is fixed and gravity comes from the parameter.

    Raises:
        SettingError: two topics would tell how the base is turned.
    """
    imu = parameters.gravity_source == "imu"
    if imu and parameters.floating_base:
        raise SettingError(
            "gravity_source 'imu' is for a fixed root; with floating_base odometry says how it is turned"
        )
    return "odometry" if parameters.floating_base else "imu" if imu else ""


def base_input(
    parameters: DynamicsParameters,
) -> tuple[Callable[[SessionNode, Computation], Subscriptions], ...]:
    """Return the input of the base's topic, if there is one.

    Raises:
        SettingError: its messages cannot be imported; or as of `base_source`.
    """
    source = base_source(parameters)
    if source != "odometry":
        return (ImuInput,) if source else ()
    try:
        # a node without floating base needs no nav_msgs
        from modular_dynamics_ros.dynamics.odometry_input import OdometryInput  # noqa: PLC0415
    except ImportError as error:
        raise SettingError(
            f"floating_base needs nav_msgs/Odometry, which cannot be imported: {error}"
        ) from error
    return (OdometryInput,)
