"""Robots from the topic are read and prepared beside the executor, which answers joint states meanwhile."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from rclpy.node import Node

from modular_dynamics_ros.node.threads.short_turns import short_turns

__all__ = ["DescriptionLoader", "Loaded"]

Product = TypeVar("Product")
MOST_PASSED = 20  # robots that are kept in case that those after them are bad
PATIENCE = 2.0  # [s] at the end of the node, for a robot that is being prepared


class Loaded(NamedTuple, Generic[Product]):
    """A description, with the product prepared from it or the error.

    Attributes:
        name, stamp: of the robot; since when it is valid [ns], None where the text does not say.
        product: None where there is an error.
    """

    text: str
    name: str = ""
    stamp: int | None = None
    product: Product | None = None
    error: Exception | None = None


class DescriptionLoader(Generic[Product]):
    """Prepares one robot after the other in a thread.

    A robot is passed over where a later one that waits makes its product useless. One without a stamp may
    turn out to be bad: then the last one that was passed over for it is prepared after all.

    Args:
        header: reads name and stamp of a text. prepare: makes the product of a text.
        outdated: whether a robot with this stamp [ns] has been in force too long for an older one to matter.
        take: gets each result, in the executor's thread. look: called there when `awaits` may have changed.
    """

    def __init__(
        self,
        node: Node,
        header: Callable[[str], Any],
        prepare: Callable[[str], Product],
        outdated: Callable[[int], bool],
        take: Callable[[Loaded[Product]], None],
        look: Callable[[], None],
    ) -> None:
        self._node = node
        self._header, self._prepare, self._outdated = header, prepare, outdated
        self._take, self._look = take, look
        self._waiting: deque[str] = deque()
        self._read: deque[Loaded[Product]] = deque()
        self._passed: deque[Loaded[Product]] = deque(maxlen=MOST_PASSED)  # for robots without a stamp
        self._results: deque[Loaded[Product]] = deque()
        self._unread = 0  # texts whose header is not known
        self._stamps: list[int] = []  # [ns] of robots that are read and not handed over
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ended = False
        self._wake = node.create_guard_condition(self._hand_over)

    def load(self, text: str) -> None:
        """Prepare this robot, after those that wait."""
        with self._lock:
            self._waiting.append(text)
            self._unread += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="descriptions", daemon=True)
                self._thread.start()

    def awaits(self, after: int, until: int) -> bool:
        """Return whether a robot may follow with a stamp [ns] later than `after` and up to `until`."""
        if not self._unread and not self._stamps:
            return False
        with self._lock:
            return self._unread > 0 or any(after < stamp <= until for stamp in self._stamps)

    def destroy(self) -> None:
        """Forget what waits; nothing is handed over any more."""
        with self._lock:
            self._ended, thread = True, self._thread
        if thread is not None:
            thread.join(PATIENCE)
        self._node.destroy_guard_condition(self._wake)

    def _work(self) -> None:
        with short_turns():
            while (loaded := self._next()) is not None:
                if loaded.error is None:
                    try:
                        loaded = loaded._replace(product=self._prepare(loaded.text))
                    except Exception as error:
                        loaded = loaded._replace(error=error)
                if loaded.error is None:
                    self._passed.clear()
                elif self._passed and loaded.stamp is None:
                    self._read.appendleft(self._passed.pop())
                self._results.append(loaded)
                self._trigger()

    def _trigger(self) -> None:
        with self._lock:
            if not self._ended:
                self._wake.trigger()

    def _next(self) -> Loaded[Product] | None:
        """Return the next robot to prepare; None if none is left, which ends the thread."""
        while True:
            with self._lock:
                waiting = list(self._waiting)
                self._waiting.clear()
                if self._ended or not (waiting or self._read):
                    self._thread = None
                    return None
            self._read.extend(map(self._with_header, waiting))
            while len(self._read) > 1 and self._useless(self._read[0], self._read[1]):
                self._pass_over(self._read.popleft(), self._read[0].stamp)
            return self._read.popleft()

    def _useless(self, one: Loaded[Product], following: Loaded[Product]) -> bool:
        """Return whether the next robot replaces this one before any joint state can need it."""
        if following.error is not None:
            return False
        if following.stamp is None:
            return True
        return one.stamp is not None and one.stamp <= following.stamp and self._outdated(following.stamp)

    def _pass_over(self, one: Loaded[Product], following: int | None) -> None:
        if following is None and one.error is None:
            self._passed.append(one)
        self._forget(one.stamp)

    def _with_header(self, text: str) -> Loaded[Product]:
        loaded: Loaded[Product]
        try:
            header = self._header(text)
            loaded = Loaded(text, header.name, header.stamp)
        except Exception as error:  # the thread must go on with the next one
            loaded = Loaded(text, error=error)
        with self._lock:
            self._unread -= 1
            if loaded.stamp is not None:
                self._stamps.append(loaded.stamp)
        self._trigger()
        return loaded

    def _forget(self, stamp: int | None) -> None:
        with self._lock:
            if stamp in self._stamps:
                self._stamps.remove(stamp)

    def _hand_over(self) -> None:
        while self._results:
            loaded = self._results.popleft()
            self._forget(loaded.stamp)
            self._take(loaded)
        self._look()
