"""Whether two descriptions say the same: their data as nested tuples, which compare and hash."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["as_tuples"]


def as_tuples(data: Any) -> Any:
    """The fields of dataclasses, entries of mappings and numbers of arrays, in order."""
    if is_dataclass(data) and not isinstance(data, type):
        return tuple(as_tuples(getattr(data, field.name)) for field in fields(data))
    if isinstance(data, Mapping):
        return tuple((key, as_tuples(value)) for key, value in data.items())
    if isinstance(data, np.ndarray):
        return tuple(data.ravel().tolist())
    if isinstance(data, list | tuple):
        return tuple(map(as_tuples, data))
    return data
