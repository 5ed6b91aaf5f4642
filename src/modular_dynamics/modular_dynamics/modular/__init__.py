"""Self-reconfigurable modular robots: modules dock, and the model builds itself (Meister & Gutenkunst)."""

from .assembly import FIXED, FLOATING, Assembly, Docking, Mount, virtual_joint
from .modules import (
    ModuleBody,
    ModuleJoint,
    ModuleType,
    Port,
    Shape,
    read_module_type,
    read_module_types,
    read_timor_modules,
    shipped_types,
)

__all__ = [
    "FIXED",
    "FLOATING",
    "Assembly",
    "Docking",
    "ModuleBody",
    "ModuleJoint",
    "ModuleType",
    "Mount",
    "Port",
    "Shape",
    "read_module_type",
    "read_module_types",
    "read_timor_modules",
    "shipped_types",
    "virtual_joint",
]
