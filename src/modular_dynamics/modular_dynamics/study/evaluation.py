"""Designs, from their numbers to what is measured of them, and which designs are better."""

from collections.abc import Mapping
from enum import IntFlag
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ..dynamics import inverse_dynamics
from ..exceptions import ModelError, ModularDynamicsError, StudyError
from ..loops import ClosedLoopInverseDynamics, StateStatus
from ..model import SubsystemGraph
from ..motions import AccelerationProfile
from .study import Bound, Study, designs_between

Array = NDArray[np.float64]

# States of a trajectory, and the motion of actuators that a task asks for.
#
# The trajectory of a task is given in joints that loops determine, such as a body's lift and pitch. A
# design has other hinges, so the same task is another motion of its actuators. All joints of a profile move
# on one path, q(t) = q0 + P(t) A (`AccelerationProfile`), so a design's actuators are a function G of the
# place P:
#
#     q_a = G(P),   v_a = G'(P) P',   a_a = G''(P) P'^2 + G'(P) P''.
#
# G is analytic where the loops close, so its values at NODES Chebyshev points determine it, and its
# derivatives, up to rounding [Trefethen, Approximation Theory and Approximation Practice, 2013, chapters 8
# and 21]. Loops are closed with the task's joints independent at the nodes only; then, at all states, with
# the actuators independent, so that the torques of inverse dynamics are the actuators' forces. Virtual
# power connects both: tau_task . v_task = f . v_a for all v_task, so f = J^-T tau_task with J = dq_a /
# dq_task.

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

    def motion_of(self, nodes: Array) -> tuple[Array, Array, Array]:
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
    """Return the indices in ``names`` of the joints that a motion moves."""
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


def path_of(motion: AccelerationProfile, rate: float, names: tuple[str, ...]) -> Path:
    """Return a trajectory's path, for joints in an order; nodes begin at the end nearer to the start."""
    position, velocity, scale = motion.path(times_of(motion, rate))
    low, high = float(position.min()), float(position.max())
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    nodes, half = (NODES, half) if half > 0.0 else (1, 1.0)  # one node: it rests
    points = chebyshev.chebpts1(nodes)
    if position[0] >= middle:
        points = points[::-1]
    q = np.zeros((nodes, len(names)))
    at_nodes = middle + half * points
    q[:, _places(motion, names)] = motion.start + at_nodes[:, None] * motion.accelerations
    coefficients = np.linalg.inv(chebyshev.chebvander(points, nodes - 1))
    row = chebyshev.chebvander((position - middle) / half, nodes - 1)
    derivative = np.zeros((nodes, nodes))  # of a series, as coefficients of the same length
    derivative[: nodes - 1] = chebyshev.chebder(np.eye(nodes))
    first = row @ derivative @ coefficients / half
    second = row @ derivative @ derivative @ coefficients / half**2
    return Path(q, row @ coefficients, first, second, velocity, scale)


# Inverse dynamics of many designs at many states: the only place where a study calls it.


class Loads(NamedTuple):
    """Loads of n designs at s states.

    Attributes:
        tau: of the independent joints (n, s, independent) [N m or N]. coordinates: (n, s, nq).
        statuses: `StateStatus` (n, s). tensions: (n, s, springs) [N]. sines: (n, s), as
            of `ClosedLoopResults`.
    """

    tau: Array
    coordinates: Array
    statuses: NDArray[np.uint8]
    tensions: Array
    sines: Array


def loads_of(graph: SubsystemGraph, q: Array, v: Array, a: Array, parameters: Mapping[str, Array]) -> Loads:
    """Return the loads of designs, on one thread: a study has a worker for each core.

    Args:
        q, v, a: of the independent joints (n, s, independent). parameters: (n,) by the names of
            ``graph.parameters``.
    """
    if graph.has_loops:
        solver = ClosedLoopInverseDynamics(graph)
        found = solver.solve_many(q, v, a, threads=1, parameters=parameters)
        return Loads(found.tau, found.coordinates, found.statuses, found.tensions, found.sines)
    shape = q.shape[:2]
    none = np.zeros((*shape, 0))
    statuses = np.full(shape, StateStatus.COMPUTED, np.uint8)
    try:
        tau = inverse_dynamics(graph, q, v, a, threads=1, parameters=parameters)
    except ModelError:
        if len(q) > 1:  # one design fails: evaluate each by itself
            rows = [slice(k, k + 1) for k in range(len(q))]
            columns = [{name: column[k] for name, column in parameters.items()} for k in rows]
            parts = [loads_of(graph, q[k], v[k], a[k], own) for k, own in zip(rows, columns, strict=True)]
            return Loads(*map(np.concatenate, zip(*parts, strict=True)))
        tau = np.full(v.shape, np.nan)
        statuses[:] = StateStatus.NO_MODEL
    return Loads(tau, q, statuses, none, np.full(shape, np.nan))


class Violation(IntFlag):
    """Flags of the requirements that a design violates, added up."""

    NO_MODEL = 1  #: numbers that no robot can have
    CANNOT_CLOSE = 2  #: a state at which the loops cannot close
    SINGULAR = 4  #: a state at a singular configuration
    NO_STATE = 8  #: a state that is not finite
    STROKE = 16  #: a joint beyond its limits
    SINE = 32  #: a state too near to a singular configuration
    SLACK = 64  #: a spring with too little tension
    OVERLOAD = 128  #: a spring with too much tension
    EFFORT = 256  #: an actuator beyond its effort limit


#: Violation of a design for each status of its states.
_VIOLATION_OF_STATUS = {
    StateStatus.NO_MODEL: Violation.NO_MODEL,
    StateStatus.CANNOT_CLOSE: Violation.CANNOT_CLOSE,
    StateStatus.SINGULAR: Violation.SINGULAR,
    StateStatus.NO_STATE: Violation.NO_STATE,
}
#: Columns of a design's margins, negative where it violates a requirement.
_MARGINS = {
    "stroke_margin": Violation.STROKE,
    "sine_margin": Violation.SINE,
    "tension_margin": Violation.SLACK,
    "overload_margin": Violation.OVERLOAD,
    "effort_margin": Violation.EFFORT,
}


def objectives_of(study: Study) -> tuple[str, ...]:
    """Return names of the columns of objectives: both weighted ones, and each actuator's."""
    return (
        "largest",
        "mean",
        *(f"{what} {name}" for name in study.actuators for what in ("largest", "mean")),
    )


def measured(
    study: Study, loads: Loads, numbers: Array | None, parameters: Mapping[str, Array]
) -> dict[str, NDArray[np.generic]]:
    """Return columns (n,) of n designs: the objectives, the margins, and "violations".

    largest = max over actuators of w max_t |f|, mean = sum of w mean_t |f| over the sum of w, for the force
    or torque f and the weight w of each actuator; NaN where a state has no answer. Margins are the smallest
    over the states: of strokes [rad or m], of the sine, of tensions [N], of efforts as share of the limit.
    They are infinite without a requirement, and negative where it is violated. Without ``numbers``, the
    designs' (n, inputs), limits of a catalogue are unknown.
    """
    graph, keep = study.graph, study.keep
    computed = (loads.statuses == StateStatus.COMPUTED).all(axis=1)
    independent = graph.independent_joint_names
    forces = np.abs(loads.tau[:, :, [independent.index(name) for name in study.actuators]])
    largest, mean = forces.max(axis=1), forces.mean(axis=1)  # (n, actuators), NaN where one is
    weights = np.array(list(study.actuators.values()))
    columns: dict[str, NDArray[np.generic]] = {
        "largest": (largest * weights).max(axis=1),
        "mean": (mean @ weights) / weights.sum(),
    }
    for k, name in enumerate(study.actuators):
        columns[f"largest {name}"], columns[f"mean {name}"] = largest[:, k], mean[:, k]
    columns = {name: np.where(computed, values, np.nan) for name, values in columns.items()}
    margins = {name: np.full(len(computed), np.inf) for name in _MARGINS}

    def keeps(name: str, margin: Array) -> None:
        margins[name] = np.fmin(margins[name], np.where(computed, margin, np.inf))

    def limit(parameter: str, value: float | None) -> Array | float | None:
        return parameters.get(parameter, value)

    for name in keep.strokes:
        joint = graph.joint(name)
        path = loads.coordinates[:, :, graph.q_slice(name).start]
        if (low := limit(f"joint {name} lower limit", joint.limits.lower)) is not None:
            keeps("stroke_margin", path.min(axis=1) - low)
        if (high := limit(f"joint {name} upper limit", joint.limits.upper)) is not None:
            keeps("stroke_margin", high - path.max(axis=1))
    if keep.sine is not None:
        # a sine is NaN near a singular configuration
        keeps("sine_margin", np.nan_to_num(loads.sines.min(axis=1), nan=0.0) - keep.sine)
    springs = [spring.name for spring in graph.springs]
    for one in keep.tensions:
        tension = loads.tensions[:, :, springs.index(one.spring)]
        keeps("tension_margin", tension.min(axis=1) - _bound(study, one.least, numbers, -np.inf))
        keeps("overload_margin", _bound(study, one.largest, numbers, np.inf) - tension.max(axis=1))
    for k, name in enumerate(study.actuators):
        effort = limit(f"joint {name} effort limit", graph.joint(name).limits.effort)
        if name in keep.efforts and effort is not None:
            keeps("effort_margin", 1.0 - largest[:, k] / effort)
    violations = np.zeros(len(computed), np.uint16)
    for status, violation in _VIOLATION_OF_STATUS.items():
        violations |= np.where((loads.statuses == status).any(axis=1), violation, 0).astype(np.uint16)
    for name, margin in margins.items():
        violations |= np.where(margin < 0.0, _MARGINS[name], 0).astype(np.uint16)
    return {**columns, **margins, "violations": violations}


def _bound(study: Study, bound: Bound | None, numbers: Array | None, none: float) -> Array | float:
    """Return a limit of designs; ``none`` if there is none or it is unknown."""
    if isinstance(bound, float):
        return bound
    if bound is None or numbers is None:
        return none
    name, column = bound
    k = [one.name for one in study.inputs].index(name)
    return study.inputs[k].column(column, numbers[:, k])


#: Most states, and designs, of one call. A block begins at a multiple of its size, so that a design is always
#: computed with the same others, and its result is the same to the bit, whatever chunk it is in.
BLOCK_STATES, BLOCK_DESIGNS = 240_000, 1000
#: Largest difference of a task's joints from the trajectory's: rounding [rad or m].
_ROUNDING = 1e-7


def designs_of_block(study: Study) -> int:
    """Return the number of designs that are computed in one call."""
    longest = max(len(times_of(motion, study.rate)) for motion in study.trajectories.values())
    return min(BLOCK_DESIGNS, max(1, BLOCK_STATES // longest))


class Evaluator:
    """Computes designs of one study; keeps what all of them share."""

    def __init__(self, study: Study) -> None:
        self.study, self.task = study, study.task()
        names = self.task.independent_joint_names
        motions = study.trajectories
        self.states = {name: states_of(one, study.rate, names) for name, one in motions.items()}
        self.paths = {name: path_of(one, study.rate, names) for name, one in motions.items() if study.instead}
        self.block = designs_of_block(study)

    def parameters(self, numbers: Array) -> dict[str, Array]:
        """Return the robot's parameters (n,) by name, for the numbers (n, inputs) of designs."""
        return {
            target.parameter: target.factor * one.column(column, numbers[:, k]) + target.offset
            for k, one in enumerate(self.study.inputs)
            for column, targets in one.targets
            for target in targets
        }

    def trajectories(self, numbers: Array) -> list[tuple[str, NDArray[np.intp]]]:
        """Return each trajectory with the rows of the designs that follow it."""
        for k, one in enumerate(self.study.inputs):
            if one.is_trajectory:
                chosen = numbers[:, k].astype(np.int64)
                return [(name, np.flatnonzero(chosen == row)) for row, name in enumerate(one.labels)]
        return [(next(iter(self.states)), np.arange(len(numbers)))]

    def measure(self, numbers: Array) -> dict[str, NDArray[np.generic]]:
        """Return the columns (n,) of `measured` for designs (n, inputs)."""
        names = (*objectives_of(self.study), *_MARGINS)
        result: dict[str, NDArray[np.generic]] = {name: np.full(len(numbers), np.nan) for name in names}
        result["violations"] = np.zeros(len(numbers), np.uint16)
        for trajectory, rows in self.trajectories(numbers):
            if len(rows):
                parameters = self.parameters(numbers[rows])
                loads = self.loads(trajectory, parameters, len(rows))
                for name, values in measured(self.study, loads, numbers[rows], parameters).items():
                    result[name][rows] = values
        return result

    def published(self, trajectory: str | None = None) -> dict[str, NDArray[np.generic]]:
        """Return one row of measured columns for the unchanged robot, by default on the first trajectory."""
        loads = self.loads(trajectory or next(iter(self.states)), {}, 1)
        return measured(self.study, loads, None, {})

    def loads(self, trajectory: str, parameters: dict[str, Array], count: int) -> Loads:
        """Return the loads of ``count`` designs on one trajectory."""
        states = self.states[trajectory]
        if not self.study.instead:
            q, v, a = (np.repeat(x[None], count, axis=0) for x in states[1:])
            return loads_of(self.study.graph, q, v, a, parameters)
        path = self.paths[trajectory]
        q = np.repeat(path.q[None], count, axis=0)
        rest = np.zeros_like(q)
        nodes = loads_of(self.task, q, rest, rest, parameters)
        return self._along(path, states, nodes, parameters)

    def _along(self, path: Path, states: States, nodes: Loads, parameters: dict[str, Array]) -> Loads:
        """Return loads along a path of designs whose loops were closed at its nodes."""
        graph, actuators = self.study.graph, list(self.study.instead)
        independent, of_task = graph.independent_joint_names, self.task.independent_joint_names
        closed = (nodes.statuses == StateStatus.COMPUTED).all(axis=1)
        positions = nodes.coordinates[:, :, [graph.q_slice(name).start for name in actuators]]
        q, v, a = (np.repeat(x[None], len(closed), axis=0) for x in states[1:])
        columns = [independent.index(name) for name in actuators]  # others move as the trajectory says
        q[:, :, columns], v[:, :, columns], a[:, :, columns] = path.motion_of(
            np.where(closed[:, None, None], positions, 0.0)
        )
        loads = loads_of(graph, q, v, a, parameters)
        loads.statuses[~closed] = nodes.statuses[~closed].max(axis=1)[:, None]
        # the task's joints follow the trajectory, unless the loops passed a singular configuration
        passive = [k for k, name in enumerate(of_task) if name not in independent]
        reached = loads.coordinates[:, :, [graph.q_slice(of_task[k]).start for k in passive]]
        with np.errstate(invalid="ignore"):
            is_off = np.abs(reached - states.q[:, passive]).max(axis=2, initial=0.0) > _ROUNDING
        loads.statuses[is_off & (loads.statuses == StateStatus.COMPUTED)] = StateStatus.SINGULAR
        return loads


def evaluated_rows(evaluator: Evaluator, first: int, last: int) -> dict[str, NDArray[np.generic]]:
    """Return columns of designs first ... last - 1: "index", inputs by name, measured ones.

    ``first`` is the beginning of a block.
    """
    study = evaluator.study
    parts = []
    for start in range(first, last, evaluator.block):
        stop = min(start + evaluator.block, last)
        numbers = designs_between(study.inputs, study.sampling, start, stop)
        inputs = {f"input {one.name}": numbers[:, k] for k, one in enumerate(study.inputs)}
        parts.append({"index": np.arange(start, stop), **inputs, **evaluator.measure(numbers)})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


# Ranking of designs: scores relative to the published design, and the Pareto front of two loads.

Columns = Mapping[str, NDArray[np.generic]]


def feasible_rows(columns: Columns) -> NDArray[np.intp]:
    """Return the rows of feasible designs, which satisfy all limits."""
    return np.flatnonzero(columns["violations"] == 0)


def scores(study: Study, columns: Columns, published: Columns) -> NDArray[np.float64]:
    """Return each design's score (n,): the weighted mean of load / published load over the objectives.

    The published design has 1. NaN where a design has no loads. Loads count as they are where the published
    one is zero.
    """
    total = sum(study.objective.values())
    parts = []
    for name, share in study.objective.items():
        reference = float(published[name][0].item())
        scale = reference if np.isfinite(reference) and reference > 0.0 else 1.0
        parts.append(share / total * np.asarray(columns[name], dtype=float) / scale)
    return np.asarray(np.sum(parts, axis=0))


def order(study: Study, columns: Columns, published: Columns) -> NDArray[np.intp]:
    """Return the rows of feasible designs, the best one first; equal ones by index."""
    rows = feasible_rows(columns)
    score = scores(study, columns, published)[rows]
    return np.asarray(rows[np.argsort(score, kind="stable")])


def front(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the Pareto front: rows that no other row beats in one value without being worse in the other.

    In order of the first value, rising; of equal rows the first one.
    """
    rows = np.lexsort((second, first))
    falling = np.minimum.accumulate(second[rows])
    better = np.concatenate([[True], falling[1:] < falling[:-1]])[: len(rows)]
    return np.asarray(rows[better])


# The robot of a design, and its URDF.


def design_graph(evaluator: Evaluator, numbers: NDArray[np.float64]) -> SubsystemGraph:
    """Return the robot with a design's numbers (inputs,). Raises StudyError: no robot can have them."""
    columns = evaluator.parameters(numbers[None])
    try:
        return evaluator.study.graph.with_parameters({name: float(one[0]) for name, one in columns.items()})
    except ModularDynamicsError as error:
        raise StudyError(f"this design is no robot: {error}") from error
