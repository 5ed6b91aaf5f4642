"""Arrays of real numbers made of arguments; read-only arrays and mappings of the model."""

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import ModelError, StateError

#: Quaternions shorter than this count as zero, in the core as well.
SMALLEST_NORM = 1e-6


def real_numbers(name: str, value: object, verb: str = "is") -> NDArray[Any]:
    """Return the value as an array of numbers, of any shape, with the dtype that it has.

    Raises:
        StateError: it is ragged, or not made of real numbers; ``name`` and ``verb`` begin its message.
    """
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise TypeError(array.dtype.name)  # NumPy would convert some of these silently
    except (TypeError, ValueError, OverflowError) as error:
        raise StateError(f"{name} {verb} not an array of numbers: {error}") from None
    return array


def number_array(name: str, value: object, verb: str = "is") -> NDArray[np.float64]:
    """Return the value as a float array of any shape. Raises StateError, as :func:`real_numbers` does."""
    return np.asarray(real_numbers(name, value, verb), np.float64, order="C")  # contiguous


Key = TypeVar("Key")
Value = TypeVar("Value")


def read_only(values: ArrayLike, shape: tuple[int, ...], what: str) -> NDArray[np.float64]:
    """Return the numbers as a read-only array: the same one if it is read-only and owns its memory.

    Raises:
        ModelError: another shape, or not numbers.
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float64 and values.shape == shape:
        array = values
        if not array.flags.writeable and array.flags.owndata:
            return array
    else:
        try:
            array = np.asarray(values)
        except ValueError:
            array = np.empty(0)
        if array.shape != shape or array.dtype.kind not in "fiu":
            raise ModelError(f"{what} is {values!r}; numbers of the shape {shape} are needed")
    own = np.array(array, np.float64)
    own.flags.writeable = False
    return own


def read_only_mapping(mapping: Mapping[Key, Value]) -> Mapping[Key, Value]:
    """Return a read-only copy of the mapping."""
    return MappingProxyType(dict(mapping))


class Constant:
    """Base of the model's dataclasses, whose ``__post_init__`` makes arrays and mappings read-only.

    Pickles and deep copies are made by the constructor, since unpickled arrays would be writeable.
    """

    def _set(self, **values: object) -> None:
        """Set fields of a frozen dataclass; for ``__post_init__``."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        proxies = {name: dict(value) for name, value in values.items() if isinstance(value, MappingProxyType)}
        return partial(type(self), **values | proxies), ()
