"""Executables that stand for robot_state_publisher and rviz2 where these are not installed.

The launch files start them by the ament index; the stand-ins take the same arguments. rviz2's shows nothing.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix

__all__ = ["install_stand_ins"]

STATE_PUBLISHER = Path(__file__).with_name("state_publisher.py").read_text("utf-8")
RVIZ = """
import signal
signal.signal(signal.SIGINT, lambda *_: None)
signal.signal(signal.SIGTERM, lambda *_: None)
signal.pause()
"""
PROGRAMS = {"robot_state_publisher": STATE_PUBLISHER, "rviz2": RVIZ}


def install_stand_ins() -> list[str]:
    """Make those that are missing, for this process and its children; their names."""
    missing = [name for name in PROGRAMS if not _installed(name)]
    if missing:
        prefix = Path(tempfile.mkdtemp(prefix="modular_dynamics_stand_ins_"))
        atexit.register(shutil.rmtree, prefix, ignore_errors=True)
        index = prefix / "share/ament_index/resource_index/packages"
        index.mkdir(parents=True)
        for name in missing:
            (index / name).touch()
            program = prefix / "lib" / name / name
            program.parent.mkdir(parents=True)
            program.write_text(f"#!{sys.executable}\n{PROGRAMS[name]}")
            program.chmod(0o755)
        os.environ["AMENT_PREFIX_PATH"] = f"{prefix}{os.pathsep}{os.environ['AMENT_PREFIX_PATH']}"
    return missing


def _installed(name: str) -> bool:
    try:
        get_package_prefix(name)
    except PackageNotFoundError:
        return False
    return True
