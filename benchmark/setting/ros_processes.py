"""Nodes as processes, in a ROS domain of their own."""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import rclpy
from rclpy.signals import SignalHandlerOptions

from examples.demo.processes import Processes

__all__ = ["ros_processes"]


@contextmanager
def ros_processes() -> Iterator[tuple[Processes, Path]]:
    """Initialise ROS where no robot hears it; yield processes, which end with the context, and a folder."""
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        with TemporaryDirectory() as folder, Processes(Path(folder)) as processes:
            yield processes, Path(folder)
    finally:
        rclpy.try_shutdown()
