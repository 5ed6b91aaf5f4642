"""What sessions and inputs need of a node, where messages come from a bag: its clock and its log."""

from typing import Any

from modular_dynamics_ros.computation.values import CLOCK_SET_BACK
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

__all__ = ["RecordedNode", "stamp_of"]

ACCEPTED = "a larger --stale-after accepts it"
BY_RECORDER = f"the time of recording: {ACCEPTED}; --clock stamps compares it with the newest stamp instead"
BY_STAMPS = f"the newest stamp: {ACCEPTED}; --clock recorded compares it with the time of recording instead"


class RecordedNode:
    """A node whose time is that of the bag.

    Args:
        by_stamps: whether it is the newest stamp so far; else when messages were recorded.
        logger: takes problems.

    Attributes:
        simulated: whether the clock is /clock: the bag's own clock is none. clock: what stamps are compared
        with, and the options for those that are far from it.
    """

    simulated = False

    def __init__(self, logger: Any, *, by_stamps: bool) -> None:
        self._by_stamps, self._now = by_stamps, 0
        self.clock = BY_STAMPS if by_stamps else BY_RECORDER
        self.log = ChangeLog(logger, lambda: self._now * 1e-9)

    def advance(self, recorded: int, stamp: int) -> int:
        """A message comes: when it was recorded, its stamp or 0 [ns]. Returns when it arrives."""
        if not self._by_stamps:
            self._now = recorded
        elif stamp and (stamp > self._now or self._now - stamp > CLOCK_SET_BACK):
            self._now = stamp  # a much older one begins a new time
        elif not self._now:
            return recorded
        return self._now

    def get_publishers_info_by_topic(self, topic: str) -> tuple[()]:
        """See `SessionNode`: a bag does not say who has published."""
        return ()

    def now(self) -> int:
        """See `SessionNode`."""
        return self._now

    def steady(self) -> int:
        """See `SessionNode`: nobody sets the clock of a bag."""
        return self._now


def stamp_of(message: Any) -> int:
    """The stamp of a message [ns]; 0 where it was not filled in, and of messages without a header."""
    header = getattr(message, "header", None)
    return 0 if header is None else stamp_nanoseconds(header.stamp)
