"""Our tags refer to links and joints that exist, and each loop joint closes a loop."""

from __future__ import annotations

from collections.abc import Iterator

from ...exceptions import PartitionError
from ..description import Annotations, RobotDescription, carriers

__all__ = ["check_references"]

_ELEMENTS = {
    "loop_joints": "loop joint",
    "passive": "passive joint",
    "gears": "gear of joint",
    "springs": "spring",
}


def check_references(robot: RobotDescription, annotations: Annotations) -> None:
    """Tags name links and joints that exist, and the ends of a loop joint belong to different bodies.

    Raises:
        PartitionError: names the element, its line, and the unknown name; or the two links of a loop joint
            that no joint moves against each other.
    """
    known = {"link": set(robot.links), "joint": set(robot.joints)}
    for section, owner, kind, name in _references(annotations):
        if name not in known[kind]:
            raise PartitionError(
                f"{_ELEMENTS[section]} '{owner}' names the unknown {kind} '{name}'",
                annotations.lines.get((section, owner)),
            )
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


def _references(annotations: Annotations) -> Iterator[tuple[str, str, str, str]]:
    """Section, name of the element, and "link" or "joint" with the name of the one that it refers to."""
    for loop in annotations.loop_joints:
        for anchor in (loop.predecessor, loop.successor):
            yield "loop_joints", loop.name, "link", anchor.link
    for spring in annotations.springs:
        for anchor in spring.anchors:
            yield "springs", spring.name, "link", anchor.link
    for name in annotations.passive:
        yield "passive", name, "joint", name
    for gear in annotations.gears:
        for name in (gear.joint, *(driver for driver, _ in gear.drivers)):
            yield "gears", gear.joint, "joint", name
