"""The links and joints of a URDF, before fixed links are merged and joints are ordered."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion
from ..model import Limits, Mimic
from ..model.joint import NO_LIMITS

__all__ = ["JointDescription", "LinkDescription", "RobotDescription"]


@dataclass(frozen=True, eq=False)
class LinkDescription:
    """A link: mass [kg], centre of mass in its frame [m], inertia about that in its axes [kg m^2]."""

    name: str
    mass: float = 0.0
    com: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    inertia: NDArray[np.float64] = field(default_factory=lambda: np.zeros((3, 3)))
    line: int | None = None


@dataclass(frozen=True, eq=False)
class JointDescription:
    """A joint of any type; ``x_parent_joint`` is its <origin> in the parent LINK's frame."""

    name: str
    type: str
    parent: str
    child: str
    x_parent_joint: DualQuaternion
    axis: NDArray[np.float64] = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    limits: Limits = NO_LIMITS
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    line: int | None = None

    @property
    def moves(self) -> bool:
        """Is it not fixed?"""
        return self.type != "fixed"


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot as its URDF describes it; joints and links by name, in document order."""

    name: str
    links: dict[str, LinkDescription]
    joints: dict[str, JointDescription]
    warnings: list[str] = field(default_factory=list)

    @property
    def root(self) -> str:
        """The one link that is no joint's child."""
        children = {joint.child for joint in self.joints.values()}
        return next(link for link in self.links if link not in children)

    def parent_joint(self) -> dict[str, JointDescription]:
        """The joint above each link but the root."""
        return {joint.child: joint for joint in self.joints.values()}

    def children(self) -> dict[str, list[JointDescription]]:
        """The joints below each link, in document order."""
        below: dict[str, list[JointDescription]] = {link: [] for link in self.links}
        for joint in self.joints.values():
            below[joint.parent].append(joint)
        return below
