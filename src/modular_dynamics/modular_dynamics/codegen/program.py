"""Straight-line code for one robot: functions that the core has recorded, with names."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import OPERATIONS

#: A function as `_core` returns it: operations (n, 3), constants, and the lines of results, of pivots, and of
#: numbers that must be positive for loops to close.
Recorded = tuple[
    NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]
]

_OF_ONE_LINE = ("neg", "sin", "cos", "sqrt", "floor")
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}


class Line(NamedTuple):
    """One line of a program.

    Attributes:
        kind: "input" (of array ``first``, element ``second``), "constant" (``value``), "neg", "sin", "cos",
            "sqrt" or "floor" (of line ``first``), or "add", "sub", "mul", "div", "atan2" of lines ``first``
            and ``second``.
    """

    kind: str
    first: int = 0
    second: int = 0
    value: float = 0.0

    @property
    def operands(self) -> tuple[int, ...]:
        """Numbers of the lines whose results this line uses, all before it."""
        if self.kind in ("input", "constant"):
            return ()
        return (self.first,) if self.kind in _OF_ONE_LINE else (self.first, self.second)


@dataclass(frozen=True)
class Result:
    """A named result of a program, row by row.

    Attributes:
        lines: those that are its numbers. unit: unit and meaning of its numbers, as text for the header.
    """

    name: str
    lines: tuple[int, ...]
    shape: tuple[int, ...]
    unit: str = ""


@dataclass(frozen=True)
class Program:
    """A function of named vectors, without branches.

    Attributes:
        purpose: what it computes, in one line.
        inputs: (name, length) of its vectors; a line "input" names one by its index.
        lines: in the order in which they are carried out; each is needed for a result, a pivot or the reach.
        pivots: lines that must be positive for the results to exist.
        quaternions: (index of an input, first element) of quaternions that must not be zero.
        reach: lines that must be positive for closed loops to close.
        notes: text for the header: the assembly mode.
    """

    name: str
    purpose: str
    inputs: tuple[tuple[str, int], ...]
    lines: tuple[Line, ...]
    results: tuple[Result, ...]
    pivots: tuple[int, ...] = ()
    quaternions: tuple[tuple[int, int], ...] = ()
    reach: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def operations(self) -> int:
        """Number of instructions: additions, products, sines and so on."""
        return sum(bool(line.operands) for line in self.lines)

    def run(
        self,
        inputs: Sequence[Any],
        constant: Callable[[float], Any],
        functions: Mapping[str, Callable[..., Any]],
    ) -> list[Any]:
        """Return the value of each line, of any type that has arithmetic operators.

        Args:
            inputs: of each vector its elements. constant: makes a value of a number.
            functions: "sin", "cos", "sqrt", "floor" and "atan2" of values.
        """
        operators, values = {**_OPERATORS, **functions}, list[Any]()
        for line in self.lines:
            if line.kind == "input":
                values.append(inputs[line.first][line.second])
            elif line.kind == "constant":
                values.append(constant(line.value))
            else:
                values.append(operators[line.kind](*(values[k] for k in line.operands)))
        return values

    def values(self, vectors: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Return each result (states, numbers) of vectors (states, length): carried out line by line.

        NaN where closed loops do not close.
        """
        functions = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "floor": np.floor, "atan2": np.arctan2}
        with np.errstate(invalid="ignore"):  # roots of negative numbers
            values = self.run([x.T for x in vectors], float, functions)
        states = len(vectors[0])
        return [
            np.array([np.broadcast_to(values[line], states) for line in result.lines]).T
            for result in self.results
        ]


def program(
    name: str,
    purpose: str,
    inputs: Sequence[tuple[str, int]],
    recorded: Recorded,
    results: Sequence[tuple[str, tuple[int, ...], str]],
    quaternions: Sequence[int] = (),
    notes: Sequence[str] = (),
) -> Program:
    """Return a recorded function as a program.

    Args:
        results: name, shape and unit of each; their numbers follow one another.
        quaternions: where in the first vector quaternions begin.
    """
    operations, constants, numbers, pivots, reach = (array.tolist() for array in recorded)
    lines = tuple(
        Line("constant", value=constants[first])
        if OPERATIONS[kind] == "constant"
        else Line(OPERATIONS[kind], first, second)
        for kind, first, second in operations
    )
    named, start = [], 0
    for own, shape, unit in results:
        named.append(Result(own, tuple(numbers[start : start + prod(shape)]), shape, unit))
        start += prod(shape)
    firsts = tuple((0, first) for first in quaternions)
    return Program(
        name, purpose, tuple(inputs), lines, tuple(named), tuple(pivots), firsts, tuple(reach), tuple(notes)
    )
