"""Efforts along a trajectory, and where it exceeds the limits of the description.

Between its points the trajectory is the spline of joint_trajectory_controller: positions alone are joined by
straight lines, positions and velocities by cubics, with accelerations by quintics. Positions and velocities
are compared with limits wherever they are largest; efforts, which are no polynomials, at the points and at
instants between them.
"""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics.model import Joint
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

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

POSITION, VELOCITY, EFFORT = range(3)
MOST_POINTS = 20_000  # with closed loops several seconds, in which other requests wait
MOST_BETWEEN = 20_000  # instants between the points; beyond them they are farther apart
SPACING = 0.05  # [rad or m] that a joint moves from one instant to the next
BENT = 24  # parts of a quintic, whose accelerations bend
JUMP = 0.05  # share of a joint's largest velocity or acceleration that is a jump at a point
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


class Course(NamedTuple):
    """Values (k,) of one quantity of a joint, each with its instant [ns] and the point at or before it.

    Attributes:
        tolerances: (k,) ROUNDING or BETWEEN.
    """

    points: NDArray[np.intp]
    instants: Instants
    values: Array
    tolerances: Array


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
    curve, sampled = _sampled(motion)
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
    courses = {name: _courses(curve, sampled, k, efforts) for k, name in enumerate(motion.names)}
    tolerances = np.where(points, ROUNDING, BETWEEN)
    for name, (position, velocity) in passive.items():
        courses[name] = {
            quantity: Course(sampled.points, sampled.instants, values, tolerances)
            for quantity, values in ((POSITION, position), (VELOCITY, velocity))
        }
    return Torques(motion._replace(v=v, a=a), efforts[points], list(excesses(robot.graph, courses)))


def _spline(motion: Motion) -> "PPoly":
    """Return the positions over the time [s] from the first point on."""
    from scipy.interpolate import CubicHermiteSpline, PPoly  # noqa: PLC0415  # a node's start must not wait for it

    t, q, v, a = 1e-9 * (motion.instants - motion.instants[0]), motion.q, motion.v, motion.a
    h, d = np.diff(t)[:, np.newaxis], np.diff(q, axis=0)
    if v is None:
        return PPoly(np.array([d / h, q[:-1]]), t)
    if a is None:
        return CubicHermiteSpline(t, q, v)
    v0, a0, da = v[:-1] * h, a[:-1] * h**2 / 2.0, np.diff(a, axis=0) * h**2 / 2.0
    d, dv = d - v0 - a0, np.diff(v, axis=0) * h - 2.0 * a0
    c5, c4, c3 = 6.0 * d - 3.0 * dv + da, -15.0 * d + 7.0 * dv - 2.0 * da, 10.0 * d - 4.0 * dv + da
    return PPoly(np.array([c5 / h**5, c4 / h**4, c3 / h**3, a0 / h**2, v0 / h, q[:-1]]), t)


def _sampled(motion: Motion) -> "tuple[PPoly | None, Samples]":
    """Return the spline, None through a single point, and its samples.

    Where velocities or accelerations jump at a point, the values there are those of the piece that begins
    there, and the end of the piece before is a further sample. At the last point its own piece ends.

    Raises:
        QueryError: points are too far apart for their times, or too close in time.
    """
    count, names = len(motion.instants), motion.names
    is_point = np.ones(count, dtype=bool)
    if count == 1:
        v, a = (np.zeros_like(motion.q) if one is None else one for one in (motion.v, motion.a))
        return None, Samples(np.arange(1), motion.instants, motion.q, v, a, is_point)
    if not (apart := np.diff(1e-9 * (motion.instants - motion.instants[0])) > 0.0).all():
        text = f"point {int(np.argmin(apart)) + 1} is too close to the one before for so long a trajectory"
        raise QueryError("BAD_STATE", text)
    with np.errstate(over="ignore", invalid="ignore"):
        curve = _spline(motion)
        rates = curve.derivative(), curve.derivative(2)
        v, a = (
            rate(curve.x) if one is None else one
            for rate, one in zip(rates, (motion.v, motion.a), strict=True)
        )
    for what, values in (("velocities", v), ("accelerations", a)):
        require_usable(f"{what} between the points", values, names)
    given = Samples(np.arange(count), motion.instants, motion.q, v, a, is_point)
    h = np.diff(curve.x)
    fastest = np.maximum(np.abs(v[:-1]), np.abs(v[1:])).max(axis=1)
    travel = np.maximum(np.abs(np.diff(motion.q, axis=0)).max(axis=1), h * fastest)
    parts = np.maximum(np.ceil(travel / SPACING), 1.0 if motion.a is None else BENT)
    parts = np.maximum(np.ceil(parts / max(1.0, parts.sum() / MOST_BETWEEN)), 1.0).astype(np.intp)
    piece = np.repeat(np.arange(count - 1), parts)
    share = (np.arange(len(piece)) - np.repeat(np.cumsum(parts) - parts, parts) + 1) / parts[piece]
    own = [_values(one, piece, share * h[piece]) for one in (curve, *rates)]
    ends = share == 1.0
    jumps = [
        np.abs(one[ends] - after[1:]) > JUMP * np.abs(after).max(axis=0)
        for one, after in zip(own[1:], (v, a), strict=True)
    ]
    wanted = ~ends
    wanted[ends] = np.any(jumps, axis=(0, 2)) & (np.arange(count - 1) < count - 2)
    at = motion.instants[piece] + np.rint(share * np.diff(motion.instants)[piece]).astype(np.int64)
    between = piece, at, *own, np.zeros(len(piece), dtype=bool)
    chosen = [np.concatenate((one, other[wanted])) for one, other in zip(given, between, strict=True)]
    order = np.lexsort((np.append(np.zeros(count), share[wanted]), chosen[0]))
    return curve, Samples._make(one[order] for one in chosen)


def _values(curve: "PPoly", piece: NDArray[np.intp], x: Array) -> Array:
    """Return the values (k, n) of pieces at times x (k,) [s] from their beginnings, their ends among them."""
    value = np.zeros((len(x), curve.c.shape[2]))
    for coefficients in curve.c:
        value = value * x[:, np.newaxis] + coefficients[piece]
    return value


def _courses(curve: "PPoly | None", sampled: Samples, k: int, efforts: Array) -> dict[int, Course]:
    """Return positions, velocities and efforts of joint k of the trajectory; efforts (m, n)."""
    points = sampled.is_point
    number, instants = sampled.points[points], sampled.instants[points]
    found = {}
    for quantity, values in ((POSITION, sampled.q[points, k]), (VELOCITY, sampled.v[points, k])):
        course = Course(number, instants, values, np.full(len(number), ROUNDING))
        if curve is not None:
            own = curve.construct_fast(np.ascontiguousarray(curve.c[:, :, k]), curve.x)
            own = own.derivative() if quantity == VELOCITY else own
            roots = own.derivative().roots(discontinuity=False, extrapolate=False)
            roots = roots[np.isfinite(roots)]  # of a piece that stands still one is NaN
            before = np.clip(np.searchsorted(curve.x, roots, side="right") - 1, 0, len(number) - 2)
            at = instants[0] + np.rint(1e9 * roots).astype(np.int64)
            extremes = Course(number[before], at, own(roots), np.full(len(roots), BETWEEN))
            course = Course._make(map(np.concatenate, zip(course, extremes, strict=True)))
        found[quantity] = course
    tolerances = np.full(len(points), ROUNDING)
    found[EFFORT] = Course(sampled.points, sampled.instants, efforts[:, k], tolerances)
    return found


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
                if joint.mimic is not None and joint.mimic.joint == name:
                    if quantity == EFFORT:
                        continue
                    offset = joint.mimic.offset if quantity == POSITION else 0.0
                    course = course._replace(values=joint.mimic.multiplier * course.values + offset)  # noqa: PLW2901
                yield from _worst(joint, quantity, course, *ranges[quantity])


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
