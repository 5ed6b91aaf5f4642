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
        self._threads = set[threading.Thread]()
        self._wake = node.create_guard_condition(self._hand_over)

    def run(self, work: Callable[[], Any]) -> Any:
        """What to await; it raises what `work` raises."""
        future = Future(executor=self._node.executor)
        thread = threading.Thread(target=self._run, args=(future, work), name="change", daemon=True)
        self._threads.add(thread)
        thread.start()
        return future

    def _run(self, future: Any, work: Callable[[], Any]) -> None:
        result, failure = None, None
        with short_turns():
            try:
                result = work()
            except Exception as error:  # the request must be answered
                failure = error
        with self._lock:
            self._done.append((future, result, failure))
            if not self._ended:
                self._wake.trigger()

    def _hand_over(self) -> None:
        while self._done:
            future, result, failure = self._done.popleft()
            if failure is None:
                future.set_result(result)
            else:
                future.set_exception(failure)
        self._threads = {thread for thread in self._threads if thread.is_alive()}

    def destroy(self) -> None:
        """Wait for what goes on, and hand it over."""
        for thread in list(self._threads):
            thread.join(PATIENCE)
        with self._lock:
            self._ended = True
        self._hand_over()
        self._node.destroy_guard_condition(self._wake)
