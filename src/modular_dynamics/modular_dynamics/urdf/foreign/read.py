"""All elements of other tools in a URDF ("words"), combined with our tags, which have precedence."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lxml import etree

from ...exceptions import UrdfError
from ..description import Annotations, RobotDescription
from ..source import line_of
from ..tags import checked_annotations
from ..values import LINE, Entry
from .drives import collect_drives, collect_springs
from .loops import collect_couplings, collect_loops, collect_passive
from .unread import collect_unread
from .words import Collected, Record, children

#: Names in notes of sections, and of the keys of <joint_dynamics>.
_READ_AS = {
    "loop_joints": "loop joints",
    "gears": "gears",
    "springs": "springs",
    "spherical": "ball joints",
    "planar": "three joints each, NAME_x, NAME_y and NAME_theta",
    "armature": "armature of joints [kg m^2, or kg]",
    "stiffness": "springs at joints [N m/rad, or N/m]",
}


def foreign_words(
    root: etree._Element,
    robot: RobotDescription,
    own: Annotations,
    given: Mapping[str, Any],
    replaced: Sequence[Record],
) -> Collected:
    """Return what elements of other tools state about a robot, without what our tags state too.

    Args:
        own: annotations of our tags and the partition file. given: their sections, before the checks; a
            section that is present and empty disables the reading of other tools' elements for it.
        replaced: records of :func:`replace_drake_joints`. Their joints have the new types already.

    Raises:
        UrdfError: a value that is not a number.
    """
    collected = Collected()
    for collect in (collect_loops, collect_couplings, collect_drives, collect_springs):
        collect(root, robot, collected)
    records, ours = list[Record](), _Ours(own, given, robot)
    superseded = list[str]()
    for record in (*replaced, *collected.records):
        left = ours.rest_of(record)
        if left is None:
            superseded.append(f"{record.said_by} (line {record.entry[LINE]})")
        else:
            records.append(left)
    if superseded:
        collected.notes.insert(0, f"not read, because our tags say the same: {', '.join(superseded)}")
    collected.notes[:0] = _notes(records)
    collected.records = [record for record in records if record.section != "planar"]
    settled = ((ours.rest_of(record), finding) for record, finding in collected.contradictions)
    collected.findings += [finding for rest, finding in settled if rest is not None]
    collect_passive(root, robot, own, collected)
    held = {anchor.link for loop in own.loop_joints for anchor in loop.anchors}
    collect_unread(root, robot, collected, held)
    return collected


class _Ours:
    """What our tags and the partition file state: it has precedence over other tools."""

    def __init__(self, own: Annotations, given: Mapping[str, Any], robot: RobotDescription) -> None:
        self._own, self._given, self._robot = own, given, robot
        self._loops = {loop.name for loop in own.loop_joints}
        self._closed = [self._bodies(*(end.link for end in loop.anchors)) for loop in own.loop_joints]
        self._coupled = {*own.passive, *own.spherical, *(gear.joint for gear in own.gears)}
        self._springs = [{anchor.link for anchor in spring.anchors} for spring in own.springs]
        self._dynamics = {one["joint"]: one for one in given.get("joint_dynamics") or ()}

    def rest_of(self, record: Record) -> Record | None:
        """Return the part of a record that our tags do not state; None if nothing is left."""
        section, entry = record.section, record.entry
        if self._given.get(section) == []:
            return None
        if section == "loop_joints":
            ends = self._bodies(entry["predecessor"]["link"], entry["successor"]["link"])
            said = entry["name"] in self._loops or ends in self._closed
        elif section == "springs":
            said = {anchor["link"] for anchor in entry["anchors"]} in self._springs
        elif section == "joint_dynamics":
            stated = self._dynamics.get(entry["joint"], {}).keys() - {"joint", LINE}
            stated |= {"rest_position"} if "stiffness" in stated else set()
            rest = {key: value for key, value in entry.items() if key not in stated}
            return Record(section, rest, record.said_by) if rest.keys() - {"joint", LINE} else None
        else:
            said = entry["joint"] in self._coupled
        return None if said else record

    def _bodies(self, *links: str) -> set[str]:
        """Return the moving joints right above links, which identify their bodies; "" is the ground."""
        above = [self._robot.joints_above(link) if link in self._robot.links else [] for link in links]
        return {joints[-1].name if joints else "" for joints in above}


def _notes(records: Sequence[Record]) -> Iterator[str]:
    """Yield a note for each kind of element that was read."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for record in records:
        text = f"{_summary(record.section, record.entry)} (line {record.entry[LINE]})"
        kind = record.section
        if kind == "joint_dynamics":
            kind = "armature" if "armature" in record.entry else "stiffness"
        kinds.setdefault((kind, record.said_by), []).append(text)
    for (kind, said_by), texts in kinds.items():
        yield f"{said_by} read as {_READ_AS[kind]}: {', '.join(texts)}"


def _summary(section: str, entry: Mapping[str, Any]) -> str:
    """Return an entry in a few words, for notes."""
    match section:
        case "loop_joints":
            ends = entry["predecessor"]["link"], entry["successor"]["link"]
            return f"{entry['name']}, {entry['type']}, of {' and '.join(ends)}"
        case "gears":
            terms = (f"{driver['ratio']:.6g} q[{driver['joint']}]" for driver in entry["drivers"])
            return f"q[{entry['joint']}] = {' + '.join(terms)}"
        case "springs":
            return f"{entry['name']} of {' and '.join(anchor['link'] for anchor in entry['anchors'])}"
        case "spherical" | "planar":
            return str(entry["joint"])
    if "armature" in entry:
        return f"{entry['joint']} {entry['armature']:.4g}"
    return f"{entry['joint']} {entry['stiffness']:.6g} about {entry.get('rest_position', 0.0):.6g}"


def with_words(annotations: Annotations, collected: Collected) -> Annotations:
    """Return our annotations together with those of other tools.

    Raises:
        PartitionError: invalid values, with the line.
    """
    dynamics: dict[str, dict[str, Any]] = {}
    for entry in collected.of("joint_dynamics"):
        dynamics[entry["joint"]] = entry | dynamics.get(entry["joint"], {})
    sections = {record.section: collected.of(record.section) for record in collected.records}
    sections["joint_dynamics"] = list(dynamics.values())
    theirs = checked_annotations({"version": "1", **sections})
    by_joint = {one.joint: one for one in annotations.joint_dynamics}
    for one in theirs.joint_dynamics:
        stated = {key: getattr(one, key) for key in dynamics[one.joint] if key not in ("joint", LINE)}
        by_joint[one.joint] = replace(by_joint.get(one.joint, one), **stated)
    return replace(
        annotations,
        loop_joints=(*annotations.loop_joints, *theirs.loop_joints),
        passive=(*annotations.passive, *theirs.passive),
        gears=(*annotations.gears, *theirs.gears),
        springs=(*annotations.springs, *theirs.springs),
        spherical=(*annotations.spherical, *theirs.spherical),
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


# <drake:joint> -> joints of URDF: ball and planar ones. The model does not have other types.

_AS_URDF = {"ball": "floating", "planar": "planar"}
_STANDARD = ("revolute", "continuous", "prismatic", "fixed", "floating")


def replace_drake_joints(root: etree._Element) -> list[Record]:
    """Turn <drake:joint> into joints of URDF; return records of types that URDF or the model do not have.

    A ball joint becomes a floating joint with a record of <spherical>.

    Raises:
        UrdfError: a joint without name, or of a type that is not read, such as screw or universal.
    """
    replaced = list[Record]()
    for joint in list(children(root, "drake:joint")):
        line, name = line_of(joint), Entry.of(joint, "<drake:joint>").name("name")
        kind = joint.get("type")
        if kind not in (*_AS_URDF, *_STANDARD):
            known = ", ".join((*_AS_URDF, *_STANDARD))
            raise UrdfError(f"<drake:joint> '{name}' has the type '{kind}'; {known} are read", line)
        joint.tag = "joint"
        joint.set("type", _AS_URDF.get(kind, kind))
        if kind in _AS_URDF:
            section = "spherical" if kind == "ball" else kind
            replaced.append(Record(section, {"joint": name, LINE: line}, "<drake:joint>"))
    return replaced
