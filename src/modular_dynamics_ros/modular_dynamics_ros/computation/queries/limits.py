"""Where a trajectory exceeds the limits of the description."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import Array

__all__ = ["EFFORT", "POSITION", "VELOCITY", "Excess", "excesses"]

POSITION, VELOCITY, EFFORT = range(3)
ROUNDING = 1e-9  # beyond a limit at which a number is exactly: of the limit's size, and of 1


@dataclass(frozen=True)
class Excess:
    """The worst point of one joint and quantity: its index, the value there, and the limit."""

    joint: str
    quantity: int
    point: int
    value: float
    limit: float


def excesses(
    robot: Robot, names: Sequence[str], positions: Array, velocities: Array, efforts: Array
) -> list[Excess]:
    """All excesses, by joint.

    Args:
        names: of the columns of positions, velocities and efforts (m, n); efforts that are NaN count for
        nothing. Limits that leave no range, and zeros, as vendors write them, count as none.
    """
    graph, found = robot.graph, list[Excess]()
    effort_limits = dict(zip(robot.state_names, robot.effort_limits.tolist(), strict=True))
    for column, name in enumerate(names):
        place, rate = graph.q_slice(name).start, graph.v_slice(name).start
        lower, upper = (float(limit[place]) for limit in graph.position_limits)
        fastest, strongest = float(graph.velocity_limits[rate]), effort_limits.get(name, np.inf)
        for quantity, values, least, most in (
            (POSITION, positions[:, column], lower, upper),
            (VELOCITY, velocities[:, column], -fastest, fastest),
            (EFFORT, efforts[:, column], -strongest, strongest),
        ):
            beyond = np.nan_to_num(np.maximum(values - most, least - values), nan=-np.inf)
            point = int(np.argmax(beyond))
            limit = most if values[point] > most else least
            if beyond[point] > ROUNDING * max(1.0, abs(limit)):
                found.append(Excess(name, quantity, point, float(values[point]), limit))
    return found
