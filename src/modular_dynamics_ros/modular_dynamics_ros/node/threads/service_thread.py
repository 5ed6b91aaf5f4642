"""Services of a node that a thread of their own answers, while its executor answers joint states.

All of a request is done there: reading it, which takes rclpy long where it has many values, computing, and
writing the answer.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.task import Task

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.lifecycle.executor import PersistentExecutor
from modular_dynamics_ros.node.threads.collector import without_collector
from modular_dynamics_ros.node.threads.short_turns import short_turns
from modular_dynamics_ros.node.topics import REQUESTS

__all__ = ["ServiceThread"]

PATIENCE = 2.0  # [s] at the end, for a request that is being answered


class ServiceThread:
    """Answers one request after the other, from `start` to `destroy`.

    Args:
        large_requests: whether requests may hold very many values. Each is an object, and to look through
            them again and again would stop all threads: Python's garbage collector waits meanwhile.
    """

    def __init__(self, node: Node, name: str, *, large_requests: bool = False) -> None:
        self._node, self._ended = node, False
        self._group, self._view = _OneThread(), _View()
        log = ChangeLog(node.get_logger(), time.monotonic)
        kind = _WithoutCollector if large_requests else PersistentExecutor
        self._executor = kind(log, self._ending, node.context)
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def add(self, kind: type, name: str, answer: Callable[[Any, Any], Any]) -> None:
        """A service; `answer` is rclpy's callback, called in the thread."""
        service = self._node.create_service(
            kind, name, answer, qos_profile=REQUESTS, callback_group=self._group
        )
        self._view.services.append(service)

    def start(self) -> None:
        """Answer from now on."""
        self._executor.add_node(self._view)
        self._thread.start()

    def destroy(self) -> None:
        """Answer no more; the node destroys its services."""
        if self._ended:
            return
        self._ended = True
        self._executor.create_task(lambda: None)  # wakes it
        if self._thread.is_alive():
            self._thread.join(PATIENCE)
        self._executor.shutdown()

    def _ending(self) -> bool:
        return self._ended or not self._node.context.ok()

    def _work(self) -> None:
        self._group.thread = threading.get_ident()
        with short_turns():
            while not self._ending():
                try:
                    self._executor.spin_once()
                except ExternalShutdownException:  # noqa: PERF203  # of a request, each of which takes longer
                    return
                except Exception:  # of a request, each of which takes longer
                    if not self._ending():  # else what it uses is destroyed already
                        raise


class _WithoutCollector(PersistentExecutor):
    """Python's garbage collector waits while a request is read and answered."""

    def call_back(self, task: Task) -> None:
        with without_collector():
            super().call_back(task)


class _OneThread(CallbackGroup):
    """Lets only the executor of one thread call back."""

    thread: int | None = None

    def can_execute(self, entity: Any) -> bool:
        return threading.get_ident() == self.thread

    def beginning_execution(self, entity: Any) -> bool:
        return threading.get_ident() == self.thread

    def ending_execution(self, entity: Any) -> None:
        """Nothing to free."""


class _View:
    """A node as far as an executor needs it, with some of its services."""

    subscriptions = timers = clients = waitables = guards = ()

    def __init__(self) -> None:
        self.services: list[Any] = []
        self.executor: Any = None
