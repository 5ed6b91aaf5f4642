"""Rigid bodies of a robot description: masses, and lengths by which plausibility.py compares them."""

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

# Sizes of links by the boxes, cylinders, capsules and spheres of their <visual> and <collision>.

#: Edges [m] of a shape's bounding box in the shape's own axes.
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
    """The bounding box of a link's shapes; meshes are not read.

    Attributes:
        low, high: corners (3,) in the link's frame [m]; None if all shapes are meshes.
        has_mesh: whether any shape is a mesh, or cannot be read.
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
        """Volume of the bounding box [m^3]."""
        return 0.0 if self.low is None or self.high is None else float(np.prod(self.high - self.low))


def geometries(root: etree._Element) -> dict[str, Geometry]:
    """Return the geometry of each link with a <visual> or <collision>, by name.

    Shapes with unreadable numbers count as meshes: nothing else in the library uses these numbers.
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
    """Yield two corners of a cube in the link's frame that holds a known shape in any orientation."""
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
    """Return the number in an attribute of a shape. Raises KeyError or ValueError: there is none."""
    (number,) = decimals(shape[key])
    return number


@dataclass
class RigidBody:
    """The links that a joint moves as one rigid body; for joint None, the links fixed to the root.

    Attributes:
        links: each with its rotation (3, 3) and position (3,) [m] in the body.
        size: distance from the body's origin to its farthest joint, shape or centre of mass [m].
        has_mesh: whether a link has meshes only, so that ``size`` may be too small.
    """

    joint: JointDescription | None
    links: list[tuple[LinkDescription, NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=list
    )
    size: float = 0.0
    has_mesh: bool = False

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
        extent: the reach, or the largest distance of a joint or shape from its body's origin if larger [m].
        mass, moving_mass: of all links, and of those that joints move [kg].
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
