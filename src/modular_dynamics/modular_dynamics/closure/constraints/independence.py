"""Errors of a bad choice of independent joints: too few, at a dead point, or too many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...exceptions import ClosureError, SingularityError
from .constraint_system import ConstraintSystem

__all__ = ["LARGEST_VIOLATION", "raise_if_dependent", "raise_if_singular"]

Array = NDArray[np.float64]
#: Rate of constraint rows per unit rate of an independent coordinate that is still rounding, or what Newton's
#: method leaves.
LARGEST_VIOLATION = 1e-6
#: Condition number of the dependent part of the Jacobian from which on a configuration is a dead point.
WORST_CONDITION = 1e6


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
    names = [name for name, part in zip(system.dependent, free, strict=True) if part > 1e-3 * free.max()]
    freedoms, chosen = graph.nv - system.rank(J), len(system.independent_v)
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
    coupled = dict.fromkeys(system.independent.v_names[violated.any(axis=0)])
    loops = dict.fromkeys(np.array(system.rows.names)[violated.any(axis=1)])
    freedoms, chosen = graph.nv - system.rank(J), len(system.independent_v)
    advice = "declare others passive" if freedoms else "check places and axes of the loop joints"
    raise ClosureError(
        f"{', '.join(graph.independent_joint_names)} of '{graph.name}' cannot all be independent: motion of "
        f"{', '.join(coupled)} would open {', '.join(loops)}. The mechanism has {freedoms} degree(s) of "
        f"freedom here and {chosen} coordinate(s) are chosen; {advice}",
        None,
        coordinates.copy(),
    )
