"""What takes long about a robot in dynamics_node: it is prepared in any thread."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.changes.edits import Applied
from modular_dynamics_ros.computation.changes.kinds import locked_with_mimics
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import robot_of
from modular_dynamics_ros.dynamics.crosscheck import PinocchioCheck
from modular_dynamics_ros.dynamics.inputs import base_source
from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.node.settings import dynamics_settings, graph_of
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

__all__ = ["PreparedRobot", "load_prepared", "prepared_keeping", "prepared_robot"]


class PreparedRobot(NamedTuple):
    """A robot's computation, and its model in Pinocchio where answers are compared.

    Attributes:
        described: the graph of its description. changed: the active graph, and the changes that made it.
    """

    computation: Computation
    check: PinocchioCheck | None
    described: md.SubsystemGraph
    changed: Applied


def load_prepared(
    description: str,
    parameters: DynamicsParameters,
    changed: Callable[[md.SubsystemGraph], Applied] = lambda described: Applied(described, ()),
) -> PreparedRobot:
    """Prepare a robot with Pinocchio's model, which is slow: see `RobotSession`.

    Args:
        changed: see `prepared_keeping`, of the described robot.
    """
    described = graph_of(description, parameters, base_source(parameters))
    return prepared_keeping(described, changed(described), parameters)


def prepared_keeping(
    described: md.SubsystemGraph, kept: Applied, parameters: DynamicsParameters
) -> PreparedRobot:
    """Prepare a robot with the changes that it keeps; where the node cannot use it so, all are dropped.

    Raises:
        RobotError: the robot cannot be used without changes either.
    """
    try:
        return prepared_robot(described, kept, parameters)
    except RobotError as error:
        if not kept.changes:
            raise
        dropped = (*kept.dropped, *(f"{change}: {error}" for change in kept.changes))
        return prepared_robot(described, Applied(described, (), dropped, wanted=kept.wanted), parameters)


def prepared_robot(
    described: md.SubsystemGraph, changed: Applied, parameters: DynamicsParameters
) -> PreparedRobot:
    """Prepare a changed robot.

    Args:
        described: the graph of its description. changed: that of the robot.

    Raises:
        RobotError: the robot cannot be used.
    """
    graph = changed.graph
    if not np.array_equal(parameters.gravity, graph.gravity):  # it may have changed at run time
        graph = replace(graph, gravity=np.array(parameters.gravity))
    robot = robot_of(graph, base_source(parameters), parameters.frame_prefix)
    robot = replace(robot, locked=locked_with_mimics(described, changed.changes, graph))
    computation = Computation(robot, dynamics_settings(parameters))
    check = PinocchioCheck.of(robot) if parameters.crosscheck_rate > 0.0 else None
    return PreparedRobot(computation, check, described, changed)
