"""Words of other tools: their elements by name, numbers in them, and what is collected from them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from ...model import Finding
from ..schema import is_zero
from ..source import line_of, word
from ..values import LINE, Entry

#: Attributes of an origin.
_POSE = ("xyz", "rpy", "quat_xyzw")


@dataclass(frozen=True)
class Record:
    """One statement of other tools, as an entry of a section of the partition file (tags.py).

    Attributes:
        said_by: the words that state it, as notes name them.
    """

    section: str
    entry: dict[str, Any]
    said_by: str


@dataclass
class Collected:
    """What the words of other tools say.

    Attributes:
        read: the elements that say it, which our tags can replace.
        findings: words that change torques and are not read. named: their elements.
        contradictions: findings of words that contradict each other, with what they state.
    """

    records: list[Record] = field(default_factory=list)
    read: list[etree._Element] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    named: list[etree._Element] = field(default_factory=list)
    contradictions: list[tuple[Record, Finding]] = field(default_factory=list)

    def add(self, section: str, entry: Mapping[str, Any], element: etree._Element, said_by: str) -> None:
        """An entry that this element states."""
        self.records.append(Record(section, {**entry, LINE: line_of(element)}, said_by))

    def leave(self, kind: str, element: etree._Element, name: str, text: str, hint: str) -> None:
        """A word that is not read: see :func:`unread`."""
        self.findings.append(unread(kind, element, name, text, hint))
        self.named.append(element)

    def contradict(
        self, kind: str, entry: Mapping[str, Any], element: etree._Element, text: str, hint: str = ""
    ) -> None:
        """Words that contradict each other about an entry of <joint_dynamics>, which ours would settle.

        Without a hint it is a question: they may be meant so.
        """
        record = Record("joint_dynamics", {**entry, LINE: line_of(element)}, "")
        of_kind, line = f"contradicting {kind}", line_of(element)
        finding = Finding(of_kind, "joint", entry["joint"], text, line, "", hint, asks=not hint)
        self.contradictions.append((record, finding))

    def of(self, section: str) -> list[dict[str, Any]]:
        """The entries of a section."""
        return [record.entry for record in self.records if record.section == section]


def children(element: etree._Element, *words: str) -> Iterator[etree._Element]:
    """The sub-elements with one of these names; all without names."""
    for child in element.iterchildren(etree.Element):
        if not words or word(child) in words:
            yield child


def content(element: etree._Element | None, key: str = "value") -> str:
    """What an element holds: an attribute, or its text, as Gazebo and the transmissions of ROS write it."""
    if element is None:
        return ""
    return (element.get(key) or element.text or "").strip()


def amount(element: etree._Element, where: str) -> float:
    """The number that an element holds. Raises UrdfError: there is none."""
    entry = Entry.of(element, f"{where}, <{word(element)}>")
    return Entry({**entry.item, "value": content(element)}, entry.where, entry.error).number("value")


def pose_of(element: etree._Element) -> dict[str, str]:
    """xyz, rpy or quat_xyzw of an element; nothing where xyz and rpy are zero."""
    pose = {key: str(element.get(key)) for key in _POSE if key in element.attrib}
    return pose if "quat_xyzw" in pose or not all(map(is_zero, pose.values())) else {}


def unread(kind: str, element: etree._Element, name: str, text: str, hint: str) -> Finding:
    """A word that changes torques and is not read. ``hint``: what to write instead."""
    assumed = "; torques are those without it"
    return Finding(f"{kind} of another tool", "element", name, text, line_of(element), assumed, f"; {hint}")
