"""Work that takes long, in a thread: the executor answers joint states meanwhile."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.task import Future

from modular_dynamics_ros.node.threads.short_turns import short_turns

__all__ = ["BesideExecutor"]

PATIENCE = 2.0  # [s] at the end of the node, for work that goes on


class BesideExecutor:
    """Runs functions in threads of their own; a coroutine awaits what they return."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._done: deque[tuple[Any, Any, BaseException | None]] = deque()
        self._lock, self._ended = threading.Lock(), False
        self._threads = dict[threading.Thread, Any]()  # and the futures of what they do
        self._wake = node.create_guard_condition(self._hand_over)

    def run(self, work: Callable[[], Any], discard: Callable[[Any], None]) -> Any:
        """What to await; it raises what `work` raises.

        Args:
            discard: takes what `work` has made where nobody awaits it any more.
        """
        future = Future(executor=self._node.executor)
        thread = threading.Thread(target=self._run, args=(future, work, discard), name="change", daemon=True)
        self._threads[thread] = future
        thread.start()
        return future

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
            future, result, failure = self._done.popleft()
            if failure is None:
                future.set_result(result)
            else:
                future.set_exception(failure)
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
            future.set_exception(error)
        self._threads.clear()
        self._node.destroy_guard_condition(self._wake)
