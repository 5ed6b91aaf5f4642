"""Whether the independent joints determine all others: dead points, and too few or too many of them."""

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arguments import Array
from ...exceptions import ClosureError, SingularityError
from ..constraints.constraint_system import ConstraintSystem
from .least_squares import LeastSquares

__all__ = [
    "LARGEST_VIOLATION",
    "WORST_CONDITION",
    "raise_if_dependent",
    "raise_if_singular",
    "with_all_joints_free",
]

#: Rate of constraint rows per unit rate of an independent coordinate that is still rounding, or what Newton's
#: method leaves.
LARGEST_VIOLATION = 1e-6
#: Condition number of the dependent part of the Jacobian from which on a configuration is a dead point.
WORST_CONDITION = 1e6
#: Distances [rad or m] of starts from which a pose beside a dead point is looked for.
BESIDE = (0.05, 0.2, 0.2, *[0.5] * 5, *[1.0] * 5)
#: Least distance of such a pose: at a dead point rows are dependent, and next to it nearly so.
APART = 1e-3
#: Advice at a dead point of independent joints that determine all others near it.
ELSEWHERE = (
    "These joints are right beside it: start there, by a guess or, without one, by limits of joints that "
    "exclude this pose"
)


def raise_if_singular(system: ConstraintSystem, coordinates: Array, condition: float) -> None:
    """Raise SingularityError where the loops do not determine all dependent coordinates.

    At dead points, and where too few joints are independent.
    """
    if condition < WORST_CONDITION:
        return
    graph, J, own = system.graph, system.evaluate(coordinates).J, system.dependent_v
    scaled = system.row_scale[:, None] * J[:, own] * system.units[own]
    _, size, directions = np.linalg.svd(scaled)
    rank = min(int((size > size.max(initial=0.0) / WORST_CONDITION).sum()), len(directions) - 1)
    free = np.abs(directions[rank:]).max(axis=0)
    parts = zip(system.dependent_names, free, strict=True)
    names = dict.fromkeys(name for name, part in parts if part > 1e-3 * free.max())
    freedoms, chosen = graph.nv - system.rank(J), len(system.given_names)
    why = "it is a dead point of these joints; other independent joints can move it"
    if _determine_others_nearby(system, coordinates):
        why = f"it is a dead point, with {_freedoms(freedoms)}, where loops are in line. {ELSEWHERE}"
    elif freedoms > chosen:
        why = (
            f"the mechanism has {_freedoms(freedoms)} here and {_counted(system)}: more joints must be "
            "independent, or loops are in line"
        )
    raise SingularityError(
        f"the independent joints ({', '.join(graph.independent_joint_names)}) of '{graph.name}' do not "
        f"determine {', '.join(names)} here, condition number {condition:.2g}: {why}",
        condition,
        coordinates.copy(),
    )


def raise_if_dependent(system: ConstraintSystem, coordinates: Array, W: Array) -> None:
    """Raise ClosureError where loops couple the independent joints to each other, J W != 0: too many."""
    violated = _violated(system, coordinates, W)
    if not violated.any():
        return
    graph, J = system.graph, system.evaluate(coordinates).J
    coupled = dict.fromkeys(system.given_names[violated.any(axis=0)])
    loops = dict.fromkeys(np.array(system.names)[violated.any(axis=1)])
    freedoms = graph.nv - system.rank(J)
    if _determine_others_nearby(system, coordinates):
        condition = system.projection(coordinates).condition
        raise SingularityError(
            f"'{graph.name}' is at a dead point of its independent joints "
            f"{', '.join(graph.independent_joint_names)}, condition number {condition:.2g}: loops are in "
            f"line there. {ELSEWHERE}",
            condition,
            coordinates.copy(),
        )
    if freedoms:
        advice = f"let {freedoms} of them be independent, and declare others <passive>"
    elif any(name.startswith("gear of ") for name in loops):
        advice = "gears couple joints that loops couple already: remove one of them"
    else:
        advice = "check positions and axes of the loop joints"
    raise ClosureError(
        f"{', '.join(graph.independent_joint_names)} of '{graph.name}' cannot all be independent: motion of "
        f"{', '.join(coupled)} would open {', '.join(loops)}. The mechanism has {_freedoms(freedoms)} "
        f"here and {_counted(system)}; {advice}",
        None,
        coordinates.copy(),
    )


def _violated(system: ConstraintSystem, q: Array, W: Array) -> NDArray[np.bool_]:
    """Return (m, p) whether a unit velocity of an independent coordinate, by W, opens a row."""
    scaled = system.row_scale[:, None] * system.evaluate(q).J
    largest = max(1.0, float(np.abs(scaled).max(initial=0.0)))
    violated: NDArray[np.bool_] = np.abs(scaled @ W) > LARGEST_VIOLATION * largest
    return violated


def _determine_others_nearby(system: ConstraintSystem, coordinates: Array) -> bool:
    """Return whether the independent joints determine all others at some closed configuration nearby."""
    if system.is_regular_nearby is None:
        free, rng = with_all_joints_free(system), np.random.default_rng(0)
        system.is_regular_nearby = False
        for distance in BESIDE:
            start = coordinates + distance * rng.standard_normal(len(coordinates))
            found = free.search(start, limited=False, descents=1)
            if found.open_groups or np.abs(found.q - coordinates).max(initial=0.0) < APART:
                continue
            there = system.projection(found.q)
            if there.condition < WORST_CONDITION and not _violated(system, found.q, there.W).any():
                system.is_regular_nearby = True
                break
    return system.is_regular_nearby


def with_all_joints_free(system: ConstraintSystem) -> LeastSquares:
    """Return a least-squares search that moves all joints of the mechanism."""
    graph = system.graph
    free = ConstraintSystem(graph.with_independent_joints(*graph.joint_names))  # none depends on others
    return LeastSquares(free, graph.joint_names)


def _freedoms(number: int) -> str:
    return f"{number} degree{'s' * (number != 1)} of freedom"


def _counted(system: ConstraintSystem) -> str:
    """Return as text the number of independent coordinates, and of free ones that no motor moves."""
    number = len(system.independent_v)
    text = f"{number} independent coordinate{'s' * (number != 1)}"
    if len(system.free):
        text += f", besides {len(system.free)} that no motor moves (of {', '.join(system.free_joints)})"
    return text
