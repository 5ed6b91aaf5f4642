"""A node of the package in this process, and a node that publishes to it and keeps what it publishes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.logging import LoggingSeverity, set_logger_level
from rclpy.node import Node
from rclpy.parameter import Parameter

LIMIT = 30.0  # [s] after which a condition counts as never coming true


class Running:
    """An active node and its partner; messages that the partner got, by topic, with the time of arrival."""

    def __init__(self, node: Any) -> None:
        self.node, self.partner = node, Node("partner", namespace=node.get_namespace())
        self.heard: dict[str, list[tuple[float, Any]]] = {}
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(node)
        self.executor.add_node(self.partner)
        node.trigger_configure()
        node.trigger_activate()

    def listen(self, kind: type, topic: str) -> list[tuple[float, Any]]:
        """Keep the messages of a topic: time of arrival by the monotonic clock [s], message."""
        kept = self.heard.setdefault(topic, [])
        self.partner.create_subscription(kind, topic, lambda m: kept.append((time.monotonic(), m)), 100)
        return kept

    def spin_until(self, reached: Callable[[], object]) -> None:
        """Serve both nodes until a condition holds.

        Raises:
            TimeoutError: it has not come true within LIMIT.
        """
        end = time.monotonic() + LIMIT
        while not reached():
            if time.monotonic() > end:
                raise TimeoutError(f"waited {LIMIT:g} s without success")
            self.executor.spin_once(timeout_sec=0.002)


@contextmanager
def running(make: type, name: str | None = None, **parameters: Any) -> Iterator[Running]:
    """Run a node of a class with these parameters while the block lasts."""
    rclpy.init()
    set_logger_level("", LoggingSeverity.ERROR)
    overrides = [Parameter(key, value=value) for key, value in parameters.items()]
    renamed = [] if name is None else ["--ros-args", "-r", f"__node:={name}"]
    node = make(parameter_overrides=overrides, cli_args=renamed)
    both = Running(node)
    try:
        yield both
    finally:
        both.executor.shutdown()
        both.partner.destroy_node()
        node.destroy_node()
        rclpy.shutdown()
