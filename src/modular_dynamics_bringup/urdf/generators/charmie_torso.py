"""Write charmie_torso.urdf: charmie.urdf with the closed loops, actuators and springs of its torso.

Goncalves et al., "Dynamic modeling of a human-inspired robot based on a Newton-Euler approach", section 4.
Everything outside the torso is copied from charmie.urdf; the torso's geometry, which the paper does not
print, comes from charmie_torso_parameters.yaml or another table. At the zero pose all joints are at zero.
Units: m, kg, rad, N; degrees in the table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import asin, atan2, ceil, cos, floor, hypot, radians, sin
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from .generated_file import FOLDER, joint_xml, run

TREE = FOLDER / "charmie.urdf"
PARAMETERS = Path(__file__).with_name("charmie_torso_parameters.yaml")

HEADER = """<?xml version="1.0"?>
<!-- Written by generators/charmie_torso.py: change that or its table, not this file. -->
<!--
  CHARMIE with its real torso: the 24 bodies of charmie.urdf, the actuators act4 and act5 (each a tube and a
  rod without mass between two hinges), the levers 4sr and 4sl with their springs, and spring s5. All joints
  are at zero at the zero pose; act4 and act5 count from their lengths there.
-->
"""
#: A comment of charmie.urdf, and its replacement here.
FIXED = (
    "Auxiliary bodies of the two lower springs: massless, and fixed as long as the torso has no closed loops."
)
HINGED = "Levers of the two lower springs, without mass: hinged on body 3, a pin in a slot of body 4."
ORIGIN = (0.0, 0.0, 0.0)
SIDES = {"r": 1, "l": -1}  # sign of x
#: Steps in which an actuator's motion is searched for singular configurations; unit of its stroke [m].
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
            f"{name} passes a singular configuration between the limits of {table['moves']}: move its hinges"
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


def text(values: Iterable[float]) -> str:
    """Write numbers to 1e-15, which is below their rounding errors."""
    return " ".join(repr(round(float(value), 15) + 0.0).removesuffix(".0") for value in values)


def bar(end: Sequence[float], radius: float, material: str) -> str:
    """Draw a bar from the origin to a point of the plane y = 0."""
    x, _, z = end
    middle, turn = [0.5 * v for v in end], (0.0, atan2(x, z), 0.0)
    return f"""<visual>
      <origin xyz="{text(middle)}" rpy="{text(turn)}"/>
      <geometry><cylinder radius="{text([radius])}" length="{text([hypot(x, z)])}"/></geometry>
      <material name="{material}"/>
    </visual>"""


def link_xml(name: str, shape: str) -> str:
    """Write a body without mass."""
    return f'<link name="{name}">\n    {shape}\n  </link>'


def moving_joint(
    name: str,
    kind: str,
    ends: tuple[str, str],
    origin: str,
    axis: Sequence[float],
    span: Sequence[float],
    velocity: float,
    effort: float = 1.0,
) -> str:
    """Write a joint. URDF requires an effort; passive joints have none and get 1."""
    limits = {"lower": span[0], "upper": span[1], "velocity": velocity, "effort": effort}
    numbers = {key: text([value]) for key, value in limits.items()}
    return joint_xml(name, kind, ends, origin, text(axis), numbers)


def actuator_xml(a: Actuator) -> list[str]:
    """Write tube and rod: the tube's z axis points to the upper hinge, which is the rod's origin."""
    tube, rod, table = f"{a.name}_tube", f"{a.name}_rod", a.table
    turned = f'xyz="{text(table["lower"])}" rpy="{text((-radians(table["angle"]), 0.0, 0.0))}"'
    end = f'xyz="{text((0.0, 0.0, table["length"]))}"'
    pivot = table["pivot_limits"], table["pivot_velocity"]
    drive = a.stroke, table["velocity"], table["effort"]
    return [
        link_xml(tube, bar((0.0, 0.0, table["tube"]), 0.02, "dark")),
        moving_joint(f"{a.name}_pivot", "revolute", (table["base"], tube), turned, (1, 0, 0), *pivot),
        link_xml(rod, bar((0.0, 0.0, -0.9 * (table["length"] + a.stroke[0])), 0.01, "orange")),
        moving_joint(a.name, "prismatic", (tube, rod), end, (0, 0, 1), *drive),
    ]


def block_xml(arm: Lever, table: Mapping[str, Any]) -> list[str]:
    """Write the block that slides in the slot of body 4 and carries the lever's pin."""
    name = f"s{arm.side}t4"
    shape = """<visual>
      <geometry><box size="0.03 0.03 0.02"/></geometry>
      <material name="dark"/>
    </visual>"""
    origin, axis = f'xyz="{text(arm.slot)}"', (SIDES[arm.side], 0, 0)
    ends, limits = ("body_4", f"{name}_block"), (table["slide_limits"], table["slide_velocity"])
    slide = moving_joint(f"{name}_slide", "prismatic", ends, origin, axis, *limits)
    return [link_xml(f"{name}_block", shape), slide]


def loops_xml(actuators: list[Actuator], levers: list[Lever]) -> list[str]:
    """Write cut joints and passive joints."""
    ends: dict[str, tuple[str, Sequence[float], str, Sequence[float], Sequence[float]]] = {
        f"{a.name}_pin": (f"{a.name}_rod", ORIGIN, a.table["tip"], a.upper, (1, 0, 0)) for a in actuators
    }
    for arm in levers:
        name = f"s{arm.side}t4"
        ends[name] = (f"body_4s{arm.side}", arm.pin, f"{name}_block", ORIGIN, (0, 1, 0))
    parts = [
        f"""<loop_joint name="{name}" type="revolute">
      <predecessor link="{before}" xyz="{text(p)}"/>
      <successor link="{after}" xyz="{text(s)}"/> <axis xyz="{text(axis)}"/>
    </loop_joint>"""
        for name, (before, p, after, s, axis) in ends.items()
    ]
    passive = [name for a in actuators for name in (a.table["moves"], f"{a.name}_pivot")]
    passive += [name for arm in levers for name in (f"j{arm.side}4", f"s{arm.side}t4_slide")]
    return parts + [f'<passive joint="{name}"/>' for name in passive]


def springs_xml(levers: list[Lever], table: Mapping[str, Any]) -> list[str]:
    """Write the springs."""
    ends = {f"s{a.side}4": {"body_3": a.anchor, f"body_4s{a.side}": a.spring} for a in levers}
    ends["s5"] = {body: table["s5"][body] for body in ("body_4", "body_5")}
    parts = []
    for name, anchors in ends.items():
        law = table["s5" if name == "s5" else "s4"]
        values = " ".join(
            f'{key}="{text([law[key]])}"' for key in ("stiffness", "free_length", "initial_force")
        )
        points = " ".join(f'<anchor link="{body}" xyz="{text(xyz)}"/>' for body, xyz in anchors.items())
        parts.append(f'<spring name="{name}" {values}>\n      {points}\n    </spring>')
    return parts


def insert(parent: Element, place: int, parts: list[str], between: str, after: str) -> None:
    """Insert elements, with the white space after each of them and after the last."""
    if place:
        parent[place - 1].tail = between
    for k, part in enumerate(parts):
        element = ElementTree.fromstring(part)
        element.tail = after if k == len(parts) - 1 else between
        parent.insert(place + k, element)


def hinge_lever(robot: Element, arm: Lever, table: Mapping[str, Any]) -> None:
    """Let an auxiliary body turn about its hinge, and draw its arms."""
    fixed = find_element(robot, f"joint[@name='spring_pivot_{arm.side}']")
    body, place = find_element(robot, f"link[@name='body_4s{arm.side}']"), list(robot).index(fixed)
    insert(body, len(body), [bar(end, 0.008, "orange") for end in (arm.pin, arm.spring)], "\n    ", "\n  ")
    ends, axis = ("body_3", f"body_4s{arm.side}"), (0, SIDES[arm.side], 0)
    origin, limits = f'xyz="{text(arm.hinge)}"', (table["limits"], table["velocity"])
    robot.remove(fixed)
    turning = moving_joint(f"j{arm.side}4", "revolute", ends, origin, axis, *limits)
    insert(robot, place, [turning], "\n  ", fixed.tail or "")


def urdf_text(parameters: Mapping[str, Any]) -> str:
    """Write the whole URDF: the text of charmie.urdf with the torso of this table."""
    tree = TREE.read_text(encoding="utf-8")
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    robot = ElementTree.fromstring(tree.replace(FIXED, HINGED), parser)
    robot.set("name", "charmie_torso")
    table = parameters["lever"]
    actuators = [actuator(robot, name, entry) for name, entry in parameters["actuators"].items()]
    levers = [lever(robot, side, table) for side in SIDES]
    for arm in levers:
        hinge_lever(robot, arm, table)
    parts = [part for a in actuators for part in actuator_xml(a)]
    parts += [part for arm in levers for part in block_xml(arm, table)]
    place = list(robot).index(find_element(robot, "joint[@name='torso_pitch']")) + 1
    insert(robot, place, parts, "\n  ", "\n\n  ")
    tags = find_element(robot, "modular_dynamics")
    torso = find_element(tags, "subsystem[@name='torso']")
    names = [f"j{arm.side}4" for arm in levers]
    names += [ElementTree.fromstring(part).attrib["name"] for part in parts if part.startswith("<joint")]
    insert(torso, len(torso), [f'<joint name="{name}"/>' for name in names], "\n      ", "\n    ")
    closing = loops_xml(actuators, levers) + springs_xml(levers, parameters["springs"])
    insert(tags, len(tags), closing, "\n    ", "\n  ")
    return HEADER + ElementTree.tostring(robot, encoding="unicode").replace(" />", "/>") + "\n"


if __name__ == "__main__":
    raise SystemExit(run("charmie_torso.urdf", urdf_text, PARAMETERS, "--parameters", "the torso's geometry"))
