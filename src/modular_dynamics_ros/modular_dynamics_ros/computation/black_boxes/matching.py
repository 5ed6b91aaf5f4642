"""States that wait for the wrenches of all black boxes with their stamp, for a bounded time."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from modular_dynamics_ros.computation.wrenches.timed_wrenches import TimedWrench
from modular_dynamics_ros.exceptions import BadMessage

MOST = 1000  # largest numbers of stored wrenches of a box and of waiting states: two seconds at 500 Hz
Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Matched(Generic[Item]):
    """A state that waited, with the wrenches that have arrived for it.

    Attributes:
        wrenches: by black box. missing: the boxes that have sent none; then `wrenches` is not complete.
    """

    item: Item
    wrenches: Mapping[str, TimedWrench]
    missing: tuple[str, ...]


class StampMatcher(Generic[Item]):
    """First in, first out: a state behind one that waits is answered after it.

    Times are of the monotonic clock [ns]; stamps are only compared with each other. A topic keeps its
    order: once a box has sent a later stamp, the earlier one will not come, and the state is given up at
    once. So a lost wrench costs its own state and delays none.

    Args:
        boxes: names. complete: takes each state, in order, when its wrenches are there or it is given up.

    Attributes:
        wait: how long [s] a state waits at most; 0: none does.
    """

    def __init__(self, boxes: Sequence[str], wait: float, complete: Callable[[Matched[Item]], None]) -> None:
        self.wait = wait
        self._boxes, self._complete = tuple(boxes), complete
        self._last: int | None = None
        self._items: deque[tuple[int, int, Item]] = deque()  # stamp, since when it waits
        self._wrenches = {name: deque[tuple[int, TimedWrench]](maxlen=MOST) for name in boxes}

    @property
    def newest(self) -> int | None:
        """Return the stamp of the newest waiting state; None if none waits."""
        return self._items[-1][0] if self._items else None

    def add_wrench(self, box: str, stamp: int, wrench: TimedWrench, now: int) -> None:
        """Add a wrench, and hand over the states that are now complete."""
        kept = self._wrenches[box]
        while kept and kept[-1][0] >= stamp:  # repeated, or the clock was set back
            kept.pop()
        kept.append((stamp, wrench))
        self.look(now)

    def add(self, stamp: int, item: Item, now: int) -> None:
        """Add a state; a stamp before a waiting state's means that the clock was set back.

        Raises:
            BadMessage: the state before had this stamp; whose wrench is whose would not be known.
        """
        if stamp == self._last:
            text = "another joint state had its stamp: the wrenches for them cannot be distinguished"
            raise BadMessage("repeated stamp", text)
        if self._items and stamp < self._items[-1][0]:
            self.give_up()
        self._last = stamp
        self._items.append((stamp, now, item))
        if len(self._items) > MOST:
            self._finish()
        self.look(now)

    def look(self, now: int) -> None:
        """Hand over states whose wrenches have arrived, will not arrive, or are late."""
        while self._items:
            stamp, since, _ = self._items[0]
            late = now - since >= self.wait * 1e9
            if not late and any(self._awaited(box, stamp) for box in self._boxes):
                return
            self._finish()

    def give_up(self) -> None:
        """Hand over all states with the wrenches that they have."""
        while self._items:
            self._finish()

    def clear(self) -> None:
        """Forget all."""
        self._items.clear()
        self._last = None
        for kept in self._wrenches.values():
            kept.clear()

    def _awaited(self, box: str, stamp: int) -> bool:
        kept = self._wrenches[box]
        return not kept or kept[-1][0] < stamp

    def _finish(self) -> None:
        stamp, _, item = self._items.popleft()
        wrenches = dict(self._found(stamp))
        missing = tuple(box for box in self._boxes if box not in wrenches)
        self._complete(Matched(item, wrenches, missing))

    def _found(self, stamp: int) -> Iterator[tuple[str, TimedWrench]]:
        for box, kept in self._wrenches.items():
            for own, wrench in reversed(kept):
                if own <= stamp:
                    if own == stamp:
                        yield box, wrench
                    break
