"""Launch tests: skipped without ROS 2's launch packages."""

import atexit
import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

# Not `launch` itself: the repository's folder of that name looks like a package.
MISSING = [name for name in ("launch_ros", "launch_testing") if find_spec(name) is None]
HERE = Path(__file__).parent

#: Stands for rviz2 where that is missing: it takes the same arguments and shows nothing.
RVIZ = """#!/bin/sh
trap 'exit 0' INT TERM
while :; do sleep 0.1; done
"""


def install_rviz() -> None:
    """Make the stand-in, if rviz2 is missing, in the ament index of this process and its children."""
    from ament_index_python.packages import get_packages_with_prefixes

    if "rviz2" in get_packages_with_prefixes():
        return
    prefix = Path(tempfile.mkdtemp(prefix="modular_dynamics_rviz_"))
    atexit.register(shutil.rmtree, prefix, ignore_errors=True)
    index, program = prefix / "share/ament_index/resource_index/packages/rviz2", prefix / "lib/rviz2/rviz2"
    for path, text in ((index, ""), (program, RVIZ)):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    program.chmod(0o755)
    os.environ["AMENT_PREFIX_PATH"] = f"{prefix}{os.pathsep}{os.environ['AMENT_PREFIX_PATH']}"


if not MISSING:
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
