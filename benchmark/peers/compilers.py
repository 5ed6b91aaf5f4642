"""The C and C++ compilers, and where the headers of Pinocchio are."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from benchmark.setting.robots import Array

__all__ = ["BuildError", "c_compiler", "cxx_compiler", "header_folders", "pointer", "run_command"]


class BuildError(Exception):
    """Code could not be compiled; the text says why."""


def c_compiler() -> str:
    """Return the command of the C compiler."""
    return os.environ.get("CC", "cc")


def cxx_compiler() -> str:
    """Return the command of the C++ compiler."""
    return os.environ.get("CXX", "c++")


def header_folders() -> tuple[Path, Path]:
    """Return the prefix of Pinocchio's headers and libraries, and the folder of Eigen's headers.

    Raises BuildError where they are not installed.
    """
    prefix = _folder("cmeel.prefix/include/pinocchio").parents[1]
    return prefix, _folder("cmeel.prefix/include/eigen3/Eigen", "/usr/include/eigen3/Eigen").parent


def _folder(*choices: str) -> Path:
    """Return the first of these folders that is below an entry of sys.path."""
    for choice in choices:
        for entry in sys.path:
            if (Path(entry) / choice).is_dir():
                return Path(entry) / choice
    raise BuildError(f"there is no folder {' or '.join(choices)} below sys.path")


def run_command(command: list[str], folder: Path) -> str:
    """Run a command in a folder and return what it prints. Raises BuildError."""
    try:
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise BuildError(f"the command {command[0]} is missing") from None
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["no message"])[-1]
        raise BuildError(f"{Path(command[0]).name} failed: {last}") from None


def pointer(array: Array) -> ctypes.c_void_p:
    """Return the address of an array's numbers, which the caller keeps alive."""
    return ctypes.c_void_p(array.ctypes.data)
