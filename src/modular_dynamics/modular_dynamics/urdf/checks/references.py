"""Our tags refer to links and joints that exist, and each loop joint closes a loop."""

from __future__ import annotations

from ...exceptions import PartitionError
from ..annotations import Annotations
from ..description import RobotDescription
from ..merge import carriers

__all__ = ["check_references"]

_ELEMENTS = {
    "loop_joints": "loop joint",
    "passive": "passive joint",
    "gears": "gear of joint",
    "springs": "spring",
}
#: Section, name of the element, and the name of the link or joint that it refers to.
_Reference = tuple[str, str, str]


def check_references(robot: RobotDescription, annotations: Annotations) -> None:
    """Tags name links and joints that exist, and the ends of a loop joint belong to different bodies.

    Raises:
        PartitionError: names the element, its line, and the unknown name; or the two links of a loop joint
            that no joint moves against each other.
    """
    for kind, known, references in (
        ("link", robot.links, _links(annotations)),
        ("joint", robot.joints, _joints(annotations)),
    ):
        for section, owner, name in references:
            if name not in known:
                raise PartitionError(
                    f"{_ELEMENTS[section]} '{owner}' names the unknown {kind} '{name}'",
                    annotations.lines.get((section, owner)),
                )
    _check_loops(robot, annotations)


def _links(annotations: Annotations) -> list[_Reference]:
    links = [
        ("loop_joints", loop.name, anchor.link)
        for loop in annotations.loop_joints
        for anchor in (loop.predecessor, loop.successor)
    ]
    return links + [
        ("springs", spring.name, anchor.link) for spring in annotations.springs for anchor in spring.anchors
    ]


def _joints(annotations: Annotations) -> list[_Reference]:
    joints = [("passive", name, name) for name in annotations.passive]
    for gear in annotations.gears:
        joints += [
            ("gears", gear.joint, name) for name in (gear.joint, *(driver for driver, _ in gear.drivers))
        ]
    return joints


def _check_loops(robot: RobotDescription, annotations: Annotations) -> None:
    """The two links of a loop joint belong to different bodies."""
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
