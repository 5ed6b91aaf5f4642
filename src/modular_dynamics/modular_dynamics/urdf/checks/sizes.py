"""Rigid bodies of a robot description: masses, and lengths by which plausibility.py compares them."""

import math
from collections.abc import Set
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ..description import JointDescription, LinkDescription, RobotDescription, carriers


def links_with_shapes(root: etree._Element) -> frozenset[str]:
    """Return the names of the links with a <visual> or <collision>."""
    shapes = ("visual/geometry", "collision/geometry")
    found = (link for link in root.findall("link") if any(link.find(path) is not None for path in shapes))
    return frozenset(link.get("name", "") for link in found)


@dataclass
class RigidBody:
    """The links that a joint moves as one rigid body; for joint None, the links fixed to the root.

    Attributes:
        links: each with its rotation (3, 3) and position (3,) [m] in the body.
        size: distance from the body's origin to its farthest joint or centre of mass [m].
        has_shape: whether a link has a shape, so that ``size`` may be too small.
    """

    joint: JointDescription | None
    links: list[tuple[LinkDescription, NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=list
    )
    size: float = 0.0
    has_shape: bool = False

    @cached_property
    def mass(self) -> float:
        """Mass of all links [kg]."""
        return sum(link.mass for link, _, _ in self.links)

    @cached_property
    def moments(self) -> NDArray[np.float64]:
        """Principal moments of inertia (3,) about the centre of mass [kg m^2]; zero without mass."""
        if not self.mass > 0.0:
            return np.zeros(3)
        places = [at + turn @ link.com for link, turn, at in self.links]
        masses = [link.mass for link, _, _ in self.links]
        centre = np.einsum("i,ij->j", masses, places) / self.mass
        inertia = np.zeros((3, 3))
        for (link, turn, _), arm in zip(self.links, np.array(places) - centre, strict=True):
            inertia += turn @ link.inertia @ turn.T + link.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return np.asarray(np.linalg.eigvalsh(inertia), dtype=np.float64)

    @property
    def gyration(self) -> float:
        """Radius of gyration [m]: sqrt(tr(I) / 2m), the root mean square distance from the centre of mass."""
        return math.sqrt(max(float(self.moments.sum()), 0.0) / (2.0 * self.mass)) if self.mass > 0.0 else 0.0

    @np.errstate(over="ignore")  # infinite for tiny masses
    def volume(self, thinnest: float) -> float:
        """Return the volume of the homogeneous box with this mass and these moments [m^3].

        Args:
            thinnest: least ratio of its edges to the longest one, because moments of thin plates are rounded.
        """
        if not self.mass > 0.0:
            return 0.0
        squares = 6.0 * (self.moments.sum() - 2.0 * self.moments) / self.mass
        edges = np.sqrt(np.maximum(squares, 0.0))
        return float(np.prod(np.maximum(edges, thinnest * edges.max())))


class RobotSizes:
    """Bodies of a robot, and its overall lengths and masses.

    Attributes:
        poses: by joint, its rotation (3, 3) and position (3,) [m] in the parent link. steps: by joint, the
            length of that position [m].
        bodies: by moving joint; the root's body under None. moving: those but the root's.
        reach: largest sum of steps from the root to a link [m].
        extent: the reach, or the largest distance of a joint from its body's origin if larger [m].
        mass, moving_mass: of all links, and of those that joints move [kg].
    """

    def __init__(self, robot: RobotDescription, shapes: Set[str]) -> None:
        self.robot, self.bodies = robot, dict[str | None, RigidBody]()
        self.poses = {
            name: to_rotation_translation(joint.x_parent_joint) for name, joint in robot.joints.items()
        }
        self.steps = {name: length(position) for name, (_, position) in self.poses.items()}
        extent = 0.0
        for name, carrier in carriers(robot, {}).items():
            link = robot.links[name]
            turn, at = to_rotation_translation(carrier.x_body_link)
            if carrier.joint not in self.bodies:
                joint = None if carrier.joint is None else robot.joints[carrier.joint]
                self.bodies[carrier.joint] = RigidBody(joint)
            body = self.bodies[carrier.joint]
            body.links.append((link, turn, at))
            steps = [at + turn @ self.poses[joint.name][1] for joint in robot.below[name]]
            known = max(map(length, steps), default=0.0)
            body.has_shape |= name in shapes
            extent = max(extent, known)
            of_mass = length(at + turn @ link.com) if link.mass > 0.0 else 0.0
            body.size = max(body.size, known, of_mass)
        reaches = {robot.root: 0.0}
        for name in robot.in_order:
            for joint in robot.below[name]:
                reaches[joint.child] = reaches[name] + self.steps[joint.name]
        self.reach = max(reaches.values())
        self.extent = max(self.reach, extent)
        self.moving = [body for name, body in self.bodies.items() if name is not None]
        self.moving_mass = sum(body.mass for body in self.moving)
        self.mass = sum(link.mass for link in robot.links.values())


def length(vector: NDArray[np.float64]) -> float:
    """Return the Euclidean norm, without overflow."""
    return math.hypot(*vector.tolist())
