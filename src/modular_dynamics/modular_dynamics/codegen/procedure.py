"""A function of named vectors as a program, from which C or a CasADi function is made."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .program import Program, Symbol, used_lines

__all__ = ["Procedure", "Result"]

_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "atan2": np.arctan2,
}


@dataclass(frozen=True)
class Result:
    """A named result of a procedure, row by row.

    Attributes:
        unit: unit and meaning of its numbers, as text for the header.
    """

    name: str
    symbols: tuple[Symbol, ...]
    shape: tuple[int, ...]
    unit: str = ""


@dataclass(frozen=True)
class Procedure:
    """A function of vectors, without branches.

    Attributes:
        purpose: what it computes, in one line.
        inputs: (name, length) of its vectors; an operation "input" of the program names one by its index.
        pivots: numbers that must be positive for the results to exist.
        quaternions: (index of an input, first element) of quaternions that must not be zero.
        reach: what must be positive for closed loops to close; results are NaN where they do not.
        notes: what people must know of it: the assembly mode.
    """

    name: str
    purpose: str
    program: Program
    inputs: tuple[tuple[str, int], ...]
    results: tuple[Result, ...]
    pivots: tuple[Symbol, ...] = ()
    quaternions: tuple[tuple[int, int], ...] = ()
    reach: tuple[Symbol, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def symbols(self) -> list[Symbol]:
        """Results, pivots and reach, one after another."""
        return [symbol for result in self.results for symbol in result.symbols] + [*self.pivots, *self.reach]

    @property
    def operations(self) -> int:
        """How many instructions it has: additions, products, sines and so on."""
        kinds = (self.program.operations[line].kind for line in used_lines(self.program, self.symbols))
        return sum(kind not in ("input", "constant") for kind in kinds)

    def values(self, vectors: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Each result (states, numbers) of vectors (states, length): carried out line by line.

        NaN where closed loops do not close.
        """
        values: dict[int, Any] = {}
        for line in used_lines(self.program, self.symbols):
            operation = self.program.operations[line]
            if operation.kind == "input":
                values[line] = vectors[operation.first][:, operation.second]
            elif operation.kind == "constant":
                values[line] = operation.value
            else:
                with np.errstate(invalid="ignore"):  # roots of negative numbers
                    values[line] = _OPERATORS[operation.kind](*(values[k] for k in operation.operands))
        states = len(vectors[0])
        return [
            np.array([np.broadcast_to(values[symbol.line], states) for symbol in result.symbols]).T
            for result in self.results
        ]
