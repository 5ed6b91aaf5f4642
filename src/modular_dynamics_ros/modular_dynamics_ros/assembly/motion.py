"""What joint states show: a gait, as far as the assembly has the joints that it moves."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Motion(Protocol):
    """The interface of a gait."""

    joint_names: tuple[str, ...]

    def at(self, t: float) -> Any:
        """Return q, v, a (n,) of its joints at a time [s] from 0 on."""


class MovingJoints:
    """The joints of a changing assembly.

    A joint that is there stays in its motion through every change. One that comes later joins smoothly: for
    `ease` seconds its motion is scaled by s(u) = 10 u^3 - 15 u^4 + 6 u^5, u: share of that time. Joints that
    the gait does not move, and all joints without a gait, stay at zero.

    Args:
        ease: [s].
    """

    def __init__(self, gait: Motion | None, ease: float) -> None:
        self._gait, self._ease = gait, ease
        columns = () if gait is None else gait.joint_names
        self._column: Mapping[str, int] = {name: k for k, name in enumerate(columns)}
        self._names: tuple[str, ...] = ()
        self._rows: NDArray[np.intp] = np.zeros(0, np.intp)
        self._columns: NDArray[np.intp] = np.zeros(0, np.intp)
        self._since: Array = np.zeros(0)

    def take(self, names: Sequence[str], t: float) -> None:
        """Set the joints to be moved from time t [s] on."""
        before = dict(zip(self._names, self._since.tolist(), strict=True))
        first = not before
        self._names = tuple(names)
        self._since = np.array([before.get(name, -np.inf if first else t) for name in names])
        moved = [(row, self._column[name]) for row, name in enumerate(names) if name in self._column]
        self._rows = np.array([row for row, _ in moved], np.intp)
        self._columns = np.array([column for _, column in moved], np.intp)

    def at(self, t: float) -> tuple[Array, Array]:
        """Return positions and velocities (n,) [rad or m, per s] at a time [s]."""
        q, v = np.zeros((2, len(self._names)))
        if self._gait is None:
            return q, v
        gait_q, gait_v, _ = self._gait.at(t)
        if self._ease == 0.0:
            s, ds = np.ones((1, 1)), np.zeros((1, 1))
        else:
            u = np.clip((t - self._since[self._rows]) / self._ease, 0.0, 1.0)
            s = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
            ds = 30.0 * u**2 * (1.0 - u) ** 2 / self._ease
        q[self._rows] = s * gait_q[self._columns]
        v[self._rows] = s * gait_v[self._columns] + ds * gait_q[self._columns]
        return q, v
