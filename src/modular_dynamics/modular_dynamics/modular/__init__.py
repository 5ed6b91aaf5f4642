"""Self-reconfigurable modular robots: modules dock, and the model builds itself (Meister & Gutenkunst)."""

from . import equations, gaits
from .assembly import FIXED, FLOATING, Assembly, Docking, Mount, virtual_joint
from .equations import closed_form
from .incidence import (
    DirectTransformation,
    DirectTransformations,
    IncidenceMatrix,
    IndirectTransformation,
    IndirectTransformations,
    docking_type,
)
from .modules import (
    ModuleBody,
    ModuleJoint,
    ModuleType,
    Port,
    Shape,
    read_module_type,
    read_module_types,
    shipped_types,
)

__all__ = [
    "FIXED",
    "FLOATING",
    "Assembly",
    "DirectTransformation",
    "DirectTransformations",
    "Docking",
    "IncidenceMatrix",
    "IndirectTransformation",
    "IndirectTransformations",
    "ModuleBody",
    "ModuleJoint",
    "ModuleType",
    "Mount",
    "Port",
    "Shape",
    "closed_form",
    "docking_type",
    "equations",
    "gaits",
    "read_module_type",
    "read_module_types",
    "shipped_types",
    "virtual_joint",
]
