"""Numbers and names of XML attributes and YAML values, with errors that name the element and its line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...exceptions import DescriptionError

__all__ = ["LINE", "checked_name", "checked_number", "checked_numbers", "checked_xyz_rpy"]

#: Key under which a mapping read from XML or YAML keeps its line.
LINE = "__line__"


def checked_numbers(
    item: Mapping[str, Any],
    key: str,
    count: int,
    where: str,
    error: type[DescriptionError],
    default: Any = None,
) -> list[float]:
    """``count`` finite numbers under ``key``, given as '1 2 3' (XML) or [1, 2, 3] (YAML)."""
    line = item.get(LINE)
    value = item.get(key, default)
    if value is None:
        raise error(f"{where} lacks '{key}' ({count} number{'s' * (count > 1)})", line)
    parts = value.split() if isinstance(value, str) else value
    if not isinstance(parts, Sequence):
        parts = [parts]
    try:
        values = [_to_float(part) for part in parts]
    except (TypeError, ValueError):
        needed = "a number" if count == 1 else f"{count} numbers"
        raise error(f"{where}: {key}='{value}' is not {needed}", line) from None
    if len(values) != count:
        raise error(f"{where}: {key}='{value}' has {len(values)} numbers; needed: {count}", line)
    if not all(map(math.isfinite, values)):
        raise error(f"{where}: {key}='{value}' is not finite", line)
    return values


def _to_float(part: Any) -> float:
    # float() accepts "1_0" and True, which no other reader of URDF does
    if isinstance(part, bool) or (isinstance(part, str) and "_" in part):
        raise ValueError
    return float(part)


def checked_number(
    item: Mapping[str, Any], key: str, where: str, error: type[DescriptionError], default: float | None = None
) -> float:
    """One finite number under ``key``."""
    return checked_numbers(item, key, 1, where, error, default)[0]


def checked_xyz_rpy(
    item: Mapping[str, Any], where: str, error: type[DescriptionError]
) -> tuple[list[float], list[float]]:
    """The xyz [m] and rpy [rad] of an origin; both default to zero."""
    zero = [0.0, 0.0, 0.0]
    xyz = checked_numbers(item, "xyz", 3, where, error, zero)
    return xyz, checked_numbers(item, "rpy", 3, where, error, zero)


def checked_name(item: Mapping[str, Any], key: str, where: str, error: type[DescriptionError]) -> str:
    """A non-empty text under ``key``."""
    value = item.get(key)
    if not isinstance(value, str) or not value.strip():
        raise error(f"{where} lacks '{key}' (a name)", item.get(LINE))
    return value
