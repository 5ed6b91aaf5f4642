"""What takes long, in a thread or by a service: the executor answers joint states meanwhile."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rclpy.client import Client
from rclpy.exceptions import InvalidHandle
from rclpy.task import Future

PATIENCE = 2.0  # [s] at the end, for work that goes on

Take = Callable[[Any, "Exception | None"], None]
"""Takes a result, or why there is none, in the executor's thread."""


class Worker:
    """Does one piece of work after the other, from the first one until `destroy`.

    Args:
        node: makes the guard condition that wakes the executor.
    """

    def __init__(self, node: Any) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._waiting = deque[Take]()  # takers of results that are not there yet, in order
        self._done = deque[tuple[Any, Exception | None]]()
        self._lock = threading.Lock()
        self._ended: Exception | None = None  # what `destroy` was given
        self._thread: threading.Thread | None = None
        self._node, self._wake = node, node.create_guard_condition(self._hand_over)

    def __len__(self) -> int:
        """Return how many results are awaited."""
        return len(self._waiting)

    def submit(self, work: Callable[[], Any], take: Take) -> None:
        """Do `work` after what was submitted before; `take` gets what comes of it."""
        if self._ended is not None:
            take(None, self._ended)
            return
        self._waiting.append(take)
        self._jobs.put(work)
        if self._thread is None:
            thread = threading.Thread(target=self._work, name="worker", daemon=True)
            thread.start()
            self._thread = thread

    async def run(self, work: Callable[[], Any]) -> Any:
        """Return what `work` returns, or raise what it raises."""
        future = Future()
        self.submit(work, lambda result, error: future.set_result((result, error)))
        result, error = await future
        if error is not None:
            raise error
        return result

    def destroy(self, error: Exception) -> None:
        """Wait for what is being done, and hand it over; safe to repeat.

        Args:
            error: goes to who awaits what takes longer, was not begun, or is submitted later.
        """
        with self._lock:
            if self._ended is not None:
                return
            self._ended = error
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join(PATIENCE)
        with self._lock:
            waiting, self._waiting = self._waiting, deque()
        for take in waiting:
            take(*(self._done.popleft() if self._done else (None, error)))
        self._node.destroy_guard_condition(self._wake)

    def _work(self) -> None:
        """Do the submitted work, until there is a None in the queue; runs in the thread."""
        while (work := self._jobs.get()) is not None:
            if self._ended is not None:
                continue
            result, failure = None, None
            try:
                result = work()
            except BaseException as error:  # who awaits the result must get one, and the thread goes on
                failure = error if isinstance(error, Exception) else RuntimeError(repr(error))
            with self._lock:
                if self._waiting:
                    self._done.append((result, failure))
                if self._ended is None:
                    with suppress(InvalidHandle):  # the node was destroyed first
                        self._wake.trigger()

    def _hand_over(self) -> None:
        """Give the first result to its taker; runs in the executor's thread."""
        if not self._done:
            return
        take, outcome = self._waiting.popleft(), self._done.popleft()
        if self._done:
            self._wake.trigger()  # one by one: what `take` raises is logged, and concerns no other
        take(*outcome)


class Calls:
    """Sends a request where none is awaited; one whose answer does not come is forgotten after a time.

    Args:
        patience: [s] for an answer: one of a server that has ended never comes. clock: monotonic [s].
    """

    def __init__(
        self, client: Client, patience: float = 5.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._patience, self._clock = client, patience, clock
        self._asked, self._lost = 0.0, False
        self._future: Any = None

    @property
    def ready(self) -> bool:
        """Return whether the service is available."""
        return bool(self._client.service_is_ready())

    @property
    def awaits(self) -> bool:
        """Return whether an answer is awaited."""
        return self._future is not None and self._clock() - self._asked < self._patience

    def send(self, request: Any, processed: Callable[[Any], None]) -> bool:
        """Ask, unless an answer is awaited; False if there is no service or the last request timed out."""
        if self.awaits:
            return not self._lost
        if self._future is not None:
            self._client.remove_pending_request(self._future)
            self._future, self._lost = None, True
        if not self.ready:
            return False

        def done(future: Any) -> None:
            if future is self._future:  # else it was given up
                self._future, self._lost = None, False
                processed(future.result())

        self._asked, self._future = self._clock(), self._client.call_async(request)
        self._future.add_done_callback(done)
        return not self._lost
