"""Angles that may be degrees. They are used as given, also strictly: a winch turns a hundred times.

Lengths, masses and inertias in other units: plausibility.py.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...exceptions import UrdfError
from ...model import Finding
from ..description import Annotations, JointDescription, RobotDescription
from ..source import line_of
from .values import LINE, Entry, attributes

__all__ = [
    "limits_in_degrees",
    "offsets_in_degrees",
    "question",
    "turned_poses",
    "unusual_gravity",
]

#: Limits of a revolute joint [rad] between these are probably degrees. Larger ones stand for none: published
#: robots write 999999 and 1e16.
_TWO_TURNS, _DEGREES = 4.0 * math.pi, 720.0
#: An angle of rpy [rad] above a turn, with some rounding.
_TURN = 2.0 * math.pi * 1.05
#: Gravity [m/s^2]: none, the moon's, that of Mars, the earth's.
_GRAVITIES = (0.0, 0.0), (1.5, 1.7), (3.6, 3.8), (9.7, 9.9)
#: Radians of a degree, and degrees of a radian; and what rounding them to three digits changes.
_RATIOS, _THREE_DIGITS = (math.pi / 180.0, 180.0 / math.pi), 3e-3
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


def turned_poses(root: etree._Element, *contents: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Poses that turn by more than a turn, or whose quaternion is not unit: readers divide it by its length.

    Of joints and inertials of a tree that is checked already, and of the anchors of loop joints and springs.

    Args:
        contents: of our tags, of the partition file, and what the words of other tools say likewise.
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
    entry = Entry(values, where, UrdfError)
    rpy = entry.numbers("rpy", 3, [0.0] * 3)
    if max(map(abs, rpy)) > _TURN:
        text = f"{where} rpy='{_shown(rpy)}' [rad]; are these degrees?"
        yield question("angle in degrees", kind, name, text, entry.line)
    quaternion = entry.numbers("quat_xyzw", 4, [0.0, 0.0, 0.0, 1.0])
    if abs((length := math.hypot(*quaternion)) - 1.0) > _ROUNDED:
        text = (
            f"{where} quat_xyzw='{_shown(quaternion)}', of length {length:.3g}, not 1; are these the numbers "
            "x y z w of a quaternion?"
        )
        yield question("length of a quaternion", kind, name, text, entry.line)


def _shown(numbers: list[float]) -> str:
    return " ".join(f"{number:g}" for number in numbers)


def offsets_in_degrees(robot: RobotDescription, annotations: Annotations) -> Iterator[Finding]:
    """Offsets of mimic joints and gears, and rest positions of springs at joints, above a turn.

    And ratios of mimic joints and gears that are those of degrees and radians, but for three digits.
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
    turning = {name for name, joint in robot.joints.items() if _turns(joint)}
    beyond = [one for one in angles if one[1] in turning and abs(one[2]) > _TURN]
    beyond += [
        one for one in ratios if any(abs(abs(one[2]) / factor - 1.0) < _THREE_DIGITS for factor in _RATIOS)
    ]
    for what, name, value, line in beyond:
        unit = "" if what.startswith(("multiplier", "ratio")) else " rad"
        text = f"joint '{name}': the {what} is {value:g}{unit}; are these degrees?"
        yield question("angle in degrees", "joint", name, text, line)


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
