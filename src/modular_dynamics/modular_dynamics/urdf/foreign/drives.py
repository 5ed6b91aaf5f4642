"""Rotor inertias and springs of other tools, as <joint_dynamics> and <spring>.

- Transmissions of ROS and of Cassie: <motorInertia> times <mechanicalReduction> squared. A reduction without
  an inertia says nothing about torques at the joint.
- <drake:rotor_inertia> times <drake:gear_ratio> squared. Drake does not use <mechanicalReduction>.
- <dynamics armature="" rotor_inertia="">: as seen at the joint, as RaiSim and MuJoCo have it, but for a
  gear_ratio beside it. <dynamics stiffness="" spring_reference="">.
- <springStiffness> and <springReference> of Gazebo, and SDF's <spring_stiffness> and <spring_reference>.
- <drake:linear_spring_damper>.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lxml import etree

from ...text.numbers import STIFFEST
from ..checks.values import LINE, Entry
from ..schema import INERTIAS, REDUCTIONS, RESTS, ROTORS, SPRINGS, STIFFNESSES
from ..source import line_of, word
from .tree import Tree
from .words import Collected, amount, children, content

__all__ = ["collect_drives", "collect_springs"]

_ARMATURE = "armature"
#: Words for rotor inertias and for ratios, of Drake and of ROS.
_TOOLS = (INERTIAS[:1], REDUCTIONS[:1]), (INERTIAS[1:], REDUCTIONS[1:])
_Tool = tuple[tuple[str, ...], tuple[str, ...]]
_RATIO = ("gear_ratio", "reduction")
#: Numbers of two places are the same but for rounding.
_SAME = 1e-3
_WRITE = 'write <joint_dynamics joint="" armature="" stiffness="" rest_position=""/> in <modular_dynamics>'


@dataclass(frozen=True)
class _Statement:
    """A whole armature, or a whole spring, that one place in the file states of a joint."""

    joint: str
    values: dict[str, float]
    element: etree._Element
    text: str

    def and_another(self, motor: "_Statement") -> "_Statement":
        """The armature of this motor and of another one."""
        return replace(motor, values={_ARMATURE: self.values[_ARMATURE] + motor.values[_ARMATURE]})

    def differs(self, other: "_Statement") -> bool:
        """Whether the numbers differ beyond rounding."""
        pairs = zip(self.values.values(), other.values.values(), strict=True)
        return any(abs(one - another) > _SAME * abs(one) for one, another in pairs)

    def __str__(self) -> str:
        numbers = " about ".join(f"{value:.6g}" for value in self.values.values())
        return f"{numbers} by {self.text} (line {line_of(self.element)})"


_Reader = Callable[[etree._Element, Collected], Iterable[_Statement]]


def collect_drives(root: etree._Element, tree: Tree, collected: Collected) -> None:
    """Armature of joints: <dynamics>, other words in <joint>, <transmission>, <ros2_control>.

    Raises:
        UrdfError: an inertia or a ratio that is no number.
    """
    of_motors = (_of_drives_in_joints, _in_transmissions, _in_ros2_control)
    motors = [partial(reader, tool=tool) for reader in of_motors for tool in _TOOLS]
    readers: list[_Reader] = [_of_dynamics, _of_rotors, *motors]
    _collect("inertia", readers, root, tree, collected)


def _collect(
    kind: str, readers: Iterable[_Reader], root: etree._Element, tree: Tree, collected: Collected
) -> None:
    """Add what the first place states of each joint; zero states nothing. Others that differ are named.

    Motors whose inertias stand in one place add up.
    """
    counting: dict[str, _Statement] = {}
    for reader in readers:
        here: dict[str, _Statement] = {}
        for one in reader(root, collected):
            if next(iter(one.values.values())) == 0.0:
                continue
            before = here.get(one.joint)
            here[one.joint] = one if before is None or kind == "spring" else before.and_another(one)
        for joint, one in here.items():
            first = counting.setdefault(joint, one)
            if first.differs(one):
                text = f"two places state the {kind} of joint '{joint}': {first}, which counts, and {one}"
                collected.contradict(kind, {"joint": joint, **one.values}, one.element, text, _WRITE)
    for joint, one in counting.items():
        if _accepts(joint, kind, one.element, tree, collected):
            collected.add("joint_dynamics", {"joint": joint, **one.values}, one.element, one.text)


def _of_dynamics(root: etree._Element, _: Collected) -> Iterator[_Statement]:
    for name, dynamics, entry in _dynamics(root):
        if entry.item.get(_ARMATURE) is not None:
            armature = entry.number(_ARMATURE, largest=STIFFEST)
            yield _Statement(name, {_ARMATURE: armature}, dynamics, '<dynamics armature="">')


def _of_rotors(root: etree._Element, _: Collected) -> Iterator[_Statement]:
    for name, dynamics, entry in _dynamics(root):
        if rotor := _first(dynamics, ROTORS):
            ratio = _first(dynamics, _RATIO)
            times = f' times {ratio}="" squared' if ratio else ", as seen at the joint"
            armature = entry.number(rotor) * (entry.number(ratio) ** 2 if ratio else 1.0)
            yield _Statement(name, {_ARMATURE: armature}, dynamics, f'<dynamics {rotor}="">{times}')


def _dynamics(root: etree._Element) -> Iterator[tuple[str, etree._Element, Entry]]:
    """The <dynamics> of each joint, with the joint's name."""
    for joint in children(root, "joint"):
        name = joint.get("name", "")
        for dynamics in children(joint, "dynamics"):
            yield name, dynamics, Entry.of(dynamics, f"joint '{name}', <dynamics>")


def _of_drives_in_joints(root: etree._Element, collected: Collected, tool: _Tool) -> Iterator[_Statement]:
    for joint in children(root, "joint"):
        name = joint.get("name", "")
        yield from _motor(name, [joint, *children(joint, "actuator")], f"joint '{name}'", collected, tool)


def _in_transmissions(root: etree._Element, collected: Collected, tool: _Tool) -> Iterator[_Statement]:
    yield from _transmissions(children(root, "transmission"), collected, tool)


def _in_ros2_control(root: etree._Element, collected: Collected, tool: _Tool) -> Iterator[_Statement]:
    blocks = children(root, "ros2_control")
    found = (own for block in blocks for own in children(block, "transmission"))
    yield from _transmissions(found, collected, tool)


def _transmissions(
    transmissions: Iterable[etree._Element], collected: Collected, tool: _Tool
) -> Iterator[_Statement]:
    """Of each motor once: it has a transmission for each hardware interface."""
    motors = set[tuple[str, str, float]]()
    for transmission in transmissions:
        named = next(children(transmission, "actuator"), transmission)
        for armature in _transmission(transmission, collected, tool):
            motor = armature.joint, named.get("name", ""), armature.values[_ARMATURE]
            if not motor[1] or motor not in motors:
                yield armature
            motors.add(motor)


def _transmission(transmission: etree._Element, collected: Collected, tool: _Tool) -> Iterator[_Statement]:
    """A simple one: of others, which turn two joints by two motors, an armature would be a matrix."""
    name = transmission.get("name", "")
    joints, actuators = (list(children(transmission, tag)) for tag in ("joint", "actuator"))
    parts = [*actuators, transmission, *joints]
    inertias = [own for part in parts for own in children(part, *tool[0])]
    if not inertias:
        return
    if len(joints) != 1 or len(actuators) > 1:
        text = f"rotor inertias of transmission '{name}', of {len(joints)} joints, are not read"
        collected.leave("inertia", inertias[0], name, text, _WRITE)
        return
    yield from _motor(joints[0].get("name", ""), parts, f"transmission '{name}'", collected, tool)


def _motor(
    joint: str, parts: list[etree._Element], where: str, collected: Collected, tool: _Tool
) -> Iterator[_Statement]:
    """Rotor inertia times ratio squared, of the parts of a drive; each is in one of them."""

    def found(*words: str) -> etree._Element | None:
        return next((own for part in parts for own in children(part, *words)), None)

    inertia, ratio = found(*tool[0]), found(*tool[1])
    if inertia is None:
        return
    moment, factor = amount(inertia, where), 1.0 if ratio is None else amount(ratio, where)
    if moment != 0.0 and ratio is not None and factor == 0.0:
        text = f"<{word(inertia)}> of {where} is not read: its <{word(ratio)}> is zero"
        collected.leave("inertia", ratio, joint, text, _WRITE)
        return
    times = "without a ratio" if ratio is None else f"times <{word(ratio)}> squared"
    collected.read.append(inertia)
    yield _Statement(joint, {_ARMATURE: moment * factor**2}, inertia, f"<{word(inertia)}> {times}")


def _first(element: etree._Element, keys: tuple[str, ...]) -> str:
    """The first of these attributes that the element has; empty without one."""
    return next((key for key in keys if key in element.attrib), "")


def _accepts(joint: str, kind: str, element: etree._Element, tree: Tree, collected: Collected) -> bool:
    """Whether the joint takes an armature or a spring; a finding where it moves and does not."""
    known = tree.robot.joints.get(joint)
    if known is not None and (tree.has_one_coordinate(joint) or (kind == "inertia" and known.moves)):
        return True
    if known is None or known.moves:
        what = "does not exist" if known is None else f"is {known.type}"
        text = f"the {kind} that <{word(element)}> states of joint '{joint}' is not read: the joint {what}"
        collected.leave(kind, element, joint, text, _WRITE)
    return False  # at a fixed joint it changes nothing


def collect_springs(root: etree._Element, tree: Tree, collected: Collected) -> None:
    """Springs at joints, by <dynamics> before <gazebo>, and between links.

    Raises:
        UrdfError: a stiffness or a position that is no number.
    """
    _collect("spring", (_springs_of_dynamics, _springs_of_gazebo), root, tree, collected)
    for element in children(root, "drake:linear_spring_damper"):
        _spring_damper(element, tree, collected)


def _springs_of_dynamics(root: etree._Element, _: Collected) -> Iterator[_Statement]:
    for name, dynamics, entry in _dynamics(root):
        if stiffness := _first(dynamics, STIFFNESSES):
            values = {"stiffness": entry.number(stiffness, largest=STIFFEST)}
            rest = _first(dynamics, RESTS) if values["stiffness"] else ""
            values["rest_position"] = entry.number(rest) if rest else 0.0
            yield _Statement(name, values, dynamics, f'<dynamics {stiffness}="">')


def _springs_of_gazebo(root: etree._Element, collected: Collected) -> Iterator[_Statement]:
    """Of all blocks of one joint together; of a number that is stated twice, the last counts, as there."""
    values: dict[str, dict[str, float]] = {}
    stiff: dict[str, etree._Element] = {}
    for block in children(root, "gazebo"):
        joint = block.get("reference")
        for element in block.iter(etree.Element) if joint is not None else ():
            if joint is None or (key := SPRINGS.get(word(element))) is None:
                continue
            number, of_joint = amount(element, f"<gazebo> of '{joint}'"), values.setdefault(joint, {})
            if of_joint.get(key, number) != number:
                text = (
                    f"<gazebo> states the spring of joint '{joint}' twice: {key} {of_joint[key]:.6g}, and "
                    f"{number:.6g}, which counts"
                )
                collected.contradict("spring", {"joint": joint, key: number}, element, text, _WRITE)
            of_joint[key] = number
            collected.read.append(element)
            if key == "stiffness":
                stiff[joint] = element
    for joint, element in stiff.items():
        whole = {
            "stiffness": values[joint]["stiffness"],
            "rest_position": values[joint].get("rest_position", 0.0),
        }
        yield _Statement(joint, whole, element, f"<{word(element)}> of Gazebo")


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
