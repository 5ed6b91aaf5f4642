"""From the parameters of dynamics_node to the settings of its computation."""

from dataclasses import replace

from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.node.settings import robot_settings
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

__all__ = ["dynamics_settings"]


def dynamics_settings(parameters: DynamicsParameters) -> ComputationSettings:
    """Return the settings of every node, and which torques are published."""
    p = parameters
    return replace(
        robot_settings(p),
        output=p.output,
        friction=p.friction,
        effort_limits=p.effort_limits,
        on_stale_external_wrench=p.on_stale_external_wrench,
        on_stale_black_box=p.on_stale_black_box,
        reversed_black_boxes=p.reversed_black_boxes,
    )
