"""The rigid bodies of a robot description, their masses, and how far they and the robot extend."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...text.numbers import LARGEST, decimals
from ..description import JointDescription, LinkDescription, RobotDescription, carriers

# How far links extend, as far as their <visual> and <collision> say: boxes, cylinders, capsules, spheres.

#: Edges [m] of the box that holds a shape in any orientation round its axis.
_EDGES: Mapping[str, Callable[[Mapping[str, Any]], list[float]]] = {
    "box": lambda shape: decimals(shape["size"]),
    "cylinder": lambda shape: [2.0 * _number(shape, "radius")] * 2 + [_number(shape, "length")],
    "capsule": lambda shape: (
        [2.0 * _number(shape, "radius")] * 2 + [_number(shape, "length") + 2.0 * _number(shape, "radius")]
    ),
    "sphere": lambda shape: [2.0 * _number(shape, "radius")] * 3,
}


@dataclass(frozen=True, eq=False)
class Geometry:
    """What is known of the shape of a link; meshes are not read.

    Attributes:
        low, high: corners of a box in the link's frame that holds all shapes [m]; None: there are only
            meshes.
        has_mesh: whether a shape is not known.
    """

    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    has_mesh: bool = False

    @property
    def farthest(self) -> float:
        """Distance of the farthest point from the link's origin [m]."""
        if self.low is None or self.high is None:
            return 0.0
        return float(np.linalg.norm(np.maximum(np.abs(self.low), np.abs(self.high))))

    @property
    def volume(self) -> float:
        """Of the box [m^3]."""
        return 0.0 if self.low is None or self.high is None else float(np.prod(self.high - self.low))


def geometries(root: etree._Element) -> dict[str, Geometry]:
    """By link, its shape, where it has a <visual> or <collision>.

    Numbers that cannot be read, which matter to nobody else here, count as a mesh does.
    """
    found = dict[str, Geometry]()
    for link in root.findall("link"):
        shapes = [shape for tag in ("visual", "collision") for shape in link.iterfind(f"{tag}/geometry/*")]
        boxes = [box for shape in shapes for box in _box(shape)]
        has_mesh = len(boxes) < len(shapes)
        if boxes:
            low, high = np.array(boxes).min(axis=0)[0], np.array(boxes).max(axis=0)[1]
            found[link.get("name", "")] = Geometry(low, high, has_mesh)
        elif shapes:
            found[link.get("name", "")] = Geometry(has_mesh=True)
    return found


def _box(shape: etree._Element) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Corners of a box in the link's frame that holds a shape, however it is turned."""
    edges = _EDGES.get(str(shape.tag))
    if edges is None:
        return
    geometry = shape.getparent()
    origin = None if geometry is None else geometry.getparent().find("origin")  # type: ignore[union-attr]
    try:
        centre = np.array([0.0] * 3 if origin is None else decimals(origin.get("xyz", "0 0 0")))
        half = math.hypot(*edges({str(key): value for key, value in shape.attrib.items()})) / 2.0
    except (KeyError, ValueError):
        return
    if centre.shape == (3,) and np.abs(centre).max() <= LARGEST and half <= LARGEST:
        yield centre - half, centre + half


def _number(shape: Mapping[str, Any], key: str) -> float:
    (number,) = decimals(shape[key])
    return number


@dataclass
class RigidBody:
    """What a joint moves rigidly; of the root, what does not move (joint None).

    Attributes:
        links: with their rotation and position in the body. size: distance of its farthest joint, shape or
            centre of mass from its origin [m]. has_mesh: whether it has meshes alone, which are not read.
    """

    joint: JointDescription | None
    links: list[tuple[LinkDescription, NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=list
    )
    size: float = 0.0
    has_mesh: bool = False

    @cached_property
    def mass(self) -> float:
        """Of all links [kg]."""
        return sum(link.mass for link, _, _ in self.links)

    @cached_property
    def moments(self) -> NDArray[np.float64]:
        """Principal moments of inertia about the centre of mass [kg m^2]."""
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
        """Radius of gyration [m]: sqrt(tr(I) / 2m), the mean distance of the mass from its centre."""
        return math.sqrt(max(float(self.moments.sum()), 0.0) / (2.0 * self.mass)) if self.mass > 0.0 else 0.0

    @np.errstate(over="ignore")  # of almost no mass it is infinite
    def volume(self, thinnest: float) -> float:
        """Of the homogeneous box of this mass with these moments [m^3].

        Args:
            thinnest: its edges over the longest one are no less: moments of thin plates and rods are rounded.
        """
        if not self.mass > 0.0:
            return 0.0
        squares = 6.0 * (self.moments.sum() - 2.0 * self.moments) / self.mass
        edges = np.sqrt(np.maximum(squares, 0.0))
        return float(np.prod(np.maximum(edges, thinnest * edges.max())))


class RobotSizes:
    """Bodies of a robot and how far they extend.

    Attributes:
        poses, steps: by joint, its rotation and position in the parent link, and the distance [m].
        bodies: by moving joint, the root's under None. reach: the longest way from the root through the
            origins of joints [m]. extent: the reach, or the size of the largest body without its masses.
        mass, moving_mass: [kg].
    """

    def __init__(self, robot: RobotDescription, shapes: Mapping[str, Geometry]) -> None:
        self.robot, self.bodies = robot, dict[str | None, RigidBody]()
        self.poses = {
            name: to_rotation_translation(joint.x_parent_joint) for name, joint in robot.joints.items()
        }
        self.steps = {name: length(position) for name, (_, position) in self.poses.items()}
        extent = 0.0
        for name, carrier in carriers(robot, {}).items():
            link, shape = robot.links[name], shapes.get(name, Geometry())
            turn, at = to_rotation_translation(carrier.x_body_link)
            if carrier.joint not in self.bodies:
                joint = None if carrier.joint is None else robot.joints[carrier.joint]
                self.bodies[carrier.joint] = RigidBody(joint)
            body = self.bodies[carrier.joint]
            body.links.append((link, turn, at))
            steps = [at + turn @ self.poses[joint.name][1] for joint in robot.below[name]]
            known = max(map(length, steps), default=0.0)
            body.has_mesh |= name in shapes and shape.low is None
            if shape.low is not None:
                known = max(known, length(at) + shape.farthest)
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
