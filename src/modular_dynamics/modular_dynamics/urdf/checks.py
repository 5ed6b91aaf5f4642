"""Checks of a whole description: it must be one tree, with possible masses and mimics."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

import numpy as np

from ..exceptions import UrdfError
from ..model import Mimic
from .description import JointDescription, LinkDescription, RobotDescription

__all__ = ["check_inertias", "check_tree", "resolve_mimics", "warn_dubious"]


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
    reached, open_links, below = set(roots), list(roots), robot.children()
    while open_links:
        children = [joint.child for joint in below[open_links.pop()]]
        reached.update(children)
        open_links.extend(children)
    cyclic = [joint for joint in robot.joints.values() if joint.child not in reached]
    if cyclic:
        names = ", ".join(f"'{joint.name}'" for joint in cyclic)
        raise UrdfError(f"joints {names} form a cycle; a tree is needed", cyclic[0].line)
    for joint in robot.joints.values():
        if joint.type == "floating" and joint.parent != roots[0]:
            raise UrdfError(
                f"floating joint '{joint.name}' must start at the root link '{roots[0]}'", joint.line
            )


def resolve_mimics(robot: RobotDescription) -> RobotDescription:
    """Every mimic joint points at a driver that mimics no other; chains are multiplied out.

    Raises:
        UrdfError: the driver is missing, fixed or floating, or mimics form a ring.
    """
    joints = dict(robot.joints)
    for joint in robot.joints.values():
        if joint.mimic is None:
            continue
        if not joint.moves:
            joints[joint.name] = replace(joint, mimic=None)
            robot.warnings.append(f"line {joint.line}: joint '{joint.name}' is fixed; its <mimic> is ignored")
            continue
        seen, multiplier, offset, at = [joint.name], 1.0, 0.0, joint
        while at.mimic is not None:
            driver = robot.joints.get(at.mimic.joint)
            if driver is None or driver.type in ("fixed", "floating"):
                state = "missing" if driver is None else driver.type
                raise UrdfError(f"joint '{at.name}' mimics the {state} joint '{at.mimic.joint}'", at.line)
            multiplier, offset = multiplier * at.mimic.multiplier, offset + multiplier * at.mimic.offset
            if driver.name in seen:
                raise UrdfError(f"mimic joints form a ring: {' -> '.join([*seen, driver.name])}", at.line)
            seen.append(driver.name)
            at = driver
        joints[joint.name] = replace(joint, mimic=Mimic(at.name, multiplier, offset))
    return replace(robot, joints=joints)


def check_inertias(robot: RobotDescription) -> None:
    """Masses are not negative, principal moments neither; a broken triangle inequality is a warning.

    Raises:
        UrdfError: names the link and its line.
    """
    for link in robot.links.values():
        if link.mass < 0.0:
            raise UrdfError(f"link '{link.name}' has mass {link.mass:g} kg; it cannot be negative", link.line)
        moments = np.linalg.eigvalsh(link.inertia)
        rounding = 1e-9 * float(np.abs(moments).max())
        if moments[0] < -rounding:
            shown = ", ".join(f"{moment:.6g}" for moment in moments)
            raise UrdfError(
                f"link '{link.name}' has an inertia with the principal moments {shown} kg m^2; "
                "none can be negative",
                link.line,
            )
        if moments[2] > moments[0] + moments[1] + rounding:
            robot.warnings.append(_triangle(link, moments))


def _triangle(link: LinkDescription, moments: np.ndarray) -> str:
    shown = ", ".join(f"{moment:.6g}" for moment in moments)
    return (
        f"line {link.line}: link '{link.name}' breaks the triangle inequality of inertias (principal moments "
        f"{shown} kg m^2: the largest exceeds the sum of the others); no rigid body is like that"
    )


def warn_dubious(robot: RobotDescription, closed: Set[str] = frozenset()) -> None:
    """Warnings on what vendors ship: massless ends of chains, limits of zero.

    Links in ``closed`` end no chain: loops go on from them.
    """
    below = robot.children()

    def fixed_with(link: str) -> list[str]:
        """Links of the body that starts at ``link``."""
        links = [link]
        for found in links:  # grows as it goes
            links.extend(joint.child for joint in below[found] if not joint.moves)
        return links

    for joint in robot.joints.values():
        if not joint.moves:
            continue
        body = fixed_with(joint.child)
        ends = not any(below_joint.moves for link in body for below_joint in below[link])
        if ends and closed.isdisjoint(body) and not any(robot.links[link].mass for link in body):
            robot.warnings.append(
                f"line {robot.links[joint.child].line}: link '{joint.child}' moves, has no mass "
                "and ends a chain"
            )
        for kind, value in (("an effort", joint.limits.effort), ("a velocity", joint.limits.velocity)):
            if value == 0.0:
                robot.warnings.append(f"line {joint.line}: joint '{joint.name}' has {kind} limit of zero")
