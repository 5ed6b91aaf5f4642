"""How all nodes run as processes: exit code 0 after SIGINT or SIGTERM, 1 and one line on bad input."""

import signal
import sys
from collections.abc import Callable

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from modular_dynamics_ros.exceptions import NodeError

__all__ = ["run_node"]


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
        executor = SingleThreadedExecutor()
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
