"""Findings on elements, attributes and texts that are ignored, in one walk over all elements.

Misspelt and misplaced ones: <Axis xyz="0 1 0"/>, and <axis xyz="0 1 0"/> within <limit>, leave the axis at
1 0 0. Those of other tools that change torques and are not read (:mod:`.kinds`). Of others only the names are
kept, for a note.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from ...model import Finding
from ...text.sizes import shown
from ..schema import (
    ATTRIBUTES_OF,
    OTHER_ATTRIBUTES,
    PLACES_OF,
    ROBOT,
    SPRINGS,
    TAGS,
    Element,
    advice_on,
    is_zero,
    letters,
)
from ..source import line_of, text_in, word
from .kinds import is_silent, kind_of, kinds_in, names_in, seems

#: Least similarity (difflib's ratio) and largest difference in length of a misspelt name and the one meant:
#: "jiont" and "orgin" are found; "k_velocity" and "reflink", which published robots have, are not.
_ALIKE, _LENGTHS = 0.75, 1
#: Least length at which a name of another tool is compared by similarity: short ones are similar by chance.
_SHORT = 8
#: Elements of simulators, controllers and sensors, which have joints, axes and poses of their own.
_TOOLS = ("gazebo", "transmission", "sensor", "ros2_control", "material", "mujoco")
#: Elements that would count in an owner of this kind; below the robot, elements that count nowhere else.
_PARTS: dict[str, tuple[str, ...]] = {
    "robot": ("inertial", "mimic"),
    **dict.fromkeys(("link", "joint"), ("inertial", "mass", "inertia", "axis", "limit", "dynamics", "mimic")),
}
#: Attribute names too general for advice on an element of that name: published robots have a <version>.
_GENERAL = ("name", "type", "version", "value", "stamp")
#: Place of our tags.
_OURS = ("modular_dynamics",)
#: Rule of elements that nothing reads.
_OTHER = Element(is_read=False, names=(False, False))


class _Owner(NamedTuple):
    """The link, joint or robot that a finding names, or a loop of another tool.

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

    Attributes:
        findings: on misspelt and misplaced elements, attributes and texts, and on those of other tools that
            change torques.
        unknown: by name, the first line of other elements in <robot>, links and joints that nothing reads.
    """

    def __init__(self, root: etree._Element) -> None:
        self._names = names_in(root)
        self.findings: list[Finding] = []
        self.unknown: dict[str, int | None] = {}
        self._check(root, ROBOT, _Owner("robot", root.get("name", "")))

    def _add(
        self,
        owner: _Owner,
        kind: str,
        text: str,
        element: etree._Element,
        hint: str,
        assumed: str = " and ignored",
    ) -> None:
        """Add a finding about an element in an owner."""
        self.findings.append(Finding(kind, owner.kind, owner.name, text, line_of(element), assumed, hint))

    def _check(self, element: etree._Element, rule: Element, owner: _Owner) -> None:
        """Add findings on an element with this rule, and on all elements in it."""
        if rule is not _OTHER:
            self._check_attributes(element, rule, owner)
        text = text_in(element)
        if rule.is_read and not rule.holds_text and any(map(str.isalnum, text)):
            what = f"{owner.where(element)} contains the text {shown(text)}"
            hint = "; is a '<' missing?"
            if not rule.children:
                hint = f'; URDF has values in attributes: <{element.tag} {rule.attributes[0]}="..."/>'
            self._add(owner, "stray text", what, element, hint, "; it is ignored")
        for child in element.iterchildren(etree.Element):
            tag = word(child)
            of_child = rule.children.get(tag) or rule.of_others.get(tag)
            if of_child is TAGS:
                continue
            if of_child is None or (
                tag not in rule.children and (_is_our_tag(child) or _is_unread(child, element))
            ):
                self._check_unknown(child, element, rule, owner)
                continue
            is_owner = tag in ("link", "joint") or tag in ROBOT.of_others
            own = owner._replace(kind=tag, name=child.get("name", "")) if is_owner else owner
            self._check(child, of_child, self._inside(child, own, rule is ROBOT))

    def _inside(self, child: etree._Element, owner: _Owner, is_top: bool = False) -> _Owner:
        """Return the owner of what is in an element."""
        tag = word(child)
        is_tool = (is_top and tag in _TOOLS) or _has_prefix(tag)
        return owner._replace(
            tool=owner.tool or (tag if is_tool else ""), is_silent=owner.is_silent or is_silent(tag)
        )

    def _check_unknown(
        self, child: etree._Element, parent: etree._Element, rule: Element, owner: _Owner
    ) -> None:
        """Add findings on a child element that the rule does not have, or look at the elements in it."""
        if _says_nothing(child):
            return
        tag, inside = word(child), self._inside(child, owner, rule is ROBOT)
        where, known = f"{owner.where(parent)} has an element <{tag}>", (*rule.children, *rule.of_others)
        is_comparable = not _has_prefix(tag) or any(map(_has_prefix, rule.children))
        if is_comparable and (meant := self._meant_element(tag, rule)) is not None:
            of_meant = rule.children.get(meant) or rule.of_others[meant]
            if of_meant.is_read or of_meant.of_others:
                hint = f"; is <{meant}> meant?"
                self._add(owner, "misspelt element", f"{where}, which is unknown", child, hint)
            return
        right = self._right_place(child, parent, rule)
        kinds = {} if right or inside.is_silent else kinds_in(child, self._names, owner.kind, owner.tool)
        if not (right or kinds or rule.names[0] or owner.tool) and _is_lost(child, owner.kind):
            right = f"the place of <{tag}> is in {_one_of(PLACES_OF[letters(tag)][1])}"
        if right:
            text = f"{where}, which does not belong there"
            self._add(owner, "misplaced element", text, child, f"; {right}", " and is ignored")
        for kind, what in kinds.items():
            name = child.get("name") or (owner.name if owner.kind != "robot" else tag)
            self.findings.append(seems(kind, child, name, f"{what} in {owner.where(parent)}"))
        if right or kinds:
            return
        if rule.names[1] and is_comparable:
            hint = f"; known are {', '.join(f'<{one}>' for one in known)}"
            self._add(owner, "misplaced element", f"{where}, which is unknown", child, hint)
            return
        before = len(self.findings)
        self._check(child, _OTHER, inside)
        if rule.is_read and not (inside.tool or inside.is_silent) and len(self.findings) == before:
            self.unknown.setdefault(tag, line_of(child))

    def _meant_element(self, tag: str, rule: Element) -> str | None:
        """Return the element that is meant by a misspelt one; None if none is, or if it counts elsewhere."""
        known = (*rule.children, *rule.of_others)
        name, places = PLACES_OF.get(letters(tag), ("", ()))
        if tag in (*known, name) or places == _OURS:
            return None
        return _meant(tag, known, rule.names[0], rule is ROBOT)

    def _right_place(self, child: etree._Element, parent: etree._Element, rule: Element) -> str:
        """Return advice on a misplaced element; empty if only other tools have such an element there."""
        tag, local = word(child), word(child).rpartition(":")[2]
        name, places = PLACES_OF.get(letters(tag), (tag, ()))
        if places == _OURS and (rule.names[0] or _is_our_tag(child)):
            return f"the place of <{name}> is in <modular_dynamics>"
        if tag in ROBOT.of_others and rule is not ROBOT and _is_lost(child, ""):
            return f"the place of <{tag}> is in <robot>"
        if _has_prefix(tag):  # <x:inertial>, <x:passive>
            meant = rule.children.get(local)
            is_part = rule is not ROBOT and meant is not None and meant.is_read and local != "mimic"
            is_ours = local in TAGS.children and _is_our_tag(child)
            ours = " in <modular_dynamics>" * is_ours
            return f"is <{local}>{ours} meant?" if is_part or is_ours else ""
        if not rule.names[0]:
            return ""
        if tag == "origin" and "pose" in rule.children:
            return "write <pose>x y z roll pitch yaw</pose>"  # in SDF
        if (hint := advice_on(tag, word(parent), rule)) is None and places:
            hint = f"the place of <{name}> is in {_one_of(places)}"
        having = [one for one in ATTRIBUTES_OF.get(tag, ()) if one == word(parent) or one in rule.children]
        if hint is None and having and tag not in _GENERAL:
            hint = f"it is an attribute of {_one_of(having)}"
        return hint or ("" if rule.children else f"<{word(parent)}> contains no elements")

    def _check_attributes(self, element: etree._Element, rule: Element, owner: _Owner) -> None:
        """Add findings on attributes that the rule does not have."""
        tag = word(element)
        known = (*rule.attributes, *rule.since, *rule.attributes_of_others)
        for key in map(str, element.attrib):
            if key in known or key in OTHER_ATTRIBUTES.get(tag, ()) or _has_prefix(key):
                continue
            value = str(element.get(key))
            # one that is present is not misspelt
            absent = tuple(one for one in known if one not in element.attrib)
            text = f"{owner.where(element)} has an attribute '{key}', which is unknown"
            if (meant := _meant(key, absent, rule.names[0])) is not None:
                self._add(owner, "misspelt attribute", text, element, f"; is '{meant}' meant?")
            elif is_zero(value, key):  # a default
                continue
            elif not owner.is_silent and (kind := kind_of(key, "spring", "inertia")) is not None:
                what = f'{key}="{value}" of {owner.where(element)}'
                self.findings.append(seems(kind, element, owner.name, what))
            elif not rule.names[0]:  # of another tool
                continue
            elif (hint := advice_on(key, tag, rule) or _place_of_attribute(key, rule)) is not None:
                self._add(owner, "misplaced attribute", text, element, f"; {hint}")
            else:
                self._add(owner, "unknown attribute", text, element, "")


def _place_of_attribute(key: str, rule: Element) -> str | None:
    """Return where an attribute, or an element of its name, counts; None if only other tools have it."""
    if key in PLACES_OF:
        return f"<{key}> is an element in {_one_of(PLACES_OF[key][1])}"
    if key in rule.children:
        return f"<{key}> is an element in it"
    having = () if key in _GENERAL else ATTRIBUTES_OF.get(key, ())
    return f"it is an attribute of {_one_of(having)}" if having else None


def _one_of(tags: Iterable[str]) -> str:
    return " or ".join(f"<{tag}>" for tag in dict.fromkeys(tags))


def _is_unread(child: etree._Element, parent: etree._Element) -> bool:
    """Return whether <gazebo> has a spring of no joint, or a joint in a block about a link: not read."""
    if parent.tag != "gazebo":
        return False
    return child.tag in SPRINGS if parent.get("reference") is None else child.tag == "joint"


def _is_lost(element: etree._Element, owner: str) -> bool:
    """Return whether an element would count elsewhere: a whole link, joint or loop, or a part of the owner.

    A <link> or <joint> without its parts only refers to one.
    """
    tag = word(element)
    if (needed := {"link": ("inertial",), "joint": ("parent", "child")}.get(tag)) is not None:
        return all(element.find(part) is not None for part in needed)
    if (rule := ROBOT.of_others.get(tag)) is not None:
        return sum(word(child) in rule.children for child in element) > 1  # its two ends
    return tag in _PARTS.get(owner, ()) and bool(len(element) or element.attrib or owner != "robot")


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
def _meant(name: str, known: tuple[str, ...], is_urdf: bool, is_robot: bool = False) -> str | None:
    """Return the known name that is meant by a misspelt one; None if none is similar.

    Similar: other case or separators, the same letters in another order, or difflib's measure. The last is
    not used for short names in elements of other tools (no ``is_urdf``).
    """
    folded = letters(name)
    if folded == "quatwxyz":  # the order of its numbers differs from quat_xyzw
        return None
    by_letters = {letters(one): one for one in reversed(known)}
    for own, one in by_letters.items():
        if sorted(folded) == sorted(own):
            return one
    if not is_urdf and len(folded) < _SHORT:
        return None
    exact = ROBOT.of_others if is_robot else ()  # <constraints> is not a misspelt <constraint>
    near = [
        own for own, one in by_letters.items() if one not in exact and abs(len(own) - len(folded)) <= _LENGTHS
    ]
    return next((by_letters[own] for own in get_close_matches(folded, near, 1, _ALIKE)), None)
