"""An executor that calls the callbacks of subscriptions and timers itself; all else is left to rclpy's.

rclpy's makes a task and a coroutine of each message.
"""

from collections.abc import Callable

from rclpy.context import Context
from rclpy.subscription import Subscription
from rclpy.timer import Timer

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.lifecycle.executor import PersistentExecutor, entity_name
from modular_dynamics_ros.lifecycle.kept_wait_set import KeptWaitSet, Ready, supported
from modular_dynamics_ros.lifecycle.pending_messages import pending_messages

__all__ = ["DirectExecutor"]


class DirectExecutor(PersistentExecutor):
    """See `PersistentExecutor`.

    Where rclpy is of another version, it is a `PersistentExecutor` and no more.
    """

    def __init__(self, log: ChangeLog, ending: Callable[[], bool], context: Context | None = None) -> None:
        super().__init__(log, ending, context)
        self._wait_set = KeptWaitSet(self) if supported(self) else None
        self._rclpys_turn = False  # from when something else is ready until rclpy has called it all

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait for one callback and call it; see `PersistentExecutor.spin_once`."""
        if self._rclpys_turn:
            self._rclpys_turn = self._spin_rclpy(0.0)
            return
        if self._wait_set is None or not all(task.done() for task, *_ in self._tasks):
            super().spin_once(
                timeout_sec
            )  # a coroutine that awaits keeps others of its group from being called
            return
        ready = self._wait_set.wait(timeout_sec)
        if not isinstance(ready, Ready):
            self._call(ready)
        self._rclpys_turn = ready is Ready.OTHERS

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """End; see rclpy's."""
        if self._wait_set is not None:
            self._wait_set.release()
        return bool(super().shutdown(timeout_sec))

    def _call(self, entity: Subscription | Timer) -> None:
        try:
            if isinstance(entity, Timer):
                if entity.handle.is_timer_ready():  # not cancelled meanwhile
                    entity.handle.call_timer()
                    entity.callback()
                return
            for message, info in pending_messages(entity, 1):
                if entity._callback_type is Subscription.CallbackType.MessageOnly:
                    entity.callback(message)
                else:
                    entity.callback(message, info)
        except Exception as error:
            trace = error.__traceback__
            # the place that is logged is the callback's, not this one
            self._report(error.with_traceback(trace and trace.tb_next), entity_name(entity))
