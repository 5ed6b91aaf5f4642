"""Coordinates that neither independent joints nor loops determine: a rod that spins between two balls.

There J_d has a null space N wherever the loops are closed. At a dead point it has one too, but not at the
closed configurations around it. A free coordinate is one of v, chosen so that its velocity determines the
motion along N; the others are then determined as usual.
"""

import numpy as np

from ...dynamics.arguments import Array
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import Coordinates

__all__ = ["closed_around", "closes", "free_coordinates"]

#: Distances [rad or m] at which closed configurations are searched for; how many of them are used.
SPREADS = (0.3, 0.1, 0.03)
SAMPLES = 3
#: Singular values below this, relative to the largest, count as zero: loops allow motion along them.
NO_CONSTRAINT = 1e-7
#: Newton's method: largest number of steps, longest step, and length of the last one [rad or m].
STEPS, LONGEST, LAST = 60, 0.3, 1e-12
#: Residual [m or 1] of a closed configuration.
CLOSED = 1e-11
#: Smallest component of a unit motion that is more than rounding.
LEAST_COMPONENT = 1e-6


def free_coordinates(system: ConstraintSystem, closed: Array) -> tuple[int, ...]:
    """Return the indices in v of a mechanism's free coordinates, in order; an empty tuple if it has none.

    Only passive joints can be free: where others would be undetermined, independent joints are missing.

    Args:
        closed: a configuration (nq,) with closed loops.
    """
    spaces = [_open_motions(system, q) for q in closed_around(system, closed)]
    if not spaces:
        return ()
    count = min(space.shape[1] for space in spaces)
    spaces = [space for space in spaces if space.shape[1] == count]
    graph, dependent = system.graph, system.dependent_v
    passive = [k for name in graph.passive_joints for k in range(graph.nv)[graph.v_slice(name)]]
    is_passive = np.isin(dependent, passive)
    geared = {graph.v_slice(gear.joint).start for gear in graph.gears}
    is_active = ~is_passive & ~np.isin(dependent, list(geared))
    if count == 0 or any(np.abs(space[is_active]).max(initial=0.0) > LEAST_COMPONENT for space in spaces):
        return ()
    is_choice = is_passive & np.isin(range(len(dependent)), system.gearing.left)
    chosen: list[int] = []
    for _ in range(count):
        # the coordinate with the largest motion in its worst configuration
        least = np.min([np.linalg.norm(space, axis=1) for space in spaces], axis=0)
        least[~is_choice] = 0.0
        best = int(np.argmax(least > 0.999 * least.max()))  # the first of equals
        if least[best] < LEAST_COMPONENT:
            return ()
        chosen.append(int(dependent[best]))
        spaces = [_with_coordinate_fixed(space, best) for space in spaces]
    return tuple(sorted(chosen))


def _open_motions(system: ConstraintSystem, q: Array) -> Array:
    """Return an orthonormal basis (d, f) of scaled dependent motions that keep the loops closed."""
    J = system.evaluate(q).J[:, system.dependent_v]
    _, sizes, right = np.linalg.svd(system.row_scale[:, None] * J * system.units[system.dependent_v])
    rank = int((sizes > NO_CONSTRAINT * sizes.max(initial=0.0)).sum())
    open_motions: Array = right[rank:].T
    return open_motions


def _with_coordinate_fixed(space: Array, index: int) -> Array:
    """Return a basis (d, f - 1) of the motions in ``space`` (d, f) that leave one coordinate unmoved."""
    _, _, right = np.linalg.svd(space[index : index + 1])
    rest: Array = space @ right[1:].T
    return rest


def closed_around(system: ConstraintSystem, closed: Array) -> list[Array]:
    """Return closed configurations near ``closed``, by minimum-norm steps from random points."""
    coordinates, rng, found = Coordinates(system.graph), np.random.default_rng(0), []
    for spread in np.repeat(SPREADS, SAMPLES):
        q = coordinates.moved(closed, spread * system.units * rng.uniform(-1.0, 1.0, system.graph.nv))
        if closes(system, coordinates, q):
            found.append(q)
        if len(found) == SAMPLES:
            break
    return found


def closes(system: ConstraintSystem, coordinates: Coordinates, q: Array) -> bool:
    """Return whether Newton's method, by minimum-norm steps applied to q (nq,) in place, closes the loops."""
    for _ in range(STEPS):
        values, scale = system.evaluate(q), system.row_scale
        J, phi = scale[:, None] * values.J * system.units, scale * values.phi
        step = -np.linalg.lstsq(J, phi, NO_CONSTRAINT)[0]
        largest = np.abs(step).max(initial=0.0)
        if largest < LAST:
            return bool(np.abs(phi).max(initial=0.0) < CLOSED)
        q[:] = coordinates.moved(q, system.units * step * min(1.0, LONGEST / largest))
    return False
