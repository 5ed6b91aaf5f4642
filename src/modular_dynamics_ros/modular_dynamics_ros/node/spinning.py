"""How all nodes run as processes: exit code 0 after SIGINT or SIGTERM, 1 and one line on bad input.

What a callback raises is logged and does not end the process: see `PersistentExecutor`.
"""

import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.node import Node

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import NodeError
from modular_dynamics_ros.lifecycle.executor import PersistentExecutor
from modular_dynamics_ros.lifecycle.node import SUCCESS
from modular_dynamics_ros.parameters.table import usage

__all__ = ["run_lifecycle_node", "run_node"]


def run_node(
    make: Callable[[], Node], help_text: str, finished: Callable[[Node], bool] = lambda node: False
) -> int:
    """Spin the node that `make` makes until `finished` is true or a signal arrives; return the exit code.

    Where the command line asks for help, only print `help_text`.
    """
    if not {"--help", "-h"}.isdisjoint(sys.argv):
        print(help_text)
        return 0
    node: Node | None = None
    interrupted = False

    def interrupt(number: int, frame: object) -> None:
        """End the loop; rclpy wakes the executor. In a callback KeyboardInterrupt may become any error."""
        nonlocal interrupted
        interrupted = True
        if node is None:  # nothing spins yet, and compiling a robot takes long
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)  # before rclpy.init, whose own handler calls this one
    try:
        rclpy.init(args=sys.argv)
        node = make()
        log = getattr(node, "log", None) or ChangeLog(node.get_logger(), time.monotonic)
        executor = PersistentExecutor(log, lambda: interrupted or not rclpy.ok())
        executor.add_node(node)
        while rclpy.ok() and not interrupted and not finished(node):
            executor.spin_once(timeout_sec=1.0)
    except KeyboardInterrupt:
        pass
    except NodeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except Exception:
        # after a signal rclpy destroys what callbacks may still use: InvalidHandle, RCLError, ...
        if rclpy.ok() and not interrupted:
            raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):  # a second one must not interrupt the shutdown
            signal.signal(number, signal.SIG_IGN)
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def run_lifecycle_node(kind: Any, about: str) -> int:
    """Run a node as a process, or print its usage where the command line asks for help.

    Args:
        kind: a lifecycle node with NAME, PARAMETERS and, in ``parameters``, autostart. about: its docstring.
    """

    def make() -> Any:
        node = kind()
        if node.parameters.autostart and node.trigger_configure() == SUCCESS:
            node.trigger_activate()
        return node

    return run_node(make, usage(kind.NAME, about, kind.PARAMETERS))
