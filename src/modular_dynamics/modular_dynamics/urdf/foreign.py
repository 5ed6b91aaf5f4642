"""Words of other tools in a URDF that close loops or add inertia to joints: docs/reference/urdf_tags.md.

They become entries of the sections of our tags (tags.py), which have precedence. What closes a loop and has
anything that is not known here is not read, and a finding says what. Read are:

- <loop_joint> of Isaac Sim, with the ends <link1> and <link2>; <loop> of URDF+ (arXiv 2411.19753).
- <joint> of SDF inside <gazebo>, whose frames coincide with all joints at zero.
- <dynamics armature="">, as seen at the joint; inertias of rotors times the square of their gear ratio.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ..algebra import from_xyz_rpy, to_xyz_rpy
from ..exceptions import UrdfError
from ..model import Finding
from ..text.numbers import STIFFEST
from .checks.kinds import WRITE, added_by_gazebo, unread
from .checks.plausibility import TURN
from .description import Annotations, RobotDescription, free_name
from .schema import DRIVES, is_zero
from .source import children, content, line_of, numbers_in, word
from .tags import checked_annotations
from .values import LINE, Entry, attributes


@dataclass
class Words:
    """What the elements of other tools state about a robot, without what our tags state too.

    Attributes:
        entries: by section of the partition file. read: the elements that our tags can replace. seen: these,
            and all others that a note or a finding names.
        notes: what was read, and from where. findings: on what changes torques and is not read.
    """

    entries: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    read: list[etree._Element] = field(default_factory=list)
    seen: list[etree._Element] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def section(self, name: str) -> list[dict[str, Any]]:
        """Return the entries of a section, to which others can be added."""
        return self.entries.setdefault(name, [])


def foreign_words(
    root: etree._Element, robot: RobotDescription, own: Annotations, given: Mapping[str, Any]
) -> Words:
    """Return what elements of other tools state.

    Args:
        own: annotations of our tags and the partition file. given: their sections, before the checks; a
            section that is present and empty disables the reading of other tools' elements for it.

    Raises:
        UrdfError: a value that is not a number.
    """
    words = Words()
    off = Words(seen=words.seen)  # of a section that is empty: what it would hold is no finding
    _collect_loops(root, robot, own, words if given.get("loop_joints") != [] else off)
    _collect_passive(root, robot, own, words)
    _collect_armatures(root, robot, given, words if given.get("joint_dynamics") != [] else off)
    return words


def with_words(annotations: Annotations, words: Words) -> Annotations:
    """Return our annotations together with those of other tools.

    Raises:
        PartitionError: invalid values, with the line.
    """
    theirs = checked_annotations({"version": "1", **words.entries})
    by_joint = {one.joint: one for one in annotations.joint_dynamics}
    for one in theirs.joint_dynamics:
        by_joint[one.joint] = replace(by_joint.get(one.joint, one), armature=one.armature)
    return replace(
        annotations,
        loop_joints=(*annotations.loop_joints, *theirs.loop_joints),
        passive=(*annotations.passive, *theirs.passive),
        joint_dynamics=tuple(by_joint.values()),
        lines={**theirs.lines, **annotations.lines},
    )


def text_without(root: etree._Element, words: list[etree._Element]) -> str:
    """Return the text of a <robot> element without the elements of other tools that our tags replace."""
    for element in words:
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
    for block in list(children(root, "gazebo")):
        if not len(block):
            root.remove(block)
    return etree.tostring(root, encoding="unicode")


def refuse_drake_joints(root: etree._Element) -> None:
    """Raise UrdfError for a <drake:joint>, without which the tree falls apart."""
    for joint in children(root, "drake:joint"):
        write = '<joint type="floating"> with <spherical joint=""/> in <modular_dynamics> for a ball joint'
        text = f"<drake:joint> '{joint.get('name', '')}' is not read; write <joint>, and {write}"
        raise UrdfError(text, line_of(joint))


# Joints that close loops.

#: Elements that may close a loop, as in URDF or with a pose in each end; and the names of their two ends.
CLOSING = ("loop_joint", "loop")
_ENDS = (("link1", "link2"), ("predecessor", "successor"), ("parent", "child"))
#: What these elements may have: others are not read. Damping and limits of a loop joint are ignored.
_IN_LOOP = ("axis", "origin", "dynamics", "limit", *(end for pair in _ENDS for end in pair))
_POSE = ("xyz", "rpy", "quat_xyzw")
#: What a joint of SDF and its axis may have.
_IN_SDF = ("parent", "child", "pose", "axis", "physics", "sensor")
_IN_SDF_AXIS = ("xyz", "limit", "dynamics", "initial_position")
#: Other tools' names of our types of loop joints. "planar" is left out: it is a different joint there.
_TYPES = {"continuous": "revolute", "hinge": "revolute", "ball": "spherical"} | {
    kind: kind for kind in ("revolute", "prismatic", "spherical", "fixed")
}
#: Types of SDF's joints that couple other joints.
_COUPLES = ("gearbox", "screw")


class _NotReadError(Exception):
    """An element that changes torques cannot be read; the message is the reason."""


class _NotNeededError(Exception):
    """An element need not be read; the message is the reason. Without one, no note is written."""


def _collect_loops(root: etree._Element, robot: RobotDescription, own: Annotations, words: Words) -> None:
    """Collect the loop joints of other tools, in the order of the file.

    Those with the name of one of our loop joints, or between the same two bodies, are left out.
    """
    names = {loop.name for loop in own.loop_joints}
    closed = [_bodies(robot, *(end.link for end in loop.anchors)) for loop in own.loop_joints]
    numbers, left = count(1), dict[str, list[str]]()
    of_gazebo = [*added_by_gazebo(root, "joint")]
    elements = [one for one in children(root, *CLOSING) if not _is_ours(one)]
    for element in sorted([*elements, *of_gazebo], key=lambda one: line_of(one) or 0):
        name = element.get("name") or f"loop_{next(numbers)}"
        what = f"<{word(element)}> '{name}'"
        words.seen.append(element)
        try:
            entry = (_gazebo_joint if element in of_gazebo else _loop)(element, what, robot)
            ends = entry["predecessor"]["link"], entry["successor"]["link"]
            if lost := [link for link in ends if link not in robot.links]:
                raise _NotReadError(f"'{lost[0]}' is no link of the URDF")
            _check_mimics(robot, ends)
            if name in names or _bodies(robot, *ends) in closed:
                raise _NotNeededError("because our tags say the same")
        except _NotReadError as error:
            couples = element.get("type") in _COUPLES
            does = "couples joints" if couples else "closes a loop"
            text = f"{what} {does} and is not read: {error}"
            words.findings.append(unread("coupling" if couples else "loop", element, name, text))
            continue
        except _NotNeededError as error:
            if error.args:
                left.setdefault(str(error), []).append(f"{what} (line {line_of(element)})")
            continue
        words.read.append(element)
        if any(robot.between(*ends)):  # others hold what is fixed anyway
            loops = words.section("loop_joints")
            name = free_name(name, robot.joints, [loop["name"] for loop in loops])
            loops.append({"name": name, **entry, LINE: line_of(element)})
            read_as = f"{name}, {entry['type']}, of {' and '.join(ends)} (line {line_of(element)})"
            words.notes.append(f"<{word(element)}> read as loop joint: {read_as}")
    words.notes += [f"not read, {reason}: {', '.join(one)}" for reason, one in left.items()]


def _is_ours(element: etree._Element) -> bool:
    """Return whether it is our <loop_joint>, misplaced: checks/places.py reports it."""
    return word(element) == "loop_joint" and next(children(element, "predecessor"), None) is not None


def _bodies(robot: RobotDescription, *links: str) -> set[str]:
    """Return the moving joints right above links, which identify their bodies; "" is the ground."""
    above = [robot.joints_above(link) if link in robot.links else [] for link in links]
    return {joints[-1].name if joints else "" for joints in above}


def _check_mimics(robot: RobotDescription, links: tuple[str, str]) -> None:
    """Raise _NotNeededError if <mimic> couples all joints of a loop: then only simulators must close it."""
    joints = [joint for side in robot.between(*links) for joint in side]
    coordinates = {joint.name if joint.mimic is None else joint.mimic.joint for joint in joints}
    if any(joint.mimic for joint in joints) and len(coordinates) == 1:
        raise _NotNeededError("because joints of the loop are coupled by <mimic>, which counts")


def _loop(element: etree._Element, what: str, _: RobotDescription) -> dict[str, Any]:
    """Return the entry of a <loop_joint> or <loop>: two ends with poses, and an axis or x."""
    _check_known(element, ("name", "type"), _IN_LOOP)
    pairs = [ends for ends in _ENDS if [*children(element, *ends)]]
    ends = pairs[0] if pairs else _ENDS[0]
    first, second = (_at_most_one(element, end) for end in ends)
    if first is None or second is None or len(pairs) > 1:
        has = [f"<{word(own)}>" for own in children(element, *(end for pair in _ENDS for end in pair))]
        needed = f"one <{ends[0]} link=...> and one <{ends[1]} link=...> are needed"
        raise _NotReadError(f"it has {', '.join(has) or 'no ends'}; {needed}")
    axis = _at_most_one(element, "axis")
    if axis is not None:
        _check_known(axis, ("xyz",))
    xyz = [1.0, 0.0, 0.0] if axis is None else Entry.of(axis, f"{what}, <axis>").numbers("xyz", 3)
    return {
        "type": _type(element),
        "predecessor": _end(first, what, _at_most_one(element, "origin")),
        "successor": _end(second, what),
        "axis": _unit(np.array(xyz)).tolist(),
    }


def _check_known(element: etree._Element, keys: Iterable[str], tags: Iterable[str] = ()) -> None:
    """Raise _NotReadError: an element has another attribute than ``keys``, or another child than ``tags``."""
    found = [f"the attribute '{key}'" for key in map(str, element.attrib) if key not in keys]
    found += [f"a <{word(child)}>" for child in children(element) if word(child) not in tags]
    if found:
        raise _NotReadError(f"<{word(element)}> has {found[0]}")


def _type(element: etree._Element) -> str:
    """Return our name of a joint's type. Raises _NotReadError: no loop joint has this type here."""
    given = element.get("type") or "missing"
    if given not in _TYPES:
        raise _NotReadError(f"its type is {given}, and {', '.join(_TYPES)} are read")
    return _TYPES[given]


def _at_most_one(element: etree._Element, tag: str) -> etree._Element | None:
    """Return the child element of this name, or None. Raises _NotReadError: there are several."""
    found = [*children(element, tag)]
    if len(found) > 1:
        raise _NotReadError(f"it has {len(found)} <{tag}>, and one is needed")
    return found[0] if found else None


def _end(end: etree._Element, what: str, *beside: etree._Element | None) -> dict[str, Any]:
    """Return link and pose of a loop's end; the pose is in its attributes, its <origin> or ``beside`` it."""
    link = Entry.of(end, f"{what}, <{word(end)}>").name("link")
    poses = list[dict[str, str]]()
    for own in (end, _at_most_one(end, "origin"), *beside):
        if own is not None:
            _check_known(own, ("link", *_POSE), ("origin",))
            pose = {key: str(own.get(key)) for key in _POSE if key in own.attrib}
            poses += [pose] if "quat_xyzw" in pose or not all(map(is_zero, pose.values())) else []
    if len(poses) > 1:
        raise _NotReadError(f"the pose in '{link}' stands in {len(poses)} places, and one is needed")
    return {"link": link, **(poses[0] if poses else {}), LINE: line_of(end)}


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the vector divided by its length. Raises _NotReadError: it is zero."""
    length = float(np.linalg.norm(vector))
    if not length > 1e-9:
        raise _NotReadError("its axis has no direction")
    return vector / length


def _gazebo_joint(element: etree._Element, _: str, robot: RobotDescription) -> dict[str, Any]:
    """Return the entry of a joint of SDF; its frames in both links coincide with all joints at zero."""
    if next(children(element, "parent", "child"), None) is None:
        raise _NotNeededError
    parent, child = (_link(element, tag, robot) for tag in ("parent", "child"))
    known = robot.joints.get(element.get("name", ""))
    if known is not None and {known.parent, known.child} == {parent, child}:
        raise _NotNeededError  # the URDF has this joint, too
    kind = _type(element)
    _check_known(element, ("name", "type"), _IN_SDF)
    placed, axis_of = _at_most_one(element, "pose"), _at_most_one(element, "axis")
    for part in children(element, "parent", "child"):
        _check_known(part, ("link",))
    x_root_joint, axis = robot.poses[child], np.array([0.0, 0.0, 1.0])
    if placed is not None:
        _check_known(placed, ())
        values = _values(placed, 6)
        if max(map(abs, values[3:])) > TURN:
            raise _NotReadError(f"its <pose> {content(placed)} is not six numbers in m and rad")
        x_root_joint = x_root_joint * from_xyz_rpy(values[:3], values[3:])
    if axis_of is not None:
        _check_known(axis_of, (), _IN_SDF_AXIS)
        if (xyz := _at_most_one(axis_of, "xyz")) is not None:
            _check_known(xyz, ())
            axis = np.array(_values(xyz, 3))
    ends = dict[str, dict[str, Any]]()
    for end, link in (("predecessor", parent), ("successor", child)):
        xyz_of, rpy = to_xyz_rpy(robot.poses[link].conjugate() * x_root_joint)
        ends[end] = {"link": link, "xyz": xyz_of.tolist(), "rpy": rpy.tolist()}
    return {"type": kind, **ends, "axis": _unit(axis).tolist()}


def _link(element: etree._Element, tag: str, robot: RobotDescription) -> str:
    """Return the link that SDF names, without the model's name; the root link for the world."""
    name = content(_at_most_one(element, tag), "link").rpartition("::")[2]
    if not name:
        raise _NotReadError(f"it lacks its <{tag}>")
    if name in {link.get("name") for link in added_by_gazebo(element.getroottree().getroot(), "link")}:
        raise _NotNeededError("because they hold links that only <gazebo> has")
    if name not in robot.links and name != "world":
        raise _NotReadError(f"its {tag} is '{name}', which is no link of the URDF")
    return name if name in robot.links else robot.root


def _values(element: etree._Element, size: int) -> list[float]:
    """Return the numbers in an element. Raises _NotReadError: they are not ``size`` finite numbers."""
    values = numbers_in(content(element))
    if len(values) != size or not np.isfinite(values).all():
        raise _NotReadError(f"its <{word(element)}> does not hold {size} finite numbers")
    return values


# Which joints of these loops are passive: the elements of other tools seldom say it.


def _collect_passive(root: etree._Element, robot: RobotDescription, own: Annotations, words: Words) -> None:
    """Collect the passive joints of the collected loops; loops with common joints are one.

    If our tags <passive>, <gear> or <independent> name one of its joints, they decide. Else, if a
    <transmission> or a command interface of <ros2_control> drives some of the joints, the others are passive.
    If none or all are driven, no joint is passive, functions raise an error, and a finding says so.
    """
    ours = {*own.passive, *(gear.joint for gear in own.gears)}
    for loops, joints in [] if own.independent is not None else _groups(robot, words.section("loop_joints")):
        undriven = [name for name in joints if name not in _driven(root)]
        names = ", ".join(str(loop["name"]) for loop in loops)
        if ours & joints.keys():
            continue
        if 0 < len(undriven) < len(joints):
            words.section("passive").extend({"joint": name} for name in undriven)
            why = "no <transmission> or command interface drives them"
            taken = f"are taken as passive: {', '.join(undriven)}"
            words.notes.append(f"joints of the loops {names} {taken}; {why}")
            continue
        text = f"nothing says which joints of the loops {names} are passive: {', '.join(joints)}"
        assumed = "; none is, and torques are refused"
        hint = '; write <passive joint=""/> in <modular_dynamics> for each that no motor drives'
        finding = Finding("loop without passive joints", "loop joint", loops[0]["name"], text)
        words.findings.append(replace(finding, line=loops[0][LINE], assumed=assumed, hint=hint))


def _driven(root: etree._Element) -> set[str]:
    """Return the joints with a transmission or a command interface."""
    driven = set[str]()
    for block in (root, *children(root, "ros2_control")):
        for transmission in children(block, "transmission"):
            driven |= {joint.get("name", "") for joint in children(transmission, "joint")}
        for joint in children(block, "joint"):
            if any(True for _ in children(joint, "command_interface")):
                driven.add(joint.get("name", ""))
    return driven


def _groups(
    robot: RobotDescription, loops: Iterable[dict[str, Any]]
) -> list[tuple[list[dict[str, Any]], dict[str, None]]]:
    """Return groups of loops with common joints, and the joints in each from the root on."""
    groups: list[tuple[list[dict[str, Any]], dict[str, None]]] = []
    for loop in loops:
        between = robot.between(loop["predecessor"]["link"], loop["successor"]["link"])
        joined, joints = [loop], {one.name: None for side in between for one in side if one.mimic is None}
        for group in [group for group in groups if group[1].keys() & joints.keys()]:
            groups.remove(group)
            joined, joints = [*group[0], *joined], group[1] | joints
        groups.append((joined, joints))
    return groups


# Inertias of drives.

#: Names of inertias, and of gear ratios whose square multiplies them; the first row that is there counts.
_INERTIAS = (
    (("armature",), ()),
    (("drake:rotor_inertia",), ("drake:gear_ratio",)),
    (
        ("motorInertia", "rotorInertia", "motor_inertia", "rotor_inertia"),
        ("mechanicalReduction", "mechanical_reduction", "gearRatio", "gear_ratio"),
    ),
)
#: Largest relative difference of equal numbers that two elements state.
_SAME = 1e-3


@dataclass(frozen=True)
class _Drive:
    """The armature that one place of the file states for a joint; ``text``: its words, for messages."""

    armature: float
    element: etree._Element
    motor: str
    text: str

    def __str__(self) -> str:
        return f"{self.armature:.6g} by {self.text} (line {line_of(self.element)})"


def _collect_armatures(
    root: etree._Element, robot: RobotDescription, given: Mapping[str, Any], words: Words
) -> None:
    """Collect armatures of joints: the first place counts, and others that differ are named.

    Places are <dynamics>, the joint and its <actuator>, and transmissions, also in <ros2_control>. Our tags
    settle the armature of a joint that they state.
    """
    ours = {one["joint"] for one in given.get("joint_dynamics") or () if "armature" in one}
    stated = dict[str, list[_Drive]]()
    for joint, motor, parts in _drives(root):
        for drive in _armatures(joint, motor, parts, words):
            stated.setdefault(joint, []).append(drive)
    armatures_by_text = dict[str, list[str]]()
    for name, drives in stated.items():
        known, first = robot.joints.get(name), drives[0]
        others = [one for one in drives if abs(one.armature - first.armature) > _SAME * abs(first.armature)]
        line, elements = line_of(first.element), [one.element for one in drives]
        why = "the joint does not exist" if known is None else ""
        if len({one.motor for one in drives if one.motor}) > 1:
            why = "the joint has several motors"
        if name not in ours and (why or first.armature == 0.0):
            text = f"the inertia of joint '{name}' by {first.text} is not read: {why or 'its ratio is zero'}"
            words.findings.append(unread("inertia", first.element, name, text))
            continue
        words.read += [one for one in elements if word(one) != "dynamics"]
        if name in ours:
            where = ", ".join(f"{one.text} (line {line_of(one.element)})" for one in drives)
            words.notes.append(f"not read, because our tags say the same: {where}")
        elif known is not None and known.moves:  # at a fixed joint it changes nothing
            words.section("joint_dynamics").append({"joint": name, "armature": first.armature, LINE: line})
            of_text = armatures_by_text.setdefault(first.text, [])
            of_text.append(f"{name} {first.armature:.4g} (line {line})")
            if others:
                text = f"several numbers state the inertia of joint '{name}': {first}, which counts, and "
                text, hint = text + ", and ".join(map(str, others)), f"; {WRITE['inertia']}"
                words.findings.append(Finding("contradicting inertia", "joint", name, text, line, "", hint))
    for text, armatures in armatures_by_text.items():
        words.notes.append(f"{text} read as armature [kg m^2, or kg]: {', '.join(armatures)}")


def _drives(root: etree._Element) -> Iterator[tuple[str, str, list[etree._Element]]]:
    """Yield for each joint's drive the joint, the motor, and the elements that may have its numbers.

    In joints and transmissions of several motors or joints an armature would be a matrix: they are not read.
    """
    for joint in children(root, "joint"):
        actuators, name = [*children(joint, "actuator")], joint.get("name", "")
        yield name, "", [*children(joint, "dynamics")]
        yield name, "", [*(actuators if len(actuators) == 1 else ()), joint]
    for block in (root, *children(root, "ros2_control")):
        for transmission in children(block, "transmission"):
            joints, actuators = ([*children(transmission, tag)] for tag in ("joint", "actuator"))
            if len(joints) == 1 and len(actuators) < 2:
                motor = (actuators or [transmission])[0].get("name", "")
                yield joints[0].get("name", ""), motor, [*actuators, transmission, *joints]


def _armatures(joint: str, motor: str, parts: list[etree._Element], words: Words) -> Iterator[_Drive]:
    """Yield the armatures that the elements of one drive state; zero says nothing."""
    for inertias, ratios in _INERTIAS:
        found = [*_numbers(parts, inertias, joint)]
        words.seen += [element for element, _, _ in found]
        found = [one for one in found if one[1] != 0.0]
        factors = [*_numbers(parts, ratios, joint)] if found else []
        for ratio, by in [(ratio, f" times {text} squared") for _, ratio, text in factors] or [(1.0, "")]:
            for element, inertia, text in found:
                yield _Drive(inertia * ratio**2, element, motor, text + by)


def _numbers(
    parts: list[etree._Element], names: tuple[str, ...], joint: str
) -> Iterator[tuple[etree._Element, float, str]]:
    """Yield the numbers of these names, in attributes of <dynamics> and in child elements of other parts."""
    for part in parts if names else ():
        where = f"joint '{joint}', <{word(part)}>"
        if word(part) == "dynamics":
            entry = Entry.of(part, where)
            keys = [key for key in names if key in DRIVES and key in part.attrib]
            yield from ((part, entry.number(key, 0.0, STIFFEST), f'<dynamics {key}="">') for key in keys)
            continue
        for element in children(part, *names):
            item = {**attributes(element), "value": content(element)}
            value = Entry(item, f"{where}, <{word(element)}>", UrdfError).number("value", None, STIFFEST)
            yield element, value, f"<{word(element)}>"
