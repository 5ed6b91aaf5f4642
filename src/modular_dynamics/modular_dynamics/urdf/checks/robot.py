"""Checks of the whole robot: tree, mimic joints, names in tags, limits, masses and inertias."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from lxml import etree

from ...exceptions import PartitionError, UrdfError
from ...model import Finding, JointType, LoopJoint, Mimic, Spring, SubsystemGraph
from ...text.numbers import LARGEST
from ..description import Annotations, JointDescription, RobotDescription, carriers
from ..source import line_of, numbers_in
from ..tags import SECTIONS

#: URDF's types of joints with several coordinates.
_SEVERAL_COORDINATES = ("floating", "planar")


def check_tree(robot: RobotDescription) -> None:
    """Check that links and joints form one tree.

    Raises:
        UrdfError: no link, an unknown link, two joints with the same child, several roots, or a cycle.
    """
    if not robot.links:
        raise UrdfError(f"robot '{robot.name}' has no links")
    above: dict[str, JointDescription] = {}
    for joint in robot.joints.values():
        for end in (joint.parent, joint.child):
            if end not in robot.links:
                known = ", ".join(list(robot.links)[:12])
                raise UrdfError(
                    f"joint '{joint.name}' names the unknown link '{end}'; links: {known}", joint.line
                )
        if joint.child in above:
            raise UrdfError(
                f"joints '{above[joint.child].name}' and '{joint.name}' have the same child link "
                f"'{joint.child}'; a tree has one joint above each link (close loops with <loop_joint>)",
                joint.line,
            )
        above[joint.child] = joint
    roots = [name for name in robot.links if name not in above]
    if len(roots) > 1:
        second = robot.links[roots[1]]
        names = ", ".join(roots[:12]) + (", ..." if len(roots) > 12 else "")
        raise UrdfError(f"several root links: {names}; one root is needed", second.line)
    reached = {*robot.in_order} if roots else set()
    if lost := [joint for joint in robot.joints.values() if joint.child not in reached]:
        names = ", ".join(f"'{joint.name}'" for joint in lost[:12]) + ", ..." * (len(lost) > 12)
        raise UrdfError(f"joints {names} form a cycle, or are below one; a tree is needed", lost[0].line)


def resolve_mimics(robot: RobotDescription) -> tuple[RobotDescription, list[Finding]]:
    """Return the robot with chains of mimic joints resolved, and findings on mimic elements of fixed joints.

    Afterwards no joint mimics a mimic joint: multipliers and offsets along a chain are combined.

    Raises:
        UrdfError: the driver is missing, fixed, floating or planar, a joint with several coordinates mimics
            one, or mimic joints form a cycle.
    """
    joints, findings, resolved = dict(robot.joints), list[Finding](), dict[str, Mimic]()
    for joint in robot.joints.values():
        if joint.mimic is None:
            continue
        if not joint.moves:
            joints[joint.name] = replace(joint, mimic=None)
            text = "is fixed and has a <mimic>"
            findings.append(joint.finding("mimic of a fixed joint", text, "; it is ignored"))
            continue
        if joint.type in _SEVERAL_COORDINATES:
            raise UrdfError(
                f"{joint.type} joint '{joint.name}' has several coordinates; it cannot mimic", joint.line
            )
        _resolve(joint, robot, resolved)
        joints[joint.name] = replace(joint, mimic=resolved[joint.name])
    return replace(robot, joints=joints), findings


def _resolve(joint: JointDescription, robot: RobotDescription, resolved: dict[str, Mimic]) -> None:
    """Add to ``resolved`` the combined mimic of this joint, and of all mimic joints on its chain."""
    chain, follower = dict[str, JointDescription](), joint
    while follower.mimic is not None and follower.name not in resolved:
        chain[follower.name] = follower
        name, line = follower.mimic.joint, follower.line
        driver = robot.joints.get(name)
        if driver is None or driver.type in ("fixed", *_SEVERAL_COORDINATES):
            state = "missing" if driver is None else driver.type
            raise UrdfError(f"joint '{follower.name}' mimics the {state} joint '{name}'", line)
        if name in chain:
            raise UrdfError(f"mimic joints form a cycle: {' -> '.join([*chain, name])}", line)
        follower = driver
    for name, one in reversed(chain.items()):
        mimic = one.mimic or Mimic(name)
        first = resolved.get(mimic.joint, Mimic(mimic.joint))
        factor, offset = mimic.multiplier * first.multiplier, mimic.offset + mimic.multiplier * first.offset
        if max(abs(factor), abs(offset)) > LARGEST:
            raise UrdfError(
                f"joint '{name}' mimics joint '{first.joint}', by others, with multiplier {factor:g} and "
                f"offset {offset:g}; at most {LARGEST:g} are accepted",
                one.line,
            )
        resolved[name] = Mimic(first.joint, factor, offset)


def check_references(robot: RobotDescription, annotations: Annotations) -> None:
    """Check the names in tags, and that each loop joint connects two bodies.

    Names of joints, loop joints and springs must differ, because reactions are looked up by name.

    Raises:
        PartitionError: names the element, its line, and the unknown name; a passive or independent joint
            without a motion of its own; two elements of one name; or the two links of a loop joint that no
            joint moves against each other.
    """
    known = {"link": set(robot.links), "joint": set(robot.joints)}
    for section, owner, kind, name in _references(annotations):
        if name not in known[kind]:
            raise PartitionError(
                f"{SECTIONS[section].one} '{owner}' names the unknown {kind} '{name}'",
                annotations.lines.get((section, owner)),
            )
    for section, names in (("passive", annotations.passive), ("independent", annotations.independent or ())):
        for joint in (robot.joints[name] for name in names):
            if not joint.moves or joint.mimic is not None:
                state = "is fixed" if joint.mimic is None else f"mimics joint '{joint.mimic.joint}'"
                raise PartitionError(
                    f"{SECTIONS[section].one} '{joint.name}' {state}; one with a motion of its own is needed",
                    annotations.lines.get((section, joint.name)),
                )
    named = {name: "joint" for name, joint in robot.joints.items() if joint.moves}
    for section, element in _closing_elements(annotations):
        if (name := element.name) in named:
            raise PartitionError(
                f"{SECTIONS[section].one} '{name}' has the name of {named[name]} '{name}'; "
                "rename one of them",
                annotations.lines.get((section, name)),
            )
        named[name] = SECTIONS[section].one
    carrier = carriers(robot, {})
    for loop in annotations.loop_joints:
        before, after = loop.predecessor.link, loop.successor.link
        if carrier[before].joint == carrier[after].joint:
            same = f"its two ends are both on link '{before}'"
            fixed = f"its ends, on the links '{before}' and '{after}', are fixed to each other"
            raise PartitionError(
                f"loop joint '{loop.name}' closes no loop: {same if before == after else fixed}; name two "
                "links that joints move against each other",
                annotations.lines.get(("loop_joints", loop.name)),
            )


def idle_springs(robot: RobotDescription, annotations: Annotations) -> Iterator[Finding]:
    """Yield findings on springs between two links of one body.

    Springs at unknown links are skipped: :func:`check_references` raises an error for them.
    """
    carrier = carriers(robot, {}) if annotations.springs else {}
    for spring in annotations.springs:
        first, second = (anchor.link for anchor in spring.anchors)
        if not {first, second} <= carrier.keys():
            continue
        if carrier[first].joint == carrier[second].joint:
            ends = f"are both on link '{first}'" if first == second else "are fixed to each other"
            line = annotations.lines.get(("springs", spring.name))
            text = f"the ends of spring '{spring.name}' {ends}"
            assumed = "; it has no effect on torques"
            yield Finding("spring on one body", "spring", spring.name, text, line, assumed)


def _closing_elements(annotations: Annotations) -> Iterator[tuple[str, LoopJoint | Spring]]:
    """Yield loop joints, then springs, each after the name of its section."""
    yield from (("loop_joints", loop) for loop in annotations.loop_joints)
    yield from (("springs", spring) for spring in annotations.springs)


def _references(annotations: Annotations) -> Iterator[tuple[str, str, str, str]]:
    """Yield each reference in tags: section, name of the entry, "link" or "joint", name that it refers to."""
    for section, element in _closing_elements(annotations):
        for anchor in element.anchors:
            yield section, element.name, "link", anchor.link
    for name in annotations.passive:
        yield "passive", name, "joint", name
    for name in annotations.independent or ():
        yield "independent", name, "joint", name
    for name in annotations.spherical:
        yield "spherical", name, "joint", name
    for dynamics in annotations.joint_dynamics:
        yield "joint_dynamics", dynamics.joint, "joint", dynamics.joint
    for gear in annotations.gears:
        for name in (gear.joint, *(driver for driver, _ in gear.drivers)):
            yield "gears", gear.joint, "joint", name


# Limits, damping and friction of joints: impossible values are removed.


def possible_joints(robot: RobotDescription) -> tuple[RobotDescription, list[Finding]]:
    """Return the robot without impossible limits and friction of joints, and a finding for each of them.

    Negative effort and velocity limits, and position limits with the lower above the upper one, become no
    limit; negative damping and friction, which would drive the joint, become zero.
    """
    joints, findings = dict(robot.joints), list[Finding]()
    for joint in robot.joints.values():
        limits, damping, friction = joint.limits, max(joint.damping, 0.0), max(joint.friction, 0.0)
        for name, what, value in _bounds(joint):
            if value is not None and value < 0.0:
                limits = replace(limits, **{name: None})
                text = f"has {what} of {value:g}"
                findings.append(joint.finding("negative limit", text, "; it is taken as none"))
        lower, upper = limits.lower, limits.upper
        if lower is not None and upper is not None and lower > upper:
            limits = replace(limits, lower=None, upper=None)
            text = f"has the lower limit {lower:g} above the upper limit {upper:g}"
            findings.append(joint.finding("reversed limits", text, "; its position is unlimited"))
        for name, value in (("damping", joint.damping), ("friction", joint.friction)):
            if value < 0.0:
                text = f"has a {name} of {value:g}"
                findings.append(joint.finding("negative friction", text, "; it is taken as zero"))
        joints[joint.name] = replace(joint, limits=limits, damping=damping, friction=friction)
    return replace(robot, joints=joints), findings


def immovable_joints(robot: RobotDescription) -> Iterator[Finding]:
    """Yield findings on joints whose position limits are both zero, URDF's default: probably forgotten.

    The library treats equal limits as no limits. Mimic joints are skipped: their driver's limits count.
    """
    for joint in robot.joints.values():
        if joint.mimic is None and joint.limits.lower == joint.limits.upper == 0.0:
            text = "has lower and upper limits of zero, as they also are where <limit> lacks them"
            yield joint.finding("position limits of zero", text, "; they count as none", asks=True)


def zero_limits(robot: RobotDescription) -> Iterator[Finding]:
    """Yield findings on effort and velocity limits of zero: many vendors write unknown ones so. They stay."""
    for joint in robot.joints.values():
        for name, what, value in _bounds(joint):
            if joint.moves and value == 0.0:
                yield joint.finding(f"{name} limit of zero", f"has {what} of zero")


def _bounds(joint: JointDescription) -> tuple[tuple[str, str, float | None], ...]:
    """Return for effort and velocity: the limit's field, its name in messages, its value."""
    limits = joint.limits
    return ("effort", "an effort limit", limits.effort), ("velocity", "a velocity limit", limits.velocity)


# Masses and inertias that no rigid body can have.

#: Negative moments of at most this share of the largest one are rounding errors.
ROUNDING = 1e-9
#: Share of the largest moment by which numbers of six digits may break a thin plate's triangle inequality.
SIX_DIGITS = 1e-5
#: Length [m]: moments of inertia below mass * length^2 are rounding errors of the file.
MICROMETRE = 1e-6


def check_links(robot: RobotDescription) -> Iterator[Finding]:
    """Yield findings on inertias with a negative principal moment, or one above the sum of the others.

    No rigid body has them, but published robots do, often where they have no effect (an antenna of 1 mg that
    is fixed to a base), so they are used as given. :func:`check_joint_inertias` raises an error where they
    would make a kinetic energy negative.

    Raises:
        UrdfError: a negative mass; names the link and its line.
    """
    for link in robot.links.values():
        if link.mass < 0.0:
            raise UrdfError(f"link '{link.name}' has mass {link.mass:g} kg; it cannot be negative", link.line)
        moments = np.linalg.eigvalsh(link.inertia)
        largest = float(np.abs(moments).max())
        is_negative = moments[0] < -ROUNDING * largest
        if not is_negative and moments[2] <= moments[0] + moments[1] + SIX_DIGITS * largest:
            continue
        if largest <= link.mass * MICROMETRE**2:
            continue  # zero but for rounding errors of the file
        shown = f"principal moments {', '.join(f'{moment:.6g}' for moment in moments)} kg m^2"
        if is_negative:
            text = f"has the {shown}; no rigid body has a negative one"
            assumed = ". They are used as given: kinetic energy may be negative and forward dynamics fail"
            yield link.finding("negative moment of inertia", text, assumed)
        else:
            text = (
                f"breaks the triangle inequality of inertias ({shown}: the largest exceeds the sum of the "
                "others); no rigid body has such an inertia"
            )
            yield link.finding("broken triangle inequality", text, ". It is used as given")


def asymmetric_inertias(root: etree._Element) -> Iterator[Finding]:
    """Yield findings on inertias that give two different numbers for one entry of the symmetric matrix."""
    for link in root.findall("link"):
        for inertia in link.iterfind("inertial/inertia"):
            for key, mirrored in (("ixy", "iyx"), ("ixz", "izx"), ("iyz", "izy")):
                given, other = (inertia.get(name) for name in (key, mirrored))
                if given is None or other is None or numbers_in(given) == numbers_in(other):
                    continue
                name = link.get("name", "")
                what = f"{key}={given} and {mirrored}={other}, which is the same entry"
                text = f"<inertia> of link '{name}' has {what}"
                assumed, hint = f"; {key} counts", f"; leave {mirrored} out, or write the same number"
                yield Finding("contradicting inertia", "link", name, text, line_of(inertia), assumed, hint)


def check_joint_inertias(graph: SubsystemGraph, robot: RobotDescription) -> None:
    """Check that no body has a negative moment of inertia about the axis of its joint, beyond rounding.

    The moment about the axis a through the body's origin is a^T I a + m (c^2 - (a . c)^2), with c the centre
    of mass (Steiner). A negative one would mean negative kinetic energy when that joint moves alone.

    Raises:
        UrdfError: names the joint, its line and the moment.
    """
    for joint, body in zip(graph.joints, graph.bodies, strict=True):
        if joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS):
            continue
        axis = joint.axis
        terms = [axis @ body.inertia @ axis, body.mass * (body.com @ body.com - (axis @ body.com) ** 2)]
        moment, scale = float(sum(terms)), float(np.abs([*terms, *body.inertia.ravel()]).max())
        if moment < -ROUNDING * scale - body.mass * MICROMETRE**2:
            raise UrdfError(
                f"joint '{joint.name}' turns link '{body.name}', whose moment of inertia about the axis is "
                f"{moment:.6g} kg m^2; it cannot be negative",
                robot.joints[joint.name].line,
            )
