"""Inverse dynamics of closed loops for many designs: robots of one structure that differ in their numbers."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.arguments import Array, errors_begin_with, thread_count
from ...dynamics.core_robot import Robot, robot_arrays
from ...dynamics.designs import Columns, checked_columns, rows_of_designs, states_of_designs
from ...dynamics.quantity import counts_friction
from ...exceptions import ModularDynamicsError, StateError
from ...model import SubsystemGraph
from ...model.number_arrays import real_numbers
from ..assembly.assemble import Assembler, finite_guess
from ..assembly.diagnosis import cannot_close
from ..constraints import newton
from ..core_loops import Loops, are_planar, loop_arrays
from .results import ClosedLoopResults, status_of
from .solver import ClosedLoopSolver, solver_of


def solve_designs(
    graph: SubsystemGraph,
    states: Mapping[str, ArrayLike],
    guess: ArrayLike | None,
    threads: int | None,
    errors: str,
    friction: str,
    parameters: Mapping[str, ArrayLike],
) -> ClosedLoopResults:
    """Return inverse dynamics of many designs: see `solve_many`, which has checked ``errors``."""
    solver, columns = solver_of(graph), checked_columns(graph, parameters)
    widths = len(solver.independent_q), len(solver.independent_v), len(solver.independent_v)
    given = states_of_designs(states, widths, len(columns.values))
    shape = given[0].shape[:-1]
    values = np.broadcast_to(columns.values, (shape[0], len(columns.names)))
    columns = Columns(graph, columns.names, values)
    count, each = shape[0], shape[1] if len(shape) == 2 else 1
    q, v, a = (x.reshape(count, each, width) for x, width in zip(given, widths, strict=True))
    start, made = _start(solver, guess), rows_of_designs(columns, graph.once(_LoopNumbers).numbers)
    sizes = (widths[1],), (graph.nq,), (len(graph.springs),), ()
    results_of_all = [np.full((count, each, *size), np.nan) for size in sizes]
    statuses = np.zeros((count, each), np.uint8)
    reasons = dict[int, str]()
    for k in range(count):
        if k in made.errors:
            errors_of_states = dict.fromkeys(range(each), made.errors[k])
        else:
            loops = None if k in made.others else graph.once(_LoopNumbers).loops(made.numbers[k])
            state, results = (q[k], v[k], a[k]), tuple(array[k] for array in results_of_all)
            errors_of_states = _solve_design(
                columns, k, loops, state, start, friction, thread_count(threads), results
            )
        for state_number, error in errors_of_states.items():
            row = k * each + state_number
            if errors == "raise":
                with errors_begin_with(f"design {k}, state {state_number}"):
                    raise error
            reasons[row], statuses[k, state_number] = str(error), status_of(error)
    tau, coordinates, *details = (array.reshape(*shape, *array.shape[2:]) for array in results_of_all)
    return ClosedLoopResults(tau, coordinates, statuses.reshape(shape), reasons, *details)


class _LoopNumbers:
    """Converts numbers of a robot with loops to one array (w,), and such an array to the core's loops."""

    def __init__(self, graph: SubsystemGraph) -> None:
        self._robot, self._loops = robot_arrays(graph.tree), loop_arrays(graph)
        # slices of numbers: whether of the loops' arrays, name of the array, slice, shape
        self._slices: list[tuple[bool, str, slice, tuple[int, ...]]] = []
        first = 0
        for of_loops, arrays in enumerate((self._robot, self._loops)):
            for name, array in arrays.items():
                if array.dtype == np.float64:
                    where = slice(first, first + array.size)
                    self._slices.append((bool(of_loops), name, where, array.shape))
                    first += array.size

    def numbers(self, other: SubsystemGraph) -> Array | None:
        """Return the numbers (w,) of a graph; None if its structure is another one."""
        numbers = []
        for own, made in ((self._robot, robot_arrays(other.tree)), (self._loops, loop_arrays(other))):
            for name, array in own.items():
                if array.dtype == np.float64 and array.shape == made[name].shape:
                    numbers.append(made[name].ravel())
                elif not np.array_equal(array, made[name]):
                    return None
        return np.concatenate(numbers)

    def loops(self, numbers: Array) -> Loops:
        """Return the loops with these numbers."""
        robot, loops = self._robot.copy(), self._loops.copy()
        for of_loops, name, where, shape in self._slices:
            (loops if of_loops else robot)[name] = numbers[where].reshape(shape)
        return Loops(Robot(**robot), **loops)


def _start(solver: ClosedLoopSolver, guess: ArrayLike | None) -> Array:
    """Return the guess with closed loops; the reference configuration without a guess."""
    if guess is None:
        return solver.reference()
    given = real_numbers("guess", guess)
    if given.shape != (solver.graph.nq,):
        raise StateError(f"guess has shape {given.shape}; with parameters, ({solver.graph.nq},) is needed")
    start = finite_guess(solver.graph, given)
    return solver.close(start[solver.independent_q], start)


def _solve_design(
    columns: Columns,
    design: int,
    loops: Loops | None,
    state: tuple[Array, ...],
    start: Array,
    friction: str,
    threads: int,
    results: tuple[Array, ...],
) -> dict[int, ModularDynamicsError]:
    """Write the results of one design's states, and return the errors of those that have none, by state.

    The core computes each state from the one before it, the first from ``start``; the general method
    computes those that the core does not.
    """
    tau, coordinates, tensions, sines = results
    left = np.arange(len(tau))
    if loops is not None and len(left):
        details, codes = np.empty((len(tau), loops.details)), np.empty(len(tau), np.int64)
        counts, (q, v, a) = counts_friction(friction), state
        loops.inverse_dynamics_rows(q, v, a, start, tau, coordinates, details, codes, counts, threads)
        first = 2 * columns.graph.nv  # behind velocities and accelerations: see _core.pyi
        tensions[:] = details[:, first : first + tensions.shape[1]]
        if are_planar(loops):
            sines[:] = details[:, -1]
        left = np.flatnonzero(codes)
        if len(left):
            for array in results:
                array[left] = np.nan
    if not len(left):
        return {}
    try:
        robot = columns.robot(columns.values[design])
        near = _closed_near(robot, start)
    except ModularDynamicsError as error:
        return dict.fromkeys(left.tolist(), error)
    single, errors = solver_of(robot), dict[int, ModularDynamicsError]()
    for row in left.tolist():
        computed = np.flatnonzero(np.isfinite(tau[:row]).all(axis=1))
        guess = coordinates[computed[-1]] if len(computed) else near
        try:
            at = state[0][row], state[1][row], state[2][row]
            result = single.inverse_dynamics_at(*at, guess, friction=friction)
        except ModularDynamicsError as error:
            errors[row] = error
        else:
            tau[row], coordinates[row] = result.tau, result.coordinates
            tensions[row] = [*result.tensions.values()]
    return errors


def _closed_near(design: SubsystemGraph, guess: Array) -> Array:
    """Return a closed configuration near a guess. Raises ClosureError: none was found."""
    system, start = solver_of(design).system, guess.copy()
    if newton.correct(system, start, newton.LARGEST_STEP):
        return start
    assembler = design.once(Assembler)
    result = assembler.search(guess, limited=False)
    if result.open_groups:
        raise cannot_close(assembler.system, result, result)
    return result.q
