"""Launch tests: skipped without ROS 2's launch packages."""

from importlib.util import find_spec
from pathlib import Path

import pytest

# Not `launch` itself: the repository's folder of that name looks like a package.
MISSING = [name for name in ("launch_ros", "launch_testing") if find_spec(name) is None]
HERE = Path(__file__).parent

if not MISSING:
    from helpers.nodes.rviz_stand_in import install_rviz

    install_rviz()


class SkippedModule(pytest.File):
    """Stands for a test file whose imports cannot work here."""

    def collect(self) -> list[pytest.Item]:
        """Skip the file, with the reason."""
        reason = f"launch files are tested where {', '.join(MISSING)} can be used"
        pytest.skip(reason, allow_module_level=True)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take the place of the test files when launch is missing; else leave them to launch_testing."""
    return SkippedModule.from_parent(parent, path=module_path) if MISSING else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the launch tests, which start processes: marks of a module do not reach launch_testing's items."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("ros")
            item.add_marker("slow")
