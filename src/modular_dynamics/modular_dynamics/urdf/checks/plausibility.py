"""Lengths, masses and inertias that do not fit each other or the joints' effort limits: probably other units.

They are used as given, also strictly: these findings only ask, each with the number that made it ask. All
thresholds are beyond what 872 published descriptions hold (example-robot-data, ROS-Industrial, Drake,
PyBullet, Unitree, iCub and others), but for the placeholders among these.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...model import Finding
from ..description import Annotations, JointDescription, LinkDescription, RobotDescription, carriers
from .geometry import Geometry, geometries
from .units import question

__all__ = ["implausible_numbers"]

#: Gravity may need so many times a joint's effort limit. Of 567 published descriptions with effort limits
#: the largest are 17 (a placeholder of 1 N), 12 and 10: many limits are wrong, but not by 1000.
_TIMES_EFFORT = 30.0
#: Moving mass over the cube of the robot's reach [kg/m^3]; published: 970 (a thick four-bar), 120 and less. A
#: Barrett hand of 264 t has 2e7. Robots lighter than _LIGHT [kg] as a whole may be a point mass.
_DENSE_ROBOT, _LIGHT = 3000.0, 20.0
#: Mass of a link over the box round its shapes [kg/m^3]: osmium's density. The largest of a published link
#: of _HEAVY [kg] or more is 15,000; lighter ones, as sensors, often have a placeholder as their shape.
_DENSEST, _HEAVY = 22_600.0, 10.0
#: All mass over the cube of the reach [kg/m^3], of robots that reach farther than _LARGE [m]; the smallest of
#: published robots of any size is 0.07. In mm, that of a compact robot of 1000 kg/m^3 is 1e-6.
_THIN_ROBOT, _LARGE = 1e-4, 10.0
#: How many times the robot's size a centre of mass or an anchor may be away, and what distance [m] is never
#: reported. The largest of published moving links is 1.3. The root may be a vehicle far larger than what
#: joints span.
_FARTHEST, _NEAR = 5.0, 2.0
_FARTHEST_OF_ROOT, _NEAR_OF_ROOT = 10.0, 5.0
#: Radius of gyration of what a joint moves rigidly: over the robot's size, and over what is known of its own
#: size; where nothing is, over the robot's size alone. Of plausible published bodies the largest are 0.56 (an
#: arm with short offsets), 2.3, and 1.2. Bodies whose moment is less than _NEGLIGIBLE of that of all moving
#: mass at the robot's size are not reported.
_WIDE, _WIDER_THAN_BODY, _WIDE_UNKNOWN, _NEGLIGIBLE = 0.6, 3.0, 1.5, 1e-3
#: The same of the root, over the robot's size, and above a radius [m], with a share of the mass.
_WIDE_ROOT, _NARROW_ROOT, _NEGLIGIBLE_MASS = 30.0, 5.0, 0.01


def implausible_numbers(
    robot: RobotDescription,
    annotations: Annotations,
    gravity: NDArray[np.float64],
    root: etree._Element | None = None,
) -> Iterator[Finding]:
    """Ask about lengths, masses and inertias that are probably in other units, missing, or placeholders.

    Args:
        gravity: in the root link's frame [m/s^2].
        root: <robot> with the shapes of links; None: these are unknown.
    """
    shapes = {} if root is None else geometries(root)
    sizes = _Sizes(robot, shapes)
    yield from _gravity_torques(robot, annotations, gravity, sizes)
    yield from _long_and_light(sizes)
    yield from _heavy(sizes)
    yield from _dense_links(robot, shapes)
    yield from _distant_masses(sizes)
    yield from _distant_anchors(annotations, sizes)
    yield from _large_inertias(sizes)
    yield from _undeclared_masses(robot, annotations, shapes, sizes)


@dataclass
class _Body:
    """What a joint moves rigidly; of the root, what does not move (joint None).

    Attributes:
        links: with their rotation and position in the body. size: distance of its farthest joint, shape or
            centre of mass from its origin [m].
    """

    joint: JointDescription | None
    links: list[tuple[LinkDescription, NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=list
    )
    size: float = 0.0

    @cached_property
    def mass(self) -> float:
        return sum(link.mass for link, _, _ in self.links)

    @cached_property
    def gyration(self) -> float:
        """Radius of gyration [m]: sqrt(tr(I) / 2m), the mean distance of the mass from its centre."""
        if not self.mass > 0.0:
            return 0.0
        places = [at + turn @ link.com for link, turn, at in self.links]
        masses = [link.mass for link, _, _ in self.links]
        centre = np.einsum("i,ij->j", masses, places) / self.mass
        moment = sum(
            0.5 * float(np.trace(link.inertia)) + link.mass * float((place - centre) @ (place - centre))
            for (link, _, _), place in zip(self.links, places, strict=True)
        )
        return math.sqrt(max(moment, 0.0) / self.mass)


class _Sizes:
    """Bodies of a robot and how far they extend.

    Attributes:
        bodies: by moving joint, the root's under None. reach: the longest way from the root through the
            origins of joints [m]. extent: the reach, or the size of the largest body without its masses.
        mass, moving_mass: [kg].
    """

    def __init__(self, robot: RobotDescription, shapes: Mapping[str, Geometry]) -> None:
        self.robot, self.bodies = robot, dict[str | None, _Body]()
        extent = 0.0
        for name, carrier in carriers(robot, {}).items():
            link, shape = robot.links[name], shapes.get(name, Geometry())
            turn, at = to_rotation_translation(carrier.x_body_link)
            if carrier.joint not in self.bodies:
                joint = None if carrier.joint is None else robot.joints[carrier.joint]
                self.bodies[carrier.joint] = _Body(joint)
            body = self.bodies[carrier.joint]
            body.links.append((link, turn, at))
            steps = [at + turn @ _step(joint) for joint in robot.below[name]]
            known = max([float(np.linalg.norm(step)) for step in steps], default=0.0)
            if shape.low is not None:
                known = max(known, float(np.linalg.norm(at)) + shape.farthest)
            extent = max(extent, known)
            of_mass = float(np.linalg.norm(at + turn @ link.com)) if link.mass > 0.0 else 0.0
            body.size = max(body.size, known, of_mass)
        self.reaches = _reaches(robot)
        self.reach = max(self.reaches.values())
        self.extent = max(self.reach, extent)
        self.moving = [body for name, body in self.bodies.items() if name is not None]
        self.moving_mass = sum(body.mass for body in self.moving)
        self.mass = sum(link.mass for link in robot.links.values())


def _gravity_torques(
    robot: RobotDescription, annotations: Annotations, gravity: NDArray[np.float64], sizes: _Sizes
) -> Iterator[Finding]:
    """The joint whose effort limit is exceeded most by what gravity needs with all links stretched out."""
    exempt = {*annotations.passive, *(gear.joint for gear in annotations.gears)}
    masses, moments = _carried(robot)
    g, directions = math.hypot(*gravity.tolist()), _upright_directions(robot, gravity)
    ratios = list[tuple[float, float, JointDescription]]()
    for joint in robot.joints.values():
        effort = joint.limits.effort
        if not effort or effort < 0.0 or joint.mimic is not None or joint.name in exempt:
            continue
        along = directions.get(joint.name)  # of a joint that keeps its direction: cosine to the vertical
        if joint.type in ("revolute", "continuous"):
            share = 1.0 if along is None else math.sqrt(max(0.0, 1.0 - along**2))
            needed = g * moments[joint.child] * share
        elif joint.type == "prismatic":
            needed = g * masses[joint.child] * (1.0 if along is None else abs(along))
        else:
            continue
        ratios.append((needed / effort, needed, joint))
    beyond = [ratio for ratio in ratios if ratio[0] > _TIMES_EFFORT]
    if beyond:
        ratio, needed, joint = max(beyond, key=lambda one: one[0])
        unit = "N" if joint.type == "prismatic" else "N m"
        others = f" ({len(beyond) - 1} more likewise)" if len(beyond) > 1 else ""
        text = (
            f"joint '{joint.name}' may need {_shown(needed)} {unit} against gravity, {_shown(ratio)} times "
            f"its effort limit of {_shown(needed / ratio)} {unit}{others}; are lengths in m and masses in kg?"
        )
        yield Finding("large gravity torque", "joint", joint.name, text, joint.line, asks=True)


def _long_and_light(sizes: _Sizes) -> Iterator[Finding]:
    """A robot that reaches far for what it weighs: the step to one of its joints, or all, in millimetres."""
    robot, reach = sizes.robot, sizes.reach
    if not sizes.moving or not reach > _LARGE or not 0.0 < sizes.mass < _THIN_ROBOT * reach**3:
        return
    joint = max(robot.joints.values(), key=lambda one: float(np.linalg.norm(_step(one))))
    text = (
        f"all joints reach {_shown(reach)} m and all links have {sizes.mass:.3g} kg; the longest step is "
        f"{_shown(float(np.linalg.norm(_step(joint))))} m, to joint '{joint.name}'; are lengths in m?"
    )
    yield Finding("large distance", "joint", joint.name, text, joint.line, asks=True)


def _heavy(sizes: _Sizes) -> Iterator[Finding]:
    """A robot whose moving links are heavier than anything of its size."""
    largest = max([max(body.size, body.gyration) for body in sizes.bodies.values()], default=0.0)
    size = sizes.reach + largest
    if sizes.moving_mass < _LIGHT or not 0.0 < size**3 * _DENSE_ROBOT < sizes.moving_mass:
        return
    body = max(sizes.moving, key=lambda one: one.mass)
    link = max((link for link, _, _ in body.links), key=lambda one: one.mass)
    text = (
        f"all moving links have {_shown(sizes.moving_mass)} kg, and with the largest of them all joints "
        f"reach {size:.3g} m; the heaviest is link '{link.name}' with {_shown(link.mass)} kg; are "
        "masses in kg?"
    )
    yield Finding("large mass", "link", link.name, text, link.line, asks=True)


def _dense_links(robot: RobotDescription, shapes: Mapping[str, Geometry]) -> Iterator[Finding]:
    """Links that are denser than any material."""
    for name, shape in shapes.items():
        link = robot.links[name]
        if link.mass >= _HEAVY and 0.0 < shape.volume * _DENSEST < link.mass:
            text = (
                f"link '{name}' has {_shown(link.mass)} kg in a box of {shape.volume:.3g} m^3 round its "
                f"<visual> and <collision>, {_shown(link.mass / shape.volume)} kg/m^3; is its mass in kg?"
            )
            yield Finding("large mass", "link", name, text, link.line, asks=True)


def _distant_masses(sizes: _Sizes) -> Iterator[Finding]:
    """Centres of mass far beyond what the joints and shapes of the robot span."""
    extent = sizes.extent
    if extent == 0.0:
        return
    for body in sizes.bodies.values():
        times, near = (_FARTHEST_OF_ROOT, _NEAR_OF_ROOT) if body.joint is None else (_FARTHEST, _NEAR)
        for link, _, _ in body.links:
            distance = float(np.linalg.norm(link.com))
            if link.mass > 0.0 and distance > max(times * extent, near):
                text = (
                    f"link '{link.name}' has its centre of mass {distance:.3g} m away from its origin, and "
                    f"all joints reach {sizes.reach:.3g} m; is it in m?"
                )
                yield Finding("distant centre of mass", "link", link.name, text, link.line, asks=True)


def _distant_anchors(annotations: Annotations, sizes: _Sizes) -> Iterator[Finding]:
    """Anchors of loop joints and springs far beyond what the robot spans, and springs that are as long."""
    longest = max(_FARTHEST * sizes.extent, _NEAR)
    if sizes.extent == 0.0:
        return
    sections = (
        ("loop joint", "loop_joints", annotations.loop_joints),
        ("spring", "springs", annotations.springs),
    )
    for element, section, closing in sections:
        for one in closing:
            line = annotations.lines.get((section, one.name))
            for anchor in one.anchors:
                distance = float(np.linalg.norm(to_rotation_translation(anchor.x_link_anchor)[1]))
                if distance > longest:
                    text = (
                        f"{element} '{one.name}' has an anchor {distance:.3g} m away from the origin of link "
                        f"'{anchor.link}', and all joints reach {sizes.reach:.3g} m; is it in m?"
                    )
                    yield question("distant anchor", element, one.name, text, line)
    for spring in annotations.springs:
        if spring.free_length > longest:
            text = (
                f"spring '{spring.name}' has a free length of {spring.free_length:.3g} m, and all joints "
                f"reach {sizes.reach:.3g} m; is it in m?"
            )
            line = annotations.lines.get(("springs", spring.name))
            yield question("long spring", "spring", spring.name, text, line)


def _large_inertias(sizes: _Sizes) -> Iterator[Finding]:
    """Bodies whose mass would lie outside the robot, by their moments of inertia."""
    for body in sizes.bodies.values():
        if sizes.extent == 0.0 or not _is_too_wide(body, sizes):
            continue
        link = max((link for link, _, _ in body.links), key=lambda one: float(np.trace(one.inertia)))
        moments = ", ".join(f"{moment:.4g}" for moment in np.diag(link.inertia))
        where = "of the base" if body.joint is None else f"that joint '{body.joint.name}' moves"
        text = (
            f"link '{link.name}' has the moments of inertia {moments} kg m^2, as if the {body.mass:.3g} kg "
            f"{where} lay {body.gyration:.3g} m from their centre, and all joints reach {sizes.reach:.3g} m; "
            "are they in kg m^2, and no placeholder?"
        )
        yield Finding("large inertia", "link", link.name, text, link.line, asks=True)


def _is_too_wide(body: _Body, sizes: _Sizes) -> bool:
    radius, extent = body.gyration, sizes.extent
    if body.joint is None:
        heavy = body.mass >= _NEGLIGIBLE_MASS * sizes.mass
        return heavy and radius > max(_WIDE_ROOT * extent, _NARROW_ROOT)
    if body.mass * radius**2 < _NEGLIGIBLE * sizes.moving_mass * extent**2:
        return False
    if body.size == 0.0:
        return radius > _WIDE_UNKNOWN * extent
    return radius > max(_WIDE * extent, _WIDER_THAN_BODY * body.size)


def _undeclared_masses(
    robot: RobotDescription, annotations: Annotations, shapes: Mapping[str, Geometry], sizes: _Sizes
) -> Iterator[Finding]:
    """Moving links without mass that have a shape and carry others; of a robot that has masses.

    Ends of chains are another finding, which does not depend on shapes (:func:`.massless_ends`). The thin
    rods and levers of loops are often without mass on purpose: what passive joints and gears move is exempt.
    """
    exempt = {*annotations.passive, *(gear.joint for gear in annotations.gears)}
    for name, body in sizes.bodies.items():
        if name is None or name in exempt or body.mass > 0.0 or not sizes.moving_mass > 0.0:
            continue
        links = [link for link, _, _ in body.links]
        seen = next((link for link in links if link.name in shapes), None)
        if seen is not None and any(joint.moves for link in links for joint in robot.below[link.name]):
            text = (
                f"link '{seen.name}' moves, has a <visual> or <collision>, and a mass of 0 kg; is its "
                "<inertial> missing?"
            )
            yield Finding("link without mass", "link", seen.name, text, seen.line, asks=True)


def _shown(value: float) -> str:
    """A large number without an exponent, where a reader would count its digits otherwise."""
    return f"{value:,.0f}" if 1e3 <= value < 1e9 else f"{value:.4g}"


def _step(joint: JointDescription) -> NDArray[np.float64]:
    """From the parent's origin to the joint's [m]."""
    return to_rotation_translation(joint.x_parent_joint)[1]


def _downwards(robot: RobotDescription) -> list[str]:
    """Links, each after its parent."""
    links = [robot.root]
    for link in links:  # grows while it is read
        links.extend(joint.child for joint in robot.below[link])
    return links


def _reaches(robot: RobotDescription) -> dict[str, float]:
    """By link, the way [m] from the root through the origins of joints."""
    reaches = {robot.root: 0.0}
    for link in _downwards(robot):
        for joint in robot.below[link]:
            reaches[joint.child] = reaches[link] + float(np.linalg.norm(_step(joint)))
    return reaches


def _carried(robot: RobotDescription) -> tuple[dict[str, float], dict[str, float]]:
    """By link, the mass of it and all below [kg], and its moment about the link, stretched out [kg m]."""
    masses, moments = dict[str, float](), dict[str, float]()
    for name in reversed(_downwards(robot)):
        link = robot.links[name]
        mass, moment = link.mass, link.mass * float(np.linalg.norm(link.com))
        for joint in robot.below[name]:
            mass += masses[joint.child]
            moment += moments[joint.child] + masses[joint.child] * float(np.linalg.norm(_step(joint)))
        masses[name], moments[name] = mass, moment
    return masses, moments


def _upright_directions(robot: RobotDescription, gravity: NDArray[np.float64]) -> dict[str, float]:
    """By joint whose axis keeps its angle to the vertical in all poses, the cosine of that angle.

    These are the joints with no joint above that tilts what it moves; the root is as the description says.
    """
    g = math.hypot(*gravity.tolist())
    if g == 0.0:
        return {}
    turns, cosines = {robot.root: np.eye(3)}, dict[str, float]()
    for link in _downwards(robot):
        if link not in turns:
            continue
        for joint in robot.below[link]:
            turn = turns[link] @ to_rotation_translation(joint.x_parent_joint)[0]
            cosine = float(turn @ joint.axis @ gravity) / g
            if joint.type in ("revolute", "continuous", "prismatic"):
                cosines[joint.name] = cosine
            stays = joint.type in ("fixed", "prismatic") or abs(cosine) > 1.0 - 1e-9
            if stays and joint.type not in ("floating", "planar"):
                turns[joint.child] = turn
    return cosines
