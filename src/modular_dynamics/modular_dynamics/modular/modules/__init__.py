"""Types of modules: bodies, joints and ports as data."""

from .files import read_module_type, read_module_types, shipped_types
from .module_type import ENTRY, ModuleBody, ModuleJoint, ModuleType, Port, Shape, mating

__all__ = [
    "ENTRY",
    "ModuleBody",
    "ModuleJoint",
    "ModuleType",
    "Port",
    "Shape",
    "mating",
    "read_module_type",
    "read_module_types",
    "shipped_types",
]
