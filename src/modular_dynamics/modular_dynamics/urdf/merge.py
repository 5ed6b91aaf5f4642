"""Fixed links merged into the bodies that carry them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra import DualQuaternion, rotation_matrix, translation
from ..model import Body
from .description import LinkDescription, RobotDescription

__all__ = ["Carrier", "carriers", "merged_body"]


@dataclass(frozen=True)
class Carrier:
    """The body that carries a link.

    Attributes:
        joint: the moving joint above that body; None: the ground.
        x_body_link: pose of the link in that body.
        box: the black box, if any, whose fixed part the link belongs to.
    """

    joint: str | None
    x_body_link: DualQuaternion
    box: str | None = None


def carriers(robot: RobotDescription, fixed_roots: dict[str, str]) -> dict[str, Carrier]:
    """The carrier of every link. ``fixed_roots``: root link -> name of the black box fixed there."""
    result = {robot.root: Carrier(None, DualQuaternion.identity)}
    links = [robot.root]
    while links:
        parent = links.pop()
        for joint in robot.below[parent]:
            if joint.moves:
                result[joint.child] = Carrier(joint.name, DualQuaternion.identity)
            else:
                carrier = result[parent]
                box = fixed_roots.get(joint.child, carrier.box)
                result[joint.child] = Carrier(carrier.joint, carrier.x_body_link * joint.x_parent_joint, box)
            links.append(joint.child)
    return result


def merged_body(name: str, parts: list[tuple[LinkDescription, DualQuaternion]]) -> Body:
    """One body of links at poses x_body_link: masses add, centres of mass average, inertias by Steiner."""
    mass = sum(link.mass for link, _ in parts)
    rotations = [rotation_matrix(x.primary) for _, x in parts]
    coms = [R @ link.com + translation(x) for R, (link, x) in zip(rotations, parts, strict=True)]
    if mass > 0.0:
        com = np.sum([link.mass * c for (link, _), c in zip(parts, coms, strict=True)], axis=0) / mass
    else:
        com = coms[0]
    inertia = np.zeros((3, 3))
    for R, c, (link, _) in zip(rotations, coms, parts, strict=True):
        d = c - com
        inertia += R @ link.inertia @ R.T + link.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Body(name, float(mass), com, inertia, {link.name: x for link, x in parts})
