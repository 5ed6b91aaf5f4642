"""Inertias of symbols in planar motion: mass, first and second moments about a body's origin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .parts import Part
from .plane import Plane, Symbol
from .symbols import Values

__all__ = ["Inertia", "inertia_of"]


@dataclass
class Inertia:
    """Mass and moments in axes whose z is a plane's normal.

    Attributes:
        mass. h, hz: first moments (m c).
        polar: Jxx + Jyy, which is the moment of inertia about z. deviation: (Jxx - Jyy)/2 + i Jxy.
        tilt: Jxz + i Jyz. zz: Jzz. J is the second moment of mass, the integral of r r^T dm.
    """

    mass: Symbol
    h: Plane
    hz: Symbol
    polar: Symbol
    deviation: Plane
    tilt: Plane
    zz: Symbol

    def turned(self, by: Plane) -> Inertia:
        """In axes against which the present ones are turned by a unit vector's angle."""
        twice = Plane(by.x * by.x - by.y * by.y, 2 * (by.x * by.y))
        h, tilt = self.h.turned(by), self.tilt.turned(by)
        return Inertia(self.mass, h, self.hz, self.polar, self.deviation.turned(twice), tilt, self.zz)

    def add(self, other: Inertia) -> None:
        """Something more that is fixed to it, about the same origin in the same axes."""
        self.mass = self.mass + other.mass
        self.h, self.hz = self.h.plus(other.h), self.hz + other.hz
        self.polar, self.zz = self.polar + other.polar, self.zz + other.zz
        self.deviation, self.tilt = self.deviation.plus(other.deviation), self.tilt.plus(other.tilt)

    def moved(self, r: Plane, rz: Symbol) -> Inertia:
        """About an origin from which the present one is at (r, rz)."""
        m, h, hz = self.mass, self.h, self.hz
        toward = Plane(2 * h.x + m * r.x, 2 * h.y + m * r.y)
        deviation = r.turned(Plane(h.x + 0.5 * (m * r.x), h.y + 0.5 * (m * r.y)))
        tilt = r.times(hz + m * rz).plus(h.times(rz))
        return Inertia(
            m,
            h.plus(r.times(m)),
            hz + rz * m,
            self.polar + r.dot(toward),
            self.deviation.plus(deviation),
            self.tilt.plus(tilt),
            self.zz + rz * (2 * hz + m * rz),
        )

    def matrix(self) -> np.ndarray:
        """J as an array (3, 3) of symbols."""
        half, (d, xy), (xz, yz) = 0.5 * self.polar, self.deviation, self.tilt
        return np.array([[half + d, xy, xz], [xy, half - d, yz], [xz, yz, self.zz]], dtype=object)

    def rotated(self, R: np.ndarray) -> Inertia:
        """In axes in which the present ones are the columns of R (3, 3), numbers or symbols."""
        J = R @ self.matrix() @ R.T
        h = R @ np.array([self.h.x, self.h.y, self.hz], dtype=object)
        polar, deviation = J[0, 0] + J[1, 1], Plane(0.5 * (J[0, 0] - J[1, 1]), J[0, 1])
        return Inertia(self.mass, Plane(h[0], h[1]), h[2], polar, deviation, Plane(J[0, 2], J[1, 2]), J[2, 2])

    def off_axis(self) -> Inertia:
        """What a turn about z does not move is taken away, and returned: it may sit on the body before."""
        zero, none = 0 * self.mass, Plane(0 * self.mass, 0 * self.mass)
        fixed = Inertia(self.mass, none, self.hz, zero, none, none, self.zz)
        self.mass, self.hz, self.zz = zero, zero, zero
        return fixed


def inertia_of(part: Part, values: Values) -> Inertia:
    """A body's own."""
    h, J = part.moment, part.second
    number = values.inertial
    return Inertia(
        number(part.mass),
        Plane(number(h[0]), number(h[1])),
        number(h[2]),
        number(J[0, 0] + J[1, 1]),
        Plane(number(0.5 * (J[0, 0] - J[1, 1])), number(J[0, 1])),
        Plane(number(J[0, 2]), number(J[1, 2])),
        number(J[2, 2]),
    )
