"""Assemblies of modules, and the graphs of subsystems that they are."""

from .assembly import Assembly
from .structure import FIXED, FLOATING, Docking, Mount, virtual_joint

__all__ = ["FIXED", "FLOATING", "Assembly", "Docking", "Mount", "virtual_joint"]
