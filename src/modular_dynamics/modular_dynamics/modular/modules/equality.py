"""Whether two module types are the same data: copies, and types read twice, are."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["is_same"]


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal to the bit: dataclasses by fields, mappings also in order."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        one, other = one.tobytes(), other.tobytes()
    elif isinstance(one, Mapping):
        one, other = tuple(one.items()), tuple(other.items())
    elif is_dataclass(one):
        one, other = (tuple(getattr(each, field.name) for field in fields(one)) for each in (one, other))
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    return bool(one == other)
