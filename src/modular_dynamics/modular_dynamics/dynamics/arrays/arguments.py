"""The arrays that callers pass: checked, or converted to what kernels take."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...exceptions import StateError

__all__ = ["as_kernel_arrays", "checked_out", "is_contiguous_float64"]

_DOUBLE = np.dtype(np.float64)


def is_contiguous_float64(*arrays: object) -> bool:
    """Whether kernels take these as they are: vectors, and at the end an array for results.

    They must be contiguous, aligned and writeable, and float64 in this machine's byte order: Numba's own
    check mistakes another byte order for a missing alignment.
    """
    for x in arrays:
        if type(x) is not np.ndarray or x.dtype is not _DOUBLE or not x.flags.carray:
            return False
    return all(x.ndim == 1 for x in arrays[:-1])  # type: ignore[attr-defined]


def as_kernel_arrays(*arrays: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The same numbers as contiguous, aligned and writeable float64 arrays; copies where needed."""
    return [np.require(x, np.float64, ["C", "W", "A"]) for x in arrays]


def checked_out(out: Any, shape: tuple[int, ...], kind: np.dtype[Any] = _DOUBLE) -> NDArray[Any]:
    """``out`` itself, if kernels can write a result of that shape and dtype into it.

    Raises:
        StateError: they cannot; names what it is and what is needed.
    """
    matches = isinstance(out, np.ndarray) and out.dtype == kind and out.shape == shape
    if not (matches and out.flags.carray):
        raise StateError(f"out is {_described(out)}; a writeable contiguous {kind} array {shape} is needed")
    array: NDArray[Any] = out
    return array


def _described(out: object) -> str:
    if not isinstance(out, np.ndarray):
        return type(out).__name__
    faults = [
        name
        for name, holds in (
            ("not contiguous", out.flags.c_contiguous),
            ("not aligned", out.flags.aligned),
            ("read-only", out.flags.writeable),
        )
        if not holds
    ]
    return ", ".join([f"{out.dtype} {out.shape}", *faults])
