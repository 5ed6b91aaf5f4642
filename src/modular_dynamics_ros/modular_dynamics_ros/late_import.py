"""Imports that wait until they are needed, and then take as little time as can be."""

import gc
import sys
from importlib import import_module

__all__ = ["import_late"]

UNNEEDED = "coverage"  # wherever it is installed (colcon needs it), Numba imports it, in case it runs


def import_late(module: str) -> None:
    """Import a module without the garbage collector, and have it never look through what was imported.

    Modules, classes and functions stay; to search them for garbage again and again takes a quarter of the
    time of their import, and as much of what comes after it.

    Raises:
        ImportError: as the import does.
    """
    if module in sys.modules:
        return  # what is garbage by now must be found
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
