"""Errors that say why loops do not close: out of reach, beyond limits, contradictory, or singular."""

import numpy as np

from ...dynamics.arguments import Array
from ...exceptions import ClosureError, SingularityError
from ...model import joint_limits
from ..constraints import newton
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import SLACK
from .least_squares import LeastSquares, Search

#: Largest rate of constraint rows per unit rate of an independent coordinate that counts as rounding.
LARGEST_VIOLATION = 1e-6
#: Least condition number of J_d, the dependent part of the Jacobian, at a singular configuration.
WORST_CONDITION = 1e6
#: Largest residual [m or 1] of closed loops at a singular configuration, where Newton's method is slow.
AT_DEAD_POINT = 1e-8
#: Part of the continuation up to which a branch ends at its start.
AT_START = 1e-6
#: Largest gradient of |phi|^2 / 2, relative to |phi|, that counts as a minimum.
FLAT = 1e-3
#: Least norm of the rows of an orientation, 2 sin(angle / 2), of a frame that is reversed.
REVERSED_NORM = 1.99
#: Number of open loops, the worst ones, that a message names; the error's ``residual`` has all.
MOST_NAMED = 8
#: Advice at a singular configuration.
START_BESIDE = "start beside it, by a guess or, without one, by limits of joints that exclude it"


def raise_if_singular(system: ConstraintSystem, coordinates: Array, condition: float) -> None:
    """Raise SingularityError where the loops do not determine all dependent coordinates.

    At singular configurations, and where too few joints are independent.
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
    why = f"it is a singular configuration of these joints: {START_BESIDE}, or make other joints independent"
    if freedoms > chosen:
        why = (
            f"the mechanism has {_freedoms(freedoms)} here and {_counted(system)}: more joints must be "
            f"independent, or it is a singular configuration, where loops are in line: {START_BESIDE}"
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
    largest = max(1.0, float(np.abs(scaled).max(initial=0.0)))
    violated = np.abs(scaled @ W) > LARGEST_VIOLATION * largest
    if not violated.any():
        return
    coupled = dict.fromkeys(system.given_names[violated.any(axis=0)])
    loops = dict.fromkeys(np.array(system.names)[violated.any(axis=1)])
    freedoms = graph.nv - system.rank(J)
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


def _freedoms(number: int) -> str:
    """Return a number of degrees of freedom as text."""
    return f"{number} degree{'s' * (number != 1)} of freedom"


def _counted(system: ConstraintSystem) -> str:
    """Return as text the number of independent coordinates, and of free ones that no motor moves."""
    number = len(system.independent_v)
    text = f"{number} independent coordinate{'s' * (number != 1)}"
    if len(system.free):
        text += f", besides {len(system.free)} that no motor moves (of {', '.join(system.free_joints)})"
    return text


def open_loops(system: ConstraintSystem, coordinates: Array, where: str, why: str) -> ClosureError:
    """Return an error that names the open loops, their residuals, and the reason."""
    residual = system.residual(coordinates)
    largest = max(residual.values(), default=0.0)
    closed = min(0.5 * largest, max(1e-9, 1e-6 * largest))
    opened = {name: value for name, value in residual.items() if not value <= closed}
    named = sorted(opened, key=lambda name: -opened[name])[:MOST_NAMED]
    worst = ", ".join(f"{name} by {value:.3g}" for name, value in opened.items() if name in named)
    if len(opened) > len(named):
        worst += f" and {len(opened) - len(named)} more"
    return ClosureError(
        f"the loops of '{system.graph.name}' do not close {where}: open are {worst} [m or 1]; {why}",
        residual,
        coordinates.copy(),
    )


def cannot_close(system: ConstraintSystem, result: Search, beyond: Search) -> ClosureError:
    """Return the error for loops that no motion of all joints closes, within limits or at all.

    Args:
        result, beyond: of the searches within limits and without them.
    """
    if not beyond.open_groups:
        names = (name for minimum in result.open_groups for name in minimum.group.joints)
        over = [text for text in (_over_limits(system, name, beyond.q) for name in names) if text]
        why = f"they were closed beyond limits only, with {', '.join(over)} [rad or m]. Widen the limits"
        return open_loops(system, result.q, "within the limits of all joints", why)
    worst = max(beyond.open_groups, key=lambda minimum: minimum.residual)
    if worst.gradient <= FLAT * worst.residual:
        why = (
            f"the search ended at a minimum of the residual, {worst.residual:.3g}: they contradict each other"
        )
    else:
        why = "the search ended before a minimum of the residual: a closer guess is needed"
    if turned := _reversed_loops(system, beyond.q):
        why += (
            f". The frames of {', '.join(turned)} are reversed there, by 180 degrees: turn its predecessor's "
            "or its successor's frame"
        )
    return open_loops(system, beyond.q, "with all joints free", why)


def _over_limits(system: ConstraintSystem, name: str, q: Array) -> str:
    """Return a joint's position and limits as text; an empty text if it is within them."""
    joint, at = system.graph.joint(name), system.graph.q_slice(name)
    low, high = joint_limits(joint)
    if joint.type.nq > 1 or low - SLACK <= q[at][0] <= high + SLACK:
        return ""
    return f"'{name}' at {q[at][0]:.6g} (limits {low:.6g} and {high:.6g})"


def _reversed_loops(system: ConstraintSystem, q: Array) -> list[str]:
    """Return names of loop joints whose frames are turned against each other by 180 degrees."""
    oriented = np.isin(system.kinds, ("about", "aligned"))
    phi, names = system.evaluate(q).phi, np.array(system.names, object)
    return [
        f"'{loop.name}'"
        for loop in system.graph.loop_joints
        if np.linalg.norm(phi[oriented & (names == loop.name)]) > REVERSED_NORM
    ]


def unclosed(system: ConstraintSystem, coordinates: Array) -> ClosureError:
    """Return the error, with its reason, for loops that do not close near a guess.

    No configuration closes them, too many joints are independent, or the coordinates are out of reach.
    """
    graph = system.graph
    free = ConstraintSystem(graph.with_independent_joints(*graph.joint_names))  # none depends on others
    result = LeastSquares(free, graph.joint_names).search(coordinates, limited=False)
    if result.open_groups:
        return cannot_close(free, result, result)
    there = system.projection(result.q)
    try:
        if there.condition < WORST_CONDITION:
            raise_if_dependent(system, result.q, there.W)
    except ClosureError as error:
        return error
    why = "nothing that closes was found around: the independent coordinates seem out of reach"
    return open_loops(system, coordinates, "near the guess", why)


def raise_branch_end(system: ConstraintSystem, best: Array, reached: Array, done: float) -> None:
    """Raise the error of a continuation to other independent coordinates that ended at ``reached``.

    Newton's method decides whether loops close at these.

    Args:
        best: its start, with these independent coordinates. done: the part of the way that was completed.

    Raises SingularityError: a singular configuration. ClosureError: out of reach, too many independent.
    """
    projection, names = system.projection(reached), ", ".join(system.graph.independent_joint_names)
    condition = projection.condition
    if condition < WORST_CONDITION:
        raise_if_dependent(system, reached, projection.W)
    elif done < AT_START:
        raise SingularityError(
            f"'{system.graph.name}' starts at a singular configuration of its independent joints {names}: "
            f"condition number {condition:.2g}. Branches meet there: {START_BESIDE}",
            condition,
            reached.copy(),
        )
    newton.settle(system, best)
    ending = f"branch ends after {100.0 * done:.1f} % of the way from the start"
    if not system.largest_residual(best) < AT_DEAD_POINT:
        why = (
            "nothing that closes was found there: the independent coordinates seem out of reach, or another "
            f"branch reaches them, which a guess beside them selects. The {ending}, at a singular "
            f"configuration (condition number {condition:.2g})"
        )
        raise open_loops(system, best, "at these independent coordinates", why)
    there = system.projection(best).condition
    largest = max(there, condition)
    dead = f"a singular configuration of its independent joints {names}: condition number {largest:.2g}"
    why = f"closes there, at {dead}"
    if not there > condition:
        why = f"closes there, but the {ending} (a guess beyond that point selects another branch), at {dead}"
    raise SingularityError(f"'{system.graph.name}' {why}", max(there, condition), best)
