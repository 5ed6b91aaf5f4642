"""Symbolic quantities: constants of a model, vectors in a plane, and inertias in planar motion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from modular_dynamics.optional_packages import needed
from papers.closed_loop_elimination.planar_bodies import PlanarBody

#: A scalar casadi.SX, or a number.
Symbol = Any
Key = TypeVar("Key")


def import_casadi() -> Any:
    """Return the module casadi, imported only when symbolic methods are used.

    Raises MissingDependencyError: it cannot be imported.
    """
    with needed("papers.closed_loop_elimination", "CasADi", "symbolic"):
        import casadi as module  # noqa: PLC0415  (optional)
    return module


@dataclass(frozen=True, eq=False)
class PlanarVector:
    """x + i y of symbols: a product rotates, i v is v rotated by 90 degrees; ``v * k`` scales by a number."""

    x: Symbol = 0.0
    y: Symbol = 0.0

    def __iter__(self) -> Iterator[Symbol]:
        return iter((self.x, self.y))

    def __add__(self, other: PlanarVector) -> PlanarVector:
        return PlanarVector(self.x + other.x, self.y + other.y)

    def __sub__(self, other: PlanarVector) -> PlanarVector:
        return PlanarVector(self.x - other.x, self.y - other.y)

    def __neg__(self) -> PlanarVector:
        return PlanarVector(-self.x, -self.y)

    def __mul__(self, factor: Symbol) -> PlanarVector:
        return PlanarVector(self.x * factor, self.y * factor)

    def rotated(self, other: PlanarVector) -> PlanarVector:
        """Return the complex product; with a unit vector, the vector rotated by its angle."""
        return PlanarVector(self.x * other.x - self.y * other.y, self.x * other.y + self.y * other.x)

    def conjugate(self) -> PlanarVector:
        """Return x - i y."""
        return PlanarVector(self.x, -self.y)

    def quarter_turn(self) -> PlanarVector:
        """Return i v, rotated by 90 degrees."""
        return PlanarVector(-self.y, self.x)

    def dot(self, other: PlanarVector) -> Symbol:
        """Return the inner product."""
        return self.x * other.x + self.y * other.y

    def cross(self, other: PlanarVector) -> Symbol:
        """Return the z component of the vector product."""
        return self.x * other.y - self.y * other.x


def add_to(total: dict[Key, Any], key: Key, term: Any) -> None:
    """Add a scalar or a vector to one entry of a sum; a missing entry counts as zero."""
    total[key] = total[key] + term if key in total else term


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
        """Return a constant; parameters of different ``kind`` (unit) have different symbols."""
        if not self.symbolic or number == 0.0:
            return self.ca.SX(float(number))
        key = f"{kind}{abs(number):.10e}"
        if key not in self.parameters:
            self.parameters[key] = self.ca.SX.sym(f"p{len(self.parameters)}"), abs(float(number))
        symbol = self.parameters[key][0]
        return symbol if number > 0.0 else -symbol

    def own(self, number: float) -> Symbol:
        """Return a constant with a symbol of its own: a mass, a moment of mass, a component of gravity."""
        if not self.symbolic:
            return self.ca.SX(float(number))
        name = f"i{len(self.parameters)}"
        self.parameters[name] = self.ca.SX.sym(name), float(number)
        return self.parameters[name][0]

    def direction(self, number: float) -> Symbol:
        """Return a component of a unit vector; 0, 1 and -1 belong to the structure and stay numbers."""
        return self.ca.SX(float(number)) if number in {0.0, 1.0, -1.0} else self.scalar(number, "n")

    def planar_direction(self, axis: Any) -> PlanarVector:
        """Return the x and y of a constant unit vector."""
        return PlanarVector(*map(self.direction, axis[:2]))

    def planar_vector(self, vector: Any, kind: str = "") -> PlanarVector:
        """Return the x and y of a constant vector."""
        return PlanarVector(*(self.scalar(x, kind) for x in vector[:2]))

    def position(self, vector: Any) -> tuple[PlanarVector, Symbol]:
        """Return a constant position [m]: in the plane, and along z."""
        return self.planar_vector(vector, "d"), self.scalar(vector[2], "d")

    def matrix(self, rotation: Any) -> np.ndarray:
        """Return a constant rotation matrix (3, 3)."""
        return np.array([[*map(self.direction, row)] for row in rotation], dtype=object)

    @property
    def symbols(self) -> Symbol:
        """All parameters that are symbols, as a column."""
        return self.ca.vertcat(*(symbol for symbol, _ in self.parameters.values()))

    @property
    def numbers(self) -> Any:
        """Values of the parameters in ``symbols``."""
        return np.array([value for _, value in self.parameters.values()])


class PlanarInertia(NamedTuple):
    """Mass and moments in axes whose z is a plane's normal; zero by default.

    Attributes:
        mass: m. h, hz: first moments m c, in the plane and along z.
        polar: Jxx + Jyy, which is the moment of inertia about z. deviation: (Jxx - Jyy)/2 + i Jxy.
        tilt: Jxz + i Jyz. zz: Jzz. J is the second moment of mass, the integral of r r^T dm.
    """

    mass: Symbol = 0.0
    h: PlanarVector = PlanarVector()
    hz: Symbol = 0.0
    polar: Symbol = 0.0
    deviation: PlanarVector = PlanarVector()
    tilt: PlanarVector = PlanarVector()
    zz: Symbol = 0.0

    def plus(self, other: PlanarInertia) -> PlanarInertia:
        """Return the sum with an inertia about the same origin in the same axes."""
        return PlanarInertia(*(a + b for a, b in zip(self, other, strict=True)))

    def rotated(self, by: PlanarVector) -> PlanarInertia:
        """Return it in axes to which the present ones are rotated by the angle of the unit vector ``by``."""
        twice = PlanarVector(by.x * by.x - by.y * by.y, 2 * (by.x * by.y))
        deviation = self.deviation.rotated(twice)
        return self._replace(h=self.h.rotated(by), deviation=deviation, tilt=self.tilt.rotated(by))

    def moved(self, r: PlanarVector, rz: Symbol) -> PlanarInertia:
        """Return the inertia about an origin from which the present one is at (r, rz)."""
        m, h, hz = self.mass, self.h, self.hz
        deviation = r.rotated(PlanarVector(h.x + 0.5 * (m * r.x), h.y + 0.5 * (m * r.y)))
        return PlanarInertia(
            m,
            h + r * m,
            hz + rz * m,
            self.polar + r.dot(PlanarVector(2 * h.x + m * r.x, 2 * h.y + m * r.y)),
            self.deviation + deviation,
            self.tilt + (r * (hz + m * rz) + h * rz),
            self.zz + rz * (2 * hz + m * rz),
        )

    def rotated_by_matrix(self, R: np.ndarray) -> PlanarInertia:
        """Return it in axes in which the present ones are the columns of R (3, 3), numbers or symbols."""
        half, (d, xy), (xz, yz) = 0.5 * self.polar, self.deviation, self.tilt
        J = np.array([[half + d, xy, xz], [xy, half - d, yz], [xz, yz, self.zz]], dtype=object)
        return _inertia(self.mass, R @ np.array([*self.h, self.hz], dtype=object), R @ J @ R.T)

    def split_by_rotation(self) -> tuple[PlanarInertia, PlanarInertia]:
        """Return the parameters that a rotation about z does not affect, and the others."""
        fixed = PlanarInertia(mass=self.mass, hz=self.hz, zz=self.zz)
        return fixed, self._replace(mass=0.0, hz=0.0, zz=0.0)


def planar_inertia_of(body: PlanarBody, constants: ModelConstants) -> PlanarInertia:
    """Return a body's inertia in its own frame; symbols are the combinations that occur in it."""
    inertia = _inertia(body.mass, body.moment, body.second)
    number = constants.own
    parts = (PlanarVector(*map(number, n)) if isinstance(n, PlanarVector) else number(n) for n in inertia)
    return PlanarInertia(*parts)


def _inertia(mass: Symbol, h: np.ndarray, J: np.ndarray) -> PlanarInertia:
    """Return the inertia of first moments (3,) and second moments (3, 3)."""
    return PlanarInertia(
        mass,
        PlanarVector(h[0], h[1]),
        h[2],
        J[0, 0] + J[1, 1],
        PlanarVector(0.5 * (J[0, 0] - J[1, 1]), J[0, 1]),
        PlanarVector(J[0, 2], J[1, 2]),
        J[2, 2],
    )
