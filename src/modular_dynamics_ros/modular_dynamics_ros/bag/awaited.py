"""Joints that recorded joint states lacked until they timed out, and all names in the messages."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from modular_dynamics_ros.exceptions import listed

__all__ = ["AwaitedJoints"]

MOST = 4  # largest number of names in a line


class AwaitedJoints:
    """Joints missing from the joint states of one robot that were not answered.

    Several publishers are merged: until all have begun, joint states wait, which is no flaw once one is
    answered.
    """

    def __init__(self) -> None:
        self._recorded: dict[str, None] = {}  # names, in their order
        self._at_first, self._later = Counter[str](), Counter[str]()
        self._has_answer = False

    def continue_from(self, other: "AwaitedJoints") -> None:
        """Take over the counts: this robot replaces the other one in the bag."""
        self._recorded, self._later = other._recorded, other.in_vain

    def add(self, names: Iterable[str], missing: Sequence[str], *, answered: bool) -> None:
        """Count a joint state with these names, and the joints that it misses."""
        self._recorded.update(dict.fromkeys(names))
        self._has_answer |= answered
        if missing:
            (self._later if self._has_answer else self._at_first).update(missing)

    @property
    def in_vain(self) -> Counter[str]:
        """Return for each joint the number of joint states that timed out waiting for it."""
        return Counter(self._later) if self._has_answer else self._later + self._at_first

    def not_recorded(self) -> list[str]:
        """Return those joints of `in_vain` that no joint state holds."""
        return [name for name in self.in_vain if name not in self._recorded]

    def others(self, joints: Iterable[str]) -> list[str]:
        """Return names in the messages that are not among these joints of the robot."""
        known = frozenset(joints)
        return [name for name in self._recorded if name not in known]

    def lines(self, stale_after: float) -> list[str]:
        """Return lines on missing joints and the remedy; `stale_after`: how long positions are valid [s]."""
        rows, absent, counts = list[str](), self.not_recorded(), self.in_vain
        if absent:
            advice = f"--absent-joints {absent[0]}:=POSITION gives a position"
            rows.append(f"    in no joint state: {listed(absent, MOST)}; {advice}")
        late = [(name, count) for name, count in counts.most_common() if name in self._recorded]
        if late:
            shown = ", ".join(f"'{name}' ({count})" for name, count in late[:MOST])
            rest = f" and {len(late) - MOST} more" if len(late) > MOST else ""
            advice = "a larger --stale-after lets older positions count"
            rows.append(f"    without a position in the last {stale_after:g} s: {shown}{rest}; {advice}")
        return rows

    def record(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return {"awaited": dict(self.in_vain), "not_recorded": self.not_recorded()}
