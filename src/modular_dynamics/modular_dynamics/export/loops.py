"""Exported functions of a robot with loops, of its independent joints, with the library's results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..codegen.c_files import Recording
from ..codegen.program import Program, program
from ..dynamics import gravity_torque, mass_matrix, nonlinear_effects
from ..dynamics.arguments import Array
from ..exceptions import ClosureError, SingularityError, StateError, UnsupportedModelError
from ..loops.assembly.mechanism import FARTHEST
from ..loops.core_loops import core_loops
from ..loops.dynamics.results import ClosedLoopResult
from ..loops.dynamics.solver import ClosedLoopSolver, solver_of
from ..model import SubsystemGraph, checked_vectors
from ..model.graph import DEFAULT_FUNCTIONS
from .tree import (
    ACCELERATIONS,
    MASS_MATRIX,
    STATES,
    TOLERANCE,
    TORQUES,
    checked_names,
    quaternions,
    verify,
    weights,
)

__all__ = ["FUNCTIONS", "loop_recordings"]

#: States of which those farthest from dead points, where rounding grows, are taken; and attempts.
CANDIDATES, ATTEMPTS = 4 * STATES, 200
#: Largest distance [rad or m] of joints that move loops from the guess; factor by which it falls per attempt.
SPREAD, NEARER = 1.0, 0.95
#: Largest rotation of a passive joint [rad]: whole turns are not compared.
LARGEST_TURN = 3.0


@dataclass(frozen=True)
class _Function:
    """An exported function of robots with closed loops.

    Attributes:
        purpose: what it computes, as the header says it.
        vectors: how many of q, v and the third vector it takes. third: name of the third one.
        result, unit: name and unit of what it computes.
        library: the library's result at a state.
        quantity: name of the core's function, if it is another. springs: whether springs count.
    """

    purpose: str
    vectors: int
    result: str
    unit: str
    library: Callable[[ClosedLoopSolver, ClosedLoopResult], Array]
    quantity: str = ""
    third: str = "a"
    springs: bool = True


def _nonlinear_effects(solver: ClosedLoopSolver, at: ClosedLoopResult) -> Array:
    """Return the torques at a state with zero accelerations of the independent joints."""
    v = at.velocities[solver.independent_v]
    return solver.inverse_dynamics(at.coordinates, v, np.zeros(len(at.tau))).tau


def _at_positions(function: Callable[..., Array]) -> Callable[[ClosedLoopSolver, ClosedLoopResult], Array]:
    """Return a function of the library that takes positions alone, as `_Function.library`."""

    def library(solver: ClosedLoopSolver, at: ClosedLoopResult) -> Array:
        return function(solver.graph, at.coordinates[solver.independent_q], guess=at.coordinates)

    return library


_CLOSED = "Coordinates of all joints, loops closed."
_JACOBIAN = "W: velocities of all joints are W v, v of the independent ones."
_TORQUES = "Torques of the independent joints; passive joints are unactuated."
_EFFECTS = "Torques h of the independent joints at zero acceleration of theirs: velocities, gravity, springs."
_GRAVITY = "Torques g of the independent joints that gravity needs; springs do not count."
_MASSES = "Mass matrix M of the independent joints."
_ACCELERATIONS = "Accelerations a of the independent joints that their torques tau give: M a + h = tau."
_OF_ALL, _RATES = "of all joints [rad, m or 1]", "of all joints by v of the independent ones"
_ID = "inverse_dynamics"

#: Exported functions by the library's names; q, v, a, tau are of the independent joints.
FUNCTIONS: Mapping[str, _Function] = {
    "close_loops": _Function(_CLOSED, 1, "coordinates", _OF_ALL, lambda _, at: at.coordinates, "coordinates"),
    "explicit_constraint_jacobian": _Function(
        _JACOBIAN, 1, "W", _RATES, lambda _, at: at.projection, "projection"
    ),
    "inverse_dynamics": _Function(_TORQUES, 3, "tau", TORQUES, lambda _, at: at.tau),
    "nonlinear_effects": _Function(_EFFECTS, 2, "h", TORQUES, _nonlinear_effects, _ID),
    "gravity_torque": _Function(_GRAVITY, 1, "g", TORQUES, _at_positions(gravity_torque), _ID, springs=False),
    "mass_matrix": _Function(_MASSES, 1, "M", MASS_MATRIX, _at_positions(mass_matrix)),
    "forward_dynamics": _Function(
        # states whose torques inverse dynamics computed
        *(_ACCELERATIONS, 3, "a", ACCELERATIONS, lambda solver, at: at.accelerations[solver.independent_v]),
        third="tau",
    ),
}


def loop_recordings(
    graph: SubsystemGraph,
    functions: Sequence[str] | None,
    links: Sequence[str],
    guess: ArrayLike | None,
    what: str,
) -> list[Recording]:
    """Return the functions with these names, in the order of FUNCTIONS.

    Raises:
        StateError: unknown names, or none; links; a guess of the wrong shape; accelerations of a robot that
            has a direction without inertia.
        UnsupportedModelError: loops that are not solved in closed form.
        ClosureError, SingularityError: the loops do not close.
    """
    names = _checked_functions(graph, functions, links, what)
    if not graph.independent_joint_names:
        raise UnsupportedModelError(f"{what}: '{graph.name}' has no independent joints; nothing moves")
    solver = solver_of(graph)
    _raise_unless_planar(graph, what)
    start = solver.reference() if guess is None else checked_vectors(graph, q=guess)[0]
    near = solver.close(start[solver.independent_q], start)
    states = _states(solver, near, what)
    recordings = [_recorded(solver, name, near, states) for name in names]
    for recording in recordings:
        verify(graph, recording)
    return recordings


def _checked_functions(
    graph: SubsystemGraph, functions: Sequence[str] | None, links: Sequence[str], what: str
) -> tuple[str, ...]:
    """Return the names, in the order of FUNCTIONS. Raises StateError, as `loop_recordings`."""
    chosen = ("close_loops", *DEFAULT_FUNCTIONS) if functions is None else functions
    whose = f"{what} of '{graph.name}', which has closed loops,"
    names = checked_names(chosen, FUNCTIONS, whose, ". Those of the open tree: graph.tree")
    if links:
        raise StateError(
            f"{what}: links= of a robot with closed loops; 'frame_poses' and 'jacobian' of graph.tree "
            "take the coordinates that close_loops computes"
        )
    return names


def _raise_unless_planar(graph: SubsystemGraph, what: str) -> None:
    """Raise UnsupportedModelError unless closed forms solve all joints and use all loops."""
    loops = graph.once(core_loops)
    if not loops.undetermined and not any(kind == "newton" for kind, _ in loops.clusters):
        return
    if loops.spatial:
        spatial = ", ".join(graph.loop_joints[k].name for k in loops.spatial)
        why = f"{spatial} close loops that do not move in a plane"
    else:
        why = (
            "not all of its passive joints are found by steps in each of which one loop has two unknown "
            "joints, or a gear one, or it has more loops and gears than they need; other independent joints "
            "may allow that (graph.with_independent_joints)"
        )
    raise UnsupportedModelError(
        f"{what} of '{graph.name}' needs loops that are solved in closed form: {why}. For other loops, "
        "graph.tree can be exported, and coordinates that close the loops be found by a solver at run time"
    )


def _states(solver: ClosedLoopSolver, near: Array, what: str) -> list[ClosedLoopResult]:
    """Return states near a configuration, with the library's results."""
    graph, system, rng = solver.graph, solver.system, np.random.default_rng(0)
    moves_loops, states, spread = system.reach > 0.0, list[ClosedLoopResult](), SPREAD
    passive = [graph.q_slice(name).start for name in system.passive.names]
    size = len(solver.independent_v)
    for _ in range(ATTEMPTS):
        if len(states) == CANDIDATES:
            break
        q = near[solver.independent_q] + np.where(moves_loops, spread, 2.0) * rng.uniform(
            -1.0, 1.0, len(moves_loops)
        )
        v, a = rng.uniform(-2.0, 2.0, (2, size))
        spread *= NEARER
        try:
            state = solver.inverse_dynamics_at(q, v, a, near)
        except (ClosureError, SingularityError):
            continue
        if np.abs(state.coordinates - near)[passive].max(initial=0.0) < LARGEST_TURN:
            states.append(state)
    if len(states) < STATES:
        raise UnsupportedModelError(
            f"{what} of '{graph.name}': its loops close in fewer than {STATES} of {ATTEMPTS} configurations "
            "round the guess, so that the code cannot be compared with the library; another guess may help"
        )
    return sorted(states, key=lambda state: state.condition)[:STATES]


def _program(solver: ClosedLoopSolver, name: str, near: Array) -> Program:
    """Return a recorded function in the assembly mode of these closed coordinates (nq,) of all joints."""
    function, graph, reach = FUNCTIONS[name], solver.graph, solver.system.reach
    quantity = function.quantity or name
    farthest = np.divide(FARTHEST, reach, out=np.full(len(reach), np.inf), where=reach > 0.0)
    places, count = solver.independent_q.tolist(), len(solver.independent_v)
    vectors = (("q", len(places)), ("v", count), (function.third, count))
    shapes = {"coordinates": (graph.nq,), "W": (graph.nv, count), "M": (count, count)}
    return program(
        name,
        function.purpose,
        vectors[: function.vectors],
        graph.once(core_loops).record(quantity, function.vectors, function.springs, near, farthest),
        [(function.result, shapes.get(function.result, (count,)), function.unit)],
        [places.index(first) for first in quaternions(graph) if first in places],
        _notes(solver, near),
    )


def _notes(solver: ClosedLoopSolver, near: Array) -> tuple[str, ...]:
    """Return notes for the header on the assembly mode."""
    graph, passive = solver.graph, solver.system.passive
    names = (*graph.independent_joint_names, *passive.names)
    return (
        "Loops close in the assembly mode of these coordinates [rad or m]; passive joints that rotate are",
        "within half a turn of them:",
        *(f"  {name} {', '.join(map(repr, near[graph.q_slice(name)].tolist()))}" for name in names),
    )


def _recorded(
    solver: ClosedLoopSolver, name: str, near: Array, states: Sequence[ClosedLoopResult]
) -> Recording:
    """Return the recorded program of a function, with states and the library's results to compare it with."""
    function, chosen = FUNCTIONS[name], solver.independent_v
    results = np.array([function.library(solver, state).ravel() for state in states])
    vectors = (
        np.array([state.coordinates[solver.independent_q] for state in states]),
        np.array([state.velocities[chosen] for state in states]),
        np.array([state.tau if function.third == "tau" else state.accelerations[chosen] for state in states]),
    )
    sizes = [_size_of_terms(solver, function.result, state) for state in states]
    scale = max(float(np.abs(results).max()), *sizes)
    scales = (scale if scale > 0.0 else 1.0,)  # all scales are zero without gravity
    exported = _program(solver, name, near)
    return Recording(exported, vectors[: function.vectors], (results,), scales, TOLERANCE)


def _size_of_terms(solver: ClosedLoopSolver, result: str, state: ClosedLoopResult) -> float:
    """Return the largest size of the terms whose sum a result is.

    Of torques: those of the tree's joints, by W; of accelerations: these, by the inverse of the mass matrix.
    """
    q, v, a, W = state.coordinates, state.velocities, state.accelerations, np.abs(state.projection)
    if result in ("W", "coordinates"):
        return float(W.max())
    graph, tree = solver.graph, solver.graph.tree
    M = np.abs(mass_matrix(tree, q))
    M1: Array = W.T @ M @ W
    if result == "M":
        return float(M1.max())
    torques = weights(tree)
    if result != "g":
        torques += np.abs(nonlinear_effects(tree, q, v)) + M @ np.abs(a)
    terms: Array = W.T @ torques
    if result == "a":
        M1 = mass_matrix(graph, q[solver.independent_q], guess=q)
        if not _is_definite(M1):
            raise StateError(f"'{graph.name}' has a direction that moves no inertia: its M is singular")
        terms = np.abs(np.linalg.inv(M1)) @ terms
    return float(terms.max())


def _is_definite(M: Array) -> bool:
    """Return whether a matrix is positive definite beyond rounding, by the same bound as in the core."""
    try:
        pivots = np.diagonal(np.linalg.cholesky(M)) ** 2
    except np.linalg.LinAlgError:
        return False
    return bool((pivots > 1e-13 * np.diagonal(M)).all())
