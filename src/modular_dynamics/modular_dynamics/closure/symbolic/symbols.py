"""Constants of a model: numbers, or symbols of CasADi."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...exceptions import UnsupportedModelError
from .plane import Plane, Symbol

__all__ = ["Values", "casadi"]


def casadi() -> Any:
    """The module casadi, which is imported only when symbols are asked for.

    Raises:
        UnsupportedModelError: it is not installed.
    """
    try:
        import casadi as module  # noqa: PLC0415  (optional: nothing else of the library needs it)
    except ImportError:
        raise UnsupportedModelError(
            "symbolic methods need CasADi, which is not installed: pip install casadi"
        ) from None
    return module


class Values:
    """Makes constants: numbers, or, where parameters stay symbolic, a symbol for each number that differs.

    A length that stands in several places is one parameter. Inertial parameters are all symbols of their own,
    ten of each body, also those that are zero or equal in this model: generated code then fits any inertias.
    """

    def __init__(self, symbolic: bool) -> None:
        self.symbolic, self.ca = symbolic, casadi()
        self.known: dict[str, tuple[Symbol, float]] = {}

    def scalar(self, number: float, kind: str = "") -> Symbol:
        """A constant; ``kind`` keeps parameters of different units apart."""
        if not self.symbolic or number == 0.0:
            return self.ca.SX(float(number))
        key = f"{kind}{abs(number):.10e}"
        if key not in self.known:
            self.known[key] = self.ca.SX.sym(f"p{len(self.known)}"), abs(float(number))
        symbol = self.known[key][0]
        return symbol if number > 0.0 else -symbol

    def inertial(self, number: float) -> Symbol:
        """A mass or a moment of one body."""
        if not self.symbolic:
            return self.ca.SX(float(number))
        name = f"i{len(self.known)}"
        self.known[name] = self.ca.SX.sym(name), float(number)
        return self.known[name][0]

    def direction(self, number: float) -> Symbol:
        """A component of a unit vector: zero and one are structure."""
        return self.ca.SX(float(number)) if number in {0.0, 1.0, -1.0} else self.scalar(number, "n")

    def plane(self, vector: Any, kind: str = "") -> Plane:
        """The x and y of a constant vector."""
        return Plane(self.scalar(float(vector[0]), kind), self.scalar(float(vector[1]), kind))

    def gravity(self, vector: Any) -> list[Symbol]:
        """Three components; as symbols where parameters are, for it may point anywhere."""
        if not self.symbolic:
            return [self.ca.SX(float(x)) for x in vector]
        found = []
        for x, name in zip(vector, "xyz", strict=True):
            self.known[f"g{name}"] = self.ca.SX.sym(f"g_{name}"), float(x)
            found.append(self.known[f"g{name}"][0])
        return found

    @property
    def symbols(self) -> Symbol:
        """All parameters, as a column."""
        return self.ca.vertcat(*(symbol for symbol, _ in self.known.values()))

    @property
    def numbers(self) -> Any:
        """Their values."""
        return np.array([value for _, value in self.known.values()])
