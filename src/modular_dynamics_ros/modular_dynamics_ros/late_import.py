"""Imports that wait until they are needed, and then take as little time as can be."""

import gc
from importlib import import_module

__all__ = ["import_late"]


def import_late(module: str) -> None:
    """Import a module without the garbage collector, and have it never look through what was imported.

    Modules, classes and functions stay; to search them for garbage again and again takes a quarter of the
    time of their import, and as much of what comes after it.

    Raises:
        ImportError: as the import does.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        import_module(module)
        gc.freeze()
    finally:
        if enabled:
            gc.enable()
