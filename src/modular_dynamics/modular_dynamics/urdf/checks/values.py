"""Numbers and names of XML attributes and YAML values, with errors that name the element and its line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ...exceptions import DescriptionError, UrdfError
from ..source import line_of

__all__ = ["LARGEST", "LINE", "Entry", "attributes"]

#: Numbers above this are not meant, and their products may overflow.
LARGEST = 1e50
#: Key under which a mapping read from XML or YAML keeps its line.
LINE = "__line__"


def attributes(element: etree._Element) -> dict[str, Any]:
    """The attributes of an element, and its line under :data:`LINE`."""
    return {**{str(key): value for key, value in element.attrib.items()}, LINE: line_of(element)}


@dataclass(frozen=True)
class Entry:
    """The attributes of an XML element, or a mapping of a YAML file, whose values are to be checked.

    Attributes:
        where: how messages name it.
        error: what is raised.
    """

    item: Mapping[str, Any]
    where: str
    error: type[DescriptionError]

    @classmethod
    def of(cls, element: etree._Element, where: str) -> Entry:
        """The attributes of an element of the URDF itself."""
        return cls(attributes(element), where, UrdfError)

    def failure(self, message: str) -> DescriptionError:
        """The error to raise, with name and line."""
        return self.error(f"{self.where}{message}", self.item.get(LINE))

    def numbers(self, key: str, count: int, default: Any = None, largest: float = LARGEST) -> list[float]:
        """``count`` finite numbers under ``key``, given as '1 2 3' (XML) or [1, 2, 3] (YAML)."""
        value = self.item.get(key, default)
        if value is None:
            raise self.failure(f" lacks '{key}' ({count} number{'s' * (count > 1)})")
        parts = value.split() if isinstance(value, str) else value
        if not isinstance(parts, Sequence):
            parts = [parts]
        try:
            values = [_to_float(part) for part in parts]
        except (TypeError, ValueError):
            needed = "a number" if count == 1 else f"{count} numbers"
            raise self.failure(f": {key}='{value}' is not {needed}") from None
        if len(values) != count:
            raise self.failure(f": {key}='{value}' has {len(values)} numbers; needed: {count}")
        if not all(map(math.isfinite, values)):
            raise self.failure(f": {key}='{value}' is not finite")
        if max(map(abs, values), default=0.0) > largest:
            raise self.failure(f": {key}='{value}' is too large; at most {largest:g} is accepted")
        return values

    def number(self, key: str, default: float | None = None) -> float:
        """One finite number under ``key``."""
        return self.numbers(key, 1, default)[0]

    def xyz_rpy(self) -> tuple[list[float], list[float]]:
        """The xyz [m] and rpy [rad] of an origin; both default to zero."""
        zero = [0.0, 0.0, 0.0]
        return self.numbers("xyz", 3, zero), self.numbers("rpy", 3, zero)

    def name(self, key: str) -> str:
        """A non-empty text under ``key``."""
        value = self.item.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.failure(f" lacks '{key}' (a name)")
        return value


def _to_float(part: Any) -> float:
    # float() accepts "1_0" and True, which no other reader of URDF does
    if isinstance(part, bool) or (isinstance(part, str) and "_" in part):
        raise ValueError
    return float(part)
