"""Robots from the topic are read and prepared beside the executor, which answers joint states meanwhile."""

import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any, Generic, NamedTuple, TypeVar

from rclpy.node import Node

from modular_dynamics_ros.exceptions import RobotError

__all__ = ["DescriptionLoader", "Loaded"]

Product = TypeVar("Product")
PATIENCE = 2.0  # [s] at the end of the node, for a robot that is being prepared
SWITCH_INTERVAL = 2e-4  # [s] after which Python's other thread has its turn: the executor must not wait long


class Loaded(NamedTuple, Generic[Product]):
    """A description and what became of it.

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

    Args:
        header: reads name and stamp of a text. prepare: makes the product of a text.
        outdated: whether a robot need not be prepared, because the next one waits, by that one's stamp.
        take: gets each result, in the executor's thread.
    """

    def __init__(
        self,
        node: Node,
        header: Callable[[str], Any],
        prepare: Callable[[str], Product],
        outdated: Callable[[int | None], bool],
        take: Callable[[Loaded[Product]], None],
    ) -> None:
        self._node = node
        self._header, self._prepare, self._outdated, self._take = header, prepare, outdated, take
        self._waiting: deque[str] = deque()
        self._read: deque[Loaded[Product]] = deque()
        self._results: deque[Loaded[Product]] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ended = False
        self._wake = node.create_guard_condition(self._hand_over)

    def load(self, text: str) -> None:
        """Prepare this robot, after those that wait."""
        with self._lock:
            self._waiting.append(text)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="descriptions", daemon=True)
                self._thread.start()

    def destroy(self) -> None:
        """Forget what waits; nothing is handed over any more."""
        with self._lock:
            self._ended, thread = True, self._thread
        if thread is not None:
            thread.join(PATIENCE)
        self._node.destroy_guard_condition(self._wake)

    def _work(self) -> None:
        with _short_turns():
            while (loaded := self._next()) is not None:
                if loaded.error is None:
                    try:
                        loaded = loaded._replace(product=self._prepare(loaded.text))
                    except Exception as error:
                        loaded = loaded._replace(error=error)
                self._results.append(loaded)
                with self._lock:
                    if not self._ended:
                        self._wake.trigger()

    def _next(self) -> Loaded[Product] | None:
        """The next robot that must be prepared; None where none is left, which ends the thread."""
        while True:
            with self._lock:
                waiting = list(self._waiting)
                self._waiting.clear()
                if self._ended or not (waiting or self._read):
                    self._thread = None
                    return None
            self._read.extend(map(self._with_header, waiting))
            while len(self._read) > 1 and self._replaces(self._read[1]):
                self._read.popleft()
            return self._read.popleft()

    def _replaces(self, following: Loaded[Product]) -> bool:
        """Whether nobody needs the robot before this one; a text that is no description replaces none."""
        return following.error is None and self._outdated(following.stamp)

    def _with_header(self, text: str) -> Loaded[Product]:
        try:
            header = self._header(text)
        except RobotError as error:
            return Loaded(text, error=error)
        return Loaded(text, header.name, header.stamp)

    def _hand_over(self) -> None:
        while self._results:
            self._take(self._results.popleft())


@contextmanager
def _short_turns() -> Any:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
