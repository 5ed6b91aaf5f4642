"""Constants with as many zeros as there can be, for algorithms that give torques and not wrenches.

Masses on a joint's axis turn without moving, so they may as well sit on the body before; and a second
moment that a prismatic joint shifts, with neither mass nor first moment, exerts no force. Brought to the
body before, both leave all torques as they were. What stays is the base inertial parameters (Gautier &
Khalil 1990).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...kernels import layout

__all__ = ["regrouped"]

_MOMENT = slice(layout.MOMENT, layout.MOMENT + 3)


def regrouped(topology: NDArray[np.int64], constants: NDArray[np.float64]) -> NDArray[np.float64]:
    """A copy of the constants where bodies that other bodies carry have lost what their joint cannot feel.

    Beyond a revolute joint mass, first moment along z and second moment zz are zero, beyond a prismatic one
    the whole second moment. Bodies on the ground keep theirs.
    """
    result = constants.copy()
    ground = len(topology) - 1
    for i in range(ground - 1, -1, -1):
        parent = topology[i, layout.PARENT]
        if parent == ground:
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


def _second(row: NDArray[np.float64]) -> NDArray[np.float64]:
    xx, yy, zz, xy, xz, yz = row[layout.INERTIA : layout.INERTIA + 6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _add_second(row: NDArray[np.float64], J: NDArray[np.float64]) -> None:
    row[layout.INERTIA : layout.INERTIA + 6] += [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
