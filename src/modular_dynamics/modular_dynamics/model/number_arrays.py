"""Arrays of real numbers from what callers pass."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StateError

__all__ = ["SMALLEST_NORM", "first_not_finite", "number_array", "real_numbers"]

#: Length of a quaternion up to which it has no direction; the core has the same.
SMALLEST_NORM = 1e-6

#: Kinds of dtype that are not real numbers, in words; NumPy would convert some of them silently.
_NOT_REAL = {
    "c": "complex numbers",
    "m": "durations",
    "M": "dates",
    "O": "objects",
    "S": "bytes",
    "T": "text",
    "U": "text",
    "V": "records",
}


def real_numbers(name: str, value: object, verb: str = "is") -> NDArray[Any]:
    """Return the value as an array of numbers, of any shape, with the dtype that it has.

    Raises:
        StateError: it is ragged, or not made of real numbers; ``name`` and ``verb`` begin its message.
    """
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise TypeError(_NOT_REAL.get(array.dtype.kind, str(array.dtype)))
    except (TypeError, ValueError, OverflowError) as error:
        raise StateError(f"{name} {verb} not an array of numbers: {error}") from None
    return array


def number_array(name: str, value: object, verb: str = "is") -> NDArray[np.float64]:
    """Return the value as a float array of any shape. Raises StateError, as :func:`real_numbers` does."""
    return np.asarray(real_numbers(name, value, verb), np.float64, order="C")  # contiguous


def first_not_finite(array: NDArray[np.float64]) -> int:
    """Return the index of the first NaN or infinity in a 1-D array; -1 where all are finite."""
    finite = np.isfinite(array)
    return -1 if finite.all() else int(np.argmin(finite))
