"""States of a trajectory, and the motion of actuators that a task asks for.

The trajectory of a task is given in joints that loops determine, such as a body's lift and pitch. A design
has other hinges, so the same task is another motion of its actuators. All joints of a profile move on one
path, q(t) = q0 + P(t) A (`AccelerationProfile`), so a design's actuators are a function G of the place P:

    q_a = G(P),   v_a = G'(P) P',   a_a = G''(P) P'^2 + G'(P) P''.

G is analytic where the loops close, so its values at NODES Chebyshev points determine it, and its
derivatives, up to rounding [Trefethen, Approximation Theory and Approximation Practice, 2013, chapters 8
and 21]. Loops are closed with the task's joints independent at the nodes only; then, at all states, with
the actuators independent, so that the torques of inverse dynamics are the actuators' forces. Virtual power
connects both: tau_task . v_task = f . v_a for all v_task, so f = J^-T tau_task with J = dq_a / dq_task.
"""

from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ..motions import AccelerationProfile

__all__ = ["NODES", "Path", "States", "path_of", "states_of", "times_of"]

Array = NDArray[np.float64]
#: Chebyshev points of a path.
NODES = 16


class States(NamedTuple):
    """A trajectory's times (s,) [s], and q, v, a (s, n) of named joints."""

    times: Array
    q: Array
    v: Array
    a: Array


class Path(NamedTuple):
    """A trajectory as a path: places at the nodes, and matrices from there to its states.

    Attributes:
        q: of the named joints at the nodes (m, n). value, first, second: (s, m), from G at the nodes to G,
            G' and G'' at the states. rate, scale: P' and P'' at the states (s,).
    """

    q: Array
    value: Array
    first: Array
    second: Array
    rate: Array
    scale: Array

    def moved(self, nodes: Array) -> tuple[Array, Array, Array]:
        """Return q, v and a (..., s, k) of coordinates with these values (..., m, k) at the nodes."""
        slope = self.first @ nodes
        v = slope * self.rate[:, None]
        a = (self.second @ nodes) * self.rate[:, None] ** 2 + slope * self.scale[:, None]
        return self.value @ nodes, v, a


def times_of(motion: AccelerationProfile, rate: float) -> Array:
    """Return the times 0, 1 / rate, ... before the end: duration * rate of them."""
    count = max(1, round(motion.duration * rate))
    return np.arange(count) / rate


def _places(motion: AccelerationProfile, names: tuple[str, ...]) -> list[int]:
    return [names.index(name) for name in motion.joint_names]


def states_of(motion: AccelerationProfile, rate: float, names: tuple[str, ...]) -> States:
    """Return a trajectory's states, for joints in an order; joints that it does not move are at zero."""
    times = times_of(motion, rate)
    position, velocity, scale = motion.path(times)
    q, v, a = (np.zeros((len(times), len(names))) for _ in range(3))
    at = _places(motion, names)
    q[:, at] = motion.start + position[:, None] * motion.accelerations
    v[:, at] = velocity[:, None] * motion.accelerations
    a[:, at] = scale[:, None] * motion.accelerations
    return States(times, q, v, a)


def path_of(motion: AccelerationProfile, rate: float, names: tuple[str, ...], nodes: int = NODES) -> Path:
    """Return a trajectory's path, for joints in an order; nodes begin at the end nearer to the start."""
    position, velocity, scale = motion.path(times_of(motion, rate))
    low, high = float(position.min()), float(position.max())
    if high == low:  # it rests
        nodes, half = 1, 1.0
    else:
        half = (high - low) / 2.0
    points = np.cos(np.pi * (np.arange(nodes) + 0.5) / nodes)
    if abs(position[0] - low) < abs(position[0] - high):
        points = points[::-1]
    at_nodes = (low + high) / 2.0 + half * points * (high > low)
    q = np.zeros((nodes, len(names)))
    q[:, _places(motion, names)] = motion.start + at_nodes[:, None] * motion.accelerations
    coefficients = np.linalg.inv(chebyshev.chebvander(points, nodes - 1))
    row = chebyshev.chebvander((position - (low + high) / 2.0) / half, nodes - 1)
    derivative = np.zeros((nodes, nodes))  # of a series, as coefficients of the same length
    derivative[: nodes - 1] = chebyshev.chebder(np.eye(nodes))[: nodes - 1] if nodes > 1 else 0.0
    first = row @ derivative @ coefficients / half
    second = row @ derivative @ derivative @ coefficients / half**2
    return Path(q, row @ coefficients, first, second, velocity, scale)
