"""Efforts along a trajectory, and where it exceeds the limits of the description.

Between its points the trajectory is the spline of joint_trajectory_controller: positions alone are joined by
straight lines, positions and velocities by cubics, with accelerations by quintics. Positions and velocities
are compared with limits wherever they are largest; efforts, which are no polynomials, at the points and at
instants between them.
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


class Pieces(NamedTuple):
    """Positions, velocities and accelerations (m - 1, k, n) from point to point.

    Coefficients of the powers 0 to k - 1 of the share of the time to the next point.
    """

    q: Array
    v: Array
    a: Array


class Course(NamedTuple):
    """Values (k,) of one quantity of a joint, each with its instant [ns] and the point at or before it.

    Attributes:
        tolerances: (k,) ROUNDING or BETWEEN.
    """

    points: NDArray[np.intp]
    instants: Instants
    values: Array
    tolerances: Array


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

    def course(self, values: Array, between: float = BETWEEN) -> Course:
        """Return values (k,) at the samples, with the tolerance ``between`` the points."""
        return Course(self.points, self.instants, values, np.where(self.is_point, ROUNDING, between))


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
    pieces = _pieces(motion)
    sampled = _sampled(motion, pieces)
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
    courses = {}
    for k, name in enumerate(motion.names):
        course_q, course_v = sampled.course(sampled.q[:, k]), sampled.course(sampled.v[:, k])
        own_q, own_v, own_a = (one[..., k] for one in pieces)
        courses[name] = {
            POSITION: _with_extremes(course_q, motion, own_q, own_v),
            VELOCITY: _with_extremes(course_v, motion, own_v, own_a),
            EFFORT: sampled.course(efforts[:, k], ROUNDING),
        }
    courses |= {
        name: {POSITION: sampled.course(q), VELOCITY: sampled.course(v)} for name, (q, v) in passive.items()
    }
    return Torques(motion._replace(v=v, a=a), efforts[points], list(excesses(robot.graph, courses)))


def _pieces(motion: Motion) -> Pieces:
    """Return the pieces of the spline.

    Raises:
        QueryError: points are too far apart for their times.
    """
    q, instants = motion.q, motion.instants
    h = 1e-9 * np.diff(instants)[:, np.newaxis]
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = np.diff(q, axis=0) / h
        powers = ReferenceTrajectory.through(instants, q, motion.v, motion.a).powers[:-1]
    for what, values in (("velocities", slopes), ("accelerations", powers.sum(axis=1))):
        require_usable(f"{what} between the points", values, motion.names)
    velocities = _integral(powers, slopes if motion.v is None else motion.v[:-1], h)
    return Pieces(_integral(velocities, q[:-1], h), velocities, powers)


def _integral(powers: Array, start: Array, h: Array) -> Array:
    """Return the integrals (m - 1, k + 1, n) of pieces, from values (m - 1, n) on, over h (m - 1, 1) [s]."""
    divisors = np.arange(1, powers.shape[1] + 1)[:, np.newaxis]
    return np.concatenate((start[:, np.newaxis], h[:, np.newaxis] * powers / divisors), axis=1)


def _values(powers: Array, piece: NDArray[np.intp], share: Array) -> Array:
    """Return the values (s, ...) of pieces (m - 1, k, ...) at shares (s,) of their times."""
    shares = share[:, np.newaxis] ** np.arange(powers.shape[1])
    values: Array = np.einsum("sk...,sk->s...", powers[piece], shares)
    return values


def _instants(motion: Motion, piece: NDArray[np.intp], share: Array) -> Instants:
    """Return the instants [ns] at shares of the times of pieces."""
    return motion.instants[piece] + np.rint(share * np.diff(motion.instants)[piece]).astype(np.int64)


def _sampled(motion: Motion, pieces: Pieces) -> Samples:
    """Return the points and instants between them, as the spline goes.

    Where velocities or accelerations jump at a point, the values there are those of the piece that begins
    there, and the end of the piece before is another sample.
    """
    q, instants, count = motion.q, motion.instants, len(motion.instants) - 1
    if not count:
        v, a = (np.zeros_like(q) if one is None else one for one in (motion.v, motion.a))
        return Samples(np.arange(1), instants, q, v, a, np.ones(1, dtype=bool))
    v, a = (
        np.vstack((one[:, 0], one[-1:].sum(axis=1))) if given is None else given
        for one, given in ((pieces.v, motion.v), (pieces.a, motion.a))
    )
    h = 1e-9 * np.diff(instants)[:, np.newaxis]
    travel = np.maximum(np.abs(np.diff(q, axis=0)), h * np.maximum(np.abs(v[:-1]), np.abs(v[1:])))
    least = LEAST_PARTS[(motion.v is not None) + (motion.a is not None)]
    parts = np.maximum(np.ceil(travel.max(axis=1) / SPACING), least)
    parts = np.maximum(np.ceil(parts / max(1.0, parts.sum() / MOST_BETWEEN)), 1.0).astype(np.intp)
    piece = np.repeat(np.arange(count), parts)[:-1]  # the last piece ends at the last point
    share = (np.arange(1, len(piece) + 1) - (np.cumsum(parts) - parts)[piece]) / parts[piece]
    given = np.arange(count + 1), instants, q, v, a, np.ones(count + 1, dtype=bool)
    own = (_values(one, piece, share) for one in pieces)
    between = piece, _instants(motion, piece, share), *own, np.zeros(len(piece), dtype=bool)
    order = np.lexsort((np.append(np.zeros(count + 1), share), np.append(given[0], piece)))
    return Samples._make(np.concatenate(pair)[order] for pair in zip(given, between, strict=True))


def _with_extremes(course: Course, motion: Motion, powers: Array, rate: Array) -> Course:
    """Return the course with extremes of its pieces (m - 1, k) between points, where their rate is zero.

    Those of pieces that may exceed all of the course: the others are searched for no roots, which take long
    and hold the GIL. A piece stays between the least and the largest of its Bernstein coefficients.
    """
    from scipy.interpolate import PPoly  # noqa: PLC0415  # a node's start must not wait for it

    degree = powers.shape[1] - 1
    bernstein = [
        [math.comb(i, j) / math.comb(degree, j) for j in range(degree + 1)] for i in range(degree + 1)
    ]
    bounds, low, high = powers @ np.transpose(bernstein), course.values.min(), course.values.max()
    rounding = ROUNDING * max(1.0, abs(low), abs(high))
    is_open = (bounds.max(axis=1) > high + rounding) | (bounds.min(axis=1) < low - rounding)
    searched = np.flatnonzero(is_open)
    if not len(searched):
        return course
    curve = PPoly(rate[searched].T[::-1], np.arange(len(searched) + 1))
    roots = curve.roots(discontinuity=False, extrapolate=False)
    roots = roots[np.isfinite(roots)]  # of a piece that stands still one is NaN
    index = np.minimum(roots.astype(np.intp), len(searched) - 1)
    piece, share = searched[index], roots - index
    instants, values = _instants(motion, piece, share), _values(powers, piece, share)
    extremes = Course(piece, instants, values, np.full(len(piece), BETWEEN))
    return Course._make(map(np.concatenate, zip(course, extremes, strict=True)))


def excesses(graph: md.SubsystemGraph, courses: dict[str, dict[int, Course]]) -> Iterator[Excess]:
    """Yield all excesses by joint, after each joint those of the joints that mimic it.

    Limits of zero, as vendors write them, count as none.

    Args:
        courses: by joint and quantity.
    """
    for name, own in courses.items():
        mimics = [one for one in graph.joints if one.mimic and one.mimic.joint == name]
        for joint in (graph.joint(name), *mimics):
            limits = joint.limits
            ranges = position_range(limits), _either_way(limits.velocity), _either_way(limits.effort)
            for quantity, course in own.items():
                values = course.values
                if joint.mimic is not None and joint.mimic.joint == name:
                    if quantity == EFFORT:
                        continue
                    offset = joint.mimic.offset if quantity == POSITION else 0.0
                    values = joint.mimic.multiplier * values + offset
                yield from _worst(joint, quantity, course._replace(values=values), *ranges[quantity])


def _either_way(size: float | None) -> tuple[float, float]:
    """Return the range of a limit in both directions; infinite without one."""
    return (-size, size) if size else (-math.inf, math.inf)


def _worst(joint: Joint, quantity: int, course: Course, lower: float, upper: float) -> Iterator[Excess]:
    """Yield the largest excess, if there is one; the first of equal ones."""
    found = []
    for sign, limit in ((1.0, upper), (-1.0, lower)):
        beyond = sign * (course.values - limit)
        beyond[~(beyond > course.tolerances * max(1.0, abs(limit)))] = -math.inf
        k = int(np.argmax(beyond))
        if beyond[k] > 0.0:
            found.append((float(beyond[k]), -int(course.instants[k]), k, limit))
    if found:
        _, instant, k, limit = max(found)
        value = float(course.values[k])
        yield Excess(joint.name, quantity, int(course.points[k]), -instant, value, limit)


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
