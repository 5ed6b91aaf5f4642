"""What closes loops in addition to the tree: loop joints, gears and springs. loops/ computes with them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion
from .number_arrays import Constant, read_only


@dataclass(frozen=True, eq=False)
class Anchor:
    """A frame fixed in a link, with pose x_link_anchor."""

    link: str
    x_link_anchor: DualQuaternion


@dataclass(frozen=True, eq=False)
class LoopJoint(Constant):
    """A cut joint between two links: it closes a kinematic loop.

    Attributes:
        type: revolute, prismatic, spherical, universal, fixed or planar (a point on a line of the plane).
        axis: unit axis in the predecessor's anchor frame.
    """

    name: str
    type: str
    predecessor: Anchor
    successor: Anchor
    axis: NDArray[np.float64]

    def __post_init__(self) -> None:
        self._set(axis=read_only(self.axis, (3,), f"the axis of loop joint '{self.name}'"))

    @property
    def anchors(self) -> tuple[Anchor, Anchor]:
        """The predecessor's and the successor's frame."""
        return self.predecessor, self.successor


@dataclass(frozen=True, slots=True)
class Gear:
    """q[joint] = ratio * q[driver] + offset [rad or m]; further drivers add ratio * q[driver] each.

    Several drivers describe a gear whose carrier moves: its ratio relates the carrier's joint too.
    """

    joint: str
    driver: str
    ratio: float
    offset: float = 0.0
    further: tuple[tuple[str, float], ...] = ()

    @property
    def drivers(self) -> tuple[tuple[str, float], ...]:
        """All drivers with their ratios."""
        return ((self.driver, self.ratio), *self.further)


@dataclass(frozen=True, eq=False)
class Spring:
    """A tension spring between two anchors: F = initial_force + stiffness (L - free_length) + damping dL/dt.

    Units N, N/m, m, N s/m (Goncalves et al., eqs. 5, 15).
    """

    name: str
    stiffness: float
    free_length: float
    initial_force: float
    damping: float
    anchors: tuple[Anchor, Anchor]
