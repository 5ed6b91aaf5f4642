"""Docking ports of modules, and how two of them mate."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ...algebra import DualQuaternion, Quaternion, pose
from ...exceptions import ModelError
from ...model.changes.bodies import checked_number

__all__ = ["GENDERS", "QUARTERS", "Port", "checked_pose", "docked_pose", "mating", "why_not_mating"]

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
GENDERS = tuple(_MATES)
#: How far the pose of a port may be from a unit dual quaternion.
_ROUNDING = 1e-9


def checked_pose(what: str, x: object) -> DualQuaternion:
    """Return a unit dual quaternion of finite floats. Raises ModelError: ``x`` is not one."""
    if not isinstance(x, DualQuaternion) or not np.isfinite(x.vec8()).all() or not x.is_unit(_ROUNDING):
        raise ModelError(f"the pose of {what} is {x!r}; a unit dual quaternion is needed")
    numbers = x.vec8().tolist()
    return DualQuaternion(Quaternion(*numbers[:4]), Quaternion(*numbers[4:]))


@dataclass(frozen=True, eq=False)
class Port:
    """A docking port: a frame with z outwards, fixed in a body of the module.

    Attributes:
        number: of the face, in an incidence matrix; from 1.
        x_module_port: pose in the module's frame at zero joint positions.
        size: lengths [m] that two mated ports have in common.
        gender: "m", "f", or "h" for ports that mate with their like. kind: only equal kinds mate.

    Raises:
        ModelError: another value; names the port.
    """

    name: str
    number: int
    body: str
    x_module_port: DualQuaternion
    size: tuple[float, ...] = ()
    gender: str = "h"
    kind: str = ""

    def __post_init__(self) -> None:
        what = f"port {self.name}"
        if isinstance(self.number, bool) or not isinstance(self.number, int) or self.number < 1:
            raise ModelError(f"the number of {what} is {self.number!r}; a whole number from 1 on is needed")
        if self.gender not in GENDERS:
            raise ModelError(f"the gender of {what} is {self.gender!r}; m, f or h is needed")
        size = tuple(checked_number(f"a size of {what} [m]", length) for length in self.size)
        if size and min(size) <= 0.0:
            raise ModelError(f"a size of {what} is {min(size):g} m; it must be positive")
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "x_module_port", checked_pose(what, self.x_module_port))


def mating(turn: int) -> DualQuaternion:
    """Return x_a_b of two mated ports: z opposite, x equal, then ``turn`` quarter turns about z of a."""
    return QUARTERS[turn % 4]


def docked_pose(port: Port, other: Port, turn: int) -> DualQuaternion:
    """Return x_a_b of two modules at zero joint positions, with ``other`` of b docked at ``port`` of a."""
    return port.x_module_port * mating(turn) * other.x_module_port.conjugate()


def why_not_mating(a: Port, b: Port) -> str:
    """Return why two ports cannot mate, as the end of a sentence; empty if they can."""
    if _MATES.get(a.gender) != b.gender:
        return f"their genders are {a.gender} and {b.gender}; m mates with f, h with h"
    if a.kind != b.kind:
        return f"their kinds are '{a.kind}' and '{b.kind}'; equal ones mate"
    if a.size != b.size:
        return f"their sizes are {list(a.size)} and {list(b.size)} m; equal ones mate"
    return ""
