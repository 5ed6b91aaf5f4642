"""What is exported of a robot with loops: programs, with states and results of the library."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...codegen.c_files import Recording
from ...dynamics import bias, mass_matrix
from ...dynamics.arrays.arguments import Array
from ...dynamics.export.recordings import STATES, TOLERANCE, function_names, verify, weights
from ...dynamics.lost_inertia import are_definite
from ...exceptions import ClosureError, SingularityError, StateError, UnsupportedModelError
from ...model import SubsystemGraph
from ...model.code_export import DEFAULT_FUNCTIONS, register_exporter
from ..assembly.explicit_plane import planar_loop
from ..dynamics.equation_of_motion import closed_loop_gravity_torque, closed_loop_mass_matrix
from ..dynamics.solver import ClosedLoopDynamics, ClosedLoopSolver, solver_of
from .procedures import EXPORTED_WITH_LOOPS, procedure_with_loops

__all__ = ["loop_recordings"]

#: States of which those farthest from dead points, where rounding grows, are taken; and attempts.
CANDIDATES, ATTEMPTS = 4 * STATES, 200
#: How far from the guess joints that move loops are [rad or m] at first; every attempt is nearer.
SPREAD, NEARER = 1.0, 0.95
#: Largest rotation of a passive joint [rad]: whole turns are not compared.
LARGEST_TURN = 3.0

_Result = Callable[[ClosedLoopSolver, ClosedLoopDynamics], Array]
_RESULTS: Mapping[str, _Result] = {
    "close_loops": lambda _, at: at.coordinates,
    "constraint_projection": lambda _, at: at.projection,
    "closed_loop_inverse_dynamics": lambda _, at: at.tau,
    "closed_loop_bias": lambda solver, at: (
        solver.inverse_dynamics(
            at.coordinates, at.velocities[solver.independent_v], np.zeros(len(at.tau))
        ).tau
    ),
    "closed_loop_gravity_torque": lambda solver, at: closed_loop_gravity_torque(
        solver.graph, at.coordinates[solver.independent_q], at.coordinates
    ),
    "closed_loop_mass_matrix": lambda solver, at: closed_loop_mass_matrix(
        solver.graph, at.coordinates[solver.independent_q], at.coordinates
    ),
    # those whose torques inverse dynamics computed
    "closed_loop_forward_dynamics": lambda solver, at: at.accelerations[solver.independent_v],
}


@register_exporter
def loop_recordings(
    graph: SubsystemGraph,
    functions: Sequence[str] | None,
    links: Sequence[str],
    guess: ArrayLike | None,
    what: str,
) -> list[Recording]:
    """The functions with these names, in the order of EXPORTED_WITH_LOOPS.

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
    _raise_unless_explicit(solver, what)
    start = solver.reference() if guess is None else graph.checked(q=guess)[0]
    near = solver.close(start[solver.independent_q], start)
    states = _states(solver, near, what)
    recordings = [_recorded(solver, name, near, states) for name in names]
    for recording in recordings:
        verify(graph, recording)
    return recordings


def _checked_functions(
    graph: SubsystemGraph, functions: Sequence[str] | None, links: Sequence[str], what: str
) -> tuple[str, ...]:
    if functions is None:
        names: tuple[str, ...] = ("close_loops", *(f"closed_loop_{name}" for name in DEFAULT_FUNCTIONS))
    else:
        names = function_names(functions)
    known = ", ".join(EXPORTED_WITH_LOOPS)
    if not names:
        raise StateError(f"{what} of no functions; those of a robot with closed loops: {known}")
    for name in names:
        if name not in EXPORTED_WITH_LOOPS:
            raise StateError(
                f"{what} of '{graph.name}', which has closed loops, has no function {name!r}; its functions: "
                f"{known}. Those of the open tree: graph.tree"
            )
    if links:
        raise StateError(
            f"{what}: links= of a robot with closed loops; 'frame_poses' and 'jacobian' of graph.tree "
            "take the coordinates that close_loops computes"
        )
    return tuple(name for name in EXPORTED_WITH_LOOPS if name in names)


def _raise_unless_explicit(solver: ClosedLoopSolver, what: str) -> None:
    """Raise UnsupportedModelError unless steps in closed form give all joints, and use all loops."""
    graph, explicit = solver.graph, solver.explicit
    if explicit is None and not solver.system.dependent and not solver.system.rows.names:
        return
    used = 0 if explicit is None else len(explicit.order)
    if explicit is not None and used == len(graph.loop_joints) + len(graph.gears):
        return
    spatial = [loop.name for loop in graph.loop_joints if planar_loop(graph, loop) is None]
    if spatial:
        why = f"{', '.join(spatial)} close loops that do not move in a plane"
    elif explicit is None:
        why = (
            "not all of its passive joints are found by steps in each of which one loop has two unknown "
            "joints, or a gear one; other independent joints may allow that (graph.with_independent_joints)"
        )
    else:
        why = "it has more loops and gears than its passive joints need"
    raise UnsupportedModelError(
        f"{what} of '{graph.name}' needs loops that are solved in closed form: {why}. For other loops, "
        "graph.tree can be exported, and coordinates that close the loops be found by a solver at run time"
    )


def _states(solver: ClosedLoopSolver, near: Array, what: str) -> list[ClosedLoopDynamics]:
    """States near a configuration, with what the library computes there."""
    graph, system, rng = solver.graph, solver.system, np.random.default_rng(0)
    moves_loops, found, spread = system.reach > 0.0, list[ClosedLoopDynamics](), SPREAD
    passive = [graph.q_slice(name).start for name in system.passive.names]
    size = len(solver.independent_v)
    for _ in range(ATTEMPTS):
        if len(found) == CANDIDATES:
            break
        q = near[solver.independent_q] + np.where(moves_loops, spread, 2.0) * rng.uniform(
            -1.0, 1.0, len(moves_loops)
        )
        v, vdot = rng.uniform(-2.0, 2.0, (2, size))
        spread *= NEARER
        try:
            state = solver.inverse_dynamics_at(q, v, vdot, near)
        except (ClosureError, SingularityError):
            continue
        if np.abs(state.coordinates - near)[passive].max(initial=0.0) < LARGEST_TURN:
            found.append(state)
    if len(found) < STATES:
        raise UnsupportedModelError(
            f"{what} of '{graph.name}': its loops close in fewer than {STATES} of {ATTEMPTS} configurations "
            "round the guess, so that the code cannot be compared with the library; another guess may help"
        )
    return sorted(found, key=lambda state: state.condition)[:STATES]


def _recorded(
    solver: ClosedLoopSolver, name: str, near: Array, states: Sequence[ClosedLoopDynamics]
) -> Recording:
    exported = procedure_with_loops(solver, name, near)
    results = np.array([_RESULTS[name](solver, state).ravel() for state in states])
    chosen = solver.independent_v
    vectors = (
        np.array([state.coordinates[solver.independent_q] for state in states]),
        np.array([state.velocities[chosen] for state in states]),
        np.array(
            [
                state.tau if exported.inputs[2:] == (("tau", len(chosen)),) else state.accelerations[chosen]
                for state in states
            ]
        ),
    )
    sizes = [_size_of_terms(solver, exported.results[0].name, state) for state in states]
    scale = max(float(np.abs(results).max()), *sizes)
    scales = (scale if scale > 0.0 else 1.0,)  # without gravity all are zero
    return Recording(exported, vectors[: len(exported.inputs)], (results,), scales, TOLERANCE)


def _size_of_terms(solver: ClosedLoopSolver, result: str, state: ClosedLoopDynamics) -> float:
    """The largest size of the terms that a result is the sum of.

    Of torques: those of the tree's joints, by W; of accelerations: these, by the inverse of the mass matrix.
    """
    q, v, vdot, W = state.coordinates, state.velocities, state.accelerations, np.abs(state.projection)
    if result in ("W", "coordinates"):
        return float(W.max())
    graph, tree = solver.graph, solver.graph.tree
    M = np.abs(mass_matrix(tree, q))
    M1: Array = W.T @ M @ W
    if result == "M":
        return float(M1.max())
    torques = weights(tree)
    if result != "g":
        torques += np.abs(bias(tree, q, v)) + M @ np.abs(vdot)
    terms: Array = W.T @ torques
    if result == "vdot":
        M1 = closed_loop_mass_matrix(graph, q[solver.independent_q], q)
        if not are_definite(M1[None]).all():
            raise StateError(f"'{graph.name}' has a direction that moves no inertia: its M is singular")
        terms = np.abs(np.linalg.inv(M1)) @ terms
    return float(terms.max())
