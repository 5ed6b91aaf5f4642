"""Inverse dynamics of closed loops for many designs: robots of one structure that differ in their numbers."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....dynamics.arrays.arguments import Array, thread_count
from ....dynamics.arrays.design_rows import (
    Columns,
    DesignRows,
    checked_columns,
    rows_of_designs,
    terms_of_columns,
)
from ....exceptions import ClosureError, ModularDynamicsError, SingularityError, StateError
from ....kernels.loops.planar.batch import UNCLOSED, DesignArrays, PlanarStates, planar_batch
from ....kernels.loops.planar.inverse_dynamics import ELSEWHERE
from ....kernels.loops.planar.steps import branch_signs
from ....model import SubsystemGraph
from ....model.number_arrays import real_numbers
from ...assembly.assemble import finite_guess
from ...threads import run_on_threads
from ..planar_arrays import design_mechanism, numbers_of, planar_mechanism, planar_workspace
from ..solver import ClosedLoopSolver, solver_of
from .newton_designs import answer_designs_by_newton
from .remaining_designs import answer_remaining
from .results import ClosedLoopBatch, RowStatus, new_states, status_of

__all__ = ["designs_batch"]


class _Designs(NamedTuple):
    """Columns of parameters, and s states of each design."""

    columns: Columns
    number: int
    states: int


def designs_batch(
    graph: SubsystemGraph,
    motion: tuple[ArrayLike, ArrayLike, ArrayLike],
    guess: ArrayLike | None,
    threads: int | None,
    errors: str,
    friction: str,
    parameters: Mapping[str, ArrayLike],
) -> ClosedLoopBatch:
    """See :func:`.closed_loop_inverse_dynamics_batch`, which has checked ``errors``."""
    general = solver_of(graph)
    columns = checked_columns(graph, parameters)
    sizes = len(general.independent_q), len(general.independent_v), len(general.independent_v)
    shape, given = _rows(motion, sizes)
    designs = _Designs(_repeated(columns, shape[0]), shape[0], int(np.prod(shape[1:])))
    start = _closed(general, guess)
    states = new_states(graph, given, start[None])
    mechanism = planar_mechanism(general, friction)
    if mechanism is None:
        rows = DesignRows(np.zeros((designs.number, 0)), {}, list(range(designs.number)))
    else:
        rows = rows_of_designs(designs.columns, lambda other: numbers_of(other, mechanism), "planar")
    if mechanism is not None and len(states.q) and len(rows.others) < designs.number:
        signs = np.zeros(len(mechanism.steps.steps))
        branch_signs(mechanism.steps, start, signs)
        arrays = DesignArrays(rows.numbers, signs, start)
        terms = terms_of_columns(columns, friction)

        def work(queue: NDArray[np.int64]) -> None:
            own = design_mechanism(mechanism, graph, terms)
            planar_batch(own, planar_workspace(graph, own), states, arrays, queue)

        run_on_threads(work, len(states.q), min(thread_count(threads), designs.number))
    if len(states.q) and rows.others:
        others, terms = sorted(rows.others), terms_of_columns(columns, friction)
        states.sines.reshape(designs.number, -1)[others] = np.nan
        answer_designs_by_newton(
            general, designs.columns, others, friction, terms, states, thread_count(threads)
        )
    order = () if general.explicit is None else general.explicit.order
    reasons = _Reasons(states.statuses, order, {})
    statuses = _statuses(states.statuses)
    for design in sorted({*rows.errors, *rows.others}):
        _answer(designs, design, rows, states, statuses, reasons, friction)
    _erase_unanswered(states, statuses)
    if errors == "raise" and (bad := next(iter(reasons), None)) is not None:
        raise reasons.error(bad, designs.states)
    tau, coordinates, tensions, sines = (
        array.reshape(*shape, *array.shape[1:])
        for array in (states.tau, states.coordinates, states.tensions, states.sines)
    )
    return ClosedLoopBatch(tau, coordinates, tensions, sines, statuses.reshape(shape), reasons)


def _rows(motion: tuple[ArrayLike, ...], sizes: tuple[int, ...]) -> tuple[tuple[int, ...], list[Array]]:
    """The shape (n, s) or (n,) of all states, and q, v and vdot as rows. Raises StateError: other shapes."""
    arrays = [real_numbers(name, x) for name, x in zip(("q", "v", "vdot"), motion, strict=True)]
    for name, array, size in zip(("q", "v", "vdot"), arrays, sizes, strict=True):
        if array.ndim not in (2, 3) or array.shape[-1] != size or array.shape[:-1] != arrays[0].shape[:-1]:
            raise StateError(
                f"{name} has shape {array.shape}; with parameters (n, s, {size}) is needed, s states for "
                f"each of n designs, or (n, {size}), one state; q, v and vdot alike"
            )
    rows = [array.reshape(-1, size) for array, size in zip(arrays, sizes, strict=True)]
    return arrays[0].shape[:-1], [np.require(x, np.float64, ["C", "A", "W"]) for x in rows]


def _repeated(columns: Columns, count: int) -> Columns:
    """Columns with a row for each design. Raises StateError: another number of rows."""
    rows = len(columns.values)
    if rows not in (1, count):
        raise StateError(f"parameters are of {rows} designs, q, v and vdot of {count}")
    values = np.broadcast_to(columns.values, (count, len(columns.names)))
    return Columns(columns.graph, columns.names, values)


def _closed(general: ClosedLoopSolver, guess: ArrayLike | None) -> Array:
    """The guess, closed; the reference by default."""
    if guess is None:
        return general.reference()
    given = real_numbers("guess", guess)
    if given.shape != (general.graph.nq,):
        raise StateError(f"guess has shape {given.shape}; with parameters, ({general.graph.nq},) is needed")
    start = finite_guess(general.graph, given)
    return general.close(start[general.independent_q], start)


def _statuses(codes: NDArray[np.int64]) -> NDArray[np.uint8]:
    statuses = np.full(len(codes), RowStatus.NO_STATE, np.uint8)
    statuses[codes == 0] = RowStatus.ANSWERED
    statuses[codes == ELSEWHERE] = RowStatus.DEAD_POINT
    statuses[codes >= UNCLOSED] = RowStatus.CANNOT_CLOSE
    return statuses


def _answer(
    designs: _Designs,
    design: int,
    rows: DesignRows,
    states: PlanarStates,
    statuses: NDArray[np.uint8],
    reasons: "_Reasons",
    friction: str,
) -> None:
    """Write the states of a design that compiled functions did not answer: by the general method."""
    first = design * designs.states
    left = first + np.arange(designs.states)
    if (error := rows.errors.get(design)) is None:
        left = left[states.statuses[left] != 0]
    if not len(left):
        return
    states.tau[left], states.statuses[left], statuses[left] = np.nan, 0, RowStatus.ANSWERED
    errors = {} if error is None else dict.fromkeys(left.tolist(), error)
    if error is None:
        try:
            robot = designs.columns.design(design)
        except ModularDynamicsError as other:
            errors = dict.fromkeys(left.tolist(), other)
        else:
            errors = answer_remaining(robot, friction, states, left.tolist(), first)
    reasons.errors.update(errors)
    for row, own in errors.items():
        statuses[row] = status_of(own)


def _erase_unanswered(states: PlanarStates, statuses: NDArray[np.uint8]) -> None:
    bad = statuses != RowStatus.ANSWERED
    if bad.any():
        for array in (states.tau, states.coordinates, states.tensions, states.sines):
            array[bad] = np.nan


class _Reasons(Mapping[int, str]):
    """By row, why a state was not answered; texts are made when they are read.

    Attributes:
        codes: statuses of the compiled function. order: what the steps solve. errors: those of other states.
    """

    def __init__(
        self, codes: NDArray[np.int64], order: tuple[str, ...], errors: dict[int, ModularDynamicsError]
    ) -> None:
        self.codes, self.order, self.errors = codes, order, errors

    def __iter__(self) -> Iterator[int]:
        return iter(sorted({*np.flatnonzero(self.codes).tolist(), *self.errors}))

    def __len__(self) -> int:
        return int(np.count_nonzero(self.codes)) + len(self.errors)

    def __getitem__(self, row: int) -> str:
        if row in self.errors:
            return str(self.errors[row])
        if not 0 <= row < len(self.codes) or self.codes[row] == 0:
            raise KeyError(row)
        return str(self._made(row))

    def error(self, row: int, states: int) -> ModularDynamicsError:
        """The error of a row, which names its design and state."""
        error = self.errors.get(row) or self._made(row)
        error.args = (f"design {row // states}, state {row % states}: {error}", *error.args[1:])
        return error

    def _made(self, row: int) -> ModularDynamicsError:
        code = int(self.codes[row])
        if code >= UNCLOSED:
            return ClosureError(f"the loops cannot close here: the {self.order[code - UNCLOSED]}")
        if code == ELSEWHERE:
            return SingularityError("a dead point is here, or nearer than designs are answered", np.inf)
        return StateError("q, v and vdot are not finite, or so large that the torques are not")
