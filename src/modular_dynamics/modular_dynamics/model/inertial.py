"""Masses of links and payloads, and how they add up to those of a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, rotation_matrix, translation
from .number_arrays import Constant, read_only

#: Relative difference of masses that is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Inertial(Constant):
    """Mass, centre of mass and inertia of a link or a payload, in the link's frame.

    Attributes:
        mass: [kg].
        com: centre of mass [m], shape (3,).
        inertia: about the centre of mass, in the link's axes [kg m^2], shape (3, 3).
    """

    mass: float
    com: NDArray[np.float64]
    inertia: NDArray[np.float64]

    none: ClassVar[Inertial]

    def __post_init__(self) -> None:
        self._set(
            com=read_only(self.com, (3,), "a centre of mass"),
            inertia=read_only(self.inertia, (3, 3), "an inertia"),
        )


Inertial.none = Inertial(0.0, np.zeros(3), np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class Link:
    """A link of a body: its own mass, and the link to which it is fixed.

    Attributes:
        inertial: in the link's own frame.
        parent: the link of the same body to which it is fixed; None: the moving link, or the root link.
        joint: the name of the fixed joint between the two; None where there is none.
    """

    name: str
    inertial: Inertial
    parent: str | None = None
    joint: str | None = None


def merged(parts: Sequence[tuple[Inertial, DualQuaternion]]) -> Inertial:
    """Return one rigid body of parts at poses x_body_part: masses added, inertias by Steiner's theorem.

    I = sum R_k I_k R_k^T + m_k (d_k^2 1 - d_k d_k^T), with d_k from the common centre of mass to part k's
    (Featherstone 2008, eq. 2.63).
    """
    mass = sum(part.mass for part, _ in parts)
    rotations = [rotation_matrix(x.primary) for _, x in parts]
    coms = [R @ part.com + translation(x) for R, (part, x) in zip(rotations, parts, strict=True)]
    if mass > 0.0:
        com = np.sum([part.mass * c for (part, _), c in zip(parts, coms, strict=True)], axis=0) / mass
    else:
        com = coms[0]
    inertia = np.zeros((3, 3))
    for R, c, (part, _) in zip(rotations, coms, parts, strict=True):
        d = c - com
        inertia += R @ part.inertia @ R.T + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertial(float(mass), com, inertia)


def is_close(one: Inertial, other: Inertial) -> bool:
    """Return whether mass, centre of mass and inertia of two bodies in one frame are equal up to rounding."""
    lengths = max(float(np.abs(other.com).max()), 1e-3)
    moments = max(float(np.abs(other.inertia).max()), 1e-9)
    return (
        abs(one.mass - other.mass) <= _ROUNDING * other.mass
        and float(np.abs(one.com - other.com).max()) <= _ROUNDING * lengths
        and float(np.abs(one.inertia - other.inertia).max()) <= _ROUNDING * moments
    )
