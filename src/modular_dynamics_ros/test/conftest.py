"""What the tests of the nodes share: a ROS domain of this process's own, and paths of the robots."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# 1 to 100: on Linux all of these domains have free ports. Loopback only: no robot, no other run is disturbed.
os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
os.environ.pop("ROS_LOCALHOST_ONLY", None)

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def four_link() -> str:
    """Path of a robot of four joints."""
    return str(ROOT / "urdf/four_link.urdf")


@pytest.fixture(scope="session")
def charmie() -> str:
    """Path of the care robot."""
    return str(ROOT / "urdf/charmie.urdf")


@pytest.fixture(scope="module")
def ros() -> Iterator[None]:
    """ROS 2, for the tests of one file."""
    import rclpy

    rclpy.init()
    yield
    rclpy.shutdown()
