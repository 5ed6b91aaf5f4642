"""Closed loops for many states: a bad state is marked, and spoils no other."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arguments import Array, thread_count
from ...dynamics.quantity import terms_of
from ...exceptions import ModularDynamicsError, StateError
from ...model import SubsystemGraph, require_graph
from ...model.number_arrays import real_numbers
from ..assembly.assemble import finite_guess
from ..core_loops import GOOD, Loops, core_loops
from .designs import designs_batch
from .equation_of_motion import ClosedLoopEquationOfMotion, without_springs
from .inverse_dynamics import ClosedLoopInverseDynamics
from .results import ClosedLoopBatch, ClosedLoopTerms, status_of
from .solver import Details, solver_of
from .state_rows import rows_of_states

__all__ = [
    "JointMotions",
    "closed_loop_bias_batch",
    "closed_loop_forward_dynamics_batch",
    "closed_loop_gravity_torque_batch",
    "closed_loop_inverse_dynamics_batch",
    "closed_loop_mass_matrix_batch",
    "joint_motions_batch",
]


class JointMotions(NamedTuple):
    """Velocities and accelerations of all joints (n, nv)."""

    v: Array
    vdot: Array


def closed_loop_inverse_dynamics_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
    friction: str = "none",
    parameters: Mapping[str, ArrayLike] | None = None,
) -> ClosedLoopBatch:
    """Torques and coordinates of many states: rows as of :func:`.closed_loop_inverse_dynamics`.

    By one compiled function on several threads: planar loops in closed form, others by Newton's method; by
    the general method, state by state, where that does not answer, and where loops leave coordinates free.
    With ``parameters`` also of many designs, robots that differ in these numbers: nothing is loaded for each.

    Args:
        q, v, vdot: of the independent joints, a row for each state. With n designs: s states of each
            (n, s, independent), or one (n, independent).
        guess: coordinates of all joints for each state (n, nq); or for the first one (nq,): then each state
            starts from one before it, as of a motion. The reference by default.
        threads: how many to use; all cores by default. The results do not depend on it.
        errors: "mark": states that cannot be answered have NaN, a status and a reason. "raise": the error of
            the first one, with its row.
        friction: as of ``inverse_dynamics``.
        parameters: columns (n,) by the names of ``graph.parameters``. The assembly mode of each design is
            that of ``guess``, which is one configuration (nq,) of ``graph`` itself: planar loops bend to the
            same sides.

    Raises:
        StateError: a wrong shape, one guess that is not finite, another ``errors``. With "raise", as of
            ``closed_loop_inverse_dynamics``, or ModelError of the first design that no robot can be.
        UnknownNameError: no such parameter; names similar ones.
    """
    require_graph(graph)
    _check_errors(errors)
    if parameters is not None:
        return designs_batch(graph, (q, v, vdot), guess, threads, errors, friction, parameters)
    run = _Run(graph, "inverse_dynamics", {"q": q, "v": v, "vdot": vdot}, guess, threads, errors, friction)
    solver = ClosedLoopInverseDynamics(graph, friction)

    def alone(row: int, near: Array) -> tuple[Array, Array]:
        one, other, third = run.states
        found = solver.solve(one[row], other[row], third[row], near, diagnose=errors == "raise")
        run.tensions[row] = np.array([*found.tensions.values()])
        return found.tau, found.coordinates

    terms = run.answered(alone)
    find = partial(_tensions_and_sines, graph, run.states, terms.coordinates, friction, run.tensions)
    return ClosedLoopBatch(terms.values, terms.coordinates, terms.statuses, terms.reasons, find)


def closed_loop_mass_matrix_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
) -> ClosedLoopTerms:
    """M1 (n, p, p) of rows of q: see :func:`.closed_loop_mass_matrix`.

    Arguments and errors of these functions as of :func:`.closed_loop_inverse_dynamics_batch`.
    """
    return _equation(graph, "mass_matrix", {"q": q}, guess, threads, errors)


def closed_loop_bias_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
    friction: str = "none",
) -> ClosedLoopTerms:
    """h1 (n, p) of rows of q and v: see :func:`.closed_loop_bias`."""
    rest = np.zeros(real_numbers("v", v).shape)
    result = closed_loop_inverse_dynamics_batch(
        graph, q, v, rest, guess, threads, errors=errors, friction=friction
    )
    return ClosedLoopTerms(result.tau, result.coordinates, result.statuses, result.reasons)


def closed_loop_gravity_torque_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
) -> ClosedLoopTerms:
    """g1 (n, p) of rows of q, without springs: see :func:`.closed_loop_gravity_torque`."""
    require_graph(graph)
    rows = real_numbers("q", q)
    rest = np.zeros((len(rows) if rows.ndim else 0, len(solver_of(graph).independent_v)))
    return closed_loop_bias_batch(graph.once(without_springs), q, rest, guess, threads, errors=errors)


def closed_loop_forward_dynamics_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
    friction: str = "none",
) -> ClosedLoopTerms:
    """Accelerations (n, p) of the independent joints: vdot = M1^-1 (tau - h1).

    Free joints have velocity zero. States beside dead points of the independent joints are not answered;
    :func:`.closed_loop_forward_dynamics` answers them, for these joints do not matter there.

    Raises:
        StateError: tau has another shape than v, or, with ``errors="raise"``, is not finite, or acts on a
            motion that moves no inertia. Without torque such a motion has no acceleration.
    """
    states = {"q": q, "v": v, "tau": tau}
    return _equation(graph, "forward_dynamics", states, guess, threads, errors, friction)


def joint_motions_batch(graph: SubsystemGraph, coordinates: Array, v: Array, vdot: Array) -> JointMotions:
    """Velocities and accelerations of all joints of n closed states, from those of the independent joints.

    v_full = W v, and W vdot + what the loops add at zero vdot.

    Args:
        coordinates: (n, nq), as `closed_loop_inverse_dynamics_batch` gives them. v, vdot: (n, independent).
    """
    solver = solver_of(graph)
    rows = np.asarray(coordinates)[:, solver.independent_q], np.asarray(v), np.asarray(vdot)
    given = tuple(np.require(x, np.float64, ["C", "A"]) for x in rows)
    details, statuses = _details(graph, given, np.ascontiguousarray(coordinates), "none")
    full = JointMotions(details.velocities.copy(), details.accelerations.copy())
    for row in np.flatnonzero(statuses != GOOD):
        one = solver.inverse_dynamics(coordinates[row], v[row], vdot[row])
        full.v[row], full.vdot[row] = one.velocities, one.accelerations
    return full


def _equation(
    graph: SubsystemGraph,
    quantity: str,
    states: Mapping[str, ArrayLike],
    guess: ArrayLike | None,
    threads: int | None,
    errors: str,
    friction: str = "none",
) -> ClosedLoopTerms:
    """A quantity of `ClosedLoopEquationOfMotion`."""
    require_graph(graph)
    _check_errors(errors)
    run = _Run(graph, quantity, states, guess, threads, errors, friction)
    single = graph.once(ClosedLoopEquationOfMotion, friction)

    def alone(row: int, near: Array) -> tuple[Array, Array]:
        q, *others = (x[row] for x in run.states)
        closed = solver_of(graph).close(q, near, diagnose=errors == "raise")
        return getattr(single, quantity)(q, *others, closed), closed

    return run.answered(alone)


def _check_errors(errors: str) -> None:
    if errors not in ("mark", "raise"):
        raise StateError(f'errors is {errors!r}; "mark" or "raise" is needed')


class _Run:
    """Rows of a quantity: by the core, and one by one where that does not answer.

    Attributes:
        states: arrays with a row for each state. tensions: of springs, by row, where `alone` found them.
    """

    def __init__(
        self,
        graph: SubsystemGraph,
        quantity: str,
        states: Mapping[str, ArrayLike],
        guess: ArrayLike | None,
        threads: int | None,
        errors: str,
        friction: str,
    ) -> None:
        solver = solver_of(graph)
        p = len(solver.independent_v)
        widths = {name: (x, len(solver.independent_q) if name == "q" else p) for name, x in states.items()}
        rows = rows_of_states(**widths)
        self.graph, self._errors = graph, errors
        self.states = [np.require(x, np.float64, ["C", "A"]) for x in rows]
        self.tensions = dict[int, Array]()
        count, square = len(self.states[0]), quantity == "mass_matrix"
        self._guess = _guesses(graph, solver.reference() if guess is None else guess, count)
        self._values = np.full((count, p, p) if square else (count, p), np.nan)
        self._coordinates, self._codes = np.full((count, graph.nq), np.nan), np.zeros(count, np.int64)
        if count:
            function, is_friction = getattr(graph.once(core_loops), f"{quantity}_rows"), _counts(friction)
            results = self._values, self._coordinates, None, self._codes
            function(*self.states, self._guess, *results, is_friction, thread_count(threads))

    def answered(self, alone: Callable[[int, Array], tuple[Array, Array]]) -> ClosedLoopTerms:
        """All results. alone: (row, guess) -> value and coordinates; raises where there are none."""
        statuses, reasons = np.zeros(len(self._codes), np.uint8), dict[int, str]()
        good = np.where(self._codes == GOOD, np.arange(len(self._codes)), -1)
        before, last = np.maximum.accumulate(good), -1
        for row in np.flatnonzero(self._codes != GOOD).tolist():
            # its own guess; or of a motion the last configuration before it, or the first guess
            near = self._guess[row] if self._guess.ndim == 2 else self._guess
            if self._guess.ndim == 1 and (known := max(before[row], last)) >= 0:
                near = self._coordinates[known]
            try:
                self._values[row], self._coordinates[row] = alone(row, near)
                last = row
            except ModularDynamicsError as error:
                if self._errors == "raise":
                    error.args = (f"row {row}: {error}", *error.args[1:])
                    raise
                statuses[row], reasons[row] = status_of(error), str(error)
        return ClosedLoopTerms(self._values, self._coordinates, statuses, reasons)


def _guesses(graph: SubsystemGraph, guess: ArrayLike, count: int) -> Array:
    """A guess for each state (count, nq), or one for the first (nq,). Raises StateError."""
    given = np.require(real_numbers("guess", guess), np.float64, ["C", "A"])
    if given.shape == (count, graph.nq) and count != 1:
        return given
    if given.shape not in ((graph.nq,), (count, graph.nq)):
        raise StateError(f"guess has shape {given.shape}; ({graph.nq},) or ({count}, {graph.nq}) is needed")
    return finite_guess(graph, given.reshape(graph.nq))


def _counts(friction: str) -> bool:
    return terms_of(friction) != terms_of("none")


def _tensions_and_sines(
    graph: SubsystemGraph,
    states: Sequence[Array],
    coordinates: Array,
    friction: str,
    others: Mapping[int, Array],
) -> tuple[Array, Array]:
    """Tensions (n, springs) and sines (n,) of states that were answered; NaN where there are none.

    Args:
        others: tensions of states that the general method answered, by row.
    """
    found, statuses = _details(graph, tuple(states), coordinates, friction)
    tensions, sines = found.tensions.copy(), found.sines.copy()
    tensions[statuses != GOOD], sines[statuses != GOOD] = np.nan, np.nan
    for row, own in others.items():
        tensions[row], sines[row] = own, np.nan
    if not solver_of(graph).is_planar:
        sines[:] = np.nan
    return tensions, sines


def _details(
    graph: SubsystemGraph, states: tuple[Array, ...], coordinates: Array, friction: str
) -> tuple[Details, NDArray[np.int64]]:
    """What the core says of closed states beside their torques, and its statuses."""
    loops: Loops = graph.once(core_loops)
    count, solver = len(coordinates), solver_of(graph)
    details, statuses = np.zeros((count, loops.details)), np.zeros(count, np.int64)
    if count:
        tau, (q, v, vdot) = np.empty((count, len(solver.independent_v))), states
        loops.inverse_dynamics_rows(
            q, v, vdot, coordinates, tau, None, details, statuses, _counts(friction), thread_count(None)
        )
    return solver.details_of(details), statuses
