"""Symbolic inertias in planar motion: mass, first and second moments about a body's origin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .model_constants import ModelConstants
from .planar_bodies import PlanarBody
from .planar_vector import PlanarVector, Symbol

__all__ = ["PlanarInertia", "planar_inertia_of"]


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
        """The sum with an inertia about the same origin in the same axes."""
        return PlanarInertia(*(a + b for a, b in zip(self, other, strict=True)))

    def rotated(self, by: PlanarVector) -> PlanarInertia:
        """In axes against which the present ones are rotated by the angle of the unit vector ``by``."""
        twice = PlanarVector(by.x * by.x - by.y * by.y, 2 * (by.x * by.y))
        return self._replace(
            h=self.h.rotated(by), deviation=self.deviation.rotated(twice), tilt=self.tilt.rotated(by)
        )

    def moved(self, r: PlanarVector, rz: Symbol) -> PlanarInertia:
        """About an origin from which the present one is at (r, rz)."""
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
        """In axes in which the present ones are the columns of R (3, 3), numbers or symbols."""
        half, (d, xy), (xz, yz) = 0.5 * self.polar, self.deviation, self.tilt
        J = np.array([[half + d, xy, xz], [xy, half - d, yz], [xz, yz, self.zz]], dtype=object)
        return _inertia(self.mass, R @ np.array([*self.h, self.hz], dtype=object), R @ J @ R.T)

    def split_by_rotation(self) -> tuple[PlanarInertia, PlanarInertia]:
        """The parameters that a rotation about z does not affect, and the others."""
        fixed = PlanarInertia(mass=self.mass, hz=self.hz, zz=self.zz)
        return fixed, self._replace(mass=0.0, hz=0.0, zz=0.0)


def planar_inertia_of(body: PlanarBody, constants: ModelConstants) -> PlanarInertia:
    """The inertia of a body in its own frame; symbolic parameters are the combinations that occur in it."""
    inertia = _inertia(body.mass, body.moment, body.second)
    number = constants.own
    return PlanarInertia(
        *(PlanarVector(*map(number, n)) if isinstance(n, PlanarVector) else number(n) for n in inertia)
    )


def _inertia(mass: Symbol, h: np.ndarray, J: np.ndarray) -> PlanarInertia:
    """From first moments (3,) and second moments (3, 3)."""
    return PlanarInertia(
        mass,
        PlanarVector(h[0], h[1]),
        h[2],
        J[0, 0] + J[1, 1],
        PlanarVector(0.5 * (J[0, 0] - J[1, 1]), J[0, 1]),
        PlanarVector(J[0, 2], J[1, 2]),
        J[2, 2],
    )
