"""The efforts along a trajectory, at each of its points; limits also between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.feedforward import friction_torques
from modular_dynamics_ros.computation.queries.limits import Course, Excess, SampledEffort, excesses
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
from modular_dynamics_ros.computation.queries.samples import Samples, samples
from modular_dynamics_ros.computation.queries.spline import completed, pieces
from modular_dynamics_ros.computation.values import Array, Configuration, Instants, StampedWrench, State

MOST_POINTS = 20_000  # with closed loops several seconds, in which other requests wait


Solved = tuple[Array, Array, Array]  # efforts (m, n), positions and velocities of passive joints


@dataclass(frozen=True, eq=False)
class Motion:
    """Points of joints: instants (m,) [ns] from the start, and values (m, n); fields may be missing."""

    names: Sequence[str]
    instants: Instants
    q: Array
    v: Array | None
    a: Array | None


@dataclass(frozen=True, eq=False)
class Torques:
    """The motion with all fields, its efforts (m, n) [N m or N], and where it exceeds limits."""

    motion: Motion
    efforts: Array
    excesses: list[Excess]


def trajectory_torques(
    model: QueryModel, subject: Subject, motion: Motion, external: Sequence[StampedWrench]
) -> Torques:
    """Return efforts at each point and limits on the way; joints not named, and the base, stand still.

    Raises:
        QueryError: joints or numbers that cannot be used; at a point loops do not close, or torques overflow.
        BadMessage: a wrench that is missing, or in an unknown frame.
    """
    robot = model.robot
    require_actuators(robot, motion.names)
    for what, given in (("positions", motion.q), ("velocities", motion.v), ("accelerations", motion.a)):
        if given is not None:
            require_usable(what, given, motion.names)
    q, v, a = completed(motion.instants, motion.q, motion.v, motion.a)
    for what, values in (("velocities", v), ("accelerations", a)):
        require_usable(f"{what} between the points", values, motion.names)
    first = state_of(robot, RequestedState(motion.names, q[0]), subject.last)
    columns = [robot.state_names.index(name) for name in motion.names]
    degree = 1 if motion.v is None else 3 if motion.a is None else 5
    sampled = samples(motion.instants, q, v, a, degree)
    rest = np.zeros_like(first.q)
    every = tuple(np.tile(standing, (len(sampled.instants), 1)) for standing in (first.q, rest, rest))
    for values, given in zip(every, (sampled.q, sampled.v, sampled.a), strict=True):
        values[:, columns] = given
    friction, wrenches = subject.settings.friction == "urdf", model.given(subject, external)
    if robot.closed or robot.black_boxes:
        last = None if subject.last is None else subject.last.configuration
        solved = _one_by_one(model, first, every, wrenches, sampled, friction=friction, last=last)
    else:
        solved = _at_once(model, first, every, wrenches, friction=friction)
    efforts, passive_q, passive_v = solved
    efforts = efforts[:, columns]
    if not (finite := np.isfinite(efforts)).all():
        where = sampled.where(int(np.argwhere(~finite)[0][0]))
        raise QueryError("BAD_STATE", f"{where} is finite, but so far or fast that the torques are not")
    points = sampled.is_point
    passive = map(Course, robot.passive_names, passive_q[points].T, passive_v[points].T)
    courses = chain(_courses(motion, v, efforts, sampled), passive)
    exceeded = excesses(robot.graph, motion.instants, courses)
    return Torques(replace(motion, v=v, a=a), efforts[points], exceeded)


def _courses(motion: Motion, v: Array, efforts: Array, sampled: Samples) -> Iterator[Course]:
    """Yield the courses of the joints that the motion names; v: also if the motion has none."""
    points = sampled.is_point
    for k, name in enumerate(motion.names):
        q, a = motion.q[:, k].copy(), None if motion.a is None else motion.a[:, k]
        # straight lines are monotonic, and their velocities those at the points
        between = None if motion.v is None else pieces(motion.instants, q, v[:, k].copy(), a)
        effort = SampledEffort(sampled.points[~points], sampled.instants[~points], efforts[~points, k])
        yield Course(name, q, v[:, k], between, efforts[points, k], effort)


def _at_once(
    model: QueryModel, first: State, every: tuple[Array, ...], wrenches: GivenWrenches, *, friction: bool
) -> Solved:
    """Return the torques of a tree without black boxes, all points in one call."""
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
    nothing = np.zeros((len(q), 0))
    return efforts, nothing, nothing


def _one_by_one(
    model: QueryModel,
    first: State,
    every: tuple[Array, ...],
    wrenches: GivenWrenches,
    sampled: Samples,
    *,
    friction: bool,
    last: Configuration | None,
) -> Solved:
    """Return the torques point by point; loops are closed from the point before."""
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
    return efforts, passive_q, passive_v
