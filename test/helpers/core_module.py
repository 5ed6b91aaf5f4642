"""The compiled core of the package that is tested."""

from types import ModuleType

from modular_dynamics import _core

__all__ = ["core_module"]


def core_module() -> ModuleType:
    """Return the module."""
    return _core
