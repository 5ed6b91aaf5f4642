"""Spinning until a condition holds, as long as a process that it depends on runs."""

import time
from collections.abc import Callable

from rclpy.executors import SingleThreadedExecutor

from modular_dynamics_ros.demo.processes import Processes

__all__ = ["DemoError", "ended_well", "spin_until"]


class DemoError(RuntimeError):
    """The demo cannot go on; the text says why."""


def ended_well(processes: Processes, name: str) -> bool:
    """Whether a process has ended with code 0.

    Raises:
        DemoError: it has failed.
    """
    if (code := processes.code(name)) not in (None, 0):
        raise DemoError(f"{name} ended with code {code}:\n{processes.log(name)}")
    return code == 0


def spin_until(
    executor: SingleThreadedExecutor,
    processes: Processes,
    reached: Callable[[], bool],
    limit: float,
    what: str,
    needed: str,
) -> None:
    """Spin until the condition holds.

    Raises:
        DemoError: `what` took longer than `limit` [s], or the process `needed` has ended.
    """
    deadline = time.monotonic() + limit
    while not reached():
        executor.spin_once(timeout_sec=0.1)
        if processes.code(needed) is not None:
            raise DemoError(f"{needed} ended with code {processes.code(needed)}:\n{processes.log(needed)}")
        if time.monotonic() > deadline:
            raise DemoError(f"{what} took longer than {limit:g} s; log of {needed}:\n{processes.log(needed)}")
