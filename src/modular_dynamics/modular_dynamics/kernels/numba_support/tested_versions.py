"""The versions on which code was tested that depends on private parts of Numba, NumPy and CPython.

On others it is not used: results are the same, calls and starts are slower. To add a version, run the tests
with it. `docs/architecture.md` lists what depends on these.
"""

import platform
import sys

import numba
import numpy as np

__all__ = ["array_layout_is_tested", "numba_is_tested", "untested_versions"]

NUMBA = {"0.68.1"}
NUMPY = {(2, 2), (2, 4), (2, 5)}
CPYTHON = {(3, 10), (3, 11), (3, 12), (3, 13), (3, 14)}


def numba_is_tested() -> bool:
    """Whether Numba's classes are those that disk_library.py and array_objects.py were written for."""
    return numba.__version__ in NUMBA


def array_layout_is_tested() -> bool:
    """Whether array objects are those of a NumPy and a CPython that array_objects.py was tested with."""
    return _python_is_tested() and _numpy_is_tested()


def untested_versions() -> list[str]:
    """Those installed, such as "NumPy 2.6.0", with which calls take longer."""
    installed = (
        (f"Python {platform.python_version()}", _python_is_tested()),
        (f"NumPy {np.__version__}", _numpy_is_tested()),
        (f"Numba {numba.__version__}", numba_is_tested()),
    )
    return [name for name, is_tested in installed if not is_tested]


def _python_is_tested() -> bool:
    return sys.implementation.name == "cpython" and sys.version_info[:2] in CPYTHON


def _numpy_is_tested() -> bool:
    return tuple(map(int, np.__version__.split(".")[:2])) in NUMPY
