"""A subsystem: connected joints and bodies beyond one connection point; and what a body is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion
from .joint import Joint

__all__ = ["Body", "Connection", "Subsystem"]


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, a moving link with everything that is fixed to it, in the moving link's frame.

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


@dataclass(frozen=True, eq=False)
class Connection:
    """The connection point a_i = b_{p_i,i} (Silva & Adorno, section II): a frame fixed in the predecessor.

    Its origin and axes are those of the subsystem's first joint; where several joints (or none) start
    there, those of ``link``.

    Attributes:
        link: link of the predecessor, or of the ground, that carries the point.
        body: index of the carrying body in ``SubsystemGraph.bodies``; None for the ground.
        x_link_connection, x_body_connection: its pose in that link and in that body.
    """

    link: str
    body: int | None
    x_link_connection: DualQuaternion
    x_body_connection: DualQuaternion


@dataclass(frozen=True, eq=False)
class Subsystem:
    """A subsystem i of the composition, with n_i joints and bodies.

    Attributes:
        first: index of its first joint in ``SubsystemGraph.joints``; its other joints follow there.
        predecessor: index of p_i in ``SubsystemGraph.subsystems``; None if it is connected to the ground.
        black_box: its wrench at the connection point is an input.
        root_link: child link of its first joint, or the fixed link at which a black box begins.
        fixed_links: links of a black box that are fixed to what carries it, by their pose in that body (or
            in the root link); their masses belong to no body.
    """

    name: str
    first: int
    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]
    connection: Connection
    predecessor: int | None
    black_box: bool
    root_link: str
    fixed_links: Mapping[str, DualQuaternion] = field(default_factory=dict)

    @property
    def indices(self) -> range:
        """Indices of its joints and bodies in the graph."""
        return range(self.first, self.first + len(self.joints))
