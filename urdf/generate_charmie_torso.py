"""Write charmie_torso.urdf: charmie.urdf with the closed loops, actuators and springs of its torso.

Goncalves et al., "Dynamic modeling of a human-inspired robot based on a Newton-Euler approach", section 4.
Everything outside the torso is copied from charmie.urdf; the torso's geometry, which the paper does not print,
comes from charmie_torso_parameters.yaml or another table. At the zero pose all joints are at zero. Units: m, kg,
rad, N; degrees in the table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import asin, ceil, cos, floor, hypot, pi, radians, sin
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml

URDF = Path(__file__).with_name("charmie_torso.urdf")
TREE = Path(__file__).with_name("charmie.urdf")
PARAMETERS = Path(__file__).with_name("charmie_torso_parameters.yaml")

HEADER = """<?xml version="1.0"?>
<!-- Written by generate_charmie_torso.py beside this file: change that or its table, not this. -->
<!--
  CHARMIE with its real torso: the 24 bodies of charmie.urdf, the actuators act4 and act5 (each a tube and a rod without
  mass between two hinges), the levers 4sr and 4sl with their springs, and spring s5. All joints are zero at the zero pose.
-->
"""
SIDES = {"r": 1.0, "l": -1.0}  # towards which x
Point = tuple[float, float, float]


@dataclass(frozen=True)
class Actuator:
    """A linear actuator between two hinges about x; points in the frames of base and tip, at the zero pose."""

    name: str
    base: str
    tip: str
    moves: str
    lower: Point
    upper: Point
    angle: float
    length: float
    stroke: tuple[float, float]
    table: Mapping[str, Any]


@dataclass(frozen=True)
class Lever:
    """Body 4sr or 4sl: points in its own frame, whose origin is the hinge on body 3, at the zero pose."""

    side: str
    pin: Point
    spring: Point
    slot: Point  # of the block on body 4
    anchor: Point  # of the spring on body 3
    axis: str


def number(value: float) -> str:
    """Write a number to 1e-15, which is below its rounding."""
    return repr(round(float(value), 15) + 0.0).removesuffix(".0")


def text(values: Iterable[float]) -> str:
    """Write a vector."""
    return " ".join(map(number, values))


def floats(element: ElementTree.Element | None, attribute: str) -> list[float]:
    """Read a vector; zeros where there is none."""
    return [float(v) for v in element.get(attribute, "0 0 0").split()] if element is not None else [0.0] * 3


def find_joint(robot: ElementTree.Element, name: str) -> ElementTree.Element:
    """Find a joint of charmie.urdf."""
    joint = robot.find(f"joint[@name='{name}']")
    if joint is None:
        raise ValueError(f"{TREE.name} has no joint '{name}'")
    return joint


def actuator(robot: ElementTree.Element, name: str, table: Mapping[str, Any]) -> Actuator:
    """Place an actuator and find the strokes at the limits of the joint that it moves."""
    joint, lower, angle = find_joint(robot, table["moves"]), table["lower"], radians(table["angle"])
    length, origin, limit = table["length"], floats(joint.find("origin"), "xyz"), joint.find("limit")
    along = 0.0, length * sin(angle), length * cos(angle)
    upper = tuple(a + d - o for a, d, o in zip(lower, along, origin, strict=True))

    def length_at(q: float) -> float:
        y, z = upper[1], upper[2]
        if joint.get("type") == "prismatic":
            z += q
        else:  # about -x
            y, z = y * cos(q) + z * sin(q), z * cos(q) - y * sin(q)
        return hypot(y + origin[1] - lower[1], z + origin[2] - lower[2])

    low, high = (length_at(float(limit.get(end, "nan"))) - length for end in ("lower", "upper"))
    stroke = ceil(1e5 * low) / 1e5, floor(1e5 * high) / 1e5
    return Actuator(
        name, table["base"], table["tip"], table["moves"], tuple(lower), upper, angle, length, stroke, table
    )


def lever(robot: ElementTree.Element, side: str, table: Mapping[str, Any]) -> Lever:
    """Place a lever so that its pin is in the slot of body 4."""
    sign, pivot = SIDES[side], floats(find_joint(robot, f"spring_pivot_{side}").find("origin"), "xyz")
    body_4 = floats(find_joint(robot, "torso_lift").find("origin"), "xyz")
    arm, height = table["pin_arm"], body_4[2] + table["slot_height"] - pivot[2]
    if abs(height) >= arm:
        raise ValueError(
            f"the lever's pin_arm {arm} m does not reach its slot, {height:.4g} m above its hinge"
        )
    raised = asin(height / arm)
    down = radians(table["spring_angle"]) + raised
    reach = table["spring_arm"]
    pin = -sign * arm * cos(raised), 0.0, height
    x, y, z = table["anchor"]
    return Lever(
        side,
        pin,
        (sign * reach * cos(down), 0.0, -reach * sin(down)),
        (pivot[0] + pin[0] - body_4[0], pivot[1] - body_4[1], table["slot_height"]),
        (sign * x, y, z),
        f"0 {number(sign)} 0",
    )


def bar(start: Point, end: Point, radius: float, material: str) -> str:
    """Draw a bar between two points of a plane y z (no x in between) or x z."""
    x, y, z = (b - a for a, b in zip(start, end, strict=True))
    length = hypot(x, y, z)
    rpy = (
        (-asin(y / length), 0.0, 0.0)
        if x == 0.0
        else (0.0, (1 if x > 0 else -1) * (pi / 2 - asin(z / length)), 0.0)
    )
    middle = tuple(0.5 * (a + b) for a, b in zip(start, end, strict=True))
    return f"""
    <visual>
      <origin xyz="{text(middle)}" rpy="{text(rpy)}"/>
      <geometry><cylinder radius="{number(radius)}" length="{number(length)}"/></geometry>
      <material name="{material}"/>
    </visual>"""


def link_xml(name: str, shapes: str) -> str:
    """Write a body without mass."""
    return f'<link name="{name}">{shapes}\n  </link>'


def joint_xml(  # noqa: PLR0917
    name: str,
    kind: str,
    parent: str,
    child: str,
    xyz: Point,
    axis: str,
    limits: Iterable[float],
    velocity: float,
    effort: float = 1.0,  # URDF wants one; passive joints have none
    rpy: Point = (0.0, 0.0, 0.0),
) -> str:
    """Write a moving joint."""
    low, high = limits
    turned = f' rpy="{text(rpy)}"' if any(rpy) else ""
    return f"""<joint name="{name}" type="{kind}">
    <parent link="{parent}"/>
    <child link="{child}"/>
    <origin xyz="{text(xyz)}"{turned}/>
    <axis xyz="{axis}"/>
    <limit lower="{number(low)}" upper="{number(high)}" effort="{number(effort)}" velocity="{number(velocity)}"/>
  </joint>"""


def actuator_xml(a: Actuator) -> list[str]:
    """Write tube and rod: the tube's z points to the upper hinge, where the rod's origin is."""
    top, closed = (0.0, 0.0, a.table["tube"]), (0.0, 0.0, -a.length - a.stroke[0])
    turn, tube, rod = f"{a.name}_pivot", f"{a.name}_tube", f"{a.name}_rod"
    pivot = a.table["pivot_limits"]
    velocity, effort = a.table["velocity"], a.table["effort"]
    return [
        link_xml(tube, bar((0.0, 0.0, 0.0), top, 0.02, "dark")),
        joint_xml(turn, "revolute", a.base, tube, a.lower, "1 0 0", pivot, 1.0, rpy=(-a.angle, 0.0, 0.0)),
        link_xml(rod, bar(tuple(0.9 * c for c in closed), (0.0, 0.0, 0.0), 0.01, "orange")),
        joint_xml(a.name, "prismatic", tube, rod, (0.0, 0.0, a.length), "0 0 1", a.stroke, velocity, effort),
    ]


def block_xml(arm: Lever, table: Mapping[str, Any]) -> list[str]:
    """Write the block that slides in the slot of body 4 and carries the lever's pin."""
    name, sign = f"s{arm.side}t4", SIDES[arm.side]
    shape = """
    <visual>
      <geometry><box size="0.03 0.03 0.02"/></geometry>
      <material name="dark"/>
    </visual>"""
    slide = joint_xml(
        f"{name}_slide",
        "prismatic",
        "body_4",
        f"{name}_block",
        arm.slot,
        f"{number(sign)} 0 0",
        table["slide_limits"],
        table["velocity"],
    )
    return [link_xml(f"{name}_block", shape), slide]


def tags_xml(actuators: list[Actuator], levers: list[Lever], springs: Mapping[str, Any]) -> list[str]:
    """Write cut joints, passive joints and springs."""
    parts = [
        f"""<loop_joint name="{a.name}_pin" type="revolute">
      <predecessor link="{a.name}_rod"/> <successor link="{a.tip}" xyz="{text(a.upper)}"/> <axis xyz="1 0 0"/>
    </loop_joint>"""
        for a in actuators
    ]
    for arm in levers:
        name, own = f"s{arm.side}t4", f"body_4s{arm.side}"
        parts.append(f"""<loop_joint name="{name}" type="revolute">
      <predecessor link="{own}" xyz="{text(arm.pin)}"/> <successor link="{name}_block"/> <axis xyz="0 1 0"/>
    </loop_joint>""")
    passive = [a.moves for a in actuators] + [f"{a.name}_pivot" for a in actuators]
    passive += [name for arm in levers for name in (f"j{arm.side}4", f"s{arm.side}t4_slide")]
    parts += [f'<passive joint="{name}"/>' for name in passive]
    ends = {f"s{arm.side}4": [("body_3", arm.anchor), (f"body_4s{arm.side}", arm.spring)] for arm in levers}
    ends["s5"] = [(body, springs["s5"][body]) for body in ("body_4", "body_5")]
    for name, anchors in ends.items():
        law = springs["s5" if name == "s5" else "s4"]
        told = " ".join(
            f'{key}="{number(law[key])}"' for key in ("stiffness", "free_length", "initial_force")
        )
        points = " ".join(f'<anchor link="{body}" xyz="{text(xyz)}"/>' for body, xyz in anchors)
        parts.append(f'<spring name="{name}" {told}>\n      {points}\n    </spring>')
    return parts


def put(parent: ElementTree.Element, place: int, parts: Iterable[str], margin: str) -> int:
    """Insert elements; returns the place behind them."""
    for part in parts:
        element = ElementTree.fromstring(part)
        element.tail = margin
        parent.insert(place, element)
        place += 1
    return place


def urdf_text(tree: str, parameters: Mapping[str, Any]) -> str:
    """Write the whole URDF: the text of charmie.urdf with the torso of this table."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    robot = ElementTree.fromstring(tree, parser)
    robot.set("name", "charmie_torso")
    table = parameters["lever"]
    actuators = [actuator(robot, name, entry) for name, entry in parameters["actuators"].items()]
    levers = [lever(robot, side, table) for side in SIDES]
    for comment in robot.iter(ElementTree.Comment):
        if comment.text and "Auxiliary bodies" in comment.text:
            comment.text = " Levers of the two lower springs, without mass: hinged on body 3 (jr4, jl4), a pin in a slot of body 4. "
    for arm in levers:
        pivot, body = (
            find_joint(robot, f"spring_pivot_{arm.side}"),
            robot.find(f"link[@name='body_4s{arm.side}']"),
        )
        place, origin = list(robot).index(pivot), floats(pivot.find("origin"), "xyz")
        robot.remove(pivot)
        hinge = joint_xml(
            f"j{arm.side}4",
            "revolute",
            "body_3",
            f"body_4s{arm.side}",
            tuple(origin),
            arm.axis,
            table["limits"],
            table["velocity"],
        )
        put(robot, place, [hinge], pivot.tail or "")
        for end in (arm.pin, arm.spring):
            put(body, len(body), [bar((0.0, 0.0, 0.0), end, 0.008, "orange").strip()], "\n  ")
            body[-2].tail = "\n    "
    place = list(robot).index(find_joint(robot, "torso_pitch")) + 1
    for_torso = [part for a in actuators for part in actuator_xml(a)]
    for_torso += [part for arm in levers for part in block_xml(arm, table)]
    end = put(robot, place, for_torso, "\n  ")
    robot[place - 1].tail, robot[end - 1].tail = "\n  ", "\n\n  "
    tags = robot.find("modular_dynamics")
    torso = tags.find("subsystem[@name='torso']")
    members = [part for part in for_torso if part.startswith("<joint")]
    names = [f"j{arm.side}4" for arm in levers] + [
        ElementTree.fromstring(part).get("name") for part in members
    ]
    torso[-1].tail = "\n      "
    put(torso, len(torso), [f'<joint name="{name}"/>' for name in names], " ")
    torso[-1].tail = "\n    "
    tags[-1].tail = "\n    "
    put(tags, len(tags), tags_xml(actuators, levers, parameters["springs"]), "\n    ")
    tags[-1].tail = "\n  "
    return HEADER + ElementTree.tostring(robot, encoding="unicode").replace(" />", "/>") + "\n"


def main() -> int:
    """Write the file, or with --check only say whether the file at hand is what would be written."""
    parser = argparse.ArgumentParser(description="Write charmie_torso.urdf beside this script.")
    parser.add_argument("--parameters", type=Path, default=PARAMETERS, help="table of the torso's geometry")
    parser.add_argument("--out", type=Path, default=URDF, help="file to be written")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file differs")
    arguments = parser.parse_args()
    parameters = yaml.safe_load(arguments.parameters.read_text(encoding="utf-8"))
    text_now = urdf_text(TREE.read_text(encoding="utf-8"), parameters)
    if arguments.check:
        current = arguments.out.read_text(encoding="utf-8") if arguments.out.is_file() else None
        if current != text_now:
            state = "missing" if current is None else "out of date"
            print(f"{arguments.out.name} is {state}: run {Path(__file__).name}", file=sys.stderr)
            return 1
        print(f"{arguments.out.name} is up to date")
        return 0
    arguments.out.write_text(text_now, encoding="utf-8")
    print(f"wrote {arguments.out.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
