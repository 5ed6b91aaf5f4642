"""What belongs to one stamp: a joint state, the motion of the connection point, the successors' wrenches."""

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

MOST = 1000  # stamps that are kept: two seconds at 500 Hz
Item = TypeVar("Item")


@dataclass(eq=False)
class Meeting(Generic[Item]):
    """The item and the parts with one stamp [ns].

    Attributes:
        since: when the first of it came [ns of the monotonic clock]. item: what waits. parts: by sender.
        done: whether it was processed, or cannot be.
    """

    stamp: int
    since: int
    item: Item | None = None
    parts: dict[str, Any] = field(default_factory=dict)
    done: bool = False


class Rendezvous(Generic[Item]):
    """Matches items and parts by stamp, in whatever order they arrive.

    The first item and the first part of each sender count: several nodes compute from one stamp, and all
    that they exchange with it must belong to one state. Times are of the monotonic clock [ns]; stamps
    are only compared with each other.

    Args:
        senders: of parts, one of each is needed. timeout: how long [s] a stamp waits.
    """

    def __init__(self, senders: tuple[str, ...], timeout: float) -> None:
        self.senders, self.timeout = senders, timeout
        self._meetings: dict[int, Meeting[Item]] = {}  # in order of arrival
        self._with_items: list[Meeting[Item]] = []  # of them, perhaps processed meanwhile
        self._given_up: list[Meeting[Item]] = []  # see `overdue`
        self._newest: int | None = None  # stamp of an item

    def add_item(self, stamp: int, item: Item, now: int) -> Meeting[Item] | None:
        """Add an item; None if another one has this stamp."""
        if self._newest is not None and stamp < self._newest - self.timeout * 1e9:
            given_up = self._given_up + self.waiting()
            self.clear()  # the clock was set back: what has come belongs to other states
            self._given_up = given_up
        self._newest = stamp if self._newest is None else max(self._newest, stamp)
        meeting = self._meeting(stamp, now)
        if meeting.item is not None or meeting.done:
            return None
        meeting.item = item
        self._with_items.append(meeting)
        return meeting

    def add_part(self, stamp: int, sender: str, part: Any, now: int) -> Meeting[Item] | None:
        """Add a sender's part; None if it is no longer of use."""
        meeting = self._meeting(stamp, now)
        if meeting.done or sender in meeting.parts:
            return None
        meeting.parts[sender] = part
        return meeting

    def part(self, stamp: int, sender: str) -> Any:
        """Return a sender's part for a stamp; None if none is kept."""
        meeting = self._meetings.get(stamp)
        return None if meeting is None else meeting.parts.get(sender)

    def missing(self, meeting: Meeting[Item]) -> list[str]:
        """Return the senders whose part is missing."""
        return [sender for sender in self.senders if sender not in meeting.parts]

    def waiting(self) -> list[Meeting[Item]]:
        """Return the meetings whose item was not processed."""
        kept = self._meetings
        self._with_items = [one for one in self._with_items if not one.done and kept.get(one.stamp) is one]
        return list(self._with_items)

    def overdue(self, now: int) -> list[Meeting[Item]]:
        """Forget what has waited too long; return those of it whose item was not processed.

        Those also that waited when the clock was set back.
        """
        kept = [*self._meetings.values()]
        late = [one for one in kept if now - one.since > self.timeout * 1e9]
        others = kept[len(late) :]  # those came later
        others.sort(key=lambda one: not one.done)  # processed ones only refuse a second item with their stamp
        forgotten = late + others[: max(len(others) - MOST, 0)]
        for meeting in forgotten:
            del self._meetings[meeting.stamp]
        given_up, self._given_up = self._given_up, []
        return given_up + [one for one in forgotten if one.item is not None and not one.done]

    def close_stamps_of(self, other: "Rendezvous[Item]") -> None:
        """Take no items with the stamps of those of another robot, whose parts may still come."""
        self._newest = other._newest
        for stamp, meeting in other._meetings.items():
            if meeting.item is not None or meeting.done:
                self._meetings[stamp] = Meeting(stamp, meeting.since, done=True)

    def clear(self) -> None:
        """Forget everything."""
        self._meetings.clear()
        self._with_items.clear()
        self._given_up.clear()
        self._newest = None

    def _meeting(self, stamp: int, now: int) -> Meeting[Item]:
        if (meeting := self._meetings.get(stamp)) is None:
            meeting = self._meetings[stamp] = Meeting(stamp, now)
        return meeting
