"""What the system tests share: a ROS domain of this process's own, and ROS 2 itself."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# 1 to 100: on Linux all of these domains have free ports. Loopback only: no robot, no other run is disturbed.
os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
os.environ.pop("ROS_LOCALHOST_ONLY", None)

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture
def ros() -> Iterator[None]:
    """ROS 2 in this process, without its signal handlers: Ctrl-C is pytest's."""
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    yield
    rclpy.shutdown()
