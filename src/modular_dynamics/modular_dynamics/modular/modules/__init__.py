"""Types of modules: bodies, joints and ports as data."""

from .files import read_module_type
from .library import shipped_types
from .module_type import ENTRY, ModuleBody, ModuleJoint, ModuleType
from .port import Port, mating
from .shape import Shape

__all__ = [
    "ENTRY",
    "ModuleBody",
    "ModuleJoint",
    "ModuleType",
    "Port",
    "Shape",
    "mating",
    "read_module_type",
    "shipped_types",
]
