"""Numbers of requests and files."""

import math
from typing import Any

import numpy as np

from modular_dynamics_ros.exceptions import NumbersError

__all__ = ["checked_numbers", "finite"]


def finite(values: object) -> bool:
    """Return whether all numbers are finite."""
    return bool(np.isfinite(np.asarray(values, dtype=float)).all())


def checked_numbers(
    what: str, values: Any, count: int | None = None, largest: float = math.inf
) -> tuple[float, ...]:
    """Return numbers of a request or a file as floats.

    Raises:
        NumbersError: no numbers, not finite, above the largest size, or another count.
    """
    try:
        if isinstance(values, str | bytes):  # it would be read digit by digit
            raise TypeError
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError, OverflowError):  # OverflowError: an integer beyond all floats
        raise NumbersError(f"{what}: {values!r:.80} is no list of numbers") from None
    if count is not None and len(numbers) != count:
        raise NumbersError(f"{what}: {len(numbers)} numbers; {count} are needed")
    if not finite(numbers):
        raise NumbersError(f"{what}: {list(numbers)}; finite numbers are needed")
    most = max(numbers, key=abs, default=0.0)
    if abs(most) > largest:
        raise NumbersError(f"{what}: {most:g}; sizes of at most {largest:g} are accepted")
    return numbers
