"""Launch tests: skipped without ROS 2's launch packages, and each in a ROS domain of its own on loopback."""

import os
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest

# Not `launch` itself: the repository's folder of that name looks like a package.
MISSING = [name for name in ("launch_ros", "launch_testing") if find_spec(name) is None]


class SkippedModule(pytest.File):
    """Stands for a test file whose imports cannot work here."""

    def collect(self) -> list[pytest.Item]:
        """Skip the file, with the reason."""
        reason = f"launch files are tested where {', '.join(MISSING)} can be imported"
        pytest.skip(reason, allow_module_level=True)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take the place of the test files when launch is missing; else leave them to launch_testing."""
    return SkippedModule.from_parent(parent, path=module_path) if MISSING else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Set the environment round a whole launch test: fixtures do not reach launch_testing's items."""
    with pytest.MonkeyPatch.context() as patch:
        # 1 to 100: another test run on this machine gets another domain; on Linux all of these have ports.
        patch.setenv("ROS_DOMAIN_ID", str(1 + os.getpid() % 100))
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        return (yield)
