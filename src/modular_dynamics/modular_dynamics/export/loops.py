"""Exported functions of a robot with loops, of its independent joints, with the library's results."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..codegen.c_files import Recording
from ..codegen.program import program
from ..dynamics import mass_matrix, nonlinear_effects
from ..dynamics.arguments import Array
from ..dynamics.core_robot import SPRINGS
from ..exceptions import ClosureError, SingularityError, StateError, UnsupportedModelError
from ..loops.assembly.mechanism import FARTHEST
from ..loops.core_loops import core_loops
from ..loops.dynamics.equation_of_motion import close_loops, explicit_constraint_jacobian
from ..loops.dynamics.results import ClosedLoopResult
from ..loops.dynamics.solver import ClosedLoopSolver, solver_of
from ..model import SubsystemGraph, checked_vectors
from ..model.graph import DEFAULT_FUNCTIONS
from . import tree
from .tree import STATES, Function, checked_names, quaternions, recorded, weights

#: States of which those farthest from singular configurations, where rounding grows, are taken; and attempts.
CANDIDATES, ATTEMPTS = 4 * STATES, 200
#: Largest distance [rad or m] of joints that move loops from the guess; factor by which it falls per attempt.
SPREAD, NEARER = 1.0, 0.95
#: Largest rotation of a passive joint [rad]: whole turns are not compared.
LARGEST_TURN = 3.0


_CLOSED = "Coordinates of all joints, loops closed."
_JACOBIAN = "W: velocities of all joints are W v, v of the independent ones."
_OF_ALL, _RATES = "of all joints [rad, m or 1]", "of all joints by v of the independent ones"
_OF_TREES = ("inverse_dynamics", "nonlinear_effects", "gravity_torque", "mass_matrix", "forward_dynamics")
#: Exported functions by the library's names; q, v, a, tau are of the independent joints.
FUNCTIONS: Mapping[str, Function] = {
    "close_loops": Function(
        *(_CLOSED, close_loops, 1, {"coordinates": _OF_ALL}, lambda graph, *_: (graph.nq,)),
        quantity="coordinates",
    ),
    "explicit_constraint_jacobian": Function(
        *(_JACOBIAN, explicit_constraint_jacobian, 1, {"W": _RATES}, lambda graph, nv, _: (graph.nv, nv)),
        quantity="projection",
    ),
    **{name: tree.FUNCTIONS[name] for name in _OF_TREES},
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
    return [_recorded(solver, name, near, states) for name in names]


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
    """Return a function recorded in the assembly mode of ``near``, coordinates (nq,) of all joints."""
    function, graph, reach, chosen = FUNCTIONS[name], solver.graph, solver.system.reach, solver.independent_v
    farthest = np.divide(FARTHEST, reach, out=np.full(len(reach), np.inf), where=reach > 0.0)
    places, count = solver.independent_q.tolist(), len(chosen)
    vectors = (("q", len(places)), ("v", count), (function.third, count))
    quantity, springs = function.quantity or name, bool(function.terms & SPRINGS)
    made = program(
        name,
        function.purpose,
        vectors[: function.vectors],
        graph.once(core_loops).record(quantity, function.vectors, springs, near, farthest),
        [(own, function.shape(graph, count, 0), unit) for own, unit in function.results.items()],
        [places.index(first) for first in quaternions(graph) if first in places],
        _notes(solver, near),
    )
    given = [
        (
            state.coordinates[solver.independent_q],
            state.velocities[chosen],
            state.tau if function.third == "tau" else state.accelerations[chosen],
        )[: function.vectors]
        for state in states
    ]
    results = [
        function.library(graph, *vectors, guess=state.coordinates)
        for vectors, state in zip(given, states, strict=True)
    ]
    sizes = {own: max(_size_of_terms(solver, own, state) for state in states) for own in function.results}
    return recorded(graph, made, given, results, sizes)


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
