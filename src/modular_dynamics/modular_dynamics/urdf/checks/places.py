"""Findings on elements, attributes and texts that are ignored, in one walk over all elements.

Misspelt and misplaced ones: <Axis xyz="0 1 0"/>, and <axis xyz="0 1 0"/> within <limit>, leave the axis at
1 0 0. Those of other tools that change torques and are not read (:mod:`.kinds`). Of others only the names are
kept, for a note.
"""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from ...model import Finding
from ...text.sizes import shown
from ..schema import ATTRIBUTES_OF, OTHER_ATTRIBUTES, PLACES_OF, ROBOT, TAGS, Element, is_zero, letters
from ..source import line_of, text_in, word
from .kinds import is_silent, kind_of, kinds_in, seems

#: Least similarity (difflib's ratio) and largest difference in length of a misspelt name and the one meant:
#: "jiont" and "orgin" are found; "k_velocity" and "reflink", which published robots have, are not.
_ALIKE, _LENGTHS = 0.75, 1
#: Elements of simulators, controllers and sensors, which have joints, axes and poses of their own.
_TOOLS = ("gazebo", "transmission", "sensor", "ros2_control", "material", "mujoco")
#: Elements that count elsewhere if they have these parts: without them, they only refer to a link or joint.
_LOST = {"link": ("inertial",), "joint": ("parent", "child"), "inertial": (), "mimic": ()}
#: Elements for shapes, in which no other tool has elements of joints and links, but for an <origin>.
_SHAPES = ("visual", "collision")
#: Attribute names too general for advice on an element of that name: published robots have a <version>.
_GENERAL = ("name", "type", "version", "value", "stamp")
#: Rule of elements that nothing reads.
_OTHER = Element(is_read=False)


class _Owner(NamedTuple):
    """The link, joint or robot that a finding names.

    Attributes:
        tool: the element of a known tool around. is_silent: whether other tools' names say nothing there.
    """

    kind: str
    name: str
    tool: str = ""
    is_silent: bool = False

    def where(self, element: etree._Element) -> str:
        """Return the name in messages of an element in this owner."""
        own = f"{self.kind} '{self.name}'"
        return own if word(element) == self.kind else f"<{word(element)}> of {own}"


class Ignored:
    """What is ignored in a <robot> element, but for <modular_dynamics>, which tags.py checks when it is read.

    ``known``: elements of other tools that foreign.py has read, or named.

    Attributes:
        findings: on misspelt and misplaced elements, attributes and texts, and on those of other tools that
            change torques.
        unknown: by name, the first line of other elements in <robot>, links and joints that nothing reads.
    """

    def __init__(self, root: etree._Element, known: Collection[etree._Element] = ()) -> None:
        self._known = frozenset(known)
        self.findings: list[Finding] = []
        self.unknown: dict[str, int | None] = {}
        self._check(root, ROBOT, _Owner("robot", root.get("name", "")))

    def _add(self, owner: _Owner, kind: str, text: str, element: etree._Element, hint: str) -> None:
        """Add a finding about an element in an owner."""
        assumed = "; it is ignored"
        self.findings.append(Finding(kind, owner.kind, owner.name, text, line_of(element), assumed, hint))

    def _check(self, element: etree._Element, rule: Element, owner: _Owner) -> None:
        """Add findings on an element with this rule, and on all elements in it."""
        self._check_attributes(element, rule, owner)
        text = text_in(element)
        if rule.is_read and any(map(str.isalnum, text)):
            what = f"{owner.where(element)} contains the text {shown(text)}"
            hint = "; is a '<' missing?"
            if not rule.children:
                hint = f'; URDF has values in attributes: <{element.tag} {rule.attributes[0]}="..."/>'
            self._add(owner, "stray text", what, element, hint)
        for child in element.iterchildren(etree.Element):
            tag, of_child = word(child), rule.children.get(word(child))
            if of_child is TAGS:
                continue
            is_known, is_owner = child in self._known, tag in ("link", "joint") and of_child is not None
            is_tool = (rule is ROBOT and tag in _TOOLS) or _has_prefix(tag)
            inside = owner._replace(
                tool=owner.tool or (tag if is_tool else ""), is_silent=owner.is_silent or is_silent(tag)
            )
            if is_owner or (is_known and rule is ROBOT):
                inside = inside._replace(kind=tag, name=child.get("name", ""))
            if is_known or of_child is not None:
                self._check(child, of_child or _OTHER, inside)
            else:
                self._check_unknown(child, element, rule, owner, inside)

    def _check_unknown(
        self, child: etree._Element, parent: etree._Element, rule: Element, owner: _Owner, inside: _Owner
    ) -> None:
        """Add findings on a child element that the rule does not have, or look at the elements in it."""
        if _says_nothing(child):
            return
        tag, where = word(child), f"{owner.where(parent)} has an element <{word(child)}>"
        name, places = PLACES_OF.get(letters(tag), ("", ()))
        is_comparable = rule.is_read and not _has_prefix(tag) and tag != name and places != _OURS
        meant = _meant(tag, tuple(rule.children)) if is_comparable else None
        if meant is not None and rule.children[meant].is_read:
            text = f"{where}, which is unknown"
            self._add(owner, "misspelt element", text, child, f"; is <{meant}> meant?")
            return
        if right := _right_place(child, parent, rule, bool(owner.tool)):
            text = f"{where}, which does not belong there"
            self._add(owner, "misplaced element", text, child, f"; {right}")
            return
        kinds = {} if inside.is_silent else kinds_in(child, inside.tool)
        for kind, what in kinds.items():
            of = child.get("name") or (owner.name if owner.kind != "robot" else tag)
            self.findings.append(seems(kind, child, of, f"{what} in {owner.where(parent)}"))
        before = len(self.findings)
        if not kinds:
            self._check(child, _OTHER, inside)
        if rule.is_read and not (kinds or inside.tool or inside.is_silent) and len(self.findings) == before:
            self.unknown.setdefault(tag, line_of(child))

    def _check_attributes(self, element: etree._Element, rule: Element, owner: _Owner) -> None:
        """Add findings on attributes that the rule does not have."""
        known = (*rule.attributes, *rule.since, *OTHER_ATTRIBUTES.get(word(element), ()))
        absent = tuple(
            one for one in (*rule.attributes, *rule.since) if one not in element.attrib and rule.is_read
        )
        for key in map(str, element.attrib if rule is not _OTHER else ()):
            value, text = str(element.get(key)), f"{owner.where(element)} has an attribute '{key}'"
            text = f"{text}, which is unknown"
            if key in known or _has_prefix(key):
                continue
            if (meant := _meant(key, absent)) is not None:  # one that is present is not misspelt
                self._add(owner, "misspelt attribute", text, element, f"; is '{meant}' meant?")
            elif is_zero(value, key):  # a default
                continue
            elif not owner.is_silent and (kind := kind_of(key, "spring", "inertia")) is not None:
                what = f'{key}="{value}" of {owner.where(element)}'
                self.findings.append(seems(kind, element, owner.name, what))
            elif rule.is_read:
                self._add(owner, "unknown attribute", text, element, _place_of_attribute(key))


#: Place of our tags.
_OURS = ("modular_dynamics",)


def _right_place(child: etree._Element, parent: etree._Element, rule: Element, in_tool: bool) -> str:
    """Return advice on a misplaced element; empty if only other tools have such an element there."""
    tag = word(child)
    name, places = PLACES_OF.get(letters(tag), (tag, ()))
    if places == _OURS and (rule.is_read or _is_our_tag(child)):
        return f"the place of <{name}> is in <modular_dynamics>"
    if rule.is_read and places and not _has_prefix(tag):
        return f"the place of <{name}> is in {_one_of(places)}"
    is_in_shape = tag != "origin" and places != _OURS and any(True for _ in child.iterancestors(*_SHAPES))
    is_whole = all(child.find(part) is not None for part in _LOST.get(tag, ()))
    if places and is_whole and (tag in _LOST or is_in_shape) and not (rule.is_read or in_tool):
        return f"the place of <{name}> is in {_one_of(places)}"
    having = [one for one in ATTRIBUTES_OF.get(tag, ()) if one == word(parent) or one in rule.children]
    is_attribute = rule.is_read and having and tag not in _GENERAL
    return f"it is an attribute of {_one_of(having)}" if is_attribute else ""


def _place_of_attribute(key: str) -> str:
    """Return a hint where an attribute, or an element of its name, counts; empty if nowhere."""
    if key in PLACES_OF:
        return f"; <{key}> is an element in {_one_of(PLACES_OF[key][1])}"
    having = () if key in _GENERAL else ATTRIBUTES_OF.get(key, ())
    return f"; it is an attribute of {_one_of(having)}" if having else ""


def _one_of(tags: Iterable[str]) -> str:
    return " or ".join(f"<{tag}>" for tag in dict.fromkeys(tags))


def _is_our_tag(element: etree._Element) -> bool:
    """Return whether an element is named as one of our tags, and has only its attributes and children."""
    rule = TAGS.children.get(str(element.tag).rpartition("}")[2].rpartition(":")[2])
    if rule is None:
        return False
    attributes = {*map(str, element.attrib)}
    children = {str(child.tag) for child in element.iterchildren(etree.Element)}
    return bool(attributes or children) and attributes <= {*rule.attributes} and children <= {*rule.children}


def _says_nothing(element: etree._Element) -> bool:
    """Return whether an element is a pose of zeros, as some exporters write into each link."""
    values = [*map(str, element.attrib.values())] if element.tag == "origin" else [text_in(element)]
    return element.tag in ("origin", "pose") and all(map(is_zero, values))


def _has_prefix(name: str) -> bool:
    """Return whether a name has a namespace or prefix."""
    return "{" in name or ":" in name


@lru_cache(1024)  # a file has many elements of few names
def _meant(name: str, known: tuple[str, ...]) -> str | None:
    """Return the known name that is meant by a misspelt one; None if none is similar.

    Similar: other case or separators, the same letters in another order, or difflib's measure.
    """
    folded = letters(name)
    if folded == "quatwxyz":  # the order of its numbers differs from quat_xyzw
        return None
    by_letters = {letters(one): one for one in reversed(known)}
    for own, one in by_letters.items():
        if sorted(folded) == sorted(own):
            return one
    near = [own for own in by_letters if abs(len(own) - len(folded)) <= _LENGTHS]
    return next((by_letters[own] for own in get_close_matches(folded, near, 1, _ALIKE)), None)
