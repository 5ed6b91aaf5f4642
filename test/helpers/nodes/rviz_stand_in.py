"""A program that stands for rviz2 where that is missing: it takes the same arguments and shows nothing."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from ament_index_python.packages import get_packages_with_prefixes

PROGRAM = """#!/bin/sh
trap 'exit 0' INT TERM
while :; do sleep 0.1; done
"""


def install_rviz() -> None:
    """Make it, if it is missing, in the ament index of this process and its children."""
    if "rviz2" in get_packages_with_prefixes():
        return
    prefix = Path(tempfile.mkdtemp(prefix="modular_dynamics_rviz_"))
    atexit.register(shutil.rmtree, prefix, ignore_errors=True)
    index, program = prefix / "share/ament_index/resource_index/packages/rviz2", prefix / "lib/rviz2/rviz2"
    for path, text in ((index, ""), (program, PROGRAM)):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    program.chmod(0o755)
    os.environ["AMENT_PREFIX_PATH"] = f"{prefix}{os.pathsep}{os.environ['AMENT_PREFIX_PATH']}"
