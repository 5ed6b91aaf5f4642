"""Services of a node that a thread of their own answers, while its executor answers joint states.

All of a request is done there: reading it, which takes rclpy long where it has many values, computing, and
writing the answer. An executor spins whole nodes, so that these services belong to a second node, whose name
begins with an underscore: tools leave such nodes out.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
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

    Each may hold very many values. Each value is an object, and to look through them again and again would
    stop all threads: Python's garbage collector waits meanwhile.
    """

    def __init__(self, node: Node, name: str) -> None:
        self._node, self._ended = node, False
        self._second = Node(
            f"_{node.get_name()}_{name}",
            namespace=node.get_namespace(),
            context=node.context,
            use_global_arguments=False,  # __node would name it as the first one
            enable_rosout=False,
            start_parameter_services=False,
            parameter_overrides=[Parameter("start_type_description_service", value=False)],
        )
        log = ChangeLog(node.get_logger(), time.monotonic)
        self._executor = _WithoutCollector(log, self._ending, node.context)
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def add(self, kind: type, name: str, answer: Callable[[Any, Any], Any]) -> None:
        """Make a service; `answer` is rclpy's callback, called in the thread."""
        self._second.create_service(
            kind,
            self._node.resolve_service_name(name),
            answer,
            qos_profile=REQUESTS,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def start(self) -> None:
        """Answer from now on."""
        self._executor.add_node(self._second)
        self._thread.start()

    def destroy(self) -> None:
        """Answer no more, and remove the services."""
        if self._ended:
            return
        self._ended = True
        self._executor.create_task(lambda: None)  # after a mere wake it would wait on
        if self._thread.is_alive():
            self._thread.join(PATIENCE)
        self._executor.shutdown()
        self._second.destroy_node()

    def _ending(self) -> bool:
        return self._ended or not self._node.context.ok()

    def _work(self) -> None:
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
    """A context in which Python's garbage collector pauses, to read and answer a request."""

    def call_back(self, task: Task) -> None:
        with without_collector():
            super().call_back(task)
