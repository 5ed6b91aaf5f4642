"""The module types that the library ships."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from .module_type import ModuleType
from .text.files import read_module_type

__all__ = ["shipped_types"]

_FOLDER = Path(__file__).parent / "shipped"


@cache
def shipped_types() -> Mapping[str, ModuleType]:
    """Return Backbone and Scout of Meister & Gutenkunst, a slider and a passive block, by name."""
    kinds = [read_module_type(path) for path in sorted(_FOLDER.glob("*.yaml"))]
    return MappingProxyType({kind.name: kind for kind in kinds})
