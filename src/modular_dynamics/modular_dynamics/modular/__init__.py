"""Self-reconfigurable modular robots: modules dock, and the model builds itself (Meister & Gutenkunst)."""

from . import equations, gaits
from .assembly.assembly import Assembly
from .assembly.structure import FIXED, FLOATING, Docking, Mount, virtual_joint
from .equations import closed_form
from .incidence.matrix import IncidenceMatrix, docking_type
from .incidence.transformations import (
    DirectTransformation,
    IndirectTransformation,
    Transformations,
)
from .modules.files import read_module_type, shipped_types
from .modules.module_type import ModuleBody, ModuleJoint, ModuleType, Port, Shape

__all__ = [
    "FIXED",
    "FLOATING",
    "Assembly",
    "DirectTransformation",
    "Docking",
    "IncidenceMatrix",
    "IndirectTransformation",
    "ModuleBody",
    "ModuleJoint",
    "ModuleType",
    "Mount",
    "Port",
    "Shape",
    "Transformations",
    "closed_form",
    "docking_type",
    "equations",
    "gaits",
    "read_module_type",
    "shipped_types",
    "virtual_joint",
]
