"""Joints of other tools that close loops, as <loop_joint>, and couplings, as <gear>.

- <loop_joint> of Isaac Sim and of Drake before 2017: <link1> and <link2> with xyz and rpy, or other ends.
- <loop> and <coupling> of URDF+ (arXiv 2411.19753); its first parser called both <constraint>.
- <joint> of SDF inside <gazebo>, whose frames coincide with all joints at zero.
- <drake:ball_constraint>.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...algebra import DualQuaternion, from_xyz_rpy, to_rotation_translation, to_xyz_rpy
from ...exceptions import UrdfError
from ...model import Finding
from ..description import Annotations, JointDescription, RobotDescription, free_name
from ..source import line_of, numbers_in, word
from ..values import LINE, Entry
from .words import Collected, Record, amount, children, content, pose_of

Vector = NDArray[np.float64]
#: Elements below <robot> that close loops or couple joints.
CLOSING = ("loop_joint", "loop", "constraint", "coupling", "drake:ball_constraint")
_ENDS = (("link1", "link2"), ("predecessor", "successor"), ("parent", "child"))
#: Other tools' names of our types of loop joints. "planar" is left out: it is a different joint there.
_TYPES = {"continuous": "revolute", "hinge": "revolute", "ball": "spherical", "position": "spherical"} | {
    kind: kind for kind in ("revolute", "prismatic", "spherical", "fixed")
}
#: Largest distance of equal points, as two tools write them [m].
_ROUNDED = 1e-4
#: Larger angles of a pose [rad] are taken as degrees: a turn, and 5 % for rounding.
_TURN = 2.0 * np.pi * 1.05
#: Types of SDF's joints that couple other joints.
_COUPLES = ("gearbox", "screw")


class _NotReadError(Exception):
    """An element that changes torques cannot be read; the message is the reason."""


class _NotNeededError(Exception):
    """An element need not be read; the message is the reason. Without one, no note is written."""


def collect_loops(root: etree._Element, robot: RobotDescription, collected: Collected) -> None:
    """Collect the loop joints of all tools, in the order of the file.

    Raises:
        UrdfError: a missing link, or a value that is not a number.
    """
    readers = {"drake:ball_constraint": _ball_constraint, "joint": _gazebo_joint}
    numbers, left = count(1), dict[str, list[str]]()
    for element in _loop_elements(root):
        name = element.get("name") or f"loop_{next(numbers)}"
        what = f"<{word(element)}> '{name}'"
        try:
            entry = readers.get(word(element), _loop)(element, what, robot)
            links = entry["predecessor"]["link"], entry["successor"]["link"]
            if lost := [link for link in links if link not in robot.links]:
                raise _NotReadError(f"'{lost[0]}' is no link of the URDF")
            joints = robot.between(*links)
            _check_mimics([*joints[0], *joints[1]], element)
            if any(_are_same(entry, other) for other in collected.of("loop_joints")):
                raise _NotNeededError("because the same loop joint stands before")
        except _NotReadError as error:
            couples = element.get("type") in _COUPLES
            does = "couples joints" if couples else "closes a loop"
            text = f"{what} {does} and is not read: {error}"
            collected.leave("coupling" if couples else "loop", element, name, text)
            continue
        except _NotNeededError as error:
            if error.args:
                left.setdefault(str(error), []).append(f"{what} (line {line_of(element)})")
            continue
        collected.read.append(element)
        if any(joints):  # others hold what is fixed anyway
            taken = [*robot.joints, *(loop["name"] for loop in collected.of("loop_joints"))]
            entry = {"name": free_name(name, taken), **entry}
            collected.add("loop_joints", entry, element, f"<{word(element)}>")
    collected.notes += [f"not read, {reason}: {', '.join(names)}" for reason, names in left.items()]


def _are_same(*loops: dict[str, Any]) -> bool:
    """Return whether two loop joints have the same type, links and points, up to rounding."""
    numbers = list[dict[str, Vector]]()
    for loop in loops:
        axis = np.array(loop.get("axis", [1.0, 0.0, 0.0])) * (loop["type"] in ("revolute", "prismatic"))
        poses = {end["link"]: _pose(end) for end in (loop["predecessor"], loop["successor"])}
        places = {link: to_rotation_translation(pose) for link, pose in poses.items()}
        numbers.append({link: np.array([at, abs(turn @ axis)]) for link, (turn, at) in places.items()})
    one, other = numbers
    return (loops[0]["type"], one.keys()) == (loops[1]["type"], other.keys()) and all(
        np.allclose(place, other[link], rtol=0.0, atol=_ROUNDED) for link, place in one.items()
    )


def _check_mimics(joints: list[JointDescription], element: etree._Element) -> None:
    """Raise _NotNeededError if <mimic> leaves one coordinate in the loop: only simulators must close it."""
    coordinates = {joint.name if joint.mimic is None else joint.mimic.joint for joint in joints}
    couples = element.get("type") in _COUPLES
    if any(joint.mimic for joint in joints) and (len(coordinates) == 1 or couples):
        raise _NotNeededError("because joints of the loop are coupled by <mimic>, which counts")


def added_by_gazebo(root: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Yield the elements that <gazebo> without a reference, which would be to a link or joint, adds."""
    for block in children(root, "gazebo"):
        if block.get("reference") is None:
            yield from children(block, tag)


def _loop_elements(root: etree._Element) -> list[etree._Element]:
    """Return the elements of other tools that close loops, in the order of the file."""
    own = [own for own in children(root, *CLOSING) if not _is_coupling(own) and not _is_ours(own)]
    return sorted([*own, *added_by_gazebo(root, "joint")], key=lambda element: line_of(element) or 0)


def _is_coupling(element: etree._Element) -> bool:
    """Return whether an element is a coupling of URDF+; its first parser had <constraint type="rolling">."""
    return word(element) == "coupling" or element.get("type") == "rolling"


def _is_ours(element: etree._Element) -> bool:
    """Return whether it is our <loop_joint>, misplaced: checks/places.py reports it."""
    return word(element) == "loop_joint" and next(children(element, "predecessor"), None) is not None


def _loop(element: etree._Element, what: str, _: RobotDescription) -> dict[str, Any]:
    """Return the entry of a <loop_joint>, <loop> or <constraint>: two ends with poses, and an axis or x."""
    pairs = [ends for ends in _ENDS if [*children(element, *ends)]]
    ends = pairs[0] if pairs else _ENDS[0]
    first, second = (_one(element, end) for end in ends)
    if first is None or second is None or len(pairs) > 1:
        has = (
            ", ".join(f"<{end}>" for pair in pairs for end in pair if [*children(element, end)]) or "no ends"
        )
        raise _NotReadError(f"it has {has}; one <{ends[0]} link=...> and one <{ends[1]} link=...> are needed")
    for own in children(element):
        if word(own).endswith(("ratio", "_origin", "_axis")):  # of a coupling; of urdfdom's pull request 264
            raise _NotReadError(f"it has a <{word(own)}>")
    given = element.get("type") or "missing"
    kind = _TYPES.get(given)
    if kind is None:
        raise _NotReadError(f"its type is {given}, and {', '.join(_TYPES)} are read")
    axis = _one(element, "axis")
    xyz = [1.0, 0.0, 0.0] if axis is None else Entry.of(axis, f"{what}, <axis>").numbers("xyz", 3)
    return {
        "type": kind,
        "predecessor": _end(first, what, _one(element, "origin")),
        "successor": _end(second, what),
        "axis": _unit(np.array(xyz)).tolist(),
    }


def _one(element: etree._Element, tag: str) -> etree._Element | None:
    """Return the child element of this name, or None. Raises _NotReadError: there are several."""
    found = [*children(element, tag)]
    if len(found) > 1:
        raise _NotReadError(f"it has {len(found)} <{tag}>, and one is needed")
    return found[0] if found else None


def _end(end: etree._Element, what: str, *beside: etree._Element | None) -> dict[str, Any]:
    """Return link and pose of a loop's end; the pose is in its attributes, its <origin> or ``beside`` it."""
    link = Entry.of(end, f"{what}, <{word(end)}>").name("link")
    poses = [
        pose for own in (end, _one(end, "origin"), *beside) if own is not None and (pose := pose_of(own))
    ]
    if len(poses) > 1:
        raise _NotReadError(f"the pose in '{link}' stands in {len(poses)} places, and one is needed")
    return {"link": link, **(poses[0] if poses else {}), LINE: line_of(end)}


def _unit(vector: Vector) -> Vector:
    """Return the vector divided by its length. Raises _NotReadError: it is zero."""
    length = float(np.linalg.norm(vector))
    if not length > 1e-9:
        raise _NotReadError("its axis has no direction")
    return vector / length


def _pose(end: dict[str, Any]) -> DualQuaternion:
    """Return the pose of an end in its link. Raises UrdfError: a value that is not a number."""
    return Entry(end, "a loop joint", UrdfError).pose()


def _numbers(x: DualQuaternion) -> dict[str, list[float]]:
    """Return a pose as the keys xyz and rpy of an entry."""
    xyz, rpy = to_xyz_rpy(x)
    return {"xyz": xyz.tolist(), "rpy": rpy.tolist()}


def _ball_constraint(element: etree._Element, _: str, __: RobotDescription) -> dict[str, Any]:
    """Return the entry of Drake's constraint, which holds a point of body A at a point of body B."""
    ends = []
    for body, point in ("A", "AP"), ("B", "BQ"):
        link = _one(element, f"drake:ball_constraint_body_{body}")
        place = _one(element, f"drake:ball_constraint_p_{point}")
        if link is None or not content(link, "name"):
            raise _NotReadError(f"it lacks <drake:ball_constraint_body_{body} name=...>")
        line = {LINE: line_of(element if place is None else place)}
        ends.append({"link": content(link, "name"), "xyz": content(place) or "0 0 0", **line})
    return {"type": "spherical", "predecessor": ends[0], "successor": ends[1]}


def _gazebo_joint(element: etree._Element, _: str, robot: RobotDescription) -> dict[str, Any]:
    """Return the entry of a joint of SDF; its frames in both links coincide with all joints at zero."""
    if next(children(element, "parent", "child"), None) is None:
        raise _NotNeededError
    parent, child = (_link(element, tag, robot) for tag in ("parent", "child"))
    known = robot.joints.get(element.get("name", ""))
    if known is not None and {known.parent, known.child} == {parent, child}:
        raise _NotNeededError  # the URDF has this joint, too
    _check_mimics([joint for joints in robot.between(parent, child) for joint in joints], element)
    kind = _TYPES.get(element.get("type") or "")
    if kind is None or element.get("type") == "position":
        raise _NotReadError(f"its type is {element.get('type') or 'missing'}")
    placed = _one(element, "pose")
    for part in children(element, "parent", "child", "axis"):
        if _one(part, "pose") is not None:
            raise _NotReadError(f"a <pose> stands in its <{word(part)}>")
    base = robot.poses[child]
    if placed is not None and (frame := placed.get("relative_to") or placed.get("frame")):
        base = _frame(frame, robot)
    x_root_joint = base * _sdf_pose(placed)
    axis_of = _one(element, "axis")
    parts = element if axis_of is None else axis_of
    xyz = _one(parts, "xyz")
    axis = np.array([0.0, 0.0, 1.0] if xyz is None else _values(xyz, 3))
    model = _one(parts, "use_parent_model_frame")
    expressed = "" if xyz is None else xyz.get("expressed_in", "")
    if content(model).lower() in ("1", "true"):
        expressed = "__model__"
    if expressed:
        rotation = to_rotation_translation(x_root_joint.conjugate() * _frame(expressed, robot))[0]
        axis = rotation @ axis
    return {
        "type": kind,
        "predecessor": {"link": parent, **_numbers(robot.poses[parent].conjugate() * x_root_joint)},
        "successor": {"link": child, **_numbers(robot.poses[child].conjugate() * x_root_joint)},
        "axis": _unit(axis).tolist(),
    }


def _link(element: etree._Element, tag: str, robot: RobotDescription) -> str:
    """Return the link that SDF names, without the model's name; the root link for the world."""
    name = content(_one(element, tag), "link").rpartition("::")[2]
    if not name:
        raise _NotReadError(f"it lacks its <{tag}>")
    if name in {link.get("name") for link in added_by_gazebo(element.getroottree().getroot(), "link")}:
        raise _NotNeededError("because they hold links that only <gazebo> has")
    if name not in robot.links and name != "world":
        raise _NotReadError(f"its {tag} is '{name}', which is no link of the URDF")
    return name if name in robot.links else robot.root


def _frame(name: str, robot: RobotDescription) -> DualQuaternion:
    """Return the pose of SDF's frame in the root link."""
    name = name.rpartition("::")[2]
    if name == "__model__":
        return DualQuaternion.identity
    link = robot.joints[name].child if name in robot.joints else name
    if link not in robot.poses:
        raise _NotReadError(f"its frame is '{name}', which is no link or joint of the URDF")
    return robot.poses[link]


def _sdf_pose(element: etree._Element | None) -> DualQuaternion:
    """Return the pose of SDF's six numbers x y z roll pitch yaw; the identity without them."""
    if element is None or not (content(element) or pose_of(element)):
        return DualQuaternion.identity
    values = _values(element, 6)
    if element.get("degrees") or element.get("rotation_format") or max(map(abs, values[3:])) > _TURN:
        raise _NotReadError(f"its <pose> {content(element)} is not six numbers in m and rad")
    return from_xyz_rpy(values[:3], values[3:])


def _values(element: etree._Element, size: int) -> list[float]:
    """Return the numbers in an element. Raises _NotReadError: they are not ``size`` finite numbers."""
    values = numbers_in(content(element, "xyz"))
    if len(values) != size or not np.isfinite(values).all():
        raise _NotReadError(f"its <{word(element)}> does not hold {size} finite numbers")
    return values


def collect_couplings(root: etree._Element, robot: RobotDescription, collected: Collected) -> None:
    """Collect couplings of URDF+ as gears: ratio * sum(q to the predecessor) = sum(q to the successor).

    Both sums are from the last common link on. Each coupling determines one joint: one with
    independent="false" if there is any, or else the one above the successor.
    """
    dependent: list[str] = []
    for element in [own for own in children(root, *CLOSING) if _is_coupling(own)]:
        name = element.get("name") or f"line {line_of(element)}"
        try:
            row, joint = _coupling(root, element, robot, dependent)
        except _NotReadError as error:
            text = f"<{word(element)}> '{name}' couples joints and is not read: {error}"
            collected.leave("coupling", element, name, text)
            continue
        dependent.append(joint)
        drivers = [
            {"joint": other, "ratio": -factor / row[joint]}
            for other, factor in row.items()
            if other != joint and factor != 0.0
        ]
        collected.add("gears", {"joint": joint, "drivers": drivers}, element, f"<{word(element)}>")
        collected.read.append(element)


def _coupling(
    root: etree._Element, element: etree._Element, robot: RobotDescription, taken: list[str]
) -> tuple[dict[str, float], str]:
    """Return the factors of the joints in 0 = sum(factor q), and the joint that the coupling determines."""
    what = f"<{word(element)}> '{element.get('name', '')}'"
    ends = [_one(element, tag) for tag in ("predecessor", "successor")]
    if ends[0] is None or ends[1] is None:
        raise _NotReadError("it lacks its <predecessor> or <successor>")
    links = [Entry.of(end, f"{what}, <{word(end)}>").name("link") for end in ends if end is not None]
    for link in links:
        if link not in robot.links:
            raise _NotReadError(f"'{link}' is no link of the URDF")
    ratio = _one(element, "ratio")
    factor = 1.0 if ratio is None else amount(ratio, what)
    first, second = robot.between(*links)
    for joint in (*first, *second):
        if not joint.has_one_coordinate or joint.mimic is not None:
            raise _NotReadError(f"joint '{joint.name}' has several coordinates or mimics another one")
    row = {joint.name: factor for joint in first} | {joint.name: -1.0 for joint in second}
    candidates = [joint.name for joint in (*second[::-1], *first[::-1]) if joint.name not in taken]
    candidates = [name for name in candidates if row[name] != 0.0]
    dependents = {joint.get("name") for joint in children(root, "joint") if is_dependent(joint)}
    chosen = next((name for name in candidates if name in dependents), next(iter(candidates), None))
    if chosen is None or sum(factor != 0.0 for factor in row.values()) < len(ends):
        raise _NotReadError("no joint is left that it could determine")
    return row, chosen


def is_dependent(joint: etree._Element) -> bool:
    """Return whether a joint's attribute ``independent`` of URDF+ is there and not true.

    So it is for a misspelt "false", which an example of URDF+ has.
    """
    return joint.get("independent", "true").strip().lower() not in ("true", "yes", "1")


# Choice of the passive joints in loops of other tools, whose elements seldom name them.
#
# The first of these rules that some but not all joints fulfil decides; loops with common joints are one:
#
# 1. Our tags <passive>, <gear> or <independent> name one of the joints: then they decide for all.
# 2. The attribute ``independent`` of URDF+: joints with another value than "true" are passive.
# 3. Drives: if a <transmission> or a command interface of <ros2_control> drives some joints, the others are
#    passive.
#
# At least one joint, or a gear from outside, must be left to move the loop. If no rule decides, no joint is
# passive, calculations raise an error, and a finding says what to write.


def collect_passive(
    root: etree._Element, robot: RobotDescription, own: Annotations, collected: Collected
) -> None:
    """Collect the passive joints of the collected loops. ``own``: our tags, and the partition file."""
    if own.independent is not None:
        return
    ours = {*own.passive, *(gear.joint for gear in own.gears)}
    geared = {gear["joint"]: {one["joint"] for one in gear["drivers"]} for gear in collected.of("gears")}
    dependent = {joint.get("name", "") for joint in children(root, "joint") if is_dependent(joint)}
    rules = (
        (dependent, 'independent="false" says so'),
        (robot.joints.keys() - _driven(root), "no <transmission> or command interface drives them"),
    )
    lines = {loop["name"]: loop[LINE] for loop in collected.of("loop_joints")}
    for loops, joints in _groups(robot, collected.of("loop_joints")):
        if ours & joints.keys():
            continue
        free = [name for name in joints if name not in geared]
        turned_from_outside = any(geared.get(name, set()) - joints.keys() for name in joints)
        for passive, reason in rules:
            chosen = [name for name in free if name in passive]
            if chosen and (len(chosen) < len(free) or turned_from_outside):
                collected.records += [Record("passive", {"joint": name}, reason) for name in chosen]
                names = f"{', '.join(loops)} are taken as passive: {', '.join(chosen)}"
                collected.notes.append(f"joints of the loops {names}; {reason}")
                break
        else:
            collected.findings.append(_unknown(loops, free, lines[loops[0]]))


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
    robot: RobotDescription, loops: Iterable[Mapping[str, Any]]
) -> list[tuple[list[str], dict[str, None]]]:
    """Return groups of loops with common joints: their names, and the joints in them from the root on."""
    groups: list[tuple[list[str], dict[str, None]]] = []
    for loop in loops:
        between = robot.between(loop["predecessor"]["link"], loop["successor"]["link"])
        names = [str(loop["name"])]
        joints = {joint.name: None for side in between for joint in side if joint.mimic is None}
        for group in [group for group in groups if group[1].keys() & joints.keys()]:
            groups.remove(group)
            names, joints = [*group[0], *names], group[1] | joints
        groups.append((names, joints))
    return groups


def _unknown(loops: list[str], joints: list[str], line: int | None) -> Finding:
    """Return the finding on loops whose passive joints are not known."""
    text = f"nothing says which joints of the loops {', '.join(loops)} are passive: {', '.join(joints)}"
    assumed = "; none is, and torques are refused"
    hint = '; write <passive joint=""/> in <modular_dynamics> for each that no motor drives'
    return Finding("loop without passive joints", "loop joint", loops[0], text, line, assumed, hint)
