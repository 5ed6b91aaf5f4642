"""Numbers that may be in other units: degrees, millimetres, kg mm^2. They are used as given, also strictly.

A winch turns a hundred times, and the mass of a ship lies far beyond its thrusters: these findings only ask.
"""

import math
from collections.abc import Iterator

import numpy as np
from lxml import etree

from ...algebra import to_rotation_translation
from ...model import Finding
from ...text.numbers import decimals
from ..description import LinkDescription, RobotDescription
from ..source import line_of

__all__ = [
    "angles_in_degrees",
    "lengths_in_other_units",
    "limits_in_degrees",
    "quaternions_of_other_length",
]

#: Limits of a revolute joint [rad] between these are probably degrees. Larger ones stand for none: published
#: robots write 999999 and 1e16.
_TWO_TURNS, _DEGREES = 4.0 * math.pi, 720.0
#: An angle of rpy [rad] above a turn, with some rounding.
_TURN = 2.0 * math.pi * 1.05
#: By how much the length of a quaternion may differ from 1 that is written with two decimals.
_ROUNDED = 0.02
#: Distances below this [m] are never reported: a vehicle may be larger than what its joints span.
_SHORTEST = 5.0
#: How many times the robot's reach a centre of mass may be away, and a radius of gyration be. In 366
#: published descriptions the largest are 0.8 and, for a link with 1 % of the robot's mass or more, 12.
_FARTHEST, _WIDEST, _NEGLIGIBLE = 10.0, 30.0, 0.01


def limits_in_degrees(robot: RobotDescription) -> Iterator[Finding]:
    """Revolute joints whose limits are whole numbers of two to more than a hundred turns."""
    for joint in robot.joints.values():
        bounds = [value for value in (joint.limits.lower, joint.limits.upper) if value is not None]
        largest = max(map(abs, bounds), default=0.0)
        whole = all(value == round(value) for value in bounds)
        if joint.type == "revolute" and whole and _TWO_TURNS < largest <= _DEGREES:
            text = f"joint '{joint.name}' has a limit of {largest:g} rad; are these degrees?"
            yield Finding("limit in degrees", "joint", joint.name, text, joint.line, asks=True)


def angles_in_degrees(root: etree._Element) -> Iterator[Finding]:
    """Origins of joints and inertials that turn by more than a turn; of a tree that is checked already."""
    for kind, path in (("link", "inertial/origin"), ("joint", "origin")):
        for element in root.findall(kind):
            for origin in element.findall(path):
                rpy = origin.get("rpy", "")
                if max(map(abs, decimals(rpy)), default=0.0) > _TURN:
                    name = element.get("name", "")
                    text = f"<origin> of {kind} '{name}' has rpy='{rpy}' [rad]; are these degrees?"
                    yield Finding("angle in degrees", kind, name, text, line_of(origin), asks=True)


def quaternions_of_other_length(root: etree._Element) -> Iterator[Finding]:
    """Quaternions of joints and inertials that are far from unit; readers divide them by their length."""
    for kind, path in (("link", "inertial/origin"), ("joint", "origin")):
        for element in root.findall(kind):
            for origin in element.findall(path):
                text = origin.get("quat_xyzw")
                length = 1.0 if text is None else math.hypot(*decimals(text))
                if abs(length - 1.0) > _ROUNDED:
                    name = element.get("name", "")
                    what = (
                        f"<origin> of {kind} '{name}' has quat_xyzw='{text}', of length {length:.3g}, not 1"
                    )
                    hint = "; are these the numbers x y z w of a quaternion?"
                    yield Finding(
                        "length of a quaternion", kind, name, what, line_of(origin), hint=hint, asks=True
                    )


def lengths_in_other_units(robot: RobotDescription) -> Iterator[Finding]:
    """Links whose mass lies, or is spread, far beyond the reach of the robot; none where it has no reach."""
    reach, total = _reach(robot), sum(link.mass for link in robot.links.values())
    if reach == 0.0:
        return
    for link in robot.links.values():
        distance = float(np.linalg.norm(link.com))
        if link.mass > 0.0 and distance > max(_FARTHEST * reach, _SHORTEST):
            text = (
                f"link '{link.name}' has its centre of mass {distance:.3g} m away from its origin, and all "
                f"joints reach {reach:.3g} m; are these millimetres?"
            )
            yield Finding("distant centre of mass", "link", link.name, text, link.line, asks=True)
        radius = _gyration(link)
        if link.mass >= _NEGLIGIBLE * total and radius > max(_WIDEST * reach, _SHORTEST):
            text = (
                f"link '{link.name}' has a moment of inertia as of {link.mass:.3g} kg in a distance of "
                f"{radius:.3g} m, and all joints reach {reach:.3g} m; is it in kg m^2?"
            )
            yield Finding("large inertia", "link", link.name, text, link.line, asks=True)


def _gyration(link: LinkDescription) -> float:
    """Radius of gyration [m]: sqrt(tr(I) / 2m), the mean distance of the mass from its centre."""
    moments = max(float(np.trace(link.inertia)), 0.0)
    return math.sqrt(moments / (2.0 * link.mass)) if link.mass > 0.0 else 0.0


def _reach(robot: RobotDescription) -> float:
    """The longest way [m] from the root through the origins of joints."""
    reach, links = {robot.root: 0.0}, [robot.root]
    for link in links:  # grows while it is read
        for joint in robot.below[link]:
            step = to_rotation_translation(joint.x_parent_joint)[1]
            reach[joint.child] = reach[link] + float(np.linalg.norm(step))
            links.append(joint.child)
    return max(reach.values())
