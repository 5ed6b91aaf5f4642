"""The kernel for one state, bound to the arrays of one graph: a function of the state and the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import entry, layout
from ...kernels.numba_support.compilation import make_ready
from ..arrays.arguments import is_contiguous_float64

__all__ = ["REFUSED", "Bind", "StateCall", "direct", "wrapped"]

#: Status of a call whose arguments are not the arrays which the kernel takes, or are not finite.
REFUSED = 1

#: (*inputs, out) -> status of the kernel, 0 when the result is written.
StateCall = Callable[..., int]
#: (topology, constants, work) -> a call that keeps these arrays.
Bind = Callable[[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]], StateCall]


def direct(name: str) -> Bind:
    """Binds a kernel that Python calls without Numba's wrapper, where it can (kernels/entry.py)."""

    def bind(
        topology: NDArray[np.int64], constants: NDArray[np.float64], work: NDArray[np.float64]
    ) -> StateCall:
        nq, nv = (int(topology[-1, column]) for column in (layout.Q, layout.V))
        call: StateCall = entry(name, topology, constants, work, nq, nv)
        return call

    return bind


def wrapped(kernel: Any, vectors: int, shape: Callable[[NDArray[np.int64]], tuple[int, ...]]) -> Bind:
    """Binds a kernel that Python calls through Numba's wrapper: so many vectors, and a result of a shape."""

    def bind(
        topology: NDArray[np.int64], constants: NDArray[np.float64], work: NDArray[np.float64]
    ) -> StateCall:
        result_shape = shape(topology)
        make_ready(kernel, (*[1] * vectors, len(result_shape)))

        def call(*arrays: Any) -> int:
            if not is_contiguous_float64(*arrays) or arrays[-1].shape != result_shape:
                return REFUSED
            status: int = kernel(topology, constants, work, *arrays)
            return status

        return call

    return bind
