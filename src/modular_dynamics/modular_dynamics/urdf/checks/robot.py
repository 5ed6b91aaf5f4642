"""The robot as a whole: one tree, possible masses, mimic joints with drivers, tags that name parts of it."""

from collections.abc import Iterator, Set
from dataclasses import replace

import numpy as np

from ...exceptions import PartitionError, UrdfError
from ...model import LoopJoint, Mimic, Spring
from ..description import Annotations, JointDescription, RobotDescription, carriers

__all__ = ["check_inertias", "check_references", "check_tree", "resolve_mimics", "suspicious_joints"]

#: What the entries of our tags' sections are called.
_ELEMENTS = {
    "loop_joints": "loop joint",
    "passive": "passive joint",
    "gears": "gear of joint",
    "springs": "spring",
}


def check_tree(robot: RobotDescription) -> None:
    """One root, every link below it, one joint above each.

    Raises:
        UrdfError: no link, an unknown link, two joints with the same child, several roots, a cycle, or a
            floating joint that does not start at the root.
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
        raise UrdfError(f"several root links: {', '.join(roots)}; one root is needed", second.line)
    reached = list(roots)
    for link in reached:  # grows while it is read
        reached.extend(joint.child for joint in robot.below[link])
    cyclic = [joint for joint in robot.joints.values() if joint.child not in reached]
    if cyclic:
        names = ", ".join(f"'{joint.name}'" for joint in cyclic)
        raise UrdfError(f"joints {names} form a cycle; a tree is needed", cyclic[0].line)
    for joint in robot.joints.values():
        if joint.type == "floating" and joint.parent != roots[0]:
            raise UrdfError(
                f"floating joint '{joint.name}' must start at the root link '{roots[0]}'", joint.line
            )


def resolve_mimics(robot: RobotDescription) -> tuple[RobotDescription, list[str]]:
    """Every mimic joint with a driver that mimics no other joint, factors of chains multiplied; and warnings.

    Raises:
        UrdfError: the driver is missing, fixed or floating, or mimic joints form a cycle.
    """
    joints, warnings = dict(robot.joints), []
    for joint in robot.joints.values():
        if joint.mimic is None:
            continue
        if not joint.moves:
            joints[joint.name] = replace(joint, mimic=None)
            warnings.append(f"line {joint.line}: joint '{joint.name}' is fixed; its <mimic> is ignored")
            continue
        chain, multiplier, offset, follower = [joint.name], 1.0, 0.0, joint
        while (mimic := follower.mimic) is not None:
            driver = robot.joints.get(mimic.joint)
            if driver is None or driver.type in ("fixed", "floating"):
                state = "missing" if driver is None else driver.type
                raise UrdfError(
                    f"joint '{follower.name}' mimics the {state} joint '{mimic.joint}'", follower.line
                )
            multiplier, offset = multiplier * mimic.multiplier, offset + multiplier * mimic.offset
            if driver.name in chain:
                cycle = " -> ".join([*chain, driver.name])
                raise UrdfError(f"mimic joints form a cycle: {cycle}", follower.line)
            chain.append(driver.name)
            follower = driver
        joints[joint.name] = replace(joint, mimic=Mimic(follower.name, multiplier, offset))
    return replace(robot, joints=joints), warnings


def check_inertias(robot: RobotDescription) -> list[str]:
    """No mass and no principal moment is negative; return a warning for each broken triangle inequality.

    Raises:
        UrdfError: names the link and its line.
    """
    warnings = []
    for link in robot.links.values():
        if link.mass < 0.0:
            raise UrdfError(f"link '{link.name}' has mass {link.mass:g} kg; it cannot be negative", link.line)
        moments = np.linalg.eigvalsh(link.inertia)
        rounding = 1e-9 * float(np.abs(moments).max())
        shown = ", ".join(f"{moment:.6g}" for moment in moments)
        if moments[0] < -rounding:
            raise UrdfError(
                f"link '{link.name}' has an inertia with the principal moments {shown} kg m^2; "
                "none can be negative",
                link.line,
            )
        if moments[2] > moments[0] + moments[1] + rounding:
            warnings.append(
                f"line {link.line}: link '{link.name}' breaks the triangle inequality of inertias (principal "
                f"moments {shown} kg m^2: the largest exceeds the sum of the others); no rigid body has such "
                "an inertia"
            )
    return warnings


def suspicious_joints(robot: RobotDescription, linked_by_loops: Set[str]) -> list[str]:
    """Warnings about what vendors' files often contain: chains that end without mass, limits of zero.

    Links in ``linked_by_loops`` end no chain: a loop continues there.
    """
    warnings = []
    for joint in robot.joints.values():
        if not joint.moves:
            continue
        body = robot.body_links(joint.child)
        ends_chain = linked_by_loops.isdisjoint(body) and not any(
            child.moves for link in body for child in robot.below[link]
        )
        if ends_chain and not any(robot.links[link].mass for link in body):
            line = robot.links[joint.child].line
            warnings.append(f"line {line}: link '{joint.child}' moves, has no mass and ends a chain")
        for kind, value in (("an effort", joint.limits.effort), ("a velocity", joint.limits.velocity)):
            if value == 0.0:
                warnings.append(f"line {joint.line}: joint '{joint.name}' has {kind} limit of zero")
    return warnings


def check_references(robot: RobotDescription, annotations: Annotations) -> None:
    """Tags name links and joints that exist, and the ends of a loop joint belong to different bodies.

    Joints, loop joints and springs, whose reactions are found by name, have different names.

    Raises:
        PartitionError: names the element, its line, and the unknown name; two elements of one name; or the
            two links of a loop joint that no joint moves against each other.
    """
    known = {"link": set(robot.links), "joint": set(robot.joints)}
    for section, owner, kind, name in _references(annotations):
        if name not in known[kind]:
            raise PartitionError(
                f"{_ELEMENTS[section]} '{owner}' names the unknown {kind} '{name}'",
                annotations.lines.get((section, owner)),
            )
    named = {name: "joint" for name, joint in robot.joints.items() if joint.moves}
    for section, element in _closing_elements(annotations):
        if (name := element.name) in named:
            raise PartitionError(
                f"{_ELEMENTS[section]} '{name}' has the name of {named[name]} '{name}'; rename one of them",
                annotations.lines.get((section, name)),
            )
        named[name] = _ELEMENTS[section]
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


def _closing_elements(annotations: Annotations) -> Iterator[tuple[str, LoopJoint | Spring]]:
    """Loop joints, then springs, with their sections."""
    yield from (("loop_joints", loop) for loop in annotations.loop_joints)
    yield from (("springs", spring) for spring in annotations.springs)


def _references(annotations: Annotations) -> Iterator[tuple[str, str, str, str]]:
    """Section, name of the element, and "link" or "joint" with the name of the one that it refers to."""
    for section, element in _closing_elements(annotations):
        for anchor in element.anchors:
            yield section, element.name, "link", anchor.link
    for name in annotations.passive:
        yield "passive", name, "joint", name
    for gear in annotations.gears:
        for name in (gear.joint, *(driver for driver, _ in gear.drivers)):
            yield "gears", gear.joint, "joint", name
