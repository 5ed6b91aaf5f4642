"""Reading of elements of other tools: their children, numbers and poses, and the collection of results."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from ...model import Finding
from ..checks.kinds import WRITE, unread
from ..schema import is_zero
from ..source import line_of, word
from ..values import LINE, Entry

#: Attributes of an origin.
_POSE = ("xyz", "rpy", "quat_xyzw")


@dataclass(frozen=True)
class Record:
    """An element of another tool, converted to an entry of a section of the partition file (tags.py).

    Attributes:
        said_by: name of the element in notes.
    """

    section: str
    entry: dict[str, Any]
    said_by: str


@dataclass
class Collected:
    """Results of reading the elements of other tools.

    Attributes:
        read: the elements of the records, which our tags can replace.
        findings: on elements that change torques and are not read.
        contradictions: records about which other elements disagree, each with the finding on that.
    """

    records: list[Record] = field(default_factory=list)
    read: list[etree._Element] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    contradictions: list[tuple[Record, Finding]] = field(default_factory=list)

    def add(self, section: str, entry: Mapping[str, Any], element: etree._Element, said_by: str) -> None:
        """Add an entry that this element states."""
        self.records.append(Record(section, {**entry, LINE: line_of(element)}, said_by))

    def leave(self, kind: str, element: etree._Element, name: str, text: str) -> None:
        """Add the finding on an element of this kind that is not read."""
        self.findings.append(unread(kind, element, name, text))

    def contradict(
        self, kind: str, entry: Mapping[str, Any], element: etree._Element, text: str, asks: bool = False
    ) -> None:
        """Add a contradiction about an entry of <joint_dynamics>, or a question.

        Our tags have precedence: if they state the same, the finding is dropped.
        """
        record = Record("joint_dynamics", {**entry, LINE: line_of(element)}, "")
        of_kind, hint = f"contradicting {kind}", "" if asks else f"; {WRITE[kind]}"
        finding = Finding(of_kind, "joint", entry["joint"], text, line_of(element), "", hint, asks)
        self.contradictions.append((record, finding))

    def of(self, section: str) -> list[dict[str, Any]]:
        """Return the entries of a section."""
        return [record.entry for record in self.records if record.section == section]


def children(element: etree._Element, *words: str) -> Iterator[etree._Element]:
    """Yield the child elements with one of these names; all if no name is given."""
    # lxml looks for names much faster than Python; a prefix that is not declared is a part of the name
    names = [name for one in words for name in (one, f"{{*}}{one.rpartition(':')[2]}")]
    if not words:
        yield from element.iterchildren(etree.Element)
    else:
        yield from (child for child in element.iterchildren(*names) if word(child) in words)


def content(element: etree._Element | None, key: str = "value") -> str:
    """Return the value of an element: the attribute ``key``, or else its text; empty for None.

    Gazebo and transmissions of ROS write values as text.
    """
    if element is None:
        return ""
    return (element.get(key) or element.text or "").strip()


def amount(element: etree._Element, where: str) -> float:
    """Return the number in an element (:func:`content`). Raises UrdfError: it is not a number."""
    entry = Entry.of(element, f"{where}, <{word(element)}>")
    return Entry({**entry.item, "value": content(element)}, entry.where, entry.error).number("value")


def pose_of(element: etree._Element) -> dict[str, str]:
    """Return xyz, rpy or quat_xyzw of an element; empty if xyz and rpy are zero."""
    pose = {key: str(element.get(key)) for key in _POSE if key in element.attrib}
    return pose if "quat_xyzw" in pose or not all(map(is_zero, pose.values())) else {}
