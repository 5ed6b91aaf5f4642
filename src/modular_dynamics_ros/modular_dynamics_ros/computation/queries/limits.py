"""Where a trajectory exceeds the limits of the description."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics.model import Joint
from modular_dynamics_ros.computation.position_range import position_range
from modular_dynamics_ros.computation.queries.extremes import largest
from modular_dynamics_ros.computation.values import Array, Instants

POSITION, VELOCITY, EFFORT = range(3)
# of the limit's size, and of 1, that is no excess
ROUNDING = 1e-9  # at a point: a number may be exactly at its limit
BETWEEN = 1e-6  # between points: times are whole nanoseconds, and planners let velocities saturate


class SampledEffort(NamedTuple):
    """Efforts between the points of a trajectory.

    Attributes:
        points: (k,) the point before each. instants: (k,) [ns] from the start. values: (k,) [N m or N].
    """

    points: NDArray[np.intp]
    instants: Instants
    values: Array


@dataclass(frozen=True, eq=False)
class Course:
    """One joint along a trajectory.

    Attributes:
        q, v, effort: (m,) at the points [rad or m, rad/s or m/s, N m or N]; an effort may be unknown.
        between: positions and velocities between the points as of `spline.pieces`; None: unknown there, or
        monotonic, so that the points are the worst.
        effort_between: efforts at some instants between the points; None: unknown there.
    """

    joint: str
    q: Array
    v: Array
    between: tuple[Array, Array] | None = None
    effort: Array | None = None
    effort_between: SampledEffort | None = None

    def of_mimic(self, joint: Joint) -> "Course":
        """Return the course of a joint that mimics this one."""
        assert joint.mimic is not None
        multiplier, offset = joint.mimic.multiplier, joint.mimic.offset
        between = self.between
        if between is not None:
            between = multiplier * between[0] + offset, multiplier * between[1]
        return Course(joint.name, multiplier * self.q + offset, multiplier * self.v, between)


@dataclass(frozen=True)
class Excess:
    """The worst instant of one joint and quantity.

    Attributes:
        point: at which it is, or after which. instant: [ns] from the start. value: there.
    """

    joint: str
    quantity: int
    point: int
    instant: int
    value: float
    limit: float


def excesses(graph: md.SubsystemGraph, instants: Instants, courses: Iterable[Course]) -> list[Excess]:
    """Return all excesses by joint, after each joint those of the joints that mimic it.

    Limits of zero, as vendors write them, count as none.

    Args:
        instants: (m,) of the points [ns], strictly increasing.
    """
    mimics: dict[str, list[Joint]] = {}
    for joint in graph.joints:
        if joint.mimic is not None:
            mimics.setdefault(joint.mimic.joint, []).append(joint)
    found = list[Excess]()
    for course in courses:
        found += _of_joint(graph.joint(course.joint), instants, course)
        for joint in mimics.get(course.joint, ()):
            found += _of_joint(joint, instants, course.of_mimic(joint))
    return found


class _Side(NamedTuple):
    """The instant with the largest excess beyond one limit."""

    beyond: float
    point: int
    instant: int
    value: float
    limit: float


def _of_joint(joint: Joint, instants: Instants, course: Course) -> Iterator[Excess]:
    limits = joint.limits
    q_between, v_between = course.between or (None, None)
    for quantity, values, between, (lower, upper) in (
        (POSITION, course.q, q_between, position_range(limits)),
        (VELOCITY, course.v, v_between, _either_way(limits.velocity)),
        (EFFORT, course.effort, None, _either_way(limits.effort)),
    ):
        if values is None:
            continue
        found = [
            _beyond(instants, values, between, 1.0, upper),
            _beyond(instants, values, between, -1.0, lower),
        ]
        if quantity == EFFORT and course.effort_between is not None:
            found += [_beyond_sampled(course.effort_between, *one) for one in ((1.0, upper), (-1.0, lower))]
        if sides := [side for side in found if side is not None]:
            worst = max(sides, key=lambda side: (side.beyond, -side.instant))
            yield Excess(joint.name, quantity, worst.point, worst.instant, worst.value, worst.limit)


def _either_way(size: float | None) -> tuple[float, float]:
    return (-size, size) if size else (-math.inf, math.inf)


def _beyond(
    instants: Instants, values: Array, between: Array | None, sign: float, limit: float
) -> _Side | None:
    """Return the largest excess above (sign 1) or below (sign -1) the limit; None if there is none."""
    if math.isinf(limit):
        return None
    size = max(1.0, abs(limit))
    rounding = ROUNDING * size
    signed = sign * values
    point = int(signed.argmax())
    instant, value = int(instants[point]), float(signed[point])
    if between is not None:
        above = max(value, sign * limit + BETWEEN * size)
        if (found := largest(sign * between, above, rounding)) is not None:
            point, value = found.piece, found.value
            instant = int(instants[point]) + round(found.share * int(instants[point + 1] - instants[point]))
    beyond = value - sign * limit
    return _Side(beyond, point, instant, sign * value, limit) if beyond > rounding else None


def _beyond_sampled(effort: SampledEffort, sign: float, limit: float) -> _Side | None:
    """Return the largest excess of efforts between points; arguments as of `_beyond`."""
    if not len(effort.values):
        return None
    side = _beyond(effort.instants, effort.values, None, sign, limit)
    return None if side is None else side._replace(point=int(effort.points[side.point]))
