"""The newest that is known of each joint: several publishers may each report a part of the robot."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["NEVER", "JointTable"]

Array = NDArray[np.float64]
Places = NDArray[np.intp]

NEVER = int(np.iinfo(np.int64).min)  # stamp of a joint that no message has held yet
MOST_OTHERS = 2000  # joints that no robot of the node has had: one may be attached that has them


class JointTable:
    """Position, velocity, effort and stamp of each joint by name, whichever robot it belongs to.

    It belongs to an active node, and so it outlives changes of the robot.

    Attributes:
        q, v, effort: [rad or m, per s, N m or N]; NaN where a velocity or an effort was missing.
        stamps: [ns], NEVER where nothing has come. All grow as joints are added: see `places`.
    """

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._of_robot = frozenset[str]()  # joints of the present robot
        self._latest = NEVER  # no row has a later stamp
        self.q, self.v, self.effort = np.zeros((3, 0))
        self.stamps = np.zeros(0, np.int64)

    def places(self, names: Iterable[str]) -> Places:
        """Return the rows of these joints, which are added where they are new."""
        rows = np.array([self._rows.setdefault(name, len(self._rows)) for name in names], np.intp)
        if (new := len(self._rows) - len(self.q)) > 0:
            self.q, self.v, self.effort = (
                np.append(one, np.full(new, np.nan)) for one in (self.q, self.v, self.effort)
            )
            self.stamps = np.append(self.stamps, np.full(new, NEVER))
        return rows

    def begin(self, names: Iterable[str], oldest: int) -> None:
        """Let a robot with these joints take the place of the one before.

        What came before `oldest` [ns] of a joint that the one before has not is forgotten: it was another.
        """
        names = frozenset(names)
        new = self.places(names - self._of_robot)
        self.stamps[new[self.stamps[new] < oldest]] = NEVER
        self._of_robot = names

    def readable(self, names: Iterable[str]) -> list[str]:
        """Return the joints of a message that have a row or may get one: not too many that no robot has."""
        free = max(0, MOST_OTHERS - len(self._rows))
        new = [name for name in names if name not in self._rows]
        left_out = {*new[free:]}
        return [name for name in names if name not in left_out]

    def add(self, rows: Places, q: Array, v: Array, effort: Array | None, stamp: int) -> None:
        """Take the values (k,) of a message with this stamp [ns]; values with a later stamp stay."""
        if stamp < self._latest:
            taken = self.stamps[rows] <= stamp
            rows, q, v = rows[taken], q[taken], v[taken]
            effort = None if effort is None else effort[taken]
        self._latest = max(self._latest, stamp)
        self.q[rows], self.v[rows], self.stamps[rows] = q, v, stamp
        self.effort[rows] = np.nan if effort is None else effort

    def forget(self) -> None:
        """Forget all values: they are of another robot."""
        self.stamps[:] = NEVER
        self._latest = NEVER

    def forget_after(self, horizon: int) -> None:
        """Forget values with a later stamp [ns] than any that can come: the clock was set back.

        It may reach their stamps again.
        """
        if self._latest > horizon:
            self.stamps[self.stamps > horizon] = NEVER
            self._latest = int(self.stamps.max(initial=NEVER))
