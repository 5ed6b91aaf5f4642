"""Numbers and names of XML attributes and YAML values, with errors that name the element and its line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ..algebra import DualQuaternion, Quaternion, from_xyz_rpy, pose
from ..exceptions import DescriptionError, UrdfError
from ..text.numbers import LARGEST, decimals, real_number
from ..text.sizes import MAX_NAME, shown, too_large
from .source import line_of

#: Key of a mapping read from XML or YAML whose value is the line of the mapping.
LINE = "__line__"


def attributes(element: etree._Element) -> dict[str, Any]:
    """Return the attributes of an element, and its line under :data:`LINE`."""
    return {**{str(key): value for key, value in element.attrib.items()}, LINE: line_of(element)}


@dataclass(frozen=True)
class Entry:
    """Reader of checked values from the attributes of an XML element, or from a mapping of a YAML file.

    Attributes:
        item: the attributes, or the mapping. where: its name in messages. error: the class of all errors.
    """

    item: Mapping[str, Any]
    where: str
    error: type[DescriptionError]

    @classmethod
    def of(cls, element: etree._Element, where: str) -> Entry:
        """Return a reader of the attributes of an XML element, whose errors are UrdfErrors."""
        return cls(attributes(element), where, UrdfError)

    @property
    def line(self) -> Any:
        """Line of the element, or file and line; None if not known."""
        return self.item.get(LINE)

    def failure(self, message: str) -> DescriptionError:
        """Return the error with this message after the entry's name, and with its line."""
        return self.error(f"{self.where}{message}", self.line)

    def numbers(self, key: str, count: int, default: Any = None, largest: float = LARGEST) -> list[float]:
        """Return ``count`` numbers under ``key``, given as '1 2 3' (XML) or [1, 2, 3] (YAML).

        Raises ``error``: a missing, unreadable, too large or not finite number, or another count. Infinite
        numbers are accepted if ``largest`` is infinite.
        """
        value = self.item.get(key, default)
        if value is None:
            raise self.failure(f" lacks '{key}' ({count} number{'s' * (count > 1)})")
        try:
            values = _numbers(value)
        except ValueError:
            if isinstance(value, Mapping):
                value = {name: part for name, part in value.items() if name != LINE}
            needed = "a number" if count == 1 else f"{count} numbers"
            raise self.failure(f": {key}={shown(value)} is not {needed}") from None
        if len(values) != count:
            raise self.failure(f": {key}={shown(value)} has {len(values)} numbers; needed: {count}")
        if any(math.isnan(one) or (math.isinf(one) and largest < math.inf) for one in values):
            raise self.failure(f": {key}={shown(value)} is not finite")
        if max(map(abs, values), default=0.0) > largest:
            raise self.failure(f": {key}={shown(value)} is too large; at most {largest:g} is accepted")
        return values

    def number(self, key: str, default: float | None = None, largest: float = LARGEST) -> float:
        """Return the number under ``key``; default None: it is required. Errors as of :meth:`numbers`."""
        return self.numbers(key, 1, default, largest)[0]

    def truth(self, key: str) -> bool:
        """Return the truth value under ``key``; False if it is missing."""
        text = str(self.item.get(key, "false")).lower()
        if text not in ("true", "false", "1", "0"):
            raise self.failure(f": {key}='{self.item[key]}' is neither true nor false")
        return text in ("true", "1")

    def pose(self) -> DualQuaternion:
        """Return the pose of xyz [m] and either rpy [rad] or quat_xyzw; missing ones are zero.

        The quaternion is normalized, as by urdfdom.
        """
        zero = [0.0, 0.0, 0.0]
        xyz = self.numbers("xyz", 3, zero)
        if "quat_xyzw" not in self.item:
            return from_xyz_rpy(xyz, self.numbers("rpy", 3, zero))
        if "rpy" in self.item:
            raise self.failure(" has both 'rpy' and 'quat_xyzw'; the rotation is said by one of them")
        x, y, z, w = self.numbers("quat_xyzw", 4)
        length = math.hypot(x, y, z, w)
        if not length > 1e-9:
            raise self.failure(f": quat_xyzw={shown(self.item['quat_xyzw'])} has no direction")
        return pose(Quaternion(w / length, x / length, y / length, z / length), xyz)

    def name(self, key: str) -> str:
        """Return the name under ``key``. Raises ``error``: missing, empty, too long or not text."""
        value = self.item.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.failure(f" lacks '{key}' (a name)")
        if len(value) > MAX_NAME:
            raise self.failure(f": {too_large(key, len(value), MAX_NAME, 'characters')}")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise self.failure(f": {key}={value!r} is no text: it has half a character")
        return value


def _numbers(value: Any) -> list[float]:
    """Return the numbers of a text, a list or a single value. Raises ValueError: something else."""
    if isinstance(value, str):
        return decimals(value)
    return list(map(real_number, value)) if isinstance(value, list | tuple) else [real_number(value)]
