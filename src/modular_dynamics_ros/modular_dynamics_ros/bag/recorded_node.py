"""What sessions and inputs need of a node, where messages come from a bag: its clock and its log."""

from typing import Any

from modular_dynamics_ros.computation.values import CLOCK_SET_BACK
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node.answer_record import AnswerRecord
from modular_dynamics_ros.node.joint_table import JointTable

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
        self.record: AnswerRecord | None = None  # of all joint states
        self.joints = JointTable()

    def advance(self, recorded: int, stamp: int) -> int:
        """Set the clock for a message (recording time and stamp or 0 [ns]), and return its arrival."""
        if not self._by_stamps:
            self._now = recorded
        elif stamp and (stamp > self._now or self._now - stamp > CLOCK_SET_BACK):
            self._now = stamp  # a much older stamp restarts the clock
        elif not self._now:
            return recorded
        return self._now

    def get_publishers_info_by_topic(self, topic: str) -> tuple[()]:
        """Return no publishers: a bag does not know them. See `SessionNode`."""
        return ()

    def now(self) -> int:
        """Return the time of the bag [ns]: see `SessionNode`."""
        return self._now

    def steady(self) -> int:
        """Return the bag's time [ns] as the monotonic clock, which nobody can set: see `SessionNode`."""
        return self._now


def stamp_of(message: Any) -> int:
    """Return the stamp of a message [ns]; 0 if it is empty or the message has no header."""
    header = getattr(message, "header", None)
    return 0 if header is None else stamp_nanoseconds(header.stamp)
