"""Why loops do not close, or do not determine a motion.

Out of reach, contradictory, a dead point; too few independent joints, or too many.
"""

import numpy as np

from ...dynamics.arrays.arguments import Array
from ...exceptions import ClosureError, SingularityError
from ...kernels.loops import newton
from ..constraints.constraint_system import ConstraintSystem

__all__ = [
    "LARGEST_VIOLATION",
    "WORST_CONDITION",
    "open_loops",
    "raise_branch_end",
    "raise_if_dependent",
    "raise_if_singular",
    "unclosed",
]

#: Rate of constraint rows per unit rate of an independent coordinate that is still rounding, or what Newton's
#: method leaves.
LARGEST_VIOLATION = 1e-6
#: Condition number of the dependent part of the Jacobian from which on a configuration is a dead point.
WORST_CONDITION = 1e6
#: Spreads of random starts [rad or m] with all joints free: not zero, a pose that may be singular.
FREE_STARTS = (0.1, 0.1, 0.5, 0.5, 1.0, 1.0)
#: Residual [m or 1] with which loops count as closed at a dead point, where Newton's method is slow.
AT_DEAD_POINT = 1e-8


def open_loops(system: ConstraintSystem, coordinates: Array, where: str, why: str) -> ClosureError:
    """An error that names the open loops, by how much they are open, and why."""
    residual = system.residual(coordinates)
    largest = max(residual.values(), default=0.0)
    closed = min(0.5 * largest, max(1e-9, 1e-6 * largest))
    worst = ", ".join(f"{name} by {value:.3g}" for name, value in residual.items() if not value <= closed)
    return ClosureError(
        f"the loops of '{system.graph.name}' do not close {where}: open are {worst} [m or 1]; {why}",
        residual,
        coordinates.copy(),
    )


def unclosed(
    system: ConstraintSystem, coordinates: Array, where: str, closable: bool = False
) -> ClosureError:
    """The error for loops that do not close: no configuration at all, dependent joints, or out of reach.

    It is looked for with all joints free, unless the loops are known to be ``closable``.
    """
    graph = system.graph
    free = ConstraintSystem(graph.with_independent_joints(*system.independent.floating))
    rng = np.random.default_rng(0)
    for spread in FREE_STARTS if len(free.dependent) > len(system.dependent) else ():
        attempt = coordinates.copy()
        free.move(attempt, spread * rng.standard_normal(len(free.dependent_names)))
        if free.settle(attempt) < newton.CLOSED:
            try:
                raise_if_dependent(system, attempt, system.projection(attempt)[0])
            except ClosureError as error:
                return error
            closable = True
            break
    why = "the independent coordinates are out of reach"
    if not closable:
        moving = "all joints but floating bases" if system.floating_in_loops else "all joints"
        why = (
            f"the search found no closed configuration with {moving} free either: the loops contradict each "
            "other"
        )
    return open_loops(system, coordinates, where, why)


def raise_branch_end(system: ConstraintSystem, target: Array, reached: Array, done: float) -> None:
    """Raise why a continuation to the independent coordinates ``target`` ended at ``reached``.

    Raises SingularityError: a dead point. ClosureError: out of reach, or too many independent joints.
    """
    W, condition = system.projection(reached)
    raise_if_dependent(system, reached, W)
    start = reached.copy()
    start[system.independent_q] = target
    best = _approach(system, start)
    if system.largest_residual(best) < AT_DEAD_POINT:
        _, there = system.projection(best)
        names = ", ".join(system.graph.independent_joint_names)
        where = f"dead point of its independent joints {names}: condition number {max(there, condition):.2g}"
        end = (
            f"closes there, but the branch ends after {100.0 * done:.1f} % of the way from the start (a "
            "guess beyond that point selects another branch), at a"
        )
        raise SingularityError(
            f"'{system.graph.name}' {'closes there, at a' if there > condition else end} {where}",
            max(there, condition),
            best,
        )
    error = unclosed(system, best, "at these independent coordinates", closable=True)
    if error.residual is None:  # the choice of independent joints is at fault, not the loops
        raise error
    raise ClosureError(
        f"{error}. The branch ends after {100.0 * done:.1f} % of the way from the start, at a dead point "
        f"(condition number {condition:.2g})",
        error.residual,
        best,
    )


def _approach(system: ConstraintSystem, start: Array) -> Array:
    """Coordinates with the least |phi| near a start, by damped least squares (Levenberg).

    Where Newton's method is stuck at a dead point, the loops that can close do so all the same.
    """
    split, T = system.split, system.gearing.T
    damping, least, one = 1e-3, np.inf, np.eye(T.shape[1])
    best, attempt, gradient, curvature = start, start.copy(), np.zeros(len(one)), one
    system.close_gears(attempt)
    for _ in range(200):
        values = system.evaluate(attempt)
        phi, J = values.phi, values.J[:, split.dependent_v] @ T
        if (now := float(phi @ phi)) < least:
            best, least, damping = attempt, now, max(0.3 * damping, 1e-12)
            gradient, curvature = J.T @ phi, J.T @ J
        else:
            damping *= 4.0
        step = T @ np.linalg.solve(curvature + damping * one, -gradient)
        if np.abs(step).max(initial=0.0) < newton.LAST_STEP:
            break
        attempt = best.copy()
        system.move(attempt, step)
    return best


def raise_if_singular(system: ConstraintSystem, coordinates: Array, condition: float) -> None:
    """Raise SingularityError where the loops do not determine all dependent coordinates.

    At dead points, and where too few joints are independent.
    """
    if condition < WORST_CONDITION:
        return
    graph, split, J = system.graph, system.split, system.evaluate(coordinates).J
    scaled = split.row_scale[:, None] * J[:, split.dependent_v] * split.column_scale
    _, size, directions = np.linalg.svd(scaled)
    rank = min(int((size > size.max(initial=0.0) / WORST_CONDITION).sum()), len(directions) - 1)
    free = np.abs(directions[rank:]).max(axis=0)
    parts = zip(system.dependent_names, free, strict=True)
    names = dict.fromkeys(name for name, part in parts if part > 1e-3 * free.max())
    freedoms, chosen = graph.nv - system.rank(J), len(system.given_names)
    why = "it is a dead point of these joints; other independent joints can move it"
    if freedoms > chosen:
        why = (
            f"the mechanism has {freedoms} degree(s) of freedom here and {chosen} coordinate(s) are chosen: "
            "more joints must be independent, or loops are in line"
        )
    raise SingularityError(
        f"the independent joints ({', '.join(graph.independent_joint_names)}) of '{graph.name}' do not "
        f"determine {', '.join(names)} here, condition number {condition:.2g}: {why}",
        condition,
        coordinates.copy(),
    )


def raise_if_dependent(system: ConstraintSystem, coordinates: Array, W: Array) -> None:
    """Raise ClosureError where loops couple the independent joints to each other, J W != 0: too many."""
    graph, J = system.graph, system.evaluate(coordinates).J
    scaled = system.row_scale[:, None] * J
    violation = np.abs(scaled @ W)
    violated = violation > LARGEST_VIOLATION * max(1.0, float(np.abs(scaled).max(initial=0.0)))
    if not violated.any():
        return
    coupled = dict.fromkeys(system.given_names[violated.any(axis=0)])
    loops = dict.fromkeys(np.array(system.rows.names)[violated.any(axis=1)])
    freedoms, chosen = graph.nv - system.rank(J), len(system.given_names)
    advice = "declare others passive" if freedoms else "check positions and axes of the loop joints"
    raise ClosureError(
        f"{', '.join(graph.independent_joint_names)} of '{graph.name}' cannot all be independent: motion of "
        f"{', '.join(coupled)} would open {', '.join(loops)}. The mechanism has {freedoms} degree(s) of "
        f"freedom here and {chosen} coordinate(s) are chosen; {advice}",
        None,
        coordinates.copy(),
    )
