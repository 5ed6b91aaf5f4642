"""Serialized messages of one topic are read in order: small ones at once, large ones beside the executor."""

import atexit
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from rclpy.exceptions import InvalidHandle

from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.threads.collector import without_collector
from modular_dynamics_ros.node.threads.short_turns import short_turns

__all__ = ["AT_ONCE", "MessageReader"]

Product = TypeVar("Product")
AT_ONCE = 50_000  # [bytes] that rclpy reads within 10 ms: it makes an object of each point of a trajectory
MOST_BYTES = 2**26  # of messages that wait, but the newest is always kept
PATIENCE = 2.0  # [s] at the end of the process, for messages that are being read

_threads = set[threading.Thread]()


class _Job(Generic[Product]):
    """A message, its arrival [ns], and what is read from it."""

    def __init__(self, data: bytes, arrival: int) -> None:
        self.data, self.arrival = data, arrival
        self.outcome: Future[Product] = Future()


class MessageReader(Generic[Product]):
    """Reads one message after the other; a small one behind a large one waits for it.

    Args:
        read: makes the product of a message and its arrival [ns]; called in any thread.
        take: gets what returns the product, or raises what `read` has raised, and the arrival [ns]; called in
            the executor's thread.
        dropped: called there where more comes than can be read, and the oldest that waits is left out.
    """

    def __init__(
        self,
        node: SessionNode,
        read: Callable[[bytes, int], Product],
        take: Callable[[Callable[[], Product], int], None],
        dropped: Callable[[], None],
    ) -> None:
        self._node, self._read, self._take, self._dropped = node, read, take, dropped
        self._unfinished = deque[_Job[Product]]()  # used by the executor's thread: jobs not handed over yet
        self._waiting = deque[_Job[Product]]()  # jobs for the reading thread
        self._lock, self._ended = threading.Lock(), False
        self._thread: threading.Thread | None = None
        self._wake: Any = None

    def add(self, data: bytes, arrival: int) -> None:
        """Add a message, after handing over those before it."""
        if len(data) <= AT_ONCE and not self._unfinished:
            self._take(partial(self._read, data, arrival), arrival)
            return
        job = _Job[Product](data, arrival)
        self._unfinished.append(job)
        self._wake = self._wake or self._node.create_guard_condition(self._hand_over)
        with self._lock:
            self._waiting.append(job)
            left_out = self._limit()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="messages", daemon=True)
                _threads.add(self._thread)
                self._thread.start()
        for one in left_out:
            self._unfinished.remove(one)
            self._dropped()

    def continue_from(self, other: "MessageReader[Product]") -> None:
        """Read what another one has not handed over."""
        for job in other._unfinished:
            self.add(job.data, job.arrival)

    def forget(self) -> None:
        """Discard all messages received until now."""
        with self._lock:
            self._waiting.clear()
        self._unfinished.clear()

    def destroy(self) -> None:
        """Stop handing over messages, without waiting for the one that is being read."""
        with self._lock:
            self._ended = True
        self.forget()
        if self._wake is not None:
            self._node.destroy_guard_condition(self._wake)
            self._wake = None

    def _limit(self) -> list[_Job[Product]]:
        """Drop the oldest waiting messages beyond `MOST_BYTES`, and return them."""
        size, left_out = sum(len(job.data) for job in self._waiting), []
        while size > MOST_BYTES and len(self._waiting) > 1:
            left_out.append(self._waiting.popleft())
            size -= len(left_out[-1].data)
        return left_out

    def _work(self) -> None:
        with short_turns():
            while (job := self._next()) is not None:
                with without_collector():
                    try:
                        job.outcome.set_result(self._read(job.data, job.arrival))
                    except Exception as error:  # raised again when it is handed over
                        job.outcome.set_exception(error)
                with self._lock, suppress(InvalidHandle):  # the node was destroyed while it was active
                    if not self._ended:
                        self._wake.trigger()
        _threads.discard(threading.current_thread())

    def _next(self) -> _Job[Product] | None:
        """Return the next message to read; None if none waits, which ends the thread."""
        with self._lock:
            if self._waiting and not self._ended:
                return self._waiting.popleft()
            self._thread = None
            return None

    def _hand_over(self) -> None:
        while self._unfinished and self._unfinished[0].outcome.done():
            job = self._unfinished.popleft()
            try:
                self._take(job.outcome.result, job.arrival)
            except Exception as error:  # the others are not to blame
                self._node.log.skipped("messages", error)


def _join() -> None:
    """Wait for the thread at the end of the process; Python must not end while it is inside rclpy."""
    end = time.monotonic() + PATIENCE
    for thread in list(_threads):
        thread.join(max(0.0, end - time.monotonic()))


atexit.register(_join)
