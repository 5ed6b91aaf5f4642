"""Launch tests: skipped without ROS 2's launch packages."""

from importlib.util import find_spec
from pathlib import Path

import pytest

# Not `launch` itself: the repository's folder of that name looks like a package.
MISSING = [name for name in ("launch_ros", "launch_testing") if find_spec(name) is None]
# What single files need besides.
NEEDED = {"test_closed_loops_launch.py": ["tf2_msgs"]}
HERE = Path(__file__).parent

if not MISSING:
    from helpers.nodes.stand_ins.ament_index import install_stand_ins

    install_stand_ins()


class SkippedModule(pytest.File):
    """Stands for a test file whose imports cannot work here."""

    def collect(self) -> list[pytest.Item]:
        """Skip the file, with the reason."""
        reason = f"launch files are tested where {', '.join(missing(self.path))} can be used"
        pytest.skip(reason, allow_module_level=True)


def missing(path: Path) -> list[str]:
    """Packages that this test file cannot do without, and that are not installed."""
    return MISSING or [name for name in NEEDED.get(path.name, []) if find_spec(name) is None]


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take the place of the test files when launch is missing; else leave them to launch_testing."""
    return SkippedModule.from_parent(parent, path=module_path) if missing(module_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the launch tests, which start processes: marks of a module do not reach launch_testing's items."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("ros")
            item.add_marker("slow")
