"""The compiled core, src/modular_dynamics/CMakeLists.txt, built when tests first need it."""

import fcntl
import importlib
import subprocess
import sys
from functools import cache
from typing import Any

from helpers.paths import ROOT

__all__ = ["core_module"]

SOURCES = ROOT / "src" / "modular_dynamics"
FOLDER = ROOT / "build" / f"core-{sys.implementation.cache_tag}"


@cache
def core_module() -> Any:
    """Return the module _core, built by CMake where its sources have changed.

    Processes of one test run wait for each other.

    Raises:
        RuntimeError: it cannot be built; with what CMake or the compiler says.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _run("cmake", "-S", SOURCES, "-B", FOLDER, f"-DPython3_EXECUTABLE={sys.executable}")
        _run("cmake", "--build", FOLDER, "--parallel", "2")
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    return importlib.import_module("_core")


def _run(*command: Any) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
