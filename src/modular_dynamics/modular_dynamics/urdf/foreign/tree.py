"""The tree of a URDF with all joints at zero: where links are, and the joints above them."""

from collections.abc import Mapping
from functools import cached_property

from ...algebra import DualQuaternion
from ..description import JointDescription, RobotDescription

__all__ = ["Tree"]

_ONE_COORDINATE = ("revolute", "continuous", "prismatic")


class Tree:
    """Links and joints of a robot whose joints form a tree."""

    def __init__(self, robot: RobotDescription) -> None:
        self.robot = robot

    @cached_property
    def poses(self) -> Mapping[str, DualQuaternion]:
        """Each link's pose in the root link, with all joints at zero: a joint's frame is its child's."""
        poses, links = {self.robot.root: DualQuaternion.identity}, [self.robot.root]
        for link in links:  # grows while it is read
            for joint in self.robot.below[link]:
                poses[joint.child] = poses[link] * joint.x_parent_joint
                links.append(joint.child)
        return poses

    def above(self, link: str) -> list[JointDescription]:
        """The moving joints between the root and a link, from the root on."""
        joints = list[JointDescription]()
        while link != self.robot.root:
            joint = self.robot.above[link]
            joints += [joint] if joint.moves else []
            link = joint.parent
        return joints[::-1]

    def between(self, first: str, second: str) -> tuple[list[JointDescription], list[JointDescription]]:
        """The moving joints from the nearest common link to each of two links, from there on."""
        one, other = self.above(first), self.above(second)
        common = sum(a is b for a, b in zip(one, other, strict=False))
        return one[common:], other[common:]

    def has_one_coordinate(self, name: str) -> bool:
        """Whether there is a joint of this name that moves by one coordinate."""
        joint = self.robot.joints.get(name)
        return joint is not None and joint.type in _ONE_COORDINATE
