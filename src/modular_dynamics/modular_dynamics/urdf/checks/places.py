"""Elements, attributes and texts that URDF does not have where they stand, but that were meant to count.

What is misspelt or stands in the wrong place is ignored, and a default takes its place: <Axis xyz="0 1 0"/>
leaves the axis at 1 0 0, and so does <axis xyz="0 1 0"/> in <limit>. Elements that resemble nothing belong to
other tools, and nothing is said of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from lxml import etree

from ...model import Finding
from ...text.numbers import decimals
from ...text.sizes import shown
from ..schema import (
    FOREIGN_ATTRIBUTES,
    FOREIGN_ELEMENTS,
    OTHER_ATTRIBUTES,
    ROBOT,
    TAGS,
    WORDS_OF_OTHERS,
    Element,
    elements_with,
    letters,
    parents_of,
    words,
)
from ..source import line_of, text_in

__all__ = ["names_and_places"]

#: How alike two names must be, as difflib measures it, and by how many letters they may differ in length:
#: "jiont" and "orgin" are found; "k_velocity" and "reflink", which published robots have, are not.
_ALIKE, _LENGTHS = 0.75, 1
#: Simulators, controllers and sensors have joints, axes and poses of their own.
_OF_OTHER_TOOLS = ("gazebo", "transmission", "sensor", "ros2_control", "material")
#: Names of attributes that say little: published robots have a <version>.
_GENERAL = ("name", "type", "version", "value", "stamp")


#: Elements that dynamics reads, our tags left out; these and our tags by their letters.
_WORDS = frozenset(words(ROBOT))
_BY_LETTERS = {letters(word): word for word in (*TAGS.children, *_WORDS)}


class _Owner(NamedTuple):
    """The link or joint, or the robot itself, that findings name."""

    kind: str
    name: str

    def where(self, element: etree._Element) -> str:
        """How messages name an element of this owner."""
        own = f"{self.kind} '{self.name}'"
        return own if element.tag == self.kind else f"<{element.tag}> of {own}"


def names_and_places(root: etree._Element) -> Iterator[Finding]:
    """What is ignored in <robot>, its links and joints and what is read of them, but was meant to count.

    The elements within <modular_dynamics> are checked where they are read.
    """
    yield from _checked(root, ROBOT, _Owner("robot", root.get("name", "")))


def _checked(element: etree._Element, rule: Element, owner: _Owner) -> Iterator[Finding]:
    yield from _attributes(element, rule, owner)
    text = text_in(element)
    if any(map(str.isalnum, text)):
        what = f"{owner.where(element)} contains the text {shown(text)}"
        hint = "; is a '<' missing?"
        if not rule.children:
            hint = f'; URDF has values in attributes: <{element.tag} {rule.attributes[0]}="..."/>'
        yield Finding("stray text", owner.kind, owner.name, what, line_of(element), "; it is ignored", hint)
    for child in element.iterchildren(etree.Element):
        tag = str(child.tag)
        of_child = rule.children.get(tag)
        if of_child is TAGS:
            continue
        if of_child is not None and of_child.is_read:
            is_owner = tag in ("link", "joint")
            yield from _checked(child, of_child, _Owner(tag, child.get("name", "")) if is_owner else owner)
        elif of_child is not None:
            yield from _lost_in(child, owner)
        else:
            yield from _unknown(child, element, rule, owner)


def _unknown(
    child: etree._Element, parent: etree._Element, rule: Element, owner: _Owner
) -> Iterator[Finding]:
    """A finding of an element that URDF does not have here, unless it belongs to another tool."""
    tag = str(child.tag)
    if _has_prefix(tag):
        yield from _with_prefix(child, parent, rule, owner)
        return
    if _says_nothing(child):
        return
    if tag in FOREIGN_ELEMENTS.get(str(parent.tag), ()) and not _is_our_tag(child):
        return
    where = f"{owner.where(parent)} has an element <{tag}>"
    place, line = (owner.kind, owner.name), line_of(child)
    known_elsewhere = tag in _WORDS or tag in TAGS.children
    if not known_elsewhere and (meant := _meant(tag, list(rule.children))) is not None:
        if rule.children[meant].is_read:
            text, hint = f"{where}, which is unknown", f"; is <{meant}> meant?"
            yield Finding("misspelt element", *place, text, line, " and ignored", hint)
    elif (right := _right_place(tag, str(parent.tag), rule, owner)) is not None:
        text = f"{where}, which does not belong there"
        yield Finding("misplaced element", *place, text, line, " and is ignored", f"; {right}")
    else:
        yield from _lost_in(child, owner)


def _with_prefix(
    child: etree._Element, parent: etree._Element, rule: Element, owner: _Owner
) -> Iterator[Finding]:
    """A finding of what URDF has here, written with a prefix: <x:inertial>. Drake's are read in foreign/."""
    local = str(child.tag).rpartition("}")[2].rpartition(":")[2]
    meant = rule.children.get(local)
    if owner.kind == "robot" or meant is None or not meant.is_read or local == "mimic":
        return
    text = f"{owner.where(parent)} has an element <{local}> with a prefix, which is of another tool"
    place, line = (owner.kind, owner.name), line_of(child)
    yield Finding("misplaced element", *place, text, line, " and ignored", f"; is <{local}> meant?")


def _right_place(tag: str, parent: str, rule: Element, owner: _Owner) -> str | None:
    """What to write instead of an element in the wrong place; None for what only other tools know."""
    folded = letters(tag)
    if (hint := WORDS_OF_OTHERS.get(parent, {}).get(folded)) is not None:
        return hint
    if (word := _BY_LETTERS.get(folded)) in TAGS.children:
        return f"the place of <{word}> is in <modular_dynamics>"
    if word is not None:
        places = [place for place in parents_of(word) if place in _own_places(owner)]
        return f"the place of <{word}> is in {_one_of(places or parents_of(word))}"
    if (having := _attribute_of(tag, parent, rule)) is not None:
        return f'write <{having} {tag}="..."/>{" in <modular_dynamics>" * (having in TAGS.children)}'
    return None if rule.children else f"<{parent}> contains no elements"


def _attribute_of(tag: str, parent: str, rule: Element) -> str | None:
    """The element, this one or one in it, of which it is an attribute: SDF has <damping> in <dynamics>."""
    if tag in _GENERAL:
        return None
    if tag in (*rule.attributes, *rule.since):
        return parent
    having = [*elements_with(tag)]
    of_joint = ["joint_dynamics"] if parent == "joint" and "joint_dynamics" in having else []
    return next(iter([one for one in having if one in rule.children] + of_joint), None)


def _one_of(tags: Iterable[str]) -> str:
    return " or ".join(f"<{tag}>" for tag in dict.fromkeys(tags))


def _own_places(owner: _Owner) -> tuple[str, ...]:
    """The elements of an owner of this kind in which others stand."""
    return {"link": ("link", "inertial"), "joint": ("joint",)}.get(owner.kind, ("robot",))


def _lost_in(container: etree._Element, owner: _Owner) -> Iterator[Finding]:
    """What dynamics would read, in an element that it does not read: <inertial> in <visual>, for example."""
    is_of_others = container.tag in _OF_OTHER_TOOLS or _has_prefix(str(container.tag))
    for element in container.iterdescendants(etree.Element):
        if not _is_our_tag(element) and (is_of_others or not _is_lost(element, owner)):
            continue
        tag = str(element.tag)
        right = _right_place(tag, "", ROBOT, owner)
        text = f"{owner.where(container)} contains an element <{tag}>, which does not belong there"
        assumed, hint = " and is ignored", f"; {right}"
        yield Finding("misplaced element", owner.kind, owner.name, text, line_of(element), assumed, hint)
        return


def _is_lost(element: etree._Element, owner: _Owner) -> bool:
    """Whether it is a link, a joint, or something of this owner's; a name alone only refers to one."""
    tag = str(element.tag)
    if (needed := {"link": ("inertial",), "joint": ("parent", "child")}.get(tag)) is not None:
        return all(element.find(part) is not None for part in needed)
    of_owner = ("inertial", "mass", "inertia", "axis", "limit", "dynamics", "mimic")
    return owner.kind != "robot" and tag in of_owner


def _attributes(element: etree._Element, rule: Element, owner: _Owner) -> Iterator[Finding]:
    """Findings of attributes that an element does not have in URDF."""
    tag = str(element.tag)
    known = (*rule.attributes, *rule.since)
    silent = (*known, *FOREIGN_ATTRIBUTES.get(tag, ()), *OTHER_ATTRIBUTES.get(tag, ()))
    for key in map(str, element.attrib):
        if key in silent or _has_prefix(key):
            continue
        absent = [one for one in known if one not in element.attrib]  # what is there was not misspelt
        if (meant := _meant(key, absent)) is not None:
            kind, hint = "misspelt attribute", f"; is '{meant}' meant?"
        elif _is_zero(str(element.get(key))):  # which says nothing
            continue
        elif (
            right := WORDS_OF_OTHERS.get(tag, {}).get(letters(key)) or _right_element(key, owner)
        ) is not None:
            kind, hint = "misplaced attribute", f"; {right}"
        else:
            kind, hint = "unknown attribute", ""
        text = f"{owner.where(element)} has an attribute '{key}', which is unknown"
        yield Finding(kind, owner.kind, owner.name, text, line_of(element), " and ignored", hint)


def _right_element(key: str, owner: _Owner) -> str | None:
    """What to write instead of an attribute of the wrong element; None for what only other tools know."""
    if key in TAGS.children:
        return f"<{key}> is an element in <modular_dynamics>"
    if key in _WORDS:
        places = [place for place in parents_of(key) if place in _own_places(owner)]
        return f"<{key}> is an element in {_one_of(places or parents_of(key))}"
    own = [tag for tag in elements_with(key) if {*parents_of(tag)} & {*_own_places(owner)}]
    if key not in _GENERAL and (places := own or [*elements_with(key)]):
        return f"it is an attribute of {_one_of(places)}"
    return None


def _is_our_tag(element: etree._Element) -> bool:
    """Whether it is written as in <modular_dynamics>, so that no other tool can have meant it."""
    rule = TAGS.children.get(str(element.tag))
    if rule is None:
        return False
    attributes = {*map(str, element.attrib)}
    children = {str(child.tag) for child in element.iterchildren(etree.Element)}
    return bool(attributes or children) and attributes <= {*rule.attributes} and children <= {*rule.children}


def _says_nothing(element: etree._Element) -> bool:
    """Whether it is a pose of zeros, as some exporters write into each link."""
    values = [*map(str, element.attrib.values())] if element.tag == "origin" else [text_in(element)]
    return element.tag in ("origin", "pose") and all(map(_is_zero, values))


def _is_zero(text: str) -> bool:
    try:
        numbers = decimals(text)
    except ValueError:
        return False
    return bool(numbers) and not any(numbers)


def _has_prefix(name: str) -> bool:
    """Whether it belongs to the namespace of another tool."""
    return "{" in name or ":" in name


def _meant(name: str, known: Sequence[str]) -> str | None:
    """The known name that this one resembles: other case, the same letters in another order, or nearly so."""
    folded = name.casefold()
    for one in known:
        if sorted(folded) == sorted(one):
            return one
    near = [one for one in known if abs(len(one) - len(folded)) <= _LENGTHS]
    return next(iter(get_close_matches(folded, near, 1, _ALIKE)), None)
