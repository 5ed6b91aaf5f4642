"""Symbolic inertias in planar motion: mass, first and second moments about a body's origin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .model_constants import ModelConstants
from .planar_bodies import PlanarBody
from .planar_vector import PlanarVector, Symbol

__all__ = ["PlanarInertia", "planar_inertia_of"]


@dataclass
class PlanarInertia:
    """Mass and moments in axes whose z is a plane's normal.

    Attributes:
        mass: m. h, hz: first moments m c, in the plane and along z.
        polar: Jxx + Jyy, which is the moment of inertia about z. deviation: (Jxx - Jyy)/2 + i Jxy.
        tilt: Jxz + i Jyz. zz: Jzz. J is the second moment of mass, the integral of r r^T dm.
    """

    mass: Symbol
    h: PlanarVector
    hz: Symbol
    polar: Symbol
    deviation: PlanarVector
    tilt: PlanarVector
    zz: Symbol

    def rotated(self, by: PlanarVector) -> PlanarInertia:
        """In axes against which the present ones are rotated by the angle of the unit vector ``by``."""
        twice = PlanarVector(by.x * by.x - by.y * by.y, 2 * (by.x * by.y))
        h, tilt = self.h.rotated(by), self.tilt.rotated(by)
        return PlanarInertia(self.mass, h, self.hz, self.polar, self.deviation.rotated(twice), tilt, self.zz)

    def add(self, other: PlanarInertia) -> None:
        """Add an inertia about the same origin in the same axes."""
        self.mass = self.mass + other.mass
        self.h, self.hz = self.h.plus(other.h), self.hz + other.hz
        self.polar, self.zz = self.polar + other.polar, self.zz + other.zz
        self.deviation, self.tilt = self.deviation.plus(other.deviation), self.tilt.plus(other.tilt)

    def moved(self, r: PlanarVector, rz: Symbol) -> PlanarInertia:
        """About an origin from which the present one is at (r, rz)."""
        m, h, hz = self.mass, self.h, self.hz
        toward = PlanarVector(2 * h.x + m * r.x, 2 * h.y + m * r.y)
        deviation = r.rotated(PlanarVector(h.x + 0.5 * (m * r.x), h.y + 0.5 * (m * r.y)))
        tilt = r.times(hz + m * rz).plus(h.times(rz))
        return PlanarInertia(
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

    def rotated_by_matrix(self, R: np.ndarray) -> PlanarInertia:
        """In axes in which the present ones are the columns of R (3, 3), numbers or symbols."""
        J = R @ self.matrix() @ R.T
        h = R @ np.array([self.h.x, self.h.y, self.hz], dtype=object)
        polar, deviation = J[0, 0] + J[1, 1], PlanarVector(0.5 * (J[0, 0] - J[1, 1]), J[0, 1])
        return PlanarInertia(
            self.mass,
            PlanarVector(h[0], h[1]),
            h[2],
            polar,
            deviation,
            PlanarVector(J[0, 2], J[1, 2]),
            J[2, 2],
        )

    def remove_unaffected_by_rotation(self) -> PlanarInertia:
        """Remove and return the parameters that a rotation about z does not affect; the parent gets them."""
        zero = 0 * self.mass
        zeros = PlanarVector(zero, zero)
        fixed = PlanarInertia(self.mass, zeros, self.hz, zero, zeros, zeros, self.zz)
        self.mass, self.hz, self.zz = zero, zero, zero
        return fixed


def planar_inertia_of(body: PlanarBody, constants: ModelConstants) -> PlanarInertia:
    """The inertia of a body in its own frame."""
    h, J = body.moment, body.second
    number = constants.inertial
    return PlanarInertia(
        number(body.mass),
        PlanarVector(number(h[0]), number(h[1])),
        number(h[2]),
        number(J[0, 0] + J[1, 1]),
        PlanarVector(number(0.5 * (J[0, 0] - J[1, 1])), number(J[0, 1])),
        PlanarVector(number(J[0, 2]), number(J[1, 2])),
        number(J[2, 2]),
    )
