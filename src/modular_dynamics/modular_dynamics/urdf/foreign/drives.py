"""Rotor inertias and springs of other tools, as <joint_dynamics> and <spring>.

- Transmissions of ROS and of Cassie: <motorInertia> times <mechanicalReduction> squared. A reduction without
  an inertia says nothing about torques at the joint.
- <drake:rotor_inertia> times <drake:gear_ratio> squared. Drake does not use <mechanicalReduction>.
- <dynamics armature="" rotor_inertia="">: as seen at the joint, as RaiSim and MuJoCo have it, but for a
  gear_ratio beside it. <dynamics stiffness="" spring_reference="">.
- <springStiffness> and <springReference> of Gazebo, and SDF's <spring_stiffness> and <spring_reference>.
- <drake:linear_spring_damper>.
"""

from collections.abc import Iterator
from typing import Any

from lxml import etree

from ...text.numbers import STIFFEST
from ..checks.values import LINE, Entry
from ..source import line_of
from .tree import Tree
from .words import Collected, amount, children, content, word

__all__ = ["INERTIAS", "SPRINGS", "collect_drives", "collect_springs"]

_ARMATURE = "armature"
_ROTOR = ("rotor_inertia", "motor_inertia")
_RATIO = ("gear_ratio", "reduction")
_STIFFNESS = ("stiffness", "spring_stiffness")
_REST = ("spring_reference", "springref", "rest_position", "rest", "spring_mount")
#: Elements of a drive that hold its rotor's inertia, and those that hold its ratio, by the tool.
_DRAKE = ("drake:rotor_inertia", "drake:gear_ratio")
_ROS = ("motorInertia", "rotorInertia", "motor_inertia", "rotor_inertia")
_REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")
INERTIAS = (_DRAKE[0], *_ROS)
#: Those of a spring at a joint in <gazebo reference="JOINT">.
SPRINGS = {
    "springStiffness": "stiffness",
    "spring_stiffness": "stiffness",
    "springReference": "rest_position",
    "spring_reference": "rest_position",
}
_WRITE = 'write <joint_dynamics joint="" armature="" stiffness="" rest_position=""/> in <modular_dynamics>'


def collect_drives(root: etree._Element, tree: Tree, collected: Collected) -> None:
    """Armature of joints. The first place with one counts: the joint, <transmission>, <ros2_control>.

    Raises:
        UrdfError: an inertia or a ratio that is no number.
    """
    armatures: dict[str, tuple[float, etree._Element, str]] = {}
    for places in (_in_joints, _in_transmissions, _in_ros2_control):
        here: dict[str, tuple[float, etree._Element, str]] = {}
        for joint, value, element, text in places(root, collected):
            before = here[joint][0] if joint in here else 0.0  # of another motor at the same joint
            here[joint] = (before + value, element, text)
        armatures = here | armatures
    for joint, (value, element, text) in armatures.items():
        if value != 0.0 and _accepts(joint, "inertia", element, tree, collected, several=True):
            collected.add("joint_dynamics", {"joint": joint, "armature": value}, element, text)


_Armature = tuple[str, float, etree._Element, str]


def _in_joints(root: etree._Element, collected: Collected) -> Iterator[_Armature]:
    for joint in children(root, "joint"):
        name = joint.get("name", "")
        for dynamics in children(joint, "dynamics"):
            entry = Entry.of(dynamics, f"joint '{name}', <dynamics>")
            if _ARMATURE in dynamics.attrib:
                yield name, entry.number(_ARMATURE, largest=STIFFEST), dynamics, '<dynamics armature="">'
            elif rotor := _first(dynamics, _ROTOR):
                ratio = _first(dynamics, _RATIO)
                times = f' times {ratio}="" squared' if ratio else ", as seen at the joint"
                factor = entry.number(ratio) ** 2 if ratio else 1.0
                yield name, entry.number(rotor) * factor, dynamics, f'<dynamics {rotor}="">{times}'
        if drives := [joint, *children(joint, "actuator")]:
            yield from _motor(name, drives, f"joint '{name}'", collected)


def _in_transmissions(root: etree._Element, collected: Collected) -> Iterator[_Armature]:
    for transmission in children(root, "transmission"):
        yield from _transmission(transmission, collected)


def _in_ros2_control(root: etree._Element, collected: Collected) -> Iterator[_Armature]:
    for block in children(root, "ros2_control"):
        for transmission in children(block, "transmission"):
            yield from _transmission(transmission, collected)


def _transmission(transmission: etree._Element, collected: Collected) -> Iterator[_Armature]:
    """A simple one: of others, which turn two joints by two motors, an armature would be a matrix."""
    name = transmission.get("name", "")
    joints = [joint.get("name", "") for joint in children(transmission, "joint")]
    actuators = list(children(transmission, "actuator"))
    inertias = [own for part in (transmission, *actuators) for own in children(part, *INERTIAS)]
    if not inertias:
        return
    if len(joints) != 1 or len(actuators) > 1:
        text = f"rotor inertias of transmission '{name}', of {len(joints)} joints, are not read"
        collected.leave("inertia", inertias[0], name, text, _WRITE)
        return
    parts = [*actuators, transmission, *children(transmission, "joint")]
    yield from _motor(joints[0], parts, f"transmission '{name}'", collected)


def _motor(joint: str, parts: list[etree._Element], where: str, collected: Collected) -> Iterator[_Armature]:
    """Rotor inertia times ratio squared, of the parts of a drive; each is in one of them."""

    def found(*words: str) -> etree._Element | None:
        return next((own for part in parts for own in children(part, *words)), None)

    for inertias, ratios in ((_DRAKE[:1], _DRAKE[1:]), (_ROS, _REDUCTIONS)):
        inertia, ratio = found(*inertias), found(*ratios)
        if inertia is None:
            continue
        factor = 1.0 if ratio is None else amount(ratio, where)
        times = "without a ratio" if ratio is None else f"times <{word(ratio)}> squared"
        collected.read.append(inertia)
        yield joint, amount(inertia, where) * factor**2, inertia, f"<{word(inertia)}> {times}"
        return


def _first(element: etree._Element, keys: tuple[str, ...]) -> str:
    """The first of these attributes that the element has; empty without one."""
    return next((key for key in keys if key in element.attrib), "")


def _accepts(
    joint: str, kind: str, element: etree._Element, tree: Tree, collected: Collected, several: bool = False
) -> bool:
    """Whether the joint takes an armature or a spring; a finding where it moves and does not."""
    known = tree.robot.joints.get(joint)
    if known is not None and (tree.has_one_coordinate(joint) or (several and known.moves)):
        return True
    if known is None or known.moves:
        what = "does not exist" if known is None else f"is {known.type}"
        text = f"the {kind} that <{word(element)}> states of joint '{joint}' is not read: the joint {what}"
        collected.leave(kind, element, joint, text, _WRITE)
    return False  # at a fixed joint it changes nothing


def collect_springs(root: etree._Element, tree: Tree, collected: Collected) -> None:
    """Springs at joints, and between links.

    Raises:
        UrdfError: a stiffness or a position that is no number.
    """
    for joint, values, element, text in (*_of_dynamics(root), *_of_gazebo(root, collected)):
        if values.get("stiffness", 0.0) == 0.0 or not _accepts(joint, "spring", element, tree, collected):
            continue
        collected.add("joint_dynamics", {"joint": joint, **values}, element, text)
    for element in children(root, "drake:linear_spring_damper"):
        _spring_damper(element, tree, collected)


_JointSpring = tuple[str, dict[str, float], etree._Element, str]


def _of_dynamics(root: etree._Element) -> Iterator[_JointSpring]:
    for joint in children(root, "joint"):
        name = joint.get("name", "")
        for dynamics in children(joint, "dynamics"):
            if stiffness := _first(dynamics, _STIFFNESS):
                entry = Entry.of(dynamics, f"joint '{name}', <dynamics>")
                values = {"stiffness": entry.number(stiffness, largest=STIFFEST)}
                if (rest := _first(dynamics, _REST)) and values["stiffness"]:
                    values["rest_position"] = entry.number(rest)
                yield name, values, dynamics, f'<dynamics {stiffness}="">'


def _of_gazebo(root: etree._Element, collected: Collected) -> Iterator[_JointSpring]:
    """Of all blocks of one joint together."""
    values: dict[str, dict[str, float]] = {}
    first: dict[str, etree._Element] = {}
    for block in children(root, "gazebo"):
        joint = block.get("reference")
        for element in block.iter(etree.Element) if joint is not None else ():
            if joint is not None and (key := SPRINGS.get(word(element))) is not None:
                values.setdefault(joint, {})[key] = amount(element, f"<gazebo> of '{joint}'")
                collected.read.append(element)
                if key == "stiffness":
                    first[joint] = element
    for joint, element in first.items():
        yield joint, values[joint], element, f"<{word(element)}> of Gazebo"


_LAW = ("stiffness", "free_length", "damping")


def _spring_damper(element: etree._Element, tree: Tree, collected: Collected) -> None:
    """Drake's spring between a point P of body A and a point Q of body B."""
    prefix = "drake:linear_spring_damper_"
    parts = {word(own).removeprefix(prefix): own for own in children(element)}
    name = element.get("name") or f"spring_{line_of(element)}"
    links = [content(parts.get(f"body_{body}"), "name") for body in "AB"]
    wrong = [f"it lacks {key}" for key in ("stiffness", "free_length") if key not in parts]
    wrong += [f"'{link}' is no link of the URDF" for link in links if link not in tree.robot.links]
    if wrong:
        text = f"<{word(element)}> is not read: {wrong[0]}"
        hint = "write <spring> in <modular_dynamics>"
        collected.leave("spring", element, name, text, hint)
        return
    law: dict[str, Any] = {key: content(parts[key]) for key in _LAW if key in parts}
    anchors = [
        {"link": link, "xyz": content(parts.get(f"p_{point}")) or "0 0 0", LINE: line_of(element)}
        for link, point in zip(links, ("AP", "BQ"), strict=True)
    ]
    collected.add("springs", {"name": name, **law, "anchors": anchors}, element, f"<{word(element)}>")
    collected.read.append(element)
