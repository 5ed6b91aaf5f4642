"""How both nodes run as processes: exit code 0 after SIGINT or SIGTERM, 1 and one clear line on bad input."""

import signal
import sys
from collections.abc import Callable

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from modular_dynamics_ros.motion import MotionError
from modular_dynamics_ros.parameter_table import ParameterError
from modular_dynamics_ros.robot import RobotError

__all__ = ["run_node"]


def run_node(make: Callable[[], Node], finished: Callable[[Node], bool] = lambda node: False) -> int:
    """Spin the node that `make` makes until `finished` says so or a signal comes; return the exit code."""
    rclpy.init(args=sys.argv)
    node = None
    try:
        node = make()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        while rclpy.ok() and not finished(node):
            executor.spin_once(timeout_sec=1.0)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except (ParameterError, MotionError, RobotError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        for number in (
            signal.SIGINT,
            signal.SIGTERM,
        ):  # the first one counts; a second must not cut the end short
            signal.signal(number, signal.SIG_IGN)
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0
