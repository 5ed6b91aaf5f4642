"""Angles that may be degrees. They are used as given, also strictly: a winch turns a hundred times.

Lengths, masses and inertias in other units: plausibility.py.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...model import Finding
from ...text.numbers import decimals
from ..description import Annotations, JointDescription, RobotDescription
from ..source import line_of
from .values import LINE

__all__ = [
    "anchors_in_degrees",
    "unusual_gravity",
    "angles_in_degrees",
    "limits_in_degrees",
    "offsets_in_degrees",
    "quaternions_of_other_length",
    "question",
]

#: Limits of a revolute joint [rad] between these are probably degrees. Larger ones stand for none: published
#: robots write 999999 and 1e16.
_TWO_TURNS, _DEGREES = 4.0 * math.pi, 720.0
#: An angle of rpy [rad] above a turn, with some rounding.
_TURN = 2.0 * math.pi * 1.05
#: Gravity [m/s^2]: none, the moon's, that of Mars, the earth's.
_GRAVITIES = (0.0, 0.0), (1.5, 1.7), (3.6, 3.8), (9.7, 9.9)
#: By how much the length of a quaternion may differ from 1 that is written with two decimals.
_ROUNDED = 0.02


def limits_in_degrees(robot: RobotDescription) -> Iterator[Finding]:
    """Revolute joints whose limits are whole or half numbers of two to more than a hundred turns."""
    for joint in robot.joints.values():
        bounds = [value for value in (joint.limits.lower, joint.limits.upper) if value is not None]
        largest = max(map(abs, bounds), default=0.0)
        whole = all(value % 0.5 == 0.0 for value in bounds)
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


def offsets_in_degrees(robot: RobotDescription, annotations: Annotations) -> Iterator[Finding]:
    """Offsets of mimic joints and gears, and rest positions of springs at joints, above a turn."""
    lines = annotations.lines
    offsets: list[tuple[str, str, float, int | str | None]] = [
        *(
            ("the offset of its <mimic>", joint.name, joint.mimic.offset, joint.line)
            for joint in robot.joints.values()
            if joint.mimic is not None
        ),
        *(
            ("the offset of its gear", gear.joint, gear.offset, lines.get(("gears", gear.joint)))
            for gear in annotations.gears
        ),
        *(
            (
                "the rest_position of its spring",
                one.joint,
                one.rest_position,
                lines.get(("joint_dynamics", one.joint)),
            )
            for one in annotations.joint_dynamics
        ),
    ]
    for what, name, value, line in offsets:
        joint = robot.joints.get(name)
        if joint is not None and _turns(joint) and abs(value) > _TURN:
            text = f"joint '{name}': {what} is {value:g} rad; are these degrees?"
            yield question("angle in degrees", "joint", name, text, line)


def anchors_in_degrees(content: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Anchors of loop joints and springs that turn by more than a turn; of tags or a partition file."""
    for section, element in (("loop_joints", "loop joint"), ("springs", "spring")):
        for item in (content or {}).get(section) or []:
            for anchor in (item.get("predecessor"), item.get("successor"), *(item.get("anchors") or [])):
                rpy = (anchor or {}).get("rpy") or [0.0]
                angles = decimals(rpy) if isinstance(rpy, str) else [float(angle) for angle in rpy]
                if max(map(abs, angles), default=0.0) > _TURN:
                    name, shown = str(item["name"]), " ".join(f"{angle:g}" for angle in angles)
                    text = f"{element} '{name}' has an anchor with rpy='{shown}' [rad]; are these degrees?"
                    yield question("angle in degrees", element, name, text, item.get(LINE))


def unusual_gravity(gravity: NDArray[np.float64], root: etree._Element) -> Iterator[Finding]:
    """A gravity of the file that is none of the earth, the moon, Mars, or none."""
    size = math.hypot(*gravity.tolist())
    if not any(low <= size <= high for low, high in _GRAVITIES):
        text = f"gravity is {size:.6g} m/s^2; is it in m/s^2?"
        tags = root.find("modular_dynamics")
        line = None if tags is None else line_of(tags)
        yield Finding("unusual gravity", "robot", root.get("name", ""), text, line, asks=True)


def question(kind: str, element: str, name: str, text: str, line: int | str | None) -> Finding:
    """A finding that asks; the line of an entry of a partition file names the file, too."""
    if isinstance(line, str):
        return Finding(kind, element, name, f"{line}: {text}", asks=True)
    return Finding(kind, element, name, text, line, asks=True)


def _turns(joint: JointDescription) -> bool:
    return joint.type in ("revolute", "continuous")
