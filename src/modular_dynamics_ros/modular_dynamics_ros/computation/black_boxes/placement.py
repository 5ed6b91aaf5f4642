"""Where the sensor of a black box is, and which way gravity points there. For any thread: nothing is kept."""

import numpy as np

from modular_dynamics_ros.computation.black_boxes.point_motions import BlackBoxMotions
from modular_dynamics_ros.computation.black_boxes.static_load import SensorPlacement
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.open_chain import coordinates_of
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import Array, State
from modular_dynamics_ros.computation.wrenches.frames import BlackBoxFrames

__all__ = ["gravity_at", "sensor_placement"]


def sensor_placement(computation: Computation, box: str, frame: str, state: State | None) -> SensorPlacement:
    """Return how a box's sensor reports in a frame, at a state; None: the frame is fixed to the box.

    Raises:
        BadMessage: the frame is not known.
    """
    robot, wrenches = computation.robot, computation.wrenches
    sign = -1.0 if wrenches.is_reversed(box) else 1.0
    link, columns = wrenches.on_link(box, frame, sign * np.eye(6))
    frames = BlackBoxFrames(robot)
    frames.place(box, link)
    q = robot.graph.neutral() if state is None else coordinates_of(robot, state)
    return SensorPlacement(frames.at_connection(box, link, columns, q), frames.fixed(box, link))


def gravity_at(robot: Robot, box: str, state: State) -> Array:
    """Return gravity (3,) [m/s^2] in the frame of a black box's connection point."""
    return BlackBoxMotions(robot)(robot, state)[box].gravity_at_point
