"""Constants of a model, as numbers or as symbols of CasADi."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...exceptions import UnsupportedModelError
from .planar_vector import PlanarVector, Symbol

__all__ = ["ModelConstants", "import_casadi"]


def import_casadi() -> Any:
    """The module casadi, imported only when symbolic methods are used.

    Raises:
        UnsupportedModelError: it is not installed.
    """
    try:
        import casadi as module  # noqa: PLC0415  (optional: nothing else of the library needs it)
    except ImportError:
        raise UnsupportedModelError(
            'symbolic methods need CasADi, which is not installed: pip install "modular_dynamics[symbolic]"'
        ) from None
    return module


class ModelConstants:
    """Constants of one model: numbers, or one symbol for each different number if parameters stay symbolic.

    A length that occurs several times is one parameter. Gravity's three components and the ten inertial
    parameters of each body have symbols of their own, also those that are zero or equal in this model, so
    that generated code fits any inertias and any direction of gravity.
    """

    def __init__(self, symbolic: bool) -> None:
        self.symbolic, self.ca = symbolic, import_casadi()
        self.parameters: dict[str, tuple[Symbol, float]] = {}

    def scalar(self, number: float, kind: str = "") -> Symbol:
        """A constant; parameters of different ``kind`` (unit) have different symbols."""
        if not self.symbolic or number == 0.0:
            return self.ca.SX(float(number))
        key = f"{kind}{abs(number):.10e}"
        if key not in self.parameters:
            self.parameters[key] = self.ca.SX.sym(f"p{len(self.parameters)}"), abs(float(number))
        symbol = self.parameters[key][0]
        return symbol if number > 0.0 else -symbol

    def own(self, number: float) -> Symbol:
        """A constant with a symbol of its own: a mass, a moment of mass, a component of gravity."""
        if not self.symbolic:
            return self.ca.SX(float(number))
        name = f"i{len(self.parameters)}"
        self.parameters[name] = self.ca.SX.sym(name), float(number)
        return self.parameters[name][0]

    def direction(self, number: float) -> Symbol:
        """A component of a unit vector; 0, 1 and -1 belong to the structure and stay numbers."""
        return self.ca.SX(float(number)) if number in {0.0, 1.0, -1.0} else self.scalar(number, "n")

    def planar_direction(self, axis: Any) -> PlanarVector:
        """The x and y of a constant unit vector."""
        return PlanarVector(*map(self.direction, axis[:2]))

    def planar_vector(self, vector: Any, kind: str = "") -> PlanarVector:
        """The x and y of a constant vector."""
        return PlanarVector(*(self.scalar(x, kind) for x in vector[:2]))

    def position(self, vector: Any) -> tuple[PlanarVector, Symbol]:
        """A constant position [m]: in the plane, and along z."""
        return self.planar_vector(vector, "d"), self.scalar(vector[2], "d")

    def matrix(self, rotation: Any) -> np.ndarray:
        """A constant rotation matrix (3, 3)."""
        return np.array([[*map(self.direction, row)] for row in rotation], dtype=object)

    @property
    def symbols(self) -> Symbol:
        """All parameters that are symbols, as a column."""
        return self.ca.vertcat(*(symbol for symbol, _ in self.parameters.values()))

    @property
    def numbers(self) -> Any:
        """Values of the parameters in ``symbols``."""
        return np.array([value for _, value in self.parameters.values()])
