"""Quantities of many states of a robot with closed loops: by the core; where that fails, one by one."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arguments import Array, checked_out, errors_begin_with, thread_count
from ...dynamics.core_robot import loads_on_bodies
from ...dynamics.inverse_dynamics import Wrenches
from ...dynamics.quantity import counts_friction
from ...exceptions import ModularDynamicsError, StateError
from ...model import SubsystemGraph
from ...model.number_arrays import real_numbers
from ..assembly.assemble import finite_guess
from ..core_loops import GOOD, core_loops
from .results import status_of
from .solver import are_any, solver_of

#: (*state, guess) -> the quantity and the coordinates of all joints of one state, by the general method; then
#: further results.
Answer = Callable[..., tuple[Any, ...]]


class Rows(NamedTuple):
    """A quantity (n, ...) of n states and what belongs to it; NaN where a state was not computed.

    Attributes:
        states: the n states as arrays of the core. coordinates: of all joints (n, nq).
        statuses: `StateStatus` (n,). reasons: by row, why a state was not computed.
        others: by row that the general method computed, its further results.
    """

    states: list[Array]
    values: Array
    coordinates: Array
    statuses: NDArray[np.uint8]
    reasons: Mapping[int, str]
    others: Mapping[int, Any]


def are_many(states: ArrayLike, threads: int | None = None) -> bool:
    """Return whether an argument has more than one axis, and so a row for each of many states.

    Raises:
        StateError: a wrong number of threads, also of one state, for which it does not matter.
    """
    if threads is not None:
        thread_count(threads)
    try:
        return np.ndim(states) > 1
    except ValueError:  # ragged; the error is raised where it is converted
        return False


def computed_rows(
    graph: SubsystemGraph,
    quantity: str,
    states: Mapping[str, ArrayLike],
    answer: Answer,
    *,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    errors: str = "raise",
    friction: str = "none",
    external_wrenches: Wrenches = None,
) -> Rows:
    """Return a quantity of many states.

    Args:
        quantity: a function of `_core.Loops`. states: its states, by name; q first.
        answer: computes a state that the core does not answer.
        guess: for each state (n, nq); or for the first one (nq,): then each state starts from one before it.
        errors: "mark": states that cannot be computed have NaN, a status and a reason. "raise": the error of
            the first one, with its row.
        external_wrenches: of inverse dynamics; other quantities are computed one by one.

    Raises:
        StateError: a wrong shape, or one guess that is not finite.
    """
    solver, counts = solver_of(graph), counts_friction(friction)
    arrays, p = rows_of_states(graph, **states), len(solver.independent_v)
    count = len(arrays[0])
    start = _guesses(graph, solver.reference() if guess is None else guess, count)
    values = np.empty((count, p, p) if quantity == "mass_matrix" else (count, p))
    coordinates, codes = np.empty((count, graph.nq)), np.full(count, GOOD + 1)
    of_torques = quantity == "inverse_dynamics"
    if count and (of_torques or not are_any(external_wrenches)):
        loads = [loads_on_bodies(graph, external_wrenches)] if are_any(external_wrenches) else []
        function, results = getattr(graph.once(core_loops), f"{quantity}_rows"), (values, coordinates, None)
        function(*arrays, start, *results, codes, counts, thread_count(threads), *loads)
    statuses, reasons, others = np.zeros(count, np.uint8), dict[int, str](), dict[int, Any]()
    is_good, passive = codes == GOOD, solver.system.passive
    if guess is None and is_good[:1].all() and count:  # as of one state; the others follow from it
        is_good[0] = passive.are_within_limits(coordinates[0])
    if is_good.all():
        return Rows(arrays, values, coordinates, statuses, reasons, others)
    values[~is_good], coordinates[~is_good] = np.nan, np.nan
    before, last = np.maximum.accumulate(np.where(is_good, np.arange(count), -1)), -1
    for row in np.flatnonzero(~is_good).tolist():
        # the row's own guess; in a motion the last configuration before it, or the first guess
        near = start[row] if start.ndim == 2 else start
        if start.ndim == 1 and (known := max(before[row], last)) >= 0:
            near = coordinates[known]
        try:
            value, closed, *others[row] = answer(*(x[row] for x in arrays), near)
            if guess is None and row == 0:
                closed = passive.within_limits(closed)
            values[row], coordinates[row], last = value, closed, row
        except ModularDynamicsError as error:
            if errors == "raise":
                error.args = (f"row {row}: {error}", *error.args[1:])
                raise
            statuses[row], reasons[row] = status_of(error), str(error)
    return Rows(arrays, values, coordinates, statuses, reasons, others)


def rows_of_states(graph: SubsystemGraph, **states: ArrayLike) -> list[Array]:
    """Return arrays with a row for each state of the independent joints, from q and others by name.

    Raises:
        StateError: another shape, or another number of rows than the first has.
    """
    solver, arrays = solver_of(graph), list[Array]()
    for name, value in states.items():
        array = real_numbers(name, value)
        width = len(solver.independent_q if name == "q" else solver.independent_v)
        if array.ndim != 2 or array.shape[1] != width:
            raise StateError(f"{name} has shape {array.shape}; (n, {width}) is needed, a row for each state")
        arrays.append(np.require(array, np.float64, ["C", "A"]))
    if len({len(rows) for rows in arrays}) > 1:
        numbers = ", ".join(str(len(rows)) for rows in arrays)
        raise StateError(f"{', '.join(states)} have {numbers} rows; one for each state is needed")
    return arrays


def closed_rows(
    graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None, threads: int | None = None
) -> Array:
    """Return coordinates of all joints (n, nq), loops closed, of rows of the independent joints' q.

    Raises:
        ClosureError: as of `.close_loops`, with the row.
    """
    solver = solver_of(graph)
    rest = np.zeros((len(real_numbers("q", q)), len(solver.independent_v)))

    def answer(q: Array, v: Array, _: Array, near: Array) -> tuple[Array, Array]:
        return v, solver.close(q, near)

    states = {"q": q, "v": rest, "a": rest}
    return computed_rows(graph, "inverse_dynamics", states, answer, guess=guess, threads=threads).coordinates


def closed_and_computed(
    graph: SubsystemGraph,
    states: Mapping[str, ArrayLike],
    answer: Callable[..., Array],
    shape: tuple[int, ...],
    *,
    guess: ArrayLike | None,
    threads: int | None,
    out: Array | None,
) -> Array:
    """Return a quantity of one state or many by the general method, written into ``out`` if that is given.

    Args:
        states: of the independent joints, by name; q first. answer: (*state, guess) -> the quantity of one.
        shape: of the quantity of one state.
    """
    if not are_many(states["q"], threads):
        return into(out, answer(*states.values(), guess))
    arrays, closed = rows_of_states(graph, **states), closed_rows(graph, states["q"], guess, threads)
    result = np.empty((len(closed), *shape)) if out is None else checked_out(out, (len(closed), *shape))
    for k, state in enumerate(zip(*arrays, closed, strict=True)):
        with errors_begin_with(f"row {k}"):
            result[k] = answer(*state)
    return result


def into(out: Array | None, value: Array) -> Array:
    """Return the value, written into ``out`` if that is given."""
    if out is None:
        return value
    checked_out(out, value.shape)[:] = value
    return out


def _guesses(graph: SubsystemGraph, guess: ArrayLike, count: int) -> Array:
    """Return a guess for each state (count, nq), or one for the first (nq,). Raises StateError."""
    given = np.require(real_numbers("guess", guess), np.float64, ["C", "A"])
    if given.shape == (count, graph.nq) and count != 1:
        return given
    if given.shape not in ((graph.nq,), (count, graph.nq)):
        raise StateError(f"guess has shape {given.shape}; ({graph.nq},) or ({count}, {graph.nq}) is needed")
    one = given.reshape(graph.nq)
    is_usable = not graph.coordinate_layout.with_quaternion and np.isfinite(one).all()
    return one if is_usable else finite_guess(graph, one)


def tensions_and_sines(graph: SubsystemGraph, rows: Rows, friction: str) -> tuple[Array, Array]:
    """Return tensions (n, springs) and sines (n,) of states that were computed; NaN where there are none."""
    loops, solver, count = graph.once(core_loops), solver_of(graph), len(rows.values)
    details, codes = np.zeros((count, loops.details)), np.zeros(count, np.int64)
    if count:
        (q, v, a), results = rows.states, (np.empty_like(rows.values), None, details, codes)
        counts, threads = counts_friction(friction), thread_count(None)
        loops.inverse_dynamics_rows(q, v, a, rows.coordinates, *results, counts, threads)
    parts = solver.details_of(details)
    is_good = codes == GOOD
    tensions = np.where(is_good[:, None], parts.tensions, np.nan)
    sines = np.where(is_good & solver.is_planar, parts.sines, np.nan)
    for row, (own,) in rows.others.items():
        tensions[row], sines[row] = own, np.nan
    return tensions, sines
