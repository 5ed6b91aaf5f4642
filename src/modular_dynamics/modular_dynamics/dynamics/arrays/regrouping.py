"""Constants with as many zeros as possible, for algorithms that compute torques and no wrenches.

A mass on a joint's axis turns without moving, so it can be assigned to the parent body; and a second moment
that a prismatic joint shifts, with neither mass nor first moment, exerts no force. Assigned to the parent
body, both leave all torques unchanged. The base inertial parameters remain (Gautier & Khalil 1990).
"""

import numpy as np

from ...kernels import layout
from .arguments import Array, Topology

__all__ = ["regrouped"]

_MOMENT = slice(layout.MOMENT, layout.MOMENT + 3)


def regrouped(topology: Topology, constants: Array) -> Array:
    """A copy of the constants in which each body's parameters that its joint does not feel are its parent's.

    Beyond a revolute joint mass, first moment along z and second moment zz are zero, beyond a prismatic one
    the whole second moment. Bodies whose parent is the ground keep theirs, and so do those on floating and
    spherical joints.
    """
    result = constants.copy()
    ground = len(topology) - 1
    for i in range(ground - 1, -1, -1):
        parent = topology[i, layout.PARENT]
        if parent == ground or topology[i, layout.KIND] in (layout.FLOATING, layout.SPHERICAL):
            continue
        row, before = result[i], result[parent]
        R = row[layout.ROTATION : layout.ROTATION + 9].reshape(3, 3)
        p = row[layout.POSITION : layout.POSITION + 3]
        if topology[i, layout.KIND] == layout.PRISMATIC:
            _add_second(before, R @ _second(row) @ R.T)
            row[layout.INERTIA : layout.INERTIA + 6] = 0.0
        else:
            k = R[:, 2]
            mass, along, second = row[layout.MASS], row[layout.MOMENT + 2], row[layout.INERTIA + 2]
            before[layout.MASS] += mass
            before[_MOMENT] += along * k + mass * p
            mixed = np.outer(k, p)
            _add_second(before, second * np.outer(k, k) + along * (mixed + mixed.T) + mass * np.outer(p, p))
            row[[layout.MASS, layout.MOMENT + 2, layout.INERTIA + 2]] = 0.0
    return result


def _second(row: Array) -> Array:
    xx, yy, zz, xy, xz, yz = row[layout.INERTIA : layout.INERTIA + 6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _add_second(row: Array, J: Array) -> None:
    row[layout.INERTIA : layout.INERTIA + 6] += [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
