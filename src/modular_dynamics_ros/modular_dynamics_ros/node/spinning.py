"""How all nodes run as processes: exit code 0 after SIGINT or SIGTERM, 1 and one line on bad input.

A signal lets a lifecycle node wind down before it ends; a second one ends it at once.

What a callback raises is logged and does not end the process: see `PersistentExecutor`.
"""

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from math import inf
from typing import Any

import rclpy
import rclpy.logging
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, ShutdownException, SingleThreadedExecutor, TimeoutException
from rclpy.node import Node
from rclpy.service import Service
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import NodeError
from modular_dynamics_ros.lifecycle.node import SUCCESS, ManagedNode
from modular_dynamics_ros.parameters.table import usage

#: [s] in which further signals are the same one: Ctrl-C comes from the terminal and from ros2 launch.
REPEATED = 0.5
LAST_ANSWERS = 1.0  # [s] at most, until requests are processed that nothing holds up any more
LOOK_PERIOD = 0.1  # [s] from one look for signals to the next: they do not wake the executor


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


class EndSignals:
    """Counts SIGINT and SIGTERM from now on.

    An exception could come up in any callback, and might become any error there. The handler calls nothing of
    rclpy: it may have interrupted rclpy, which holds a lock.
    """

    def __init__(self) -> None:
        self.count, self._last = 0, -inf
        self._take(self._on_signal)

    def ignore(self) -> None:
        """Ignore further signals: one must not interrupt the shutdown."""
        self._take(signal.SIG_IGN)

    def _take(self, handler: object) -> None:
        """Handle SIGINT and SIGTERM by this handler."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, handler)  # type: ignore[arg-type]  # a function, or SIG_IGN

    def _on_signal(self, number: int, frame: object) -> None:
        """Count a signal, unless it repeats the last one."""
        now = time.monotonic()
        if now - self._last >= REPEATED:
            self.count, self._last = self.count + 1, now


def run_node(
    make: Callable[[], Node],
    help_text: str,
    finished: Callable[[Any], bool] = lambda node: False,
    start: Callable[[Any], None] = lambda node: None,
) -> int:
    """Spin the node that `make` makes until `finished` is true or a signal arrives; return the exit code.

    Where the command line asks for help, only print `help_text`.

    Args:
        start: may take long; called with the node before it spins. A signal meanwhile ends the node after it.
    """
    if not {"--help", "-h"}.isdisjoint(sys.argv):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a pager or `head` may have read enough
        print(help_text)
        return 0
    node: Node | None = None
    executor: PersistentExecutor | None = None
    signals = EndSignals()
    try:
        _initialise()
        node = make()
        start(node)
        log = getattr(node, "log", None) or ChangeLog(node.get_logger(), time.monotonic)
        executor = PersistentExecutor(log, lambda: signals.count > 0 or not rclpy.ok())
        executor.add_node(node)
        if isinstance(node, ManagedNode):
            node.hurried = lambda: signals.count > 1
        while rclpy.ok() and not signals.count and not finished(node):
            executor.spin_once(timeout_sec=LOOK_PERIOD)
        if isinstance(node, ManagedNode):
            finish(node, executor)
    except NodeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except Exception:
        # after a signal rclpy destroys what callbacks may still use: InvalidHandle, RCLError, ...
        if rclpy.ok() and not signals.count:
            raise
    finally:
        signals.ignore()
        _end(node, executor)
    return 0


def finish(node: ManagedNode[Any], executor: Executor) -> None:
    """Stop the node, and send the answers to requests that have waited until then."""
    node.end()
    end = time.monotonic() + LAST_ANSWERS
    while node.unprocessed and time.monotonic() < end and not node.hurried():
        executor.spin_once(timeout_sec=0.0)


def _end(node: Node | None, executor: PersistentExecutor | None) -> None:
    """Leave the ROS graph."""
    if executor is not None:
        executor.shutdown()  # the executor holds entities that the node destroys
    if node is not None:
        node.destroy_node()
    rclpy.try_shutdown()


def _initialise() -> None:
    """Start ROS 2.

    Raises:
        NodeError: an unreadable command line or unknown arguments; the middleware does not start.
    """
    try:
        # rclpy's own handlers would take the context away, and with it what a node is to publish last
        rclpy.init(args=[*sys.argv, *_logging_arguments()], signal_handler_options=SignalHandlerOptions.NO)
        unknown = remove_ros_args(sys.argv)[1:]
    except Exception as error:  # private classes of rclpy
        raise NodeError(f"ROS 2 does not start: {error}") from error
    if unknown:
        raise NodeError(
            f"unknown arguments: {' '.join(unknown)}; parameters are given as --ros-args -p NAME:=VALUE"
        )


def _logging_arguments() -> list[str]:
    """Return arguments for logging without a file if none can be written, as rclpy.init would raise.

    A disk that is full, or a user without a home, must not keep a robot's node from starting.
    """
    try:
        folder = rclpy.logging.get_logging_directory()
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return []
    except (OSError, RuntimeError) as error:
        print(f"no log file is written (ROS_LOG_DIR chooses another folder): {error}", file=sys.stderr)
        return ["--ros-args", "--disable-external-lib-logs"]


def run_lifecycle_node(kind: Any, about: str) -> int:
    """Run a node as a process, or print its usage where the command line asks for help.

    Args:
        kind: a lifecycle node with NAME, PARAMETERS and, in ``parameters``, autostart. about: its docstring.
    """

    def start(node: Any) -> None:
        if node.parameters.autostart and node.trigger_configure() == SUCCESS:
            node.trigger_activate()

    return run_node(kind, usage(kind.NAME, about, kind.PARAMETERS), start=start)
