"""Imports that wait until they are needed, and then take as little time as can be."""

import gc
import sys
from importlib import import_module
from threading import Lock

__all__ = ["import_late"]

UNNEEDED = "coverage"  # wherever it is installed (colcon needs it), Numba imports it, in case it runs
_LOCK = Lock()


def import_late(module: str) -> None:
    """Import a module without the garbage collector, and have it never look through what was imported.

    Modules, classes and functions stay; to search them for garbage again and again takes a quarter of the
    time of their import, and as much of what comes after it. All objects of the process are spared, once: for
    a module that is there already nothing is done.

    Raises:
        ImportError: as the import does.
    """
    with _LOCK:
        if module not in sys.modules:
            _import(module)


def _import(module: str) -> None:
    enabled = gc.isenabled()
    gc.disable()
    sys.modules.setdefault(UNNEEDED, None)  # type: ignore[arg-type]  # None: cannot be imported
    try:
        import_module(module)
        gc.freeze()
    finally:
        if sys.modules[UNNEEDED] is None:
            del sys.modules[UNNEEDED]
        if enabled:
            gc.enable()
