"""Work of services that takes long, in a thread: the executor answers joint states meanwhile."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.task import Future

from modular_dynamics_ros.node.threads.short_turns import short_turns

__all__ = ["Worker"]

PATIENCE = 2.0  # [s] at the end, for work that goes on


def _keep(result: Any) -> None:
    """Discard nothing; default for results that need no cleanup."""


class Worker:
    """Runs functions in threads of their own; a coroutine awaits what they return."""

    def __init__(self, node: Node) -> None:
        self._done: deque[tuple[Any, Any, BaseException | None]] = deque()
        self._lock, self._ended = threading.Lock(), False
        self._threads = dict[threading.Thread, Any]()  # threads, and the futures of their work
        self._node, self._wake = node, node.create_guard_condition(self._hand_over)

    async def run(self, work: Callable[[], Any], discard: Callable[[Any], None] = _keep) -> Any:
        """Return what `work` returns, or raise what it raises.

        Args:
            discard: takes the result of `work` if it is no longer awaited.
        """
        future = Future()
        thread = threading.Thread(target=self._run, args=(future, work, discard), name="worker", daemon=True)
        self._threads[thread] = future
        thread.start()
        result, failure = await future
        if failure is not None:
            raise failure
        return result

    def _run(self, future: Any, work: Callable[[], Any], discard: Callable[[Any], None]) -> None:
        result, failure = None, None
        with short_turns():
            try:
                result = work()
            except Exception as error:  # the request must be answered
                failure = error
        with self._lock:
            if not self._ended:
                self._done.append((future, result, failure))
                self._wake.trigger()
                return
        if failure is None:
            discard(result)

    def _hand_over(self) -> None:
        while self._done:
            future, *outcome = self._done.popleft()
            future.set_result(outcome)
        self._threads = {thread: future for thread, future in self._threads.items() if not future.done()}

    def destroy(self, error: Exception) -> None:
        """Wait for what goes on, and hand it over; safe to repeat.

        Args:
            error: raised where work that takes longer is awaited.
        """
        for thread in list(self._threads):
            thread.join(PATIENCE)
        with self._lock:
            self._ended = True
        self._hand_over()
        for future in self._threads.values():
            future.set_result((None, error))
        self._threads.clear()
        self._node.destroy_guard_condition(self._wake)
