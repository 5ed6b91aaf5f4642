"""Sensors of black boxes: where they are, how they move, and what they measure of a load at rest.

At rest the predecessor carries the weight: force -m g, and about the origin of a frame the moment c x (-m g).
Both are linear in the mass m and in the first moment h = m c; the rotational inertia does not appear.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from modular_dynamics.algebra import DualQuaternion
from modular_dynamics_ros.computation.computation import Computation, coordinates_of, motion_of
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.subsystem.motion import (
    ConnectionMotion,
    ConnectionPoint,
    MotionPropagation,
    connection_point_of,
    fixed_motion,
)
from modular_dynamics_ros.computation.values import Array, Configuration, State
from modular_dynamics_ros.computation.wrenches.frames import BlackBoxFrames
from modular_dynamics_ros.exceptions import SettingError, listed


class Load(NamedTuple):
    """A mass [kg] and its centre (3,) [m] in the frame of a connection point."""

    mass: float
    com: Array

    def wrench(self, gravity: Array) -> Array:
        """Return [force, moment] (6,) that carries the load at rest, at and in the connection point's frame.

        Args:
            gravity: (3,) in the same frame [m/s^2].
        """
        force = -self.mass * gravity
        return np.concatenate((force, np.cross(self.com, force)))


class SensorPlacement(NamedTuple):
    """Converts what a black box's sensor reports to the wrench on the box.

    Attributes:
        to_connection: (6, 6) from a reported wrench to what the predecessor exerts on the box, at and in the
            connection point's frame; with the sensor's sign.
        fixed: whether the sensor's frame is fixed to the connection point at every state.
    """

    to_connection: Array
    fixed: bool

    def reported(self, wrench: Array) -> Array:
        """Return what the sensor reports of a wrench (6,) on the box at the connection point."""
        return np.asarray(np.linalg.solve(self.to_connection, wrench), dtype=float)

    @property
    def sign(self) -> float:
        """Sign of a reported wrench: -1 if it is the one that the box exerts, else 1."""
        return 1.0 if np.linalg.det(self.to_connection[:3, :3]) > 0.0 else -1.0

    @property
    def rotation(self) -> Array:
        """Rotation R (3, 3) from the sensor's axes to those of the connection point."""
        return self.sign * self.to_connection[:3, :3]

    @property
    def origin(self) -> Array:
        """Origin (3,) [m] of the sensor's frame, in that of the connection point."""
        lever = self.sign * self.to_connection[3:, :3] @ self.rotation.T
        return np.array([lever[2, 1], lever[0, 2], lever[1, 0]])


def load_assignments(texts: Sequence[str], boxes: Sequence[str]) -> dict[str, Load]:
    """Return loads by black box, from texts such as "gripper:=1.2 0.0 0.0 0.05".

    Raises:
        SettingError: a text that is no such assignment, or not of a black box; or a negative mass.
    """
    loads: dict[str, Load] = {}
    for text in texts:
        name, _, numbers = text.rpartition(":=")
        if name not in boxes:
            has = f"the black boxes are {', '.join(boxes) or 'none'}"
            raise SettingError(f"black_box_loads names {listed([name or text])}, but {has}")
        try:
            values = [float(number) for number in numbers.split()]
        except ValueError:
            values = []
        if len(values) != 4 or name in loads or not np.isfinite(values).all():
            needed = "NAME:=MASS X Y Z [kg, m] is needed once for each, such as gripper:=1.2 0.0 0.0 0.05"
            raise SettingError(f"black_box_loads has '{text}'; {needed}")
        mass, *com = values
        if mass < 0.0:
            raise SettingError(
                f"black_box_loads has '{text}': the mass is {mass:g} kg, which cannot be negative; 0 says "
                "that the wrench holds no weight"
            )
        loads[name] = Load(mass, np.array(com))
    return loads


class BlackBoxMotions:
    """Computes the motions of black boxes' connection points, in the root link's frame.

    A floating base is taken to be at the origin: no wrench depends on where it is.
    """

    def __init__(self, robot: Robot) -> None:
        graph = robot.graph
        points = [connection_point_of(graph, one) for one in graph.subsystems if one.black_box]
        root = ConnectionPoint("", graph.ground.name, {}, DualQuaternion.identity, np.eye(6))
        self._propagation = MotionPropagation(graph, root, points)

    def __call__(self, robot: Robot, state: State) -> dict[str, ConnectionMotion]:
        """Return the motions by black box; only the robot's gravity may differ from the last call's."""
        root = fixed_motion(DualQuaternion.identity, robot.graph.gravity)
        configuration = Configuration(state, coordinates_of(robot, state))
        return self._propagation.at_successors(root, *motion_of(robot, state, configuration))


def sensor_placement(computation: Computation, box: str, frame: str, state: State | None) -> SensorPlacement:
    """Return how a box's sensor reports in a frame, at a state.

    Args:
        state: None: any, for a frame fixed to the box.

    Raises:
        BadMessage: the frame is not known.
    """
    robot, wrenches = computation.robot, computation.wrenches
    sign = -1.0 if wrenches.is_reversed(box) else 1.0
    wrenches.require_frame(box, frame)
    frames = BlackBoxFrames(robot)
    frames.place(box, frame)
    q = robot.graph.neutral() if state is None else coordinates_of(robot, state)
    return SensorPlacement(frames.at_connection(box, frame, sign * np.eye(6), q), frames.fixed(box, frame))


def gravity_at(robot: Robot, box: str, state: State) -> Array:
    """Return gravity (3,) [m/s^2] in the frame of a black box's connection point."""
    return BlackBoxMotions(robot)(robot, state)[box].gravity_at_point
