"""Errors that say why loops do not close: out of reach, beyond limits, contradictory, or a dead point."""

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arguments import Array
from ...exceptions import ClosureError, SingularityError
from ...model import joint_limits
from ..constraints import newton
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import SLACK, Coordinates
from .least_squares import LeastSquares, Search

# Whether the independent joints determine all others: dead points, too few or too many independent joints.

#: Largest rate of constraint rows per unit rate of an independent coordinate that counts as rounding.
LARGEST_VIOLATION = 1e-6
#: Least condition number of J_d, the dependent part of the Jacobian, at a dead point.
WORST_CONDITION = 1e6
#: Distances [rad or m] from a dead point of the starts of a search for a regular pose.
NEARBY_STARTS = (0.05, 0.2, 0.2, *[0.5] * 5, *[1.0] * 5)
#: Least distance of such a pose: close to a dead point rows are nearly dependent.
LEAST_DISTANCE = 1e-3
#: Advice at a dead point of independent joints that determine all others near it.
START_NEARBY = (
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
        why = f"it is a dead point, with {_freedoms(freedoms)}, where loops are in line. {START_NEARBY}"
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
            f"line there. {START_NEARBY}",
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
        for distance in NEARBY_STARTS:
            start = coordinates + distance * rng.standard_normal(len(coordinates))
            result = free.search(start, limited=False, descents=1)
            if result.open_groups or np.abs(result.q - coordinates).max(initial=0.0) < LEAST_DISTANCE:
                continue
            there = system.projection(result.q)
            if there.condition < WORST_CONDITION and not _violated(system, result.q, there.W).any():
                system.is_regular_nearby = True
                break
    return system.is_regular_nearby


def with_all_joints_free(system: ConstraintSystem) -> LeastSquares:
    """Return a least-squares search that moves all joints of the mechanism."""
    graph = system.graph
    free = ConstraintSystem(graph.with_independent_joints(*graph.joint_names))  # none depends on others
    return LeastSquares(free, graph.joint_names)


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


# Loops that close in no configuration, because a residual of theirs does not depend on any joint.

#: Number of configurations that are compared, and the largest difference [m or 1] that is rounding.
COMPARED, EQUAL = 4, 1e-12


def contradiction(system: ConstraintSystem, near: Array) -> ClosureError | None:
    """Return the error of loops that no motion of any joints closes; None if they may close.

    A residual that is equal at random configurations is constant, since it is analytic in the coordinates.
    Compared are each row, and of each loop joint the distance of its points and the norm of its rows of
    orientation. That finds planes of motion that are parallel but apart, or at an angle.
    """
    rng, coordinates = np.random.default_rng(0), Coordinates(system.graph)
    poses = near + rng.normal(size=(COMPARED, len(near)))
    table = np.array([_sizes(system, coordinates.unit(q)) for q in poses])
    is_constant = np.ptp(table, axis=0) <= EQUAL * (1.0 + table.max(axis=0))
    if not (is_constant & (table.min(axis=0) > newton.CLOSED)).any():
        return None
    why = "no joint changes that, as where axes are not parallel, or planes of motion not the same"
    return open_loops(system, near, "in any configuration", why)


def _sizes(system: ConstraintSystem, q: Array) -> Array:
    """Return |phi| of each row, then the norms of each loop's position rows and of its orientation rows."""
    phi, is_along = np.abs(system.evaluate(q).phi), system.kinds == "along"
    names = np.array(system.names, object)
    sizes = [*phi[~system.is_gear]]
    for loop in system.graph.loop_joints:
        own = names == loop.name
        is_position = own & is_along
        sizes += [float(np.linalg.norm(phi[kind])) for kind in (is_position, own & ~is_position)]
    return np.array(sizes)


#: Number of open loops, the worst ones, that a message names; the error's ``residual`` has all.
MOST_NAMED = 8
#: Largest gradient of |phi|^2 / 2, relative to |phi|, that counts as a minimum.
FLAT = 1e-3
#: Part of the continuation up to which a branch ends at its start, and the advice then.
AT_START = 1e-6
START_BESIDE = (
    "Branches meet there: start beside it, by a guess or, without one, by limits of joints that exclude it"
)
#: Least norm of the rows of an orientation, 2 sin(angle / 2), of a frame that is reversed.
REVERSED_NORM = 1.99
#: Largest residual [m or 1] of closed loops at a dead point, where Newton's method is slow.
AT_DEAD_POINT = 1e-8


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


def cannot_close(system: ConstraintSystem, result: Search, beyond: Search, moving: str) -> ClosureError:
    """Return the error for loops that no motion of the joints closes, within limits or at all.

    Args:
        result, beyond: of the searches within limits and without them. moving: which joints, as text for
            the message.
    """
    if not beyond.open_groups:
        names = (name for minimum in result.open_groups for name in minimum.group.joints)
        over = [text for text in (_over_limits(system, name, beyond.q) for name in names) if text]
        why = f"they were closed beyond limits only, with {', '.join(over)} [rad or m]. Widen the limits"
        return open_loops(system, result.q, f"within the limits of {moving}", why)
    worst = max(beyond.open_groups, key=lambda minimum: minimum.residual)
    is_minimum = worst.gradient <= FLAT * worst.residual
    why = (
        f"the search ended {'at' if is_minimum else 'before'} a minimum of the residual "
        f"({worst.residual:.3g}, with a gradient of {worst.gradient:.1g}) of {len(worst.group.rows)} "
        f"conditions on {len(worst.group.v)} velocities: "
    )
    why += "the loops contradict each other" if is_minimum else "a closer guess is needed"
    if turned := _reversed_loops(system, beyond.q):
        why += (
            f". The frames of {', '.join(turned)} are reversed there, by 180 degrees: turn its predecessor's "
            "or its successor's frame"
        )
    return open_loops(system, beyond.q, f"with {moving} free", why)


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


def unclosed(
    system: ConstraintSystem, coordinates: Array, where: str, closable: bool = False
) -> ClosureError:
    """Return the error, with its reason, for loops that do not close at given independent coordinates.

    No configuration closes them, too many joints are independent, or these coordinates are out of reach.

    Args:
        where: which coordinates, for the message.
        closable: whether some configuration is known to close the loops; if not, one is searched for.
    """
    if not closable:
        free = with_all_joints_free(system)
        result = free.search(coordinates, limited=False)
        if result.open_groups:
            return cannot_close(free.system, result, result, "all joints")
        try:
            raise_if_dependent(system, result.q, system.projection(result.q).W)
        except ClosureError as error:
            return error
    why = "nothing that closes was found around: the independent coordinates seem out of reach"
    return open_loops(system, coordinates, where, why)


def raise_branch_end(
    system: ConstraintSystem, target: Array, reached: Array, done: float, diagnose: bool
) -> None:
    """Raise the error of a continuation to independent coordinates ``target`` that ended at ``reached``.

    Args:
        done: the part of the way that was completed.
        diagnose: whether to search for the reason, which takes about 0.1 s. If not, Newton's method from
            ``reached`` decides which error it is.

    Raises SingularityError: a dead point. ClosureError: out of reach, or too many independent joints.
    """
    projection = system.projection(reached)
    condition = projection.condition
    raise_if_dependent(system, reached, projection.W)
    start = reached.copy()
    start[system.independent_q] = target
    best = start.copy()
    newton.settle(system, best)
    if diagnose and not system.largest_residual(best) < AT_DEAD_POINT:
        best = LeastSquares(system, system.dependent).search(start, limited=False).q
    if system.largest_residual(best) < AT_DEAD_POINT:
        there = system.projection(best).condition
        names = ", ".join(system.graph.independent_joint_names)
        dead = f"a dead point of its independent joints {names}: condition number {max(there, condition):.2g}"
        if there > condition:
            why = f"closes there, at {dead}"
        elif done < AT_START:
            why = f"closes there, but the start is {dead}. {START_BESIDE}"
        else:
            why = (
                f"closes there, but the branch ends after {100.0 * done:.1f} % of the way from the start (a "
                f"guess beyond that point selects another branch), at {dead}"
            )
        raise SingularityError(f"'{system.graph.name}' {why}", max(there, condition), best)
    where = "at these independent coordinates"
    ending = f"after {100.0 * done:.1f} % of the way from the start"
    if not diagnose:
        why = (
            f"the branch ends {ending}, at a dead point (condition number {condition:.2g}); a call for this "
            "state alone searches for the reason"
        )
        raise open_loops(system, best, where, why)
    error = unclosed(system, best, where, closable=True)
    if error.residual is None:  # the choice of independent joints is wrong, not the loops
        raise error
    raise ClosureError(
        f"{error}. The branch ends {ending}, at a dead point (condition number {condition:.2g})",
        error.residual,
        best,
    )
