"""Rotor inertias and springs of other tools, as <joint_dynamics> and <spring>.

- Transmissions of ROS and of Cassie: <motorInertia> times <mechanicalReduction> squared, elements or
  attributes. A reduction without an inertia says nothing about torques at the joint.
- <drake:rotor_inertia> times <drake:gear_ratio> squared. Drake does not use <mechanicalReduction>.
- <dynamics armature="" rotor_inertia="">: as seen at the joint, as RaiSim and MuJoCo have it, but for a
  gear_ratio beside it. <dynamics stiffness="" spring_reference="">.
- <springStiffness> and <springReference> of Gazebo, and SDF's <spring_stiffness> and <spring_reference>.
- <drake:linear_spring_damper>.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from ...text.numbers import STIFFEST
from ..description import RobotDescription
from ..schema import INERTIAS, REDUCTIONS, RESTS, ROTORS, SPRINGS, STIFFNESSES
from ..source import line_of, word
from ..values import LINE, Entry
from .words import Collected, amount, children, content

#: Largest relative difference of equal numbers that two elements state.
_SAME = 1e-3
#: Names of elements and attributes: of inertias and their gear ratios, or of stiffnesses and rest positions.
_Words = tuple[tuple[str, ...], tuple[str, ...]]
_ARMATURE: _Words = ("armature",), ()
_ROTOR: _Words = ROTORS, ("gear_ratio", "reduction")
_DRAKE: _Words = INERTIAS[:1], REDUCTIONS[:1]
_ROS: _Words = INERTIAS[1:], REDUCTIONS[1:]
_SPRING: _Words = STIFFNESSES, RESTS
_OF_GAZEBO: _Words = tuple(SPRINGS)[:2], tuple(SPRINGS)[2:]


@dataclass(frozen=True)
class _Number:
    """A number in an element or its attribute, converted when it is used: unused ones may be invalid.

    Attributes:
        text: its name in notes. where: its name in errors. key: the attribute; empty: the element's text.
    """

    element: etree._Element
    text: str
    where: str
    key: str = ""

    @property
    def value(self) -> float:
        """The number. Raises UrdfError: it is not a number."""
        if self.key:
            return Entry.of(self.element, self.where).number(self.key, largest=STIFFEST)
        return amount(self.element, self.where)


@dataclass(frozen=True)
class _Place:
    """The numbers of one motor or spring of a joint, as one part of the file has them.

    Attributes:
        numbers: inertias or stiffnesses. factors: gear ratios or rest positions. Of several the first counts.
    """

    joint: str
    numbers: list[_Number]
    factors: list[_Number]
    words: _Words


@dataclass(frozen=True)
class _Statement:
    """The armature, or the stiffness and rest position, that one place results in; ``text``: for messages."""

    values: dict[str, float]
    element: etree._Element
    text: str

    def and_another(self, motor: "_Statement") -> "_Statement":
        """Return the sum of this motor's armature and another one's."""
        values = {key: value + motor.values[key] for key, value in self.values.items()}
        return replace(self, values=values)

    def differs(self, other: "_Statement") -> bool:
        """Return whether the numbers differ beyond rounding."""
        pairs = zip(self.values.values(), other.values.values(), strict=True)
        return any(abs(one - another) > _SAME * max(abs(one), abs(another)) for one, another in pairs)

    def __str__(self) -> str:
        numbers = " about ".join(f"{value:.6g}" for value in self.values.values())
        return f"{numbers} by {self.text} (line {line_of(self.element)})"


def collect_drives(root: etree._Element, robot: RobotDescription, collected: Collected) -> None:
    """Collect armatures of joints from <dynamics>, other elements of <joint>, <transmission>, <ros2_control>.

    Raises:
        UrdfError: an inertia or a ratio that is not a number.
    """
    joints, blocks = [*children(root, "joint")], [*children(root, "ros2_control")]
    simple = [*children(root, "transmission")]
    of_control = [own for block in blocks for own in children(block, "transmission")]
    places = [
        [*_of_dynamics(joints, _ARMATURE)],
        [*_of_dynamics(joints, _ROTOR)],
        *(_motors([(joint, [joint]) for joint in joints], words, collected) for words in (_DRAKE, _ROS)),
        *(
            _motors([(own, [*children(own, "joint")]) for own in owners], words, collected)
            for owners in (simple, of_control)
            for words in (_DRAKE, _ROS)
        ),
    ]
    _collect("inertia", places, robot, collected)


def _of_dynamics(joints: list[etree._Element], words: _Words) -> Iterator[_Place]:
    """Yield the numbers in the attributes of each <dynamics>."""
    for joint in joints:
        for dynamics in children(joint, "dynamics"):
            where = f"joint '{joint.get('name', '')}', <dynamics>"
            numbers, factors = (_numbers([dynamics], keys, where, elements=False) for keys in words)
            yield _Place(joint.get("name", ""), numbers, factors, words)


def _motors(
    owners: list[tuple[etree._Element, list[etree._Element]]], words: _Words, collected: Collected
) -> list[_Place]:
    """Return the numbers of the motors of ``owners``: joints or transmissions, each with its joints.

    A motor may have a transmission for each hardware interface: those of one name are one motor. Owners with
    several joints or motors, whose armature would be a matrix, are findings.
    """
    places: dict[tuple[str, ...], _Place] = {}
    for owner, joints in owners:
        actuators, name = [*children(owner, "actuator")], owner.get("name", "")
        where = f"{word(owner)} '{name}'"
        parts = [*actuators, owner, *(joint for joint in joints if joint is not owner)]
        numbers, factors = (_numbers(parts, keys, where) for keys in words)
        if numbers and (len(joints) != 1 or len(actuators) > 1):
            several = f"{len(joints)} joints" if len(joints) != 1 else f"{len(actuators)} motors"
            text = f"rotor inertias of {where}, of {several}, are not read"
            collected.leave("inertia", numbers[0].element, name, text)
        elif len(joints) == 1:
            joint, motor = joints[0].get("name", ""), (actuators or [owner])[0].get("name", "")
            key = (joint, motor) if motor else (joint, "", str(len(places)))
            place = places.setdefault(key, _Place(joint, [], [], words))
            place.numbers.extend(numbers)
            place.factors.extend(factors)
        collected.read += [one.element for one in numbers if one.element not in parts]
    return [*places.values()]


def _numbers(
    parts: Iterable[etree._Element], words: tuple[str, ...], where: str, elements: bool = True
) -> list[_Number]:
    """Return the numbers of these names: attributes of the parts and, with ``elements``, children of them."""
    found = list[_Number]()
    for part in parts:
        tag, own = word(part), children(part, *words) if elements else ()
        found += [_Number(part, f'<{tag} {key}="">', where, key) for key in words if key in part.attrib]
        found += [_Number(element, f"<{word(element)}>", where) for element in own]
    return found


def _readings(kind: str, place: _Place, collected: Collected) -> list[_Statement]:
    """Return the possible statements of a place, the one that counts first; none if its numbers are zero."""
    numbers = [one for one in place.numbers if one.value != 0.0]
    factors: list[_Number | None] = [*place.factors]
    zeros = [one for one in place.factors if one.value == 0.0] if numbers and kind == "inertia" else []
    for zero in zeros:
        text = f"{numbers[0].text} of joint '{place.joint}' is not read: {zero.text} is zero"
        collected.leave(kind, zero.element, place.joint, text)
        return []
    return [_statement(kind, one, factor) for factor in factors or [None] for one in numbers]


def _statement(kind: str, number: _Number, factor: _Number | None) -> _Statement:
    """Return the armature as inertia times ratio squared, or the spring with its rest position."""
    if kind == "spring":
        values = {"stiffness": number.value, "rest_position": factor.value if factor else 0.0}
        return _Statement(values, number.element, number.text)
    times = f" times {factor.text} squared" if factor else ", as seen at the joint"
    armature = number.value * (factor.value**2 if factor else 1.0)
    return _Statement({"armature": armature}, number.element, number.text + times)


def _collect(kind: str, groups: list[list[_Place]], robot: RobotDescription, collected: Collected) -> None:
    """Add for each joint the statement of the first group that has one; report others that differ.

    Motors of one group add up. A number without factor is a question if another place of the joint has one.
    """
    counting: dict[str, tuple[_Statement, _Place]] = {}
    others: dict[str, list[_Statement]] = {}
    for group in groups:
        here: dict[str, tuple[_Statement, _Place]] = {}
        for place in group:
            for first, *further in filter(None, [_readings(kind, place, collected)]):
                others.setdefault(place.joint, []).extend(one for one in further if first.differs(one))
                whole = here[place.joint][0].and_another(first) if place.joint in here else first
                here[place.joint] = whole, place
        for joint, (one, place) in here.items():
            first, _ = counting.setdefault(joint, (one, place))
            others[joint] += [one] if first.differs(one) else []
    for joint, (one, place) in counting.items():
        if not _accepts(joint, kind, one.element, robot, collected):
            continue
        entry = {"joint": joint, **one.values}
        collected.add("joint_dynamics", entry, one.element, one.text)
        if others[joint]:
            text = f"several numbers state the {kind} of joint '{joint}': {one}, which counts, and "
            text += ", and ".join(dict.fromkeys(map(str, others[joint])))
            collected.contradict(kind, entry, one.element, text)
        elif place.words[1] and not place.factors:
            every = [other for group in groups for other in group if other.joint == joint]
            also = [_statement(kind, place.numbers[0], own) for other in every for own in other.factors]
            if also := [other for other in also if one.differs(other)]:
                text = f"the {kind} of joint '{joint}' is {one}, and not {also[0]}; is that right?"
                collected.contradict(kind, entry, one.element, text, asks=True)


def _accepts(
    joint: str, kind: str, element: etree._Element, robot: RobotDescription, collected: Collected
) -> bool:
    """Return whether the joint can have this armature or spring; add a finding if it moves and cannot."""
    known = robot.joints.get(joint)
    if known is not None and (known.has_one_coordinate or (kind == "inertia" and known.moves)):
        return True
    if known is None or known.moves:
        what = "does not exist" if known is None else f"is {known.type}"
        text = f"the {kind} that <{word(element)}> states of joint '{joint}' is not read: the joint {what}"
        collected.leave(kind, element, joint, text)
    return False  # at a fixed joint it changes nothing


def collect_springs(root: etree._Element, robot: RobotDescription, collected: Collected) -> None:
    """Collect springs at joints (<dynamics> has precedence over <gazebo>), and between links.

    Raises:
        UrdfError: a stiffness or a position that is not a number.
    """
    of_dynamics = [*_of_dynamics([*children(root, "joint")], _SPRING)]
    _collect("spring", [of_dynamics, _of_gazebo(root, collected)], robot, collected)
    for element in children(root, "drake:linear_spring_damper"):
        _spring_damper(element, robot, collected)


def _of_gazebo(root: etree._Element, collected: Collected) -> list[_Place]:
    """Return the springs of <gazebo>, all blocks of a joint together; as in Gazebo the last one counts."""
    blocks: dict[str, list[etree._Element]] = {}
    for block in children(root, "gazebo"):
        if (joint := block.get("reference")) is not None:
            blocks.setdefault(joint.strip(), []).append(block)
    places = list[_Place]()
    for joint, of_joint in blocks.items():
        parts = [part for block in of_joint for part in block.iter(etree.Element) if not _is_plugin(part)]
        numbers, rests = (_numbers(parts, keys, f"<gazebo> of '{joint}'")[::-1] for keys in _OF_GAZEBO)
        numbers = [replace(one, text=f"{one.text} of Gazebo") for one in numbers]
        places.append(_Place(joint, numbers, rests, _OF_GAZEBO))
        collected.read += [one.element for one in (*numbers, *rests) if one.element not in of_joint]
    return places


def _is_plugin(part: etree._Element) -> bool:
    """Return whether an element is a <plugin> or inside one."""
    return any(word(one) == "plugin" for one in (part, *part.iterancestors()))


_LAW = ("stiffness", "free_length", "damping")


def _spring_damper(element: etree._Element, robot: RobotDescription, collected: Collected) -> None:
    """Collect Drake's spring between a point P of body A and a point Q of body B."""
    prefix = "drake:linear_spring_damper_"
    parts = {word(own).removeprefix(prefix): own for own in children(element)}
    name = element.get("name") or f"spring_{line_of(element)}"
    links = [content(parts.get(f"body_{body}"), "name") for body in "AB"]
    wrong = [f"it lacks {key}" for key in ("stiffness", "free_length") if key not in parts]
    wrong += [f"'{link}' is no link of the URDF" for link in links if link not in robot.links]
    if wrong:
        text = f"<{word(element)}> is not read: {wrong[0]}"
        collected.leave("spring", element, name, text)
        return
    law: dict[str, Any] = {key: content(parts[key]) for key in _LAW if key in parts}
    anchors = [
        {"link": link, "xyz": content(parts.get(f"p_{point}")) or "0 0 0", LINE: line_of(element)}
        for link, point in zip(links, ("AP", "BQ"), strict=True)
    ]
    collected.add("springs", {"name": name, **law, "anchors": anchors}, element, f"<{word(element)}>")
    collected.read.append(element)
