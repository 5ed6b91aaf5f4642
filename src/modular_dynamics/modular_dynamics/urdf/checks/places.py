"""Findings on misspelt and misplaced elements, attributes and texts, which would be ignored silently.

Without them a default would be used: <Axis xyz="0 1 0"/>, and <axis xyz="0 1 0"/> within <limit>, leave the
axis at 1 0 0. Elements of other tools that foreign/ reads are checked likewise. Elements that resemble no
known one belong to other tools and are not reported.
"""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from ...model import Finding
from ...text.sizes import shown
from ..schema import (
    HINTS,
    OTHER_ATTRIBUTES,
    ROBOT,
    TAGS,
    UNITS,
    Element,
    elements_with,
    is_zero,
    kind_of,
    letters,
    parents_of,
    said_by_urdf,
    words,
)
from ..source import line_of, text_in, word

#: Least similarity (difflib's ratio) and largest difference in length of a misspelt name and the one meant:
#: "jiont" and "orgin" are found; "k_velocity" and "reflink", which published robots have, are not.
_ALIKE, _LENGTHS = 0.75, 1
#: Least length at which a name of another tool is compared by similarity: short ones are similar by chance.
_SHORT = 8
#: Elements of simulators, controllers and sensors, which have joints, axes and poses of their own.
_OF_OTHER_TOOLS = ("gazebo", "transmission", "sensor", "ros2_control", "material", "mujoco")
#: Elements that are reported in any unknown element below <robot>.
_OF_ROBOT = ("inertial", "mimic")
#: Attribute names too general for advice on an element of that name: published robots have a <version>.
_GENERAL = ("name", "type", "version", "value", "stamp")
_WITHOUT = "; torques are those without it"
_AT_CUT = "; write <spring>, or <joint_dynamics> of a joint that closes no loop, in <modular_dynamics>"


#: Names of the elements of URDF that are read.
_WORDS = frozenset(words(ROBOT))
#: These and the names of our tags, by :func:`.letters`.
_BY_LETTERS = {letters(word): word for word in (*TAGS.children, *_WORDS)}


#: A finding, and the element that it reports; None if it reports an attribute or a text.
Ignored = tuple[Finding, etree._Element | None]


class _Owner(NamedTuple):
    """The link, joint or robot that a finding names, or a loop of another tool (``is_cut``)."""

    kind: str
    name: str
    is_cut: bool = False

    def where(self, element: etree._Element) -> str:
        """Return the name in messages of an element in this owner."""
        own = f"{self.kind} '{self.name}'"
        return own if word(element) == self.kind else f"<{word(element)}> of {own}"

    def ignored(
        self, kind: str, text: str, element: etree._Element, hint: str, assumed: str = " and ignored"
    ) -> Finding:
        """Return a finding about an element in this owner."""
        return Finding(kind, self.kind, self.name, text, line_of(element), assumed, hint)


def names_and_places(root: etree._Element) -> Iterator[Ignored]:
    """Yield findings on misspelt and misplaced elements, attributes and texts anywhere in <robot>.

    <modular_dynamics> is left out: tags.py checks it when it is read.
    """
    yield from _checked(root, ROBOT, _Owner("robot", root.get("name", "")))


def _checked(element: etree._Element, rule: Element, owner: _Owner) -> Iterator[Ignored]:
    """Yield findings on an element with this rule, and on all elements in it."""
    yield from ((finding, None) for finding in _attributes(element, rule, owner))
    text = text_in(element)
    if rule.is_read and not rule.holds_text and any(map(str.isalnum, text)):
        what = f"{owner.where(element)} contains the text {shown(text)}"
        hint = "; is a '<' missing?"
        if not rule.children:
            hint = f'; URDF has values in attributes: <{element.tag} {rule.attributes[0]}="..."/>'
        yield owner.ignored("stray text", what, element, hint, "; it is ignored"), None
    for child in element.iterchildren(etree.Element):
        tag = word(child)
        of_child = rule.children.get(tag) or rule.of_others.get(tag)
        if of_child is TAGS:
            continue
        if of_child is None or (tag not in rule.children and _is_our_tag(child)):
            yield from _unknown(child, element, rule, owner)
            continue
        if not of_child.is_read:
            yield from _lost_in(child, owner)
        if of_child.is_read or of_child.of_others or of_child.children:
            is_owner = tag in ("link", "joint") or tag in ROBOT.of_others
            own = _Owner(tag, child.get("name", ""), of_child.is_cut) if is_owner else owner
            yield from _checked(child, of_child, own)


def _unknown(
    child: etree._Element, parent: etree._Element, rule: Element, owner: _Owner
) -> Iterator[Ignored]:
    """Yield a finding on a child element that the rule does not have, unless it belongs to another tool."""
    tag, known = word(child), (*rule.children, *rule.of_others)
    if _has_prefix(tag) and not any(map(_has_prefix, rule.children)):
        yield from _with_prefix(child, parent, rule, owner)
        return
    if _says_nothing(child):
        return
    if owner.is_cut and (kind := kind_of(tag, "spring", "inertia")) and not is_zero(child.get("value", "")):
        yield _at_cut(kind, f"<{tag}>", child, owner), child
        return
    where = f"{owner.where(parent)} has an element <{tag}>"
    known_elsewhere = tag in _WORDS or _BY_LETTERS.get(letters(tag)) in TAGS.children
    if not known_elsewhere and (meant := _meant(tag, known, bool(rule.names[0]), rule is ROBOT)) is not None:
        of_meant = rule.children.get(meant) or rule.of_others[meant]
        if of_meant.is_read or of_meant.of_others:
            text, hint = f"{where}, which is unknown", f"; is <{meant}> meant?"
            yield owner.ignored("misspelt element", text, child, hint), child
    elif not rule.names[0]:  # another tool's, which may have anything
        yield from _in_tool(child, parent, owner)
    elif (right := _right_place(tag, word(parent), rule, owner)) is not None:
        text = f"{where}, which does not belong there"
        yield owner.ignored("misplaced element", text, child, f"; {right}", " and is ignored"), child
    elif rule.names[1]:
        hint = f"; known are {', '.join(f'<{one}>' for one in known)}"
        yield owner.ignored("misplaced element", f"{where}, which is unknown", child, hint), child
    else:
        yield from _lost_in(child, owner)


def _in_tool(child: etree._Element, parent: etree._Element, owner: _Owner) -> Iterator[Ignored]:
    """Yield a finding on one of our tags, a spring or an inertia in an element of another tool."""
    tag = word(child)
    if _is_our_tag(child):
        if owner.kind != "joint" or word(parent) != "actuator":
            return  # _lost_in reports it, called for the whole element of the tool
        text = f"{owner.where(parent)} has an element <{tag}>, which does not belong there"
        hint = f"; the place of <{tag}> is in <modular_dynamics>"
        yield owner.ignored("misplaced element", text, child, hint, " and is ignored"), child
        return
    said = {} if is_zero(str(child.get("value", text_in(child)))) else {tag: f"<{tag}>"}
    if tag == "dynamics":
        keys = [key for key in map(str, child.attrib) if not is_zero(str(child.get(key)))]
        said = {key: f'<dynamics {key}="{child.get(key)!s}">' for key in keys}
    elif tag == "inertia" and len(child.attrib) == 1:
        said = {"armature": f"<{tag}>"}
    for key, what in said.items():
        if (kind := kind_of(key, "spring", "inertia")) is not None:
            article = "an" if kind == "inertia" else "a"
            text = f"{what} in {owner.where(parent)} seems to be {article} {kind} and is not read"
            hint = f"; {HINTS[kind]}"
            yield owner.ignored(f"{kind} of another tool", text, child, hint, _WITHOUT), child
            return


def _at_cut(kind: str, what: str, element: etree._Element, owner: _Owner) -> Finding:
    """Return the finding on a spring or an inertia of a loop's joint, which the model does not have."""
    article = "an" if kind == "inertia" else "a"
    text = f"{what} of {owner.kind} '{owner.name}' seems to be {article} {kind} and is not read"
    return owner.ignored(f"{kind} of another tool", text, element, _AT_CUT, _WITHOUT)


def _with_prefix(
    child: etree._Element, parent: etree._Element, rule: Element, owner: _Owner
) -> Iterator[Ignored]:
    """Yield a finding on an element of URDF or one of our tags that has a prefix: <x:inertial>."""
    local = str(child.tag).rpartition("}")[2].rpartition(":")[2]
    meant = rule.children.get(local)
    is_ours = local in TAGS.children and _is_our_tag(child)
    if not is_ours and (owner.kind == "robot" or meant is None or not meant.is_read or local == "mimic"):
        return
    text = f"{owner.where(parent)} has an element <{local}> with a prefix, which is of another tool"
    where = " in <modular_dynamics>" * is_ours
    yield owner.ignored("misplaced element", text, child, f"; is <{local}>{where} meant?"), child


def _right_place(tag: str, parent: str, rule: Element, owner: _Owner) -> str | None:
    """Return advice on a misplaced element; None if only other tools have such an element."""
    in_sdf = "write <pose>x y z roll pitch yaw</pose>" if owner.is_cut and tag == "origin" else None
    if (hint := in_sdf or said_by_urdf(tag, parent, rule)) is not None:
        return hint
    if (known := _BY_LETTERS.get(letters(tag))) in TAGS.children:
        return f"the place of <{known}> is in <modular_dynamics>"
    if tag == "inertia" and owner.kind == "joint" and not parent:
        return 'write <joint_dynamics joint="" armature=""/> in <modular_dynamics> for the inertia of a drive'
    if known is not None:
        places = [place for place in parents_of(known) if place in _own_places(owner)]
        return f"the place of <{known}> is in {_one_of(places or parents_of(known))}"
    if (having := _attribute_of(tag, parent, rule)) is not None:
        return f'write <{having} {tag}="..."/>{" in <modular_dynamics>" * (having in TAGS.children)}'
    return None if rule.children else f"<{parent}> contains no elements"


def _attribute_of(tag: str, parent: str, rule: Element) -> str | None:
    """Return the element that has an attribute ``tag``, the parent or one in it; None if there is none.

    Example: SDF writes <dynamics><damping>, URDF an attribute of <dynamics>.
    """
    if tag in _GENERAL:
        return None
    if tag in (*rule.attributes, *rule.since):
        return parent
    having = elements_with(tag)
    of_joint = ["joint_dynamics"] if parent == "joint" and "joint_dynamics" in having else []
    return next(iter([one for one in having if one in rule.children] + of_joint), None)


def _one_of(tags: Iterable[str]) -> str:
    return " or ".join(f"<{tag}>" for tag in dict.fromkeys(tags))


def _own_places(owner: _Owner) -> tuple[str, ...]:
    """Return the names of the elements of this kind of owner that contain others."""
    return {"link": ("link", "inertial"), "joint": ("joint",)}.get(owner.kind, ("robot",))


def _lost_in(container: etree._Element, owner: _Owner) -> Iterator[Ignored]:
    """Yield a finding on the first element that would count elsewhere, in a container that is not read.

    Example: <inertial> in <visual>.
    """
    around = [str(one.tag) for one in (container, *container.iterancestors())]
    is_of_others = any(tag in _OF_OTHER_TOOLS or _has_prefix(tag) for tag in around)
    for element in container.iterdescendants(etree.Element):
        if not _is_our_tag(element) and (is_of_others or not _is_lost(element, owner)):
            continue
        tag = word(element)
        right = _right_place(tag, "", ROBOT, owner)
        if tag in ROBOT.of_others and tag not in TAGS.children:
            right = f"the place of <{tag}> is in <robot>"
        text = f"{owner.where(container)} contains an element <{tag}>, which does not belong there"
        found = owner.ignored("misplaced element", text, element, f"; {right}", " and is ignored")
        yield found, element
        return


def _is_lost(element: etree._Element, owner: _Owner) -> bool:
    """Return whether an element would count elsewhere: a whole link, joint or loop, or a part of the owner.

    A <link> or <joint> without its parts only refers to one.
    """
    tag = str(element.tag)
    if (needed := {"link": ("inertial",), "joint": ("parent", "child")}.get(tag)) is not None:
        return all(element.find(part) is not None for part in needed)
    if (rule := ROBOT.of_others.get(word(element))) is not None:
        return sum(word(child) in rule.children for child in element) > 1  # its two ends
    of_owner = ("inertial", "mass", "inertia", "axis", "limit", "dynamics", "mimic")
    if owner.kind == "robot":
        return tag in _OF_ROBOT and bool(len(element) or element.attrib)
    return tag in of_owner


def _attributes(element: etree._Element, rule: Element, owner: _Owner) -> Iterator[Finding]:
    """Yield findings on attributes that the rule does not have."""
    tag = word(element)
    known = (*rule.attributes, *rule.since, *rule.attributes_of_others)
    for key in map(str, element.attrib):
        if key in known or key in OTHER_ATTRIBUTES.get(tag, ()) or _has_prefix(key):
            continue
        value = str(element.get(key))
        absent = [one for one in known if one not in element.attrib]  # one that is present was not misspelt
        if owner.is_cut and (kind := kind_of(key, "spring", "inertia")):
            if not is_zero(value):
                yield _at_cut(kind, f'{key}="{value}"', element, owner)
            continue
        if (meant := _meant(key, tuple(absent), bool(rule.names[0]))) is not None:
            kind, hint = "misspelt attribute", f"; is '{meant}' meant?"
        elif is_zero(value, key) or not rule.names[0]:  # a default, or an attribute of another tool
            continue
        elif (right := said_by_urdf(key, tag, rule) or _right_element(key, rule, owner)) is not None:
            kind, hint = "misplaced attribute", f"; {right}"
        else:
            kind, hint = "unknown attribute", f"; {UNITS}" if key in ("unit", "units") else ""
        text = f"{owner.where(element)} has an attribute '{key}', which is unknown"
        yield owner.ignored(kind, text, element, hint)


def _right_element(key: str, rule: Element, owner: _Owner) -> str | None:
    """Return advice on a misplaced attribute; None if only other tools have such an attribute."""
    if key in TAGS.children:
        return f"<{key}> is an element in <modular_dynamics>"
    if key in _WORDS:
        places = [place for place in parents_of(key) if place in _own_places(owner)]
        return f"<{key}> is an element in {_one_of(places or parents_of(key))}"
    if key in rule.children:
        return f"<{key}> is an element in it"
    own = tuple(tag for tag in elements_with(key) if {*parents_of(tag)} & {*_own_places(owner)})
    if key not in _GENERAL and (having := own or elements_with(key)):
        return f"it is an attribute of {_one_of(having)}"
    return None


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
