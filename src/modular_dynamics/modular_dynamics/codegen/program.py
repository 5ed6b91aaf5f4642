"""Arithmetic recorded instead of carried out: a list of operations, each listed once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

__all__ = ["Operation", "Program", "Symbol", "used_lines"]

_OF_ONE_LINE = ("neg", "sin", "cos", "sqrt", "floor")


class Operation(NamedTuple):
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
        """The lines that it reads."""
        if self.kind in ("input", "constant"):
            return ()
        return (self.first,) if self.kind in _OF_ONE_LINE else (self.first, self.second)


class Program:
    """Operations in the order in which they are carried out; the same operation is never listed twice."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self._symbols: dict[Operation, Symbol] = {}

    def add(self, operation: Operation) -> Symbol:
        """The symbol of an operation, listed now or before."""
        symbol = self._symbols.get(operation)
        if symbol is None:
            symbol = self._symbols[operation] = Symbol(self, len(self.operations))
            self.operations.append(operation)
        return symbol

    def constant(self, value: float) -> Symbol:
        """A number."""
        return self.add(Operation("constant", value=float(value) + 0.0))  # -0.0 is 0.0

    def input(self, array: int, element: int) -> Symbol:
        """An element of one of the arrays that the program is given."""
        return self.add(Operation("input", array, element))

    def sine(self, angle: Symbol) -> Symbol:
        """Sine of an angle [rad]; sin(-x) is -sin(x), so that x has one sine."""
        if (x := angle.negated) is not None:
            return -self.sine(x)
        return self._of_one(angle, "sin", math.sin)

    def cosine(self, angle: Symbol) -> Symbol:
        """Cosine of an angle [rad]; cos(-x) is cos(x)."""
        return self._of_one(angle if (x := angle.negated) is None else x, "cos", math.cos)

    def root(self, square: Symbol) -> Symbol:
        """Square root; NaN of negative numbers."""
        return self._of_one(square, "sqrt", math.sqrt)

    def floor(self, value: Symbol) -> Symbol:
        """The largest integer that is not larger."""
        return self._of_one(value, "floor", math.floor)

    def angle(self, y: Symbol, x: Symbol) -> Symbol:
        """atan2(y, x) [rad]."""
        a, b = y.number, x.number
        if a is not None and b is not None:
            return self.constant(math.atan2(a, b))
        return self.add(Operation("atan2", y.line, x.line))

    def _of_one(self, value: Symbol, kind: str, function: Callable[[float], float]) -> Symbol:
        number = value.number
        return self.add(Operation(kind, value.line)) if number is None else self.constant(function(number))


class Symbol:
    """The result of one operation; computing with it adds operations to its program.

    Constants are folded, and x + 0, 1 x, 0 x and double signs simplified. 0 x is 0 because generated code
    runs on finite numbers only.
    """

    __slots__ = ("line", "program")
    __array_ufunc__ = None  # an array times a symbol is not an array of symbols

    def __init__(self, program: Program, line: int) -> None:
        self.program, self.line = program, line

    @property
    def operation(self) -> Operation:
        """The operation whose result this is."""
        return self.program.operations[self.line]

    @property
    def number(self) -> float | None:
        """Its value if it is a constant, else None."""
        operation = self.operation
        return operation.value if operation.kind == "constant" else None

    def _other(self, value: Symbol | float) -> Symbol:
        return value if isinstance(value, Symbol) else self.program.constant(value)

    @property
    def negated(self) -> Symbol | None:
        """x where this is -x."""
        operation = self.operation
        return Symbol(self.program, operation.first) if operation.kind == "neg" else None

    def __add__(self, value: Symbol | float) -> Symbol:
        other = self._other(value)
        a, b = self.number, other.number
        if a is not None and b is not None:
            return self.program.constant(a + b)
        if a == 0.0 or b == 0.0:
            return other if a == 0.0 else self
        if (x := other.negated) is not None:
            return self - x
        if (x := self.negated) is not None:
            return other - x
        return self.program.add(Operation("add", self.line, other.line))

    def __sub__(self, value: Symbol | float) -> Symbol:
        other = self._other(value)
        a, b = self.number, other.number
        if a is not None and b is not None:
            return self.program.constant(a - b)
        if a == 0.0 or b == 0.0:
            return -other if a == 0.0 else self
        if self.line == other.line:
            return self.program.constant(0.0)
        if (x := other.negated) is not None:
            return self + x
        if (x := self.negated) is not None:
            return -(x + other)
        return self.program.add(Operation("sub", self.line, other.line))

    def __mul__(self, value: Symbol | float) -> Symbol:
        other = self._other(value)
        a, b = self.number, other.number
        if a is not None and b is not None:
            return self.program.constant(a * b)
        if a is not None:
            return other * self
        if b is not None:
            return self._scaled(b)
        for x, y in ((self.negated, other), (other.negated, self)):
            if x is not None:
                return -(x * y)
        return self.program.add(Operation("mul", *sorted((self.line, other.line))))

    def _scaled(self, number: float) -> Symbol:
        if number in (0.0, 1.0):
            return self if number == 1.0 else self.program.constant(0.0)
        if number == -1.0:
            return -self
        if (x := self.negated) is not None:
            return x._scaled(-number)
        return self.program.add(Operation("mul", *sorted((self.line, self.program.constant(number).line))))

    def __truediv__(self, value: Symbol | float) -> Symbol:
        other = self._other(value)
        if other.number is not None:
            return self * (1.0 / other.number)
        if self.number == 0.0:
            return self
        return self.program.add(Operation("div", self.line, other.line))

    def __neg__(self) -> Symbol:
        operation = self.operation
        if operation.kind == "constant":
            return self.program.constant(-operation.value)
        if operation.kind == "neg":
            return Symbol(self.program, operation.first)
        if operation.kind == "sub":
            return Symbol(self.program, operation.second) - Symbol(self.program, operation.first)
        return self.program.add(Operation("neg", self.line))

    def __rsub__(self, value: float) -> Symbol:
        return self.program.constant(value) - self

    def __rtruediv__(self, value: float) -> Symbol:
        return self.program.constant(value) / self

    __radd__, __rmul__ = __add__, __mul__


def used_lines(program: Program, results: Iterable[Symbol]) -> list[int]:
    """The lines that the results depend on, in order."""
    used: set[int] = set()
    open_lines = [symbol.line for symbol in results]
    while open_lines:
        line = open_lines.pop()
        if line not in used:
            used.add(line)
            open_lines += program.operations[line].operands
    return sorted(used)
