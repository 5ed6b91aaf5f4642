"""Findings on implausible lengths, masses, inertias and angles: probably values in other units.

The values are used as given, also with ``strict``: each finding is a question, but for ends without mass.
Except for placeholders, all values in 2,268 published descriptions (example-robot-data, ROS-Industrial,
Drake, PyBullet, Unitree, iCub and others) are within the thresholds. "Published" below means these.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...model import Finding
from ..description import Annotations, LinkDescription, RobotDescription
from ..values import Entry

#: Largest accepted moving mass over the cube of the robot's size [kg/m^3]; published: 970 (a thick four-bar),
#: then 120. A Barrett hand with masses in g (264 t) has 2e7. Robots lighter than _LIGHT [kg] are accepted.
_DENSE_ROBOT, _LIGHT = 3000.0, 20.0
#: Least accepted mass over the sum of the cubed distances between joints [kg/m^3], for robots that reach
#: farther than _LARGE [m]; smallest published: 0.03. Cubes of 1000 kg/m^3 with lengths in mm have 1e-6, in
#: inches 0.02; slender links have less.
_THIN_ROBOT, _LARGE = 1e-2, 10.0
#: Largest accepted distance of a centre of mass from its link's origin: in reaches of the robot, and a
#: distance [m] that is always accepted; then those of links that do not move, as a vehicle is far larger than
#: the arm on it. Largest of published moving links: 1.3.
_FARTHEST, _NEAR, _FARTHEST_OF_ROOT, _NEAR_OF_ROOT = 5.0, 2.0, 10.0, 5.0
#: Distance of a centre of mass from the link's origin that is always accepted, in radii of gyration.
_OFF_CENTRE = 5.0
#: Least accepted density [kg/m^3] of the box with a link's mass and moments (:func:`_volume`). With
#: moments in kg cm^2 a link of 1000 kg/m^3 has 0.001, in lb in^2 0.005; published placeholders below 0.05.
#: Bodies whose radius of gyration is at most _WIDE of the reach are accepted; published: 1.2. So are
#: moments below _NEGLIGIBLE of all mass * reach^2, except an identity matrix, a template's.
_SPARSE, _WIDE, _NEGLIGIBLE = 1.0, 1.5, 1e-3
#: Largest accepted density of all moving links' boxes. Largest published: 32,000 (a gear).
_DENSE = 50_000.0
#: ``thinnest`` of these boxes: small where volumes must not be overestimated, large where not underestimated.
_THIN, _THICK = 0.01, 0.2


@dataclass(frozen=True)
class _Sizes:
    """Overall lengths of a robot, and its moving links.

    Attributes:
        steps: by joint, the distance to its parent link's origin [m].
        reach: largest sum of steps from the root to a link [m].
        moving: the links that joints move.
    """

    steps: dict[str, float]
    reach: float
    moving: list[LinkDescription]

    @classmethod
    def of(cls, robot: RobotDescription) -> "_Sizes":
        """Return the sizes of a robot."""
        joints = robot.joints.values()
        steps = {one.name: _length(to_rotation_translation(one.x_parent_joint)[1]) for one in joints}
        reaches = {robot.root: 0.0}
        for link in robot.in_order[1:]:
            above = robot.above[link]
            reaches[link] = reaches[above.parent] + steps[above.name]
        base = {*robot.body_links(robot.root)}
        moving = [link for name, link in robot.links.items() if name not in base]
        return cls(steps, max(reaches.values()), moving)

    @property
    def moving_mass(self) -> float:
        """Mass of the moving links [kg]."""
        return sum(link.mass for link in self.moving)


def _length(vector: NDArray[np.float64]) -> float:
    """Return the Euclidean norm, without overflow."""
    return math.hypot(*vector.tolist())


def _gyration(link: LinkDescription) -> float:
    """Return the radius of gyration [m]: sqrt(tr(I) / 2m), the root mean square distance from the centre."""
    return math.sqrt(max(float(np.trace(link.inertia)), 0.0) / (2.0 * link.mass)) if link.mass > 0.0 else 0.0


@np.errstate(over="ignore")  # infinite for tiny masses
def _volume(link: LinkDescription, thinnest: float) -> float:
    """Return the volume of the homogeneous box with a link's mass and moments of inertia [m^3].

    Args:
        thinnest: least ratio of its edges to the longest one, because moments of thin plates are rounded.
    """
    if not link.mass > 0.0:
        return 0.0
    moments = np.linalg.eigvalsh(link.inertia)
    edges = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / link.mass, 0.0))
    return float(np.prod(np.maximum(edges, thinnest * edges.max())))


def implausible_numbers(
    robot: RobotDescription, annotations: Annotations, root: etree._Element
) -> Iterator[Finding]:
    """Yield findings on numbers in other units, missing masses, and placeholders; ``root``: <robot>."""
    sizes = _Sizes.of(robot)
    yield from _long_and_light(robot, sizes)
    yield from _heavy(robot, sizes)
    yield from _distant_masses(robot, sizes)
    yield from _large_inertias(robot, sizes)
    yield from _bodies_without_mass(robot, annotations, root, sizes)
    yield from _limits_in_degrees(robot)
    yield from _angles_in_degrees(robot, annotations)
    yield from _turned_poses(root)


def _long_and_light(robot: RobotDescription, sizes: _Sizes) -> Iterator[Finding]:
    """Yield a finding on a robot too light for its reach: one distance between joints, or all, in mm."""
    mass = sum(link.mass for link in robot.links.values())
    room = sum(step**3 for step in sizes.steps.values())
    if sizes.moving and sizes.reach > _LARGE and 0.0 < mass < _THIN_ROBOT * room:
        joint = max(robot.joints.values(), key=lambda one: sizes.steps[one.name])
        text = (
            f"all joints reach {_shown(sizes.reach)} m and all links have {mass:.3g} kg; the longest "
            f"step is {_shown(sizes.steps[joint.name])} m, to joint '{joint.name}'; are lengths in m?"
        )
        yield Finding("large distance", "joint", joint.name, text, joint.line, asks=True)


def _heavy(robot: RobotDescription, sizes: _Sizes) -> Iterator[Finding]:
    """Yield a finding on a robot whose moving links are too heavy for its size."""
    size = sizes.reach + max(max(_gyration(link), _length(link.com)) for link in robot.links.values())
    solid = sum(_volume(link, _THICK) for link in sizes.moving)  # a turntable is larger than its reach
    if size > 0.0 and sizes.moving_mass >= max(_LIGHT, _DENSE * solid, _DENSE_ROBOT * size * size * size):
        link = max(sizes.moving, key=lambda one: one.mass)
        text = (
            f"all moving links have {_shown(sizes.moving_mass)} kg, and with the largest of them all joints "
            f"reach {size:.3g} m; the heaviest is link '{link.name}' with {_shown(link.mass)} kg; are "
            "masses in kg?"
        )
        yield Finding("large mass", "link", link.name, text, link.line, asks=True)


def _distant_masses(robot: RobotDescription, sizes: _Sizes) -> Iterator[Finding]:
    """Yield findings on centres of mass far outside the robot."""
    moving = {link.name for link in sizes.moving}
    for link in robot.links.values() if sizes.reach > 0.0 else ():
        times, near = (_FARTHEST, _NEAR) if link.name in moving else (_FARTHEST_OF_ROOT, _NEAR_OF_ROOT)
        distance = _length(link.com)
        if link.mass > 0.0 and distance > max(times * sizes.reach, near, _OFF_CENTRE * _gyration(link)):
            text = (
                f"has its centre of mass {distance:.3g} m away from its origin, and all joints reach "
                f"{sizes.reach:.3g} m; is it in m?"
            )
            yield link.finding("distant centre of mass", text, asks=True)


def _large_inertias(robot: RobotDescription, sizes: _Sizes) -> Iterator[Finding]:
    """Yield findings on links right below moving joints whose moments are those of a body of air."""
    for link in (robot.links[joint.child] for joint in robot.joints.values() if joint.moves):
        radius, is_template = _gyration(link), np.array_equal(link.inertia, np.eye(3))
        matters = np.trace(link.inertia) >= 2.0 * _NEGLIGIBLE * sizes.moving_mass * sizes.reach**2
        is_sparse = matters and link.mass < _SPARSE * _volume(link, _THIN)
        if radius > _WIDE * sizes.reach > 0.0 and (is_sparse or is_template):
            moments = ", ".join(f"{moment:.4g}" for moment in np.diag(link.inertia))
            text = (
                f"has the moments of inertia {moments} kg m^2, as if its {link.mass:.3g} kg lay "
                f"{radius:.3g} m from their centre; are they in kg m^2, and no placeholder?"
            )
            yield link.finding("large inertia", text, asks=True)


def _bodies_without_mass(
    robot: RobotDescription, annotations: Annotations, root: etree._Element, sizes: _Sizes
) -> Iterator[Finding]:
    """Yield findings on moving bodies without mass: at ends of chains, and within them if they have a shape.

    Loop joints continue a chain. What passive joints and gears move within one is exempt: thin rods and
    levers of loops often have no mass on purpose.
    """
    shapes = {
        str(link.get("name"))
        for link in root.findall("link")
        if any(link.find(f"{tag}/geometry") is not None for tag in ("visual", "collision"))
    }
    exempt = {*annotations.passive, *(gear.joint for gear in annotations.gears)}
    held = {end.link for loop in annotations.loop_joints for end in loop.anchors}
    for joint in robot.joints.values():
        links = [robot.links[name] for name in robot.body_links(joint.child)] if joint.moves else []
        if not links or any(link.mass for link in links):
            continue
        if any(child.moves for link in links for child in robot.below[link.name]):
            seen = next((link for link in links if link.name in shapes), None)
            if seen is not None and joint.name not in exempt and sizes.moving_mass > 0.0:
                text = "moves, has a <visual> or <collision>, and a mass of 0 kg; is its <inertial> missing?"
                yield seen.finding("link without mass", text, asks=True)
        elif held.isdisjoint(link.name for link in links):
            yield links[0].finding("end without mass", "moves, has no mass and ends a chain")


def _shown(value: float) -> str:
    """Return a number of four digits, or with thousands separators from 1e3 to 1e9."""
    return f"{value:,.0f}" if 1e3 <= value < 1e9 else f"{value:.4g}"


# Angles that may be in degrees. They are used as given, also with ``strict``: a winch turns a hundred times.

#: Limits of a revolute joint [rad] between these are probably degrees. Larger ones mean no limit: published
#: robots write 999999 and 1e16.
_TWO_TURNS, _DEGREES = 4.0 * math.pi, 720.0
#: Larger angles [rad] are probably degrees: a turn, and 5 % for rounding.
TURN = 2.0 * math.pi * 1.05
#: Largest accepted difference of a quaternion's length from 1: numbers may have two decimals.
_ROUNDED = 0.02


def _limits_in_degrees(robot: RobotDescription) -> Iterator[Finding]:
    """Yield findings on revolute joints with limits from two turns to 720 rad that are multiples of 0.5."""
    for joint in robot.joints.values():
        bounds = [value for value in (joint.limits.lower, joint.limits.upper) if value is not None]
        largest = max(map(abs, bounds), default=0.0)
        whole = all(value % 0.5 == 0.0 for value in bounds)
        if joint.type == "revolute" and whole and _TWO_TURNS < largest <= _DEGREES:
            text = f"has a limit of {largest:g} rad; are these degrees?"
            yield joint.finding("limit in degrees", text, asks=True)


def _angles_in_degrees(robot: RobotDescription, annotations: Annotations) -> Iterator[Finding]:
    """Yield findings on offsets of mimic joints and gears, and rest positions of springs, above a turn."""
    angles = list[tuple[str, str, float, int | str | None]]()
    for joint in robot.joints.values():
        if joint.mimic is not None:
            angles.append(("offset of its <mimic>", joint.name, joint.mimic.offset, joint.line))
    for gear in annotations.gears:
        line = annotations.lines.get(("gears", gear.joint))
        angles.append(("offset of its gear", gear.joint, gear.offset, line))
    for one in annotations.joint_dynamics:
        line = annotations.lines.get(("joint_dynamics", one.joint))
        angles.append(("rest_position of its spring", one.joint, one.rest_position, line))
    for what, name, value, line in angles:
        turns = name in robot.joints and robot.joints[name].type in ("revolute", "continuous")
        if turns and abs(value) > TURN:
            text = f"joint '{name}': the {what} is {value:g} rad; are these degrees?"
            yield Finding("angle in degrees", "joint", name, text, line, asks=True)


def _turned_poses(root: etree._Element) -> Iterator[Finding]:
    """Yield findings on origins with an angle of more than a turn, or a quaternion that is not normalized."""
    for kind, path in (("link", "inertial/origin"), ("joint", "origin")):
        for element in root.findall(kind):
            for origin in element.findall(path):
                name = element.get("name", "")
                entry = Entry.of(origin, f"<origin> of {kind} '{name}' has")
                rpy = entry.numbers("rpy", 3, [0.0] * 3)
                if max(map(abs, rpy)) > TURN:
                    shown = " ".join(f"{number:g}" for number in rpy)
                    text = f"{entry.where} rpy='{shown}' [rad]; are these degrees?"
                    yield Finding("angle in degrees", kind, name, text, entry.line, asks=True)
                quaternion = entry.numbers("quat_xyzw", 4, [0.0, 0.0, 0.0, 1.0])
                if abs((size := math.hypot(*quaternion)) - 1.0) > _ROUNDED:
                    shown = " ".join(f"{number:g}" for number in quaternion)
                    text = f"{entry.where} quat_xyzw='{shown}', of length {size:.3g}, not 1; are these the "
                    text += "numbers x y z w of a quaternion?"
                    yield Finding("length of a quaternion", kind, name, text, entry.line, asks=True)
