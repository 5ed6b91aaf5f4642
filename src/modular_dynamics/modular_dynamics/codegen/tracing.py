"""A recursion of kernels/ run on symbols: the same source, in plain Python."""

import math
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import layout
from . import symbolic_math
from .program import Program, Symbol

__all__ = ["Symbols", "joint_states", "run", "uncompiled"]

#: Elements of an array by index.
Symbols = dict[int, Symbol]
#: Of the sine and cosine of quarter turns: what is smaller is zero.
ROUNDING = 1e-16


@cache
def uncompiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel as a Python function that is not compiled, and so are those that it calls.

    Its sines and so on are those of symbols.
    """
    source = getattr(function, "py_func", function)
    names = dict(source.__globals__)
    function = FunctionType(source.__code__, names, source.__name__, source.__defaults__, source.__closure__)
    for name in source.__code__.co_names:
        if names.get(name) is math:
            names[name] = symbolic_math
        elif _is_of_kernels(names.get(name)):
            names[name] = uncompiled(names[name])
    return function


def _is_of_kernels(value: object) -> bool:
    """Whether it is compiled, or would be if the compiler were on."""
    return hasattr(value, "py_func") or (
        isinstance(value, FunctionType) and value.__module__.startswith(layout.__package__)
    )


class _Work(dict[int, Symbol]):
    """Elements by index. To read one that was never written is an error of the recursion: KeyError."""


def run(
    recursion: Callable[..., Any],
    topology: NDArray[np.int64],
    constants: NDArray[np.float64],
    results: int,
    program: Program,
    vectors: tuple[Symbols, Symbols, Symbols, Symbols],
) -> list[Symbol]:
    """Add the operations of a recursion to a program; the symbols of its ``results``.

    Args:
        vectors: joint states, q, v and the third vector (accelerations or torques).
    """
    states, q, v, a = vectors
    folded = constants.copy()
    folded[:-1, layout.EXTERNAL :] = 0.0
    out = _Work()
    numbers = {(i, k): float(x) for (i, k), x in np.ndenumerate(folded)}
    zero = program.constant(0.0)
    uncompiled(recursion)(_Table(topology), numbers, q, v, a, states, _Work(), out, 1, zero)
    return [out[k] for k in range(results)]


def joint_states(
    topology: NDArray[np.int64], constants: NDArray[np.float64], program: Program, q: Symbols
) -> Symbols:
    """The joint states that kernels/states computes, as operations on q: sines and cosines included.

    A revolute joint's constant offset turns sine and cosine: added to a large angle it would lose digits.
    """
    n = len(topology) - 1
    zero, one = program.constant(0.0), program.constant(1.0)
    states = {}
    for k, row in enumerate(topology[:-1].tolist()):
        sine, cosine, shift = zero, one, zero
        if row[layout.KIND] in (layout.REVOLUTE, layout.PRISMATIC):
            position = q[row[layout.Q]] * float(constants[k, layout.MULTIPLIER])
            offset = float(constants[k, layout.OFFSET])
            if row[layout.KIND] == layout.PRISMATIC:
                shift = position + offset
            else:
                s, c = program.sine(position), program.cosine(position)
                turned_s, turned_c = (
                    0.0 if abs(x) < ROUNDING else x for x in (math.sin(offset), math.cos(offset))
                )
                sine, cosine = s * turned_c + c * turned_s, c * turned_c - s * turned_s
        for block, symbol in ((layout.SINE, sine), (layout.COSINE, cosine), (layout.SHIFT, shift)):
            states[block * layout.padded(n) + k] = symbol
    return states


class _Table:
    """The topology with Python's integers: faster to index than NumPy's."""

    def __init__(self, table: NDArray[np.int64]) -> None:
        self.shape = table.shape
        self._rows = table.tolist()

    def __getitem__(self, at: tuple[int, int]) -> int:
        row: int = self._rows[at[0]][at[1]]
        return row
