"""How the connection points of a robot's black boxes move."""

import numpy as np

from modular_dynamics.algebra import DualQuaternion
from modular_dynamics_ros.computation.open_chain import coordinates_of, motion_of
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.subsystem.connection_point import ConnectionPoint, connection_point_of
from modular_dynamics_ros.computation.subsystem.motion import (
    ConnectionMotion,
    MotionPropagation,
    fixed_motion,
)
from modular_dynamics_ros.computation.values import Configuration, State

__all__ = ["BlackBoxMotions"]


class BlackBoxMotions:
    """Motions at a state, in the root link's frame.

    With a floating base the base is at its origin: no wrench depends on where it is.
    """

    def __init__(self, robot: Robot) -> None:
        graph, here = robot.graph, DualQuaternion.identity
        points = [connection_point_of(graph, one) for one in graph.subsystems if one.black_box]
        root = ConnectionPoint("", graph.ground.name, {}, here, np.eye(6))
        self._propagation = MotionPropagation(graph, root, points)

    def __call__(self, robot: Robot, state: State) -> dict[str, ConnectionMotion]:
        """Return the motions by black box; the robot's gravity may have changed since the last call."""
        root = fixed_motion(DualQuaternion.identity, robot.graph.gravity)
        configuration = Configuration(state, coordinates_of(robot, state))
        return self._propagation.at_successors(root, *motion_of(robot, state, configuration))
