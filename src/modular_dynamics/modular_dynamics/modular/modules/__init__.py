"""Types of modules: bodies, joints and ports as data."""

from .library import shipped_types
from .module_type import ENTRY, ModuleBody, ModuleJoint, ModuleType
from .port import Port, mating
from .shape import Shape
from .text.files import read_module_type, read_module_types
from .text.timor import read_timor_modules

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
    "read_timor_modules",
    "shipped_types",
]
