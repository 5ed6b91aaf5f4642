"""Docking ports of modules, and how two of them mate."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ...algebra import DualQuaternion, Quaternion, pose

__all__ = ["QUARTERS", "Port", "docked_pose", "mating", "why_not_mating"]

_HALF = sqrt(0.5)
#: x_port_mated by quarter turns: the other port's z axis is opposite, its x axis equal, then it is turned.
QUARTERS = tuple(
    pose(turn * Quaternion(0.0, 1.0, 0.0, 0.0), np.zeros(3))
    for turn in (
        Quaternion(1.0),
        Quaternion(_HALF, 0.0, 0.0, _HALF),
        Quaternion(0.0, 0.0, 0.0, 1.0),
        Quaternion(_HALF, 0.0, 0.0, -_HALF),
    )
)
#: Which genders mate.
_MATES = {"m": "f", "f": "m", "h": "h"}


@dataclass(frozen=True, eq=False)
class Port:
    """A docking port: a frame with z outwards, fixed in a body of the module.

    Attributes:
        number: of the face, in an incidence matrix; from 1.
        x_module_port: pose in the module's frame at zero joint positions.
        size: lengths [m] that two mated ports have in common.
        gender: "m", "f", or "h" for ports that mate with their like. kind: only equal kinds mate.
    """

    name: str
    number: int
    body: str
    x_module_port: DualQuaternion
    size: tuple[float, ...] = ()
    gender: str = "h"
    kind: str = ""


def mating(turn: int) -> DualQuaternion:
    """x_a_b of two mated ports: z opposite, x equal, then ``turn`` quarter turns about z of a."""
    return QUARTERS[turn % 4]


def docked_pose(port: Port, other: Port, turn: int) -> DualQuaternion:
    """x_a_b of two modules at zero joint positions, with ``other`` of b docked at ``port`` of a."""
    return port.x_module_port * mating(turn) * other.x_module_port.conjugate()


def why_not_mating(a: Port, b: Port) -> str:
    """Why two ports cannot mate, as the end of a sentence; empty if they can."""
    if _MATES.get(a.gender) != b.gender:
        return f"their genders are {a.gender} and {b.gender}; m mates with f, h with h"
    if a.kind != b.kind:
        return f"their kinds are '{a.kind}' and '{b.kind}'; equal ones mate"
    if a.size != b.size:
        return f"their sizes are {list(a.size)} and {list(b.size)} m; equal ones mate"
    return ""
