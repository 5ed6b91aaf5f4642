"""Waiting for conditions, never for a time."""

import time
import warnings
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.client import Client
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

# [s] after which a condition counts as never coming true, also on a machine with other work
LIMIT = 300.0
# [s] after which a client is made anew in a participant of its own: the middleware has left one that had seen
# earlier nodes of the same name without the service for ever (rmw_fastrtps issue 792)
MATCHING = 20.0


class SpunNodes:
    """Nodes of this process in one executor, which is served while a test waits."""

    def __init__(self, *nodes: Node, context: Context | None = None) -> None:
        self._nodes, self._newcomers = nodes, list[SpunNodes]()
        self.executor = SingleThreadedExecutor(context=context)
        for node in nodes:
            self.executor.add_node(node)

    def spin_until(
        self, reached: Callable[[], object], what: str = "a condition", so_far: Callable[[], str] = str
    ) -> None:
        """Serve callbacks until the condition holds; `so_far` tells how far it came.

        Raises:
            AssertionError: it has not come true within LIMIT.
        """
        if not self._spin(reached, LIMIT):
            raise AssertionError(f"waited {LIMIT:g} s without success for {what}{so_far()}")

    def _spin(self, reached: Callable[[], object], limit: float) -> bool:
        """Whether the condition came true in time."""
        deadline = time.monotonic() + limit
        while not reached():
            if time.monotonic() >= deadline:
                return False
            for newcomer in self._newcomers:
                newcomer.executor.spin_once(timeout_sec=0.0)
            self.executor.spin_once(timeout_sec=0.05)
        return True

    def client(self, kind: type, name: str, **options: Any) -> Client:
        """A client whose service is there, of the last node: the test's own."""
        node = self._nodes[-1]
        client = node.create_client(kind, name, **options)
        if self._spin(client.service_is_ready, MATCHING):
            return client
        warnings.warn(f"service {name!r} was not seen in {MATCHING:g} s: another node asks", stacklevel=2)
        node.destroy_client(client)
        client = self._newcomer(node).create_client(kind, name, **options)
        self.spin_until(client.service_is_ready, f"service {name}")
        return client

    def call(self, kind: type, name: str, request: Any) -> Any:
        """Return the answer of a service."""
        client = self.client(kind, name)
        try:
            future = client.call_async(request)
            self.spin_until(future.done, f"an answer of service {name}")
            return future.result()
        finally:
            self._nodes[-1].destroy_client(client)

    def _newcomer(self, node: Node) -> Node:
        """A node of a participant of its own, which has seen no earlier node."""
        context = Context()
        rclpy.init(context=context)
        name = f"{node.get_name()}_{len(self._newcomers)}"
        newcomer = Node(name, namespace=node.get_namespace(), context=context)
        self._newcomers.append(SpunNodes(newcomer, context=context))
        return newcomer

    def close(self) -> None:
        """Leave the ROS graph."""
        for newcomer in self._newcomers:
            newcomer.close()
            rclpy.try_shutdown(context=newcomer.executor.context)
        self.executor.shutdown()
        for node in self._nodes:
            node.destroy_node()
