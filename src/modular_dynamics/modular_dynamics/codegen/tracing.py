"""A recursion of kernels/ carried out on symbols: the same source, in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import layout
from .program import Program, Symbol

__all__ = ["INPUTS", "trace"]

#: The arrays that generated code is given, in this order; behind them the one for its results.
INPUTS = ("states", "q", "v", "a")


@cache
def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel without its compiler, and so those that it calls."""
    source = getattr(function, "py_func", function)
    names = dict(source.__globals__)
    plain = FunctionType(source.__code__, names, source.__name__, source.__defaults__, source.__closure__)
    for name in source.__code__.co_names:
        if hasattr(names.get(name), "py_func"):
            names[name] = _plain(names[name])
    return plain


class _Work(dict[int, Symbol]):
    """Elements as they are written; to read another one is a mistake of the recursion."""


def trace(
    recursion: Callable[..., Any], topology: NDArray[np.int64], constants: NDArray[np.float64], results: int
) -> tuple[Program, list[Symbol]]:
    """What a recursion does for one robot: the program, and the symbols of its ``results``.

    External wrenches are not part of it: where there are some, the compiled loops do the work.
    """
    program = Program()
    n = len(topology) - 1
    nq, nv = topology[n, layout.Q], topology[n, layout.V]
    states = {k: program.input(0, k) for k in range(layout.STATE_BLOCKS * layout.padded(n))}
    for k, kind in enumerate(topology[:-1, layout.KIND]):  # what the states of other kinds of joints are
        if kind != layout.REVOLUTE:
            states[layout.SINE * layout.padded(n) + k] = program.constant(0.0)
            states[layout.COSINE * layout.padded(n) + k] = program.constant(1.0)
        if kind != layout.PRISMATIC:
            states[layout.SHIFT * layout.padded(n) + k] = program.constant(0.0)
    q, v, a = (
        {k: program.input(array, k) for k in range(size)} for array, size in ((1, nq), (2, nv), (3, nv))
    )
    folded = constants.copy()
    folded[:-1, layout.EXTERNAL :] = 0.0
    out = _Work()
    numbers = {(i, k): float(x) for (i, k), x in np.ndenumerate(folded)}
    zero = program.constant(0.0)
    _plain(recursion)(_Table(topology), numbers, q, v, a, states, _Work(), out, 1, zero)
    return program, [out[k] for k in range(results)]


class _Table:
    """The topology with plain integers: faster to index than NumPy's."""

    def __init__(self, table: NDArray[np.int64]) -> None:
        self.shape = table.shape
        self._rows = table.tolist()

    def __getitem__(self, at: tuple[int, int]) -> int:
        row: int = self._rows[at[0]][at[1]]
        return row
