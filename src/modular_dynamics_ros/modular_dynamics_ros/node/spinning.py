"""How all nodes run as processes: exit code 0 after SIGINT or SIGTERM, 1 and one line on bad input.

A signal lets a lifecycle node wind down before it ends; a second one ends it at once.

What a callback raises is logged and does not end the process: see `PersistentExecutor`.
"""

import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import rclpy
import rclpy.logging
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import NodeError
from modular_dynamics_ros.lifecycle.executor import PersistentExecutor
from modular_dynamics_ros.lifecycle.node import SUCCESS, ManagedNode
from modular_dynamics_ros.node.end_signals import EndedEarly, EndSignals
from modular_dynamics_ros.parameters.table import usage

__all__ = ["run_lifecycle_node", "run_node"]

LOOK_PERIOD = 0.1  # [s] from one look for signals to the next: they do not wake the executor


def run_node(
    make: Callable[[], Node],
    help_text: str,
    finished: Callable[[Any], bool] = lambda node: False,
    start: Callable[[Any], None] = lambda node: None,
) -> int:
    """Spin the node that `make` makes until `finished` is true or a signal arrives; return the exit code.

    Where the command line asks for help, only print `help_text`.

    Args:
        start: may take long; called with the node before it spins.
    """
    if not {"--help", "-h"}.isdisjoint(sys.argv):
        print(help_text)
        return 0
    node: Node | None = None
    executor: PersistentExecutor | None = None
    signals = EndSignals()
    try:
        _initialise()
        node = make()
        start(node)
        signals.early = False
        _collect_garbage()
        log = getattr(node, "log", None) or ChangeLog(node.get_logger(), time.monotonic)
        executor = PersistentExecutor(log, lambda: signals.count > 0 or not rclpy.ok())
        executor.add_node(node)
        if isinstance(node, ManagedNode):
            node.hurried = lambda: signals.count > 1
        while rclpy.ok() and not signals.count and not finished(node):
            _spin_once(executor, node)
        if isinstance(node, ManagedNode):
            node.stop()
    except EndedEarly:
        pass
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


def _spin_once(executor: PersistentExecutor, node: Node) -> None:
    """Call what is ready; else wait, by sleeping or, if the node is `busy`, by polling."""
    if isinstance(node, ManagedNode) and node.busy:
        executor.spin_once(timeout_sec=0.0)
        executor.attempt("rehearsal", node.rehearse)
    else:
        executor.spin_once(timeout_sec=LOOK_PERIOD)


def _collect_garbage() -> None:
    """Start garbage collection, delayed until now, and exclude the objects that exist already.

    Those are mostly modules, which stay; scanning them takes 0.05 s, in which nothing is answered.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


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
