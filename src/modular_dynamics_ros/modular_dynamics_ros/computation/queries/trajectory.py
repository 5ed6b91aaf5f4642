"""Efforts along a trajectory, and where it exceeds the limits of the description.

Between its points the trajectory is the spline of joint_trajectory_controller: positions alone are joined by
straight lines, positions and velocities by cubics, with accelerations by quintics. It is compared with limits
at the points and at instants between them.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics.model import Joint
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.queries.query_model import (
    GivenWrenches,
    QueryError,
    QueryModel,
    RequestedState,
    Subject,
    code_of,
    require_actuators,
    require_usable,
    state_of,
)
from modular_dynamics_ros.computation.robot import friction_torques, position_range
from modular_dynamics_ros.computation.values import Array, Configuration, Instants, StampedWrench, State

POSITION, VELOCITY, EFFORT = range(3)
MOST_POINTS = 20_000  # with closed loops several seconds, in which other requests wait
MOST_BETWEEN = 20_000  # instants between the points; beyond them they are farther apart
SPACING = 0.05  # [rad or m] that a joint moves from one instant to the next
LEAST_PARTS = 1, 4, 24  # of a line, a cubic, whose velocities bend, and a quintic, whose accelerations do
# largest difference beyond a limit, relative to it and to 1, that is no excess
ROUNDING = 1e-9  # at a point: a number may be exactly at its limit
BETWEEN = 1e-6  # between points: times are whole nanoseconds, and planners let velocities saturate


class Motion(NamedTuple):
    """Points of a trajectory: instants (m,) [ns] from the start, q, v, a (m, n); None: not given."""

    names: Sequence[str]
    instants: Instants
    q: Array
    v: Array | None
    a: Array | None


class Excess(NamedTuple):
    """The largest excess of one joint and quantity over a limit.

    Attributes:
        point: number of the point there or before. instant: [ns] from the start. value: there.
    """

    joint: str
    quantity: int
    point: int
    instant: int
    value: float
    limit: float


class Torques(NamedTuple):
    """The motion with all fields, its efforts (m, n) [N m or N], and where it exceeds limits."""

    motion: Motion
    efforts: Array
    excesses: list[Excess]


class Samples(NamedTuple):
    """The points of a trajectory and instants between them, in order.

    Attributes:
        points: (k,) the point at or before each. instants: (k,) [ns]. q, v, a: (k, n). is_point: (k,).
    """

    points: NDArray[np.intp]
    instants: Instants
    q: Array
    v: Array
    a: Array
    is_point: NDArray[np.bool_]

    def where(self, index: int) -> str:
        """Return where sample ``index`` lies on the trajectory, for messages."""
        point, instant = int(self.points[index]), 1e-9 * float(self.instants[index])
        return f"point {point}" if self.is_point[index] else f"{instant:.6g} s, after point {point}"


def trajectory_torques(
    model: QueryModel, subject: Subject, motion: Motion, external: Sequence[StampedWrench]
) -> Torques:
    """Return efforts at each point and all excesses; joints not named, and the base, stand still.

    Raises:
        QueryError: unusable joints or numbers; at a point loops do not close, or torques overflow.
        BadMessage: a wrench that is missing, or in an unknown frame.
    """
    robot = model.robot
    require_actuators(robot, motion.names)
    for what, given in (("positions", motion.q), ("velocities", motion.v), ("accelerations", motion.a)):
        if given is not None:
            require_usable(what, given, motion.names)
    sampled = _sampled(motion)
    points = sampled.is_point
    v, a = sampled.v[points], sampled.a[points]
    first = state_of(robot, RequestedState(motion.names, motion.q[0]), subject.last)
    columns = [robot.state_names.index(name) for name in motion.names]
    rest = np.zeros_like(first.q)
    every = tuple(np.tile(standing, (len(points), 1)) for standing in (first.q, rest, rest))
    for values, given in zip(every, (sampled.q, sampled.v, sampled.a), strict=True):
        values[:, columns] = given
    friction, wrenches = subject.settings.friction == "urdf", model.given(subject, external)
    if robot.closed or robot.black_boxes:
        last = None if subject.last is None else subject.last.configuration
        efforts, passive = _one_by_one(model, first, every, wrenches, sampled, friction=friction, last=last)
    else:
        efforts, passive = _at_once(model, first, every, wrenches, friction=friction), {}
    efforts = efforts[:, columns]
    if not (finite := np.isfinite(efforts)).all():
        where = sampled.where(int(np.argwhere(~finite)[0][0]))
        raise QueryError("BAD_STATE", f"{where} is finite, but so far or fast that the torques are not")
    courses: dict[str, dict[int, Array]] = {
        name: {POSITION: sampled.q[:, k], VELOCITY: sampled.v[:, k], EFFORT: efforts[:, k]}
        for k, name in enumerate(motion.names)
    }
    courses |= {name: {POSITION: q, VELOCITY: v} for name, (q, v) in passive.items()}
    return Torques(motion._replace(v=v, a=a), efforts[points], list(excesses(robot.graph, courses, sampled)))


def _sampled(motion: Motion) -> Samples:
    """Return the points and instants between them, as the spline goes.

    Where velocities or accelerations jump at a point, the values there are those of the piece that begins
    there, and the end of the piece before is another sample.

    Raises:
        QueryError: points are too far apart for their times.
    """
    q, instants, count = motion.q, motion.instants, len(motion.instants) - 1
    if not count:
        v, a = (np.zeros_like(q) if one is None else one for one in (motion.v, motion.a))
        return Samples(np.arange(1), instants, q, v, a, np.ones(1, dtype=bool))
    h = 1e-9 * np.diff(instants)[:, np.newaxis]
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = np.diff(q, axis=0) / h
        powers = ReferenceTrajectory.through(instants, q, motion.v, motion.a).powers
    for what, values in (("velocities", slopes), ("accelerations", powers.sum(axis=1))):
        require_usable(f"{what} between the points", values, motion.names)
    v, a = np.vstack((slopes, slopes[-1:])) if motion.v is None else motion.v, powers[:, 0]
    travel = np.maximum(np.abs(np.diff(q, axis=0)), h * np.maximum(np.abs(v[:-1]), np.abs(v[1:])))
    least = LEAST_PARTS[(motion.v is not None) + (motion.a is not None)]
    parts = np.maximum(np.ceil(travel.max(axis=1) / SPACING), least)
    parts = np.maximum(np.ceil(parts / max(1.0, parts.sum() / MOST_BETWEEN)), 1.0).astype(np.intp)
    piece = np.repeat(np.arange(count), parts)[:-1]  # the last piece ends at the last point
    share = (np.arange(1, len(piece) + 1) - (np.cumsum(parts) - parts)[piece]) / parts[piece]
    # accelerations are powers of the share; velocities and positions are their integrals
    k, u, step = np.arange(powers.shape[1]), share[:, np.newaxis], h[piece]
    a_between, rise, way = (
        np.einsum("skn,sk->sn", powers[piece], u ** (k + n) / divisor)
        for n, divisor in enumerate((np.ones(len(k)), k + 1, (k + 1) * (k + 2)))
    )
    v_between = v[piece] + step * rise
    q_between = q[piece] + step * (v[piece] * u + step * way)
    at = instants[piece] + np.rint(share * np.diff(instants)[piece]).astype(np.int64)
    given = np.arange(count + 1), instants, q, v, a, np.ones(count + 1, dtype=bool)
    between = piece, at, q_between, v_between, a_between, np.zeros(len(piece), dtype=bool)
    order = np.lexsort((np.append(np.zeros(count + 1), share), np.append(given[0], piece)))
    return Samples._make(np.concatenate(pair)[order] for pair in zip(given, between, strict=True))


def excesses(
    graph: md.SubsystemGraph, courses: dict[str, dict[int, Array]], sampled: Samples
) -> Iterator[Excess]:
    """Yield all excesses by joint, after each joint those of the joints that mimic it.

    Limits of zero, as vendors write them, count as none.

    Args:
        courses: values (k,) at the samples, by joint and quantity.
    """
    for name, own in courses.items():
        mimics = [one for one in graph.joints if one.mimic and one.mimic.joint == name]
        for joint in (graph.joint(name), *mimics):
            limits = joint.limits
            ranges = position_range(limits), _either_way(limits.velocity), _either_way(limits.effort)
            for quantity, course in own.items():
                values = course
                if joint.mimic is not None and joint.mimic.joint == name:
                    if quantity == EFFORT:
                        continue
                    offset = joint.mimic.offset if quantity == POSITION else 0.0
                    values = joint.mimic.multiplier * course + offset
                yield from _worst(joint, quantity, values, sampled, *ranges[quantity])


def _either_way(size: float | None) -> tuple[float, float]:
    """Return the range of a limit in both directions; infinite without one."""
    return (-size, size) if size else (-math.inf, math.inf)


def _worst(
    joint: Joint, quantity: int, values: Array, sampled: Samples, lower: float, upper: float
) -> Iterator[Excess]:
    """Yield the largest excess, if there is one; the first of equal ones."""
    found = []
    tolerances = np.where(sampled.is_point, ROUNDING, BETWEEN)
    for sign, limit in ((1.0, upper), (-1.0, lower)):
        beyond = sign * (values - limit)
        beyond[~(beyond > tolerances * max(1.0, abs(limit)))] = -math.inf
        k = int(np.argmax(beyond))
        if beyond[k] > 0.0:
            found.append((float(beyond[k]), -int(sampled.instants[k]), k, limit))
    if found:
        _, instant, k, limit = max(found)
        yield Excess(joint.name, quantity, int(sampled.points[k]), -instant, float(values[k]), limit)


def _at_once(
    model: QueryModel, first: State, every: tuple[Array, ...], wrenches: GivenWrenches, *, friction: bool
) -> Array:
    """Return the torques (m, n) of a tree without black boxes, all points in one call."""
    robot, (q, v, a) = model.robot, every
    coordinates = np.tile(model.configuration(first, None).coordinates, (len(q), 1))
    coordinates[:, [robot.graph.q_slice(name).start for name in robot.state_names]] = q
    velocities, accelerations = np.zeros((2, len(q), robot.graph.nv))
    velocities[:, model.joints], accelerations[:, model.joints] = v, a
    external = wrenches.external
    try:
        tau = md.inverse_dynamics(
            robot.graph, coordinates, velocities, accelerations, threads=1, external_wrenches=external
        )
    except md.StateError as error:
        raise QueryError("BAD_STATE", f"too far or too fast: {error}") from error
    efforts = tau[:, model.joints]
    if friction:
        efforts += friction_torques(v, robot.damping, robot.dry_friction)
    return efforts


def _one_by_one(
    model: QueryModel,
    first: State,
    every: tuple[Array, ...],
    wrenches: GivenWrenches,
    sampled: Samples,
    *,
    friction: bool,
    last: Configuration | None,
) -> tuple[Array, dict[str, tuple[Array, Array]]]:
    """Return the torques point by point, and positions and velocities of passive joints by name.

    Loops are closed from the point before.
    """
    robot, graph = model.robot, model.robot.graph
    places = [graph.q_slice(name).start for name in robot.passive_names]
    rates = [graph.v_slice(name).start for name in robot.passive_names]
    efforts = np.zeros_like(every[0])
    passive_q, passive_v = (np.zeros((len(efforts), len(places))) for _ in range(2))
    for index, (q, v, a) in enumerate(zip(*every, strict=True)):
        state = first._replace(q=q, v=v, a=a)
        try:
            last = model.configuration(state, last)
            dynamics = model.solver.solve(last, state, model.applied(wrenches, state))
        except Exception as error:
            if code_of(error) == "UNEXPECTED":
                raise
            raise QueryError(code_of(error), f"{sampled.where(index)}: {error}") from error
        efforts[index] = dynamics.tau + dynamics.friction if friction else dynamics.tau
        if isinstance(dynamics, ClosedLoopSolution):
            passive_q[index] = dynamics.result.coordinates[places]
            passive_v[index] = dynamics.result.velocities[rates]
    passive = zip(passive_q.T, passive_v.T, strict=True)
    return efforts, dict(zip(robot.passive_names, passive, strict=True))
