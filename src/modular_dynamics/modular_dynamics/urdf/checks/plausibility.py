"""Findings on implausible lengths, masses, inertias and angles: probably values in other units.

The values are used as given, also with ``strict``: each finding is a question, but for ends without mass.
Except for placeholders, all values in 2,268 published descriptions (example-robot-data, ROS-Industrial,
Drake, PyBullet, Unitree, iCub and others) are within the thresholds. "Published" below means these, whose
sizes then included boxes, cylinders and spheres of links.
"""

import math
from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...exceptions import UrdfError
from ...model import Finding, LoopJoint, Spring
from ..description import Annotations, JointDescription, RobotDescription
from ..source import line_of
from ..values import LINE, Entry, attributes
from .sizes import RigidBody, RobotSizes, length, links_with_shapes

#: Largest accepted ratio of the torque against gravity to a joint's effort limit. The largest of 567
#: published descriptions with effort limits are 17 (a placeholder of 1 N), 12 and 10.
_TIMES_EFFORT = 30.0
#: Largest accepted moving mass over the cube of the robot's size [kg/m^3]; published: 970 (a thick four-bar),
#: then 120. A Barrett hand with masses in g (264 t) has 2e7. Robots lighter than _LIGHT [kg] are accepted.
_DENSE_ROBOT, _LIGHT = 3000.0, 20.0
#: Least accepted mass over the sum of the cubed distances between joints [kg/m^3], for robots that reach
#: farther than _LARGE [m]; smallest published: 0.03. Cubes of 1000 kg/m^3 with lengths in mm have 1e-6, in
#: inches 0.02; slender links have less.
_THIN_ROBOT, _LARGE = 1e-2, 10.0
#: Largest accepted distance of a centre of mass or an anchor from its link's origin: in robot extents, and a
#: distance [m] that is always accepted. Largest of published moving links: 1.3 extents. The root has limits
#: of its own: it may be a vehicle far larger than the arm on it.
_FARTHEST, _NEAR = 5.0, 2.0
_FARTHEST_OF_ROOT, _NEAR_OF_ROOT = 10.0, 5.0
#: Largest accepted radius of gyration of a moving body: over the robot's extent (_WIDE) and over its own size
#: (_WIDER_THAN_BODY); over the extent alone if its size is unknown (_WIDE_UNKNOWN). Largest plausible
#: published ones: 0.56 (an arm with short offsets), 2.3 and 1.2. Moments below _NEGLIGIBLE of moving mass *
#: extent^2 are accepted, except an identity matrix, which is a template's.
_WIDE, _WIDER_THAN_BODY, _WIDE_UNKNOWN, _NEGLIGIBLE = 0.6, 3.0, 1.5, 1e-3
#: For the root: over the robot's extent; a radius [m] that is always accepted; least share of the mass.
_WIDE_ROOT, _NARROW_ROOT, _NEGLIGIBLE_MASS = 30.0, 5.0, 0.01
#: Least density [kg/m^3] of the box with a body's mass and moments (:meth:`.RigidBody.volume`) at which a
#: body with a shape is accepted: a turntable or a satellite's panel may be larger than what the joints span,
#: but no body is so light. With moments in kg cm^2 a link of 1000 kg/m^3 has 0.001, in lb in^2 0.005.
#: Published placeholders are below 0.05, all lighter than 1 kg.
_SPARSE = 1.0
#: ``thinnest`` of these boxes: small where volumes must not be overestimated, large where not underestimated.
_THIN, _THICK = 0.01, 0.2
#: Distance of a centre of mass from the link's origin that is always accepted, in radii of gyration.
_OFF_CENTRE = 5.0
#: Largest accepted density [kg/m^3] of the box with a body's mass and moments, and least mass of bodies whose
#: density is looked at [kg]. Largest published: 32,000 (a gear).
_DENSER, _LIGHTEST = 50_000.0, 1.0
#: Largest accepted armature over the inertia that the joint moves with all links stretched out.
_HEAVY_DRIVE = 1000.0


def implausible_numbers(
    robot: RobotDescription,
    annotations: Annotations,
    gravity: NDArray[np.float64],
    root: etree._Element | None = None,
) -> Iterator[Finding]:
    """Yield findings on lengths, masses and inertias in other units, missing ones, and placeholders.

    Args:
        gravity: (3,) in the root link's frame [m/s^2].
        root: <robot>, which says what links have shapes; None: none.
    """
    shapes = frozenset[str]() if root is None else links_with_shapes(root)
    sizes = RobotSizes(robot, shapes)
    yield from _gravity_torques(annotations, gravity, sizes)
    yield from _long_and_light(sizes)
    yield from _heavy(sizes)
    yield from _distant_masses(sizes)
    yield from _distant_anchors(annotations, sizes)
    yield from _large_inertias(sizes)
    yield from _large_armatures(annotations, sizes)
    yield from _bodies_without_mass(annotations, shapes, sizes)


def _gravity_torques(
    annotations: Annotations, gravity: NDArray[np.float64], sizes: RobotSizes
) -> Iterator[Finding]:
    """Yield a finding on the joint whose effort limit gravity exceeds most, with all links stretched out."""
    exempt = {*annotations.passive, *(gear.joint for gear in annotations.gears)}
    masses, moments = _carried(sizes)
    g, directions = math.hypot(*gravity.tolist()), _upright_directions(sizes, gravity)
    ratios = list[tuple[float, float, JointDescription]]()
    for joint in sizes.robot.joints.values():
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
            f"may need {_shown(needed)} {unit} against gravity, {_shown(ratio)} times "
            f"its effort limit of {_shown(needed / ratio)} {unit}{others}; are lengths in m and masses in kg?"
        )
        yield joint.finding("large gravity torque", text, asks=True)


def _long_and_light(sizes: RobotSizes) -> Iterator[Finding]:
    """Yield a finding on a robot too light for its reach: one distance between joints, or all, in mm."""
    robot, reach = sizes.robot, sizes.reach
    if not sizes.moving or not reach > _LARGE:
        return
    room = sum(np.power(np.array([*sizes.steps.values()]), 3))
    if not 0.0 < sizes.mass < _THIN_ROBOT * room:
        return
    joint = max(robot.joints.values(), key=lambda one: sizes.steps[one.name])
    text = (
        f"all joints reach {_shown(reach)} m and all links have {sizes.mass:.3g} kg; the longest step is "
        f"{_shown(sizes.steps[joint.name])} m, to joint '{joint.name}'; are lengths in m?"
    )
    yield Finding("large distance", "joint", joint.name, text, joint.line, asks=True)


def _heavy(sizes: RobotSizes) -> Iterator[Finding]:
    """Yield a finding on a robot whose moving links are too heavy for its size."""
    largest = max([max(body.size, body.gyration) for body in sizes.bodies.values()], default=0.0)
    size = sizes.reach + largest
    solid = sum(body.volume(_THICK) for body in sizes.moving)  # a turntable is larger than its reach
    least = max(_LIGHT, _DENSER * solid, _DENSE_ROBOT * size * size * size)
    if sizes.moving_mass < least or size == 0.0:
        return
    body = max(sizes.moving, key=lambda one: one.mass)
    link = max((link for link, _, _ in body.links), key=lambda one: one.mass)
    text = (
        f"all moving links have {_shown(sizes.moving_mass)} kg, and with the largest of them all joints "
        f"reach {size:.3g} m; the heaviest is link '{link.name}' with {_shown(link.mass)} kg; are "
        "masses in kg?"
    )
    yield Finding("large mass", "link", link.name, text, link.line, asks=True)


def _distant_masses(sizes: RobotSizes) -> Iterator[Finding]:
    """Yield findings on centres of mass far outside the robot."""
    extent = sizes.extent
    if extent == 0.0:
        return
    for body in sizes.bodies.values():
        times, near = (_FARTHEST_OF_ROOT, _NEAR_OF_ROOT) if body.joint is None else (_FARTHEST, _NEAR)
        for link, _, _ in body.links:
            distance = length(link.com)
            if link.mass > 0.0 and distance > max(times * extent, near, _OFF_CENTRE * body.gyration):
                text = (
                    f"has its centre of mass {distance:.3g} m away from its origin, and all joints reach "
                    f"{sizes.reach:.3g} m; is it in m?"
                )
                yield link.finding("distant centre of mass", text, asks=True)


def _distant_anchors(annotations: Annotations, sizes: RobotSizes) -> Iterator[Finding]:
    """Yield findings on anchors of loop joints and springs far outside the robot, and on too long springs."""
    longest = max(_FARTHEST * sizes.extent, _NEAR)
    if sizes.extent == 0.0:
        return
    closing: list[tuple[str, str, LoopJoint | Spring]] = [
        *(("loop joint", "loop_joints", loop) for loop in annotations.loop_joints),
        *(("spring", "springs", spring) for spring in annotations.springs),
    ]
    for element, section, one in closing:
        lengths = [
            (
                length(to_rotation_translation(end.x_link_anchor)[1]),
                f" away from the origin of link '{end.link}'",
            )
            for end in one.anchors
        ]
        lengths += [(one.free_length, "")] if isinstance(one, Spring) else []
        for size, where in lengths:
            if size > longest:
                what = "an anchor" if where else "a free length of"
                text = f"{element} '{one.name}' has {what} {size:.3g} m{where}, and all joints reach "
                text, kind = (
                    f"{text}{sizes.reach:.3g} m; is it in m?",
                    "distant anchor" if where else "long spring",
                )
                line = annotations.lines.get((section, one.name))
                yield Finding(kind, element, one.name, text, line, asks=True)


def _large_inertias(sizes: RobotSizes) -> Iterator[Finding]:
    """Yield findings on bodies with moments of inertia as if their mass were outside the robot."""
    for body in sizes.bodies.values():
        if sizes.extent == 0.0 or not _is_too_wide(body, sizes):
            continue
        link = max((link for link, _, _ in body.links), key=lambda one: float(np.trace(one.inertia)))
        moments = ", ".join(f"{moment:.4g}" for moment in np.diag(link.inertia))
        where = "of the base" if body.joint is None else f"that joint '{body.joint.name}' moves"
        text = (
            f"has the moments of inertia {moments} kg m^2, as if the {body.mass:.3g} kg {where} lay "
            f"{body.gyration:.3g} m from their centre, and all joints reach {sizes.reach:.3g} m; are they in "
            "kg m^2, and no placeholder?"
        )
        yield link.finding("large inertia", text, asks=True)


def _is_too_wide(body: RigidBody, sizes: RobotSizes) -> bool:
    """Return whether a body's radius of gyration is larger than accepted."""
    radius, extent = body.gyration, sizes.extent
    if body.joint is None:
        matters = bool(sizes.moving) and body.mass >= _NEGLIGIBLE_MASS * sizes.mass
        return matters and radius > max(_WIDE_ROOT * extent, _NARROW_ROOT)
    is_template = any(np.allclose(link.inertia, np.eye(3), rtol=0.0, atol=1e-12) for link, _, _ in body.links)
    if not is_template and body.mass * radius * radius < _NEGLIGIBLE * sizes.moving_mass * extent * extent:
        return False
    is_dense = body.mass >= max(_LIGHTEST, _SPARSE * body.volume(_THIN))
    if body.has_shape and is_dense and not is_template:
        return False
    if body.size == 0.0:
        return radius > _WIDE_UNKNOWN * extent
    return radius > max(_WIDE * extent, _WIDER_THAN_BODY * body.size)


def _large_armatures(annotations: Annotations, sizes: RobotSizes) -> Iterator[Finding]:
    """Yield findings on armatures far above the inertia that the joint moves, and that of the whole robot.

    Usual causes: values in g cm^2, or a missing or extra factor of the gear ratio.
    """
    masses, moments = _carried(sizes)
    for one in annotations.joint_dynamics:
        joint = sizes.robot.joints.get(one.joint)
        if joint is None or one.joint not in sizes.bodies or not masses[joint.child] > 0.0:
            continue
        arm = moments[joint.child] / masses[joint.child] + sizes.bodies[one.joint].gyration
        moved = masses[joint.child] * (1.0 if joint.type == "prismatic" else arm * arm)
        extent = 1.0 if joint.type == "prismatic" else sizes.extent + arm
        if one.armature > max(_HEAVY_DRIVE * moved, sizes.moving_mass * extent * extent):
            unit = "kg" if joint.type == "prismatic" else "kg m^2"
            text = (
                f"joint '{one.joint}' has an armature of {_shown(one.armature)} {unit}, and moves "
                f"{moved:.3g} {unit} otherwise; is it in {unit}?"
            )
            line = annotations.lines.get(("joint_dynamics", one.joint))
            yield Finding("large armature", "joint", one.joint, text, line, asks=True)


def _bodies_without_mass(annotations: Annotations, shapes: Set[str], sizes: RobotSizes) -> Iterator[Finding]:
    """Yield findings on moving bodies without mass: at ends of chains, and within them if they have a shape.

    Loop joints continue a chain. What passive joints and gears move within one is exempt: thin rods and
    levers of loops often have no mass on purpose.
    """
    exempt = {*annotations.passive, *(gear.joint for gear in annotations.gears)}
    held = {end.link for loop in annotations.loop_joints for end in loop.anchors}
    for name, body in sizes.bodies.items():
        links = [link for link, _, _ in body.links]
        if name is None or any(link.mass for link in links):
            continue
        if any(joint.moves for link in links for joint in sizes.robot.below[link.name]):
            seen = next((link for link in links if link.name in shapes), None)
            if seen is not None and name not in exempt and sizes.moving_mass > 0.0:
                text = "moves, has a <visual> or <collision>, and a mass of 0 kg; is its <inertial> missing?"
                yield seen.finding("link without mass", text, asks=True)
        elif held.isdisjoint(link.name for link in links):
            yield links[0].finding("end without mass", "moves, has no mass and ends a chain")


def _shown(value: float) -> str:
    """Return a number of four digits, or with thousands separators from 1e3 to 1e9."""
    return f"{value:,.0f}" if 1e3 <= value < 1e9 else f"{value:.4g}"


def _carried(sizes: RobotSizes) -> tuple[dict[str, float], dict[str, float]]:
    """Return by link the mass of it and all links below [kg], and the first moment of that mass [kg m].

    The first moment is about the link's origin with all links below stretched out, its upper bound.
    """
    robot, masses, moments = sizes.robot, dict[str, float](), dict[str, float]()
    for name in reversed(robot.in_order):
        link = robot.links[name]
        mass, moment = link.mass, link.mass * length(link.com)
        for joint in robot.below[name]:
            mass += masses[joint.child]
            moment += moments[joint.child] + masses[joint.child] * sizes.steps[joint.name]
        masses[name], moments[name] = mass, moment
    return masses, moments


def _upright_directions(sizes: RobotSizes, gravity: NDArray[np.float64]) -> dict[str, float]:
    """Return the cosine of the angle between axis and gravity, for joints where it is the same in all poses.

    These are joints above which no joint tilts: only fixed and prismatic ones, and rotations about the
    vertical. Empty without gravity.
    """
    g = math.hypot(*gravity.tolist())
    if g == 0.0:
        return {}
    robot, cosines = sizes.robot, dict[str, float]()
    turns = {robot.root: np.eye(3)}
    for link in robot.in_order:
        if link not in turns:
            continue
        for joint in robot.below[link]:
            turn = turns[link] @ sizes.poses[joint.name][0]
            cosine = float(turn @ joint.axis @ gravity) / g
            if joint.type in ("revolute", "continuous", "prismatic"):
                cosines[joint.name] = cosine
            stays = joint.type in ("fixed", "prismatic") or abs(cosine) > 1.0 - 1e-9
            if stays and joint.type not in ("floating", "planar"):
                turns[joint.child] = turn
    return cosines


# Angles that may be in degrees. They are used as given, also with ``strict``: a winch turns a hundred times.

#: Limits of a revolute joint [rad] between these are probably degrees. Larger ones mean no limit: published
#: robots write 999999 and 1e16.
_TWO_TURNS, _DEGREES = 4.0 * math.pi, 720.0
#: Larger angles of rpy [rad] are probably degrees: a turn, and 5 % for rounding.
_TURN = 2.0 * math.pi * 1.05
#: Ranges of usual gravity [m/s^2]: none, the moon, Mars, the earth.
_GRAVITIES = (0.0, 0.0), (1.5, 1.7), (3.6, 3.8), (9.7, 9.9)
#: Radians in a degree, degrees in a radian; relative error of these rounded to three digits.
_RATIOS, _THREE_DIGITS = (math.pi / 180.0, 180.0 / math.pi), 3e-3
#: Largest accepted difference of a quaternion's length from 1: numbers may have two decimals.
_ROUNDED = 0.02


def limits_in_degrees(robot: RobotDescription) -> Iterator[Finding]:
    """Yield findings on revolute joints with limits from two turns to 720 rad that are multiples of 0.5."""
    for joint in robot.joints.values():
        bounds = [value for value in (joint.limits.lower, joint.limits.upper) if value is not None]
        largest = max(map(abs, bounds), default=0.0)
        whole = all(value % 0.5 == 0.0 for value in bounds)
        if joint.type == "revolute" and whole and _TWO_TURNS < largest <= _DEGREES:
            text = f"has a limit of {largest:g} rad; are these degrees?"
            yield joint.finding("limit in degrees", text, asks=True)


def turned_poses(root: etree._Element, *contents: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Yield findings on poses with an angle of more than a turn, or with a quaternion that is not normalized.

    Poses are those of joints and inertials, and of the anchors of loop joints and springs.

    Args:
        root: <robot>, whose numbers are checked already.
        contents: sections (:data:`.SECTIONS`) of our tags, the partition file and other tools' elements.
    """
    for kind, path in (("link", "inertial/origin"), ("joint", "origin")):
        for element in root.findall(kind):
            for origin in element.findall(path):
                name = element.get("name", "")
                yield from _turned(f"<origin> of {kind} '{name}' has", kind, name, attributes(origin))
    for content in contents:
        for section, kind in (("loop_joints", "loop joint"), ("springs", "spring")):
            for item in (content or {}).get(section) or []:
                name = str(item["name"])
                for anchor in (item.get("predecessor"), item.get("successor"), *(item.get("anchors") or [])):
                    values = {**(anchor or {}), LINE: item.get(LINE)}
                    yield from _turned(f"{kind} '{name}' has an anchor with", kind, name, values)


def _turned(where: str, kind: str, name: str, values: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield findings on one pose; ``where`` begins their text."""
    entry = Entry(values, where, UrdfError)
    rpy = entry.numbers("rpy", 3, [0.0] * 3)
    if max(map(abs, rpy)) > _TURN:
        text = f"{where} rpy='{' '.join(f'{number:g}' for number in rpy)}' [rad]; are these degrees?"
        yield Finding("angle in degrees", kind, name, text, entry.line, asks=True)
    quaternion = entry.numbers("quat_xyzw", 4, [0.0, 0.0, 0.0, 1.0])
    if abs((length := math.hypot(*quaternion)) - 1.0) > _ROUNDED:
        shown = " ".join(f"{number:g}" for number in quaternion)
        text = (
            f"{where} quat_xyzw='{shown}', of length {length:.3g}, not 1; are these the numbers x y z w of a "
            "quaternion?"
        )
        yield Finding("length of a quaternion", kind, name, text, entry.line, asks=True)


def offsets_in_degrees(robot: RobotDescription, annotations: Annotations) -> Iterator[Finding]:
    """Yield findings on angles of mimic joints, gears and springs at joints that may be in degrees.

    These are offsets and rest positions above a turn, and ratios of 180/pi or pi/180 up to three digits.
    """
    lines = annotations.lines
    angles: list[tuple[str, str, float, int | str | None]] = []
    ratios = list(angles)
    for joint in robot.joints.values():
        if (mimic := joint.mimic) is not None:
            angles.append(("offset of its <mimic>", joint.name, mimic.offset, joint.line))
            ratios.append(("multiplier of its <mimic>", joint.name, mimic.multiplier, joint.line))
    for gear in annotations.gears:
        line = lines.get(("gears", gear.joint))
        angles.append(("offset of its gear", gear.joint, gear.offset, line))
        ratios += [("ratio of its gear", gear.joint, ratio, line) for _, ratio in gear.drivers]
    for one in annotations.joint_dynamics:
        line = lines.get(("joint_dynamics", one.joint))
        angles.append(("rest_position of its spring", one.joint, one.rest_position, line))
    turning = {name for name, joint in robot.joints.items() if joint.type in ("revolute", "continuous")}
    beyond = [one for one in angles if one[1] in turning and abs(one[2]) > _TURN]
    beyond += [
        one for one in ratios if any(abs(abs(one[2]) / factor - 1.0) < _THREE_DIGITS for factor in _RATIOS)
    ]
    for what, name, value, line in beyond:
        unit = "" if what.startswith(("multiplier", "ratio")) else " rad"
        text = f"joint '{name}': the {what} is {value:g}{unit}; are these degrees?"
        yield Finding("angle in degrees", "joint", name, text, line, asks=True)


def unusual_gravity(gravity: NDArray[np.float64], root: etree._Element) -> Iterator[Finding]:
    """Yield a finding if the file's gravity is none of :data:`_GRAVITIES`."""
    size = math.hypot(*gravity.tolist())
    if not any(low <= size <= high for low, high in _GRAVITIES):
        text = f"gravity is {size:.6g} m/s^2; is it in m/s^2?"
        tags = root.find("modular_dynamics")
        line = None if tags is None else line_of(tags)
        yield Finding("unusual gravity", "robot", root.get("name", ""), text, line, asks=True)
