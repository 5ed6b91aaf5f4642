"""Assembly incidence matrices, and transformations between modules by the paper's traversal (section IV)."""

from .conversion import docking_type
from .matrix import IncidenceMatrix
from .transformations import (
    DirectTransformation,
    DirectTransformations,
    IndirectTransformation,
    IndirectTransformations,
)

__all__ = [
    "DirectTransformation",
    "DirectTransformations",
    "IncidenceMatrix",
    "IndirectTransformation",
    "IndirectTransformations",
    "docking_type",
]
