"""A rigid body: a moving link with everything that is fixed to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion

__all__ = ["Body"]


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body in the frame of its moving link.

    Attributes:
        name: the moving link (the root link, for the ground).
        mass: [kg].
        com: centre of mass in the body's frame [m], shape (3,).
        inertia: about the centre of mass, in the body's axes [kg m^2], shape (3, 3).
        links: pose x_body_link of every link that belongs to the body, the moving link included.
    """

    name: str
    mass: float
    com: NDArray[np.float64]
    inertia: NDArray[np.float64]
    links: Mapping[str, DualQuaternion]
