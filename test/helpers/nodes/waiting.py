"""Waiting for conditions, never for a time."""

import time
from collections.abc import Callable
from typing import Any

from rclpy.client import Client
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

# [s] after which a condition counts as never coming true: a machine with other work compiles for minutes
LIMIT = 300.0
# [s] after which a client is made anew: on a busy machine DDS has left one without its service for minutes
MATCHING = 20.0


class SpunNodes:
    """Nodes of this process in one executor, which is served while a test waits."""

    def __init__(self, *nodes: Node, context: Context | None = None) -> None:
        self._nodes, self.executor = nodes, SingleThreadedExecutor(context=context)
        for node in nodes:
            self.executor.add_node(node)

    def spin_until(
        self, reached: Callable[[], object], what: str = "a condition", so_far: Callable[[], str] = str
    ) -> None:
        """Serve callbacks until the condition holds; `so_far` tells how far it came.

        Raises:
            AssertionError: it has not come true within LIMIT.
        """
        deadline = time.monotonic() + LIMIT
        while not reached():
            assert time.monotonic() < deadline, f"waited {LIMIT:g} s in vain for {what}{so_far()}"
            self.executor.spin_once(timeout_sec=0.05)

    def client(self, kind: type, name: str, **options: Any) -> Client:
        """A client whose service is there, of the last node: the test's own."""
        node, clients, due = self._nodes[-1], list[Client](), time.monotonic()

        def ready() -> bool:
            nonlocal due
            if time.monotonic() >= due:
                for old in clients:
                    node.destroy_client(old)
                clients[:], due = [node.create_client(kind, name, **options)], time.monotonic() + MATCHING
            return clients[0].service_is_ready()

        self.spin_until(ready, f"service {name}")
        return clients[0]

    def close(self) -> None:
        """Leave the ROS graph."""
        self.executor.shutdown()
        for node in self._nodes:
            node.destroy_node()
