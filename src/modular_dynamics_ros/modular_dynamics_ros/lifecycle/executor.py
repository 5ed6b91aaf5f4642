"""An executor that goes on after a callback has raised."""

from collections.abc import Callable, Collection
from typing import Any

from rclpy.context import Context
from rclpy.executors import InvalidHandle, ShutdownException, SingleThreadedExecutor, TimeoutException
from rclpy.task import Task

from modular_dynamics_ros.diagnostics.change_log import ChangeLog

__all__ = ["PersistentExecutor", "entity_name"]


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
            Exception: of the callback, only where rclpy could not be made to listen again.
        """
        self._spin_rclpy(timeout_sec)

    def _spin_rclpy(self, timeout_sec: float | None) -> bool:
        """See `spin_once`; whether something was called."""
        try:
            task, entity, _ = self.wait_for_ready_callbacks(timeout_sec=timeout_sec)
        except (ShutdownException, TimeoutException):
            return False
        self.call_back(task)
        error = task.exception()
        if error is None or not self._report(error, entity_name(entity)):
            return True
        if entity is not None and not _release(entity):
            raise error
        return True

    def attempt(self, what: str, function: Callable[[], None]) -> None:
        """Call a function; what it raises is logged, as with callbacks."""
        try:
            function()
        except Exception as error:
            self._report(error, what)

    def _report(self, error: BaseException, what: str) -> bool:
        """Log what a callback raised; False where the process ends."""
        if self._ending():
            return False
        self._log.skipped(what, error)
        return True

    def resume(self, entities: Collection[Any]) -> None:
        """Let callbacks of these entities that await something go on, as far as that is there.

        Before services are destroyed: a client waits for the answer of each.
        """
        for task, entity, _ in list(self._tasks):
            if entity in entities:
                self.call_back(task)

    def call_back(self, task: Task) -> None:
        """Read what has come and call back."""
        task()


def entity_name(entity: Any) -> str:
    """Topic or service of what rclpy was to call."""
    for attribute in ("topic_name", "service_name", "srv_name"):
        try:
            if name := getattr(entity, attribute, None):
                return str(name)
        except InvalidHandle:  # noqa: PERF203  # of an entity that was destroyed meanwhile
            continue
    return "a task" if entity is None else f"a {type(entity).__name__.lower()}"


def _release(entity: Any) -> bool:
    """Let rclpy call it and others of its group again; whether that succeeded.

    A message that cannot be read (text that is no UTF-8) raises before the callback. Then rclpy leaves entity
    and group marked as busy, and the node would be deaf.
    """
    group = entity.callback_group
    if group is None or group.can_execute(entity):
        return True
    if not hasattr(entity, "_executor_event"):
        return False
    entity._executor_event = False
    group.ending_execution(entity)
    return True
