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

#: Distances [rad or m] at which closed configurations are looked for, each three times.
SPREADS = (0.3, 0.1, 0.03)
SAMPLES = 3
#: Singular values below this, relative to the largest, count as zero: the loops allow their directions.
NO_CONSTRAINT = 1e-7
#: Newton's method: largest number of steps, longest step, and length of the last one [rad or m].
STEPS, LONGEST, LAST = 60, 0.3, 1e-12
#: Residual [m or 1] of a closed configuration.
CLOSED = 1e-11
#: Smallest component of a unit motion that is more than rounding.
COUNTS = 1e-6


def free_coordinates(system: ConstraintSystem, closed: Array) -> tuple[int, ...]:
    """Indices in v of the free coordinates of a mechanism, in order; none where it has none.

    Only passive joints can be free: where others would be undetermined, independent joints are missing.

    Args:
        closed: a configuration (nq,) with closed loops.
    """
    spaces = [_left_open(system, q) for q in closed_around(system, closed)]
    if not spaces:
        return ()
    count = min(space.shape[1] for space in spaces)
    spaces = [space for space in spaces if space.shape[1] == count]
    graph, dependent = system.graph, system.dependent_v
    passive = [k for name in graph.passive_joints for k in range(graph.nv)[graph.v_slice(name)]]
    is_passive = np.isin(dependent, passive)
    geared = {graph.v_slice(gear.joint).start for gear in graph.gears}
    is_active = ~is_passive & ~np.isin(dependent, list(geared))
    if count == 0 or any(np.abs(space[is_active]).max(initial=0.0) > COUNTS for space in spaces):
        return ()
    is_choice = is_passive & np.isin(range(len(dependent)), system.gearing.left)
    chosen: list[int] = []
    for _ in range(count):
        # the coordinate that moves most, in the configuration where it does so least
        least = np.min([np.linalg.norm(space, axis=1) for space in spaces], axis=0)
        least[~is_choice] = 0.0
        best = int(np.argmax(least > 0.999 * least.max()))  # the first of those that move alike
        if least[best] < COUNTS:
            return ()
        chosen.append(int(dependent[best]))
        spaces = [_without(space, best) for space in spaces]
    return tuple(sorted(chosen))


def _left_open(system: ConstraintSystem, q: Array) -> Array:
    """Orthonormal motions (d, f) of the dependent coordinates that keep loops closed, scaled."""
    J = system.evaluate(q).J[:, system.dependent_v]
    _, sizes, right = np.linalg.svd(system.row_scale[:, None] * J * system.units[system.dependent_v])
    rank = int((sizes > NO_CONSTRAINT * sizes.max(initial=0.0)).sum())
    open_motions: Array = right[rank:].T
    return open_motions


def _without(space: Array, index: int) -> Array:
    """The motions (d, f - 1) among those (d, f) that do not move one coordinate."""
    _, _, right = np.linalg.svd(space[index : index + 1])
    rest: Array = space @ right[1:].T
    return rest


def closed_around(system: ConstraintSystem, closed: Array) -> list[Array]:
    """Closed configurations around one, by minimum-norm steps of all joints from random points."""
    coordinates, rng, found = Coordinates(system.graph), np.random.default_rng(0), []
    for spread in np.repeat(SPREADS, SAMPLES):
        q = coordinates.moved(closed, spread * system.units * rng.uniform(-1.0, 1.0, system.graph.nv))
        if closes(system, coordinates, q):
            found.append(q)
        if len(found) == SAMPLES:
            break
    return found


def closes(system: ConstraintSystem, coordinates: Coordinates, q: Array) -> bool:
    """Whether Newton's method, applied to q (nq,) in place by steps of minimum norm, closes the loops."""
    for _ in range(STEPS):
        values, scale = system.evaluate(q), system.row_scale
        J, phi = scale[:, None] * values.J * system.units, scale * values.phi
        step = -np.linalg.lstsq(J, phi, NO_CONSTRAINT)[0]
        largest = np.abs(step).max(initial=0.0)
        if largest < LAST:
            return bool(np.abs(phi).max(initial=0.0) < CLOSED)
        q[:] = coordinates.moved(q, system.units * step * min(1.0, LONGEST / largest))
    return False
