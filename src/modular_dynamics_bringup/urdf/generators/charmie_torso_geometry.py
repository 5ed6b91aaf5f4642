"""Geometry of CHARMIE's torso: actuators and levers placed on the bodies of charmie.urdf.

All joints are at zero at the zero pose. Units: m, rad; degrees in the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import asin, ceil, cos, floor, hypot, radians, sin
from typing import Any
from xml.etree.ElementTree import Element

SIDES = {"r": 1, "l": -1}  # sign of x
#: Steps in which the motion of an actuator is searched for a dead point, and the unit of its stroke [m].
STEPS, UNIT = 200, 1e-5


@dataclass(frozen=True)
class Actuator:
    """A linear actuator between two hinges about x; the upper one in the frame of the table's `tip`."""

    name: str
    table: Mapping[str, Any]
    upper: Sequence[float]
    stroke: tuple[float, float]


@dataclass(frozen=True)
class Lever:
    """Body 4sr or 4sl at the zero pose; its frame's origin is its hinge on body 3."""

    side: str
    hinge: Sequence[float]  # on body 3
    pin: Sequence[float]
    spring: Sequence[float]
    slot: Sequence[float]  # where the pin is on body 4
    anchor: Sequence[float]  # of the spring on body 3


def find_element(element: Element, path: str) -> Element:
    """Find an element of charmie.urdf."""
    result = element.find(path)
    if result is None:
        raise ValueError(f"charmie.urdf has no {path}")
    return result


def origin_of(robot: Element, joint: str) -> list[float]:
    """Find the position of a joint of charmie.urdf on its parent."""
    return [float(v) for v in find_element(robot, f"joint[@name='{joint}']/origin").attrib["xyz"].split()]


def actuator(robot: Element, name: str, table: Mapping[str, Any]) -> Actuator:
    """Place an actuator; its stroke follows from the limits of the joint that it moves."""
    joint, origin = find_element(robot, f"joint[@name='{table['moves']}']"), origin_of(robot, table["moves"])
    lower, angle, length = table["lower"], radians(table["angle"]), table["length"]
    along = 0.0, length * sin(angle), length * cos(angle)
    upper = [a + d - o for a, d, o in zip(lower, along, origin, strict=True)]

    def length_at(q: float) -> float:
        y, z = upper[1], upper[2]
        if joint.get("type") == "prismatic":
            z += q
        else:  # about -x
            y, z = y * cos(q) + z * sin(q), z * cos(q) - y * sin(q)
        return hypot(y + origin[1] - lower[1], z + origin[2] - lower[2])

    limit = find_element(joint, "limit").attrib
    low, high = float(limit["lower"]), float(limit["upper"])
    lengths = [length_at(low + (high - low) * k / STEPS) for k in range(STEPS + 1)]
    if any(after <= before for before, after in pairwise(lengths)):
        raise ValueError(
            f"{name} passes a dead point between the limits of {table['moves']}: move its hinges"
        )
    stroke = ceil((lengths[0] - length) / UNIT) * UNIT, floor((lengths[-1] - length) / UNIT) * UNIT
    return Actuator(name, table, upper, stroke)


def lever(robot: Element, side: str, table: Mapping[str, Any]) -> Lever:
    """Place a lever so that its pin is in the slot of body 4."""
    sign, hinge = SIDES[side], origin_of(robot, f"spring_pivot_{side}")
    body_4, arm, reach = origin_of(robot, "torso_lift"), table["pin_arm"], table["spring_arm"]
    height = body_4[2] + table["slot_height"] - hinge[2]
    if abs(height) >= arm:
        raise ValueError(
            f"the levers' pin_arm {arm} m does not reach the slot, {height:.4g} m above their hinge"
        )
    raised = asin(height / arm)
    down = radians(table["spring_angle"]) + raised
    pin = -sign * arm * cos(raised), 0.0, height
    slot = hinge[0] + pin[0] - body_4[0], hinge[1] - body_4[1], table["slot_height"]
    x, y, z = table["anchor"]
    spring = sign * reach * cos(down), 0.0, -reach * sin(down)
    return Lever(side, hinge, pin, spring, slot, (sign * x, y, z))
