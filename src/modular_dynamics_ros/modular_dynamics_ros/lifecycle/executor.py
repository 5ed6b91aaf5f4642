"""An executor that goes on after a callback has raised."""

from collections.abc import Callable
from typing import Any

from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import ShutdownException, SingleThreadedExecutor, TimeoutException
from rclpy.node import Node
from rclpy.service import Service

from modular_dynamics_ros.diagnostics.change_log import ChangeLog


class PersistentExecutor(SingleThreadedExecutor):
    """Logs what a callback raises, once per text, and goes on: one bad message must not end a node.

    Args:
        log: names the topic, the service or the timer. ending: whether the process is about to end. Then
            callbacks may find what they use destroyed, and nothing is logged.
        context: rclpy's; None: its default one.
    """

    def __init__(self, log: ChangeLog, ending: Callable[[], bool], context: Context | None = None) -> None:
        super().__init__(context=context)
        self._log, self._ending = log, ending

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait for one callback and call it.

        Raises:
            Exception: of a message that rclpy cannot read, where it would not listen again.
        """
        try:
            task, entity, node = self.wait_for_ready_callbacks(timeout_sec=timeout_sec)
        except (ShutdownException, TimeoutException):
            return
        task()
        error = task.exception()
        if error is None or not self._report(error, entity_name(entity)):
            return
        if entity is not None and not _listens_again(entity, node):
            raise error

    def _report(self, error: BaseException, what: str) -> bool:
        """Log what a callback raised; return False if the process is ending."""
        if self._ending():
            return False
        self._log.skipped(what, error)
        return True


def entity_name(entity: Any) -> str:
    """Return the topic or service of an entity that rclpy was to call."""
    for attribute in ("topic_name", "service_name", "srv_name"):
        try:
            if name := getattr(entity, attribute, None):
                return str(name)
        except InvalidHandle:  # noqa: PERF203  # of an entity that was destroyed meanwhile
            continue
    return "a task" if entity is None else f"a {type(entity).__name__.lower()}"


def _listens_again(entity: Any, node: Node) -> bool:
    """Return whether rclpy will call an entity again after an exception, restoring services for that.

    Where a request cannot be read, rclpy leaves service and group marked as busy for ever: the service is
    made anew. Subscriptions of these nodes get serialised messages, which need no reading.
    """
    group = entity.callback_group
    if group is None or group.can_execute(entity):
        return True  # the callback has raised
    if not isinstance(entity, Service):
        return False
    group.ending_execution(entity)
    node.create_service(
        entity.srv_type,
        entity.srv_name,
        entity.callback,
        qos_profile=entity.qos_profile,
        callback_group=group,
    )
    node.destroy_service(entity)
    return True
