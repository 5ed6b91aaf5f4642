"""What the tests of all packages share: random examples, a ROS domain of this process's own, fixtures."""

import gc
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import dead_workers
from helpers.nodes.ros_domain import reserve_ros_domain
from helpers.paths import ROOT
from helpers.random_examples.examples import is_night, register_profiles

register_profiles()
# A shell's background job ignores SIGINT and passes that on: tests that interrupt processes would fail there.
signal.signal(signal.SIGINT, signal.default_int_handler)
reserve_ros_domain()


def pytest_configure(config: pytest.Config) -> None:
    """Name tests whose process died."""
    dead_workers.register(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests with the marker nightly to the night; they count as deselected."""
    long = [] if is_night() else [item for item in items if item.get_closest_marker("nightly")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


def pytest_collection_finish() -> None:
    """Keep modules and tests out of garbage collections, of which each would take a third of a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="module")
def ros(request: pytest.FixtureRequest) -> Iterator[None]:
    """ROS 2 in this process for the tests of one file; SIGINT stays pytest's."""
    import rclpy  # noqa: PLC0415  # the library's tests run without ROS
    from rclpy.signals import SignalHandlerOptions  # noqa: PLC0415  # as above

    assert request.node.get_closest_marker("ros"), "tests that need ROS have the marker ros"
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    yield
    rclpy.shutdown()
