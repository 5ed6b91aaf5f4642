"""A URDF, damaged by chance: ``mutated(text, seed)``. The same seed gives the same damage."""

import re
from collections.abc import Callable
from random import Random

from lxml import etree

from .encodings import ENCODINGS
from .nasty_values import DIGITS, NAMES, NUMBERS, TEXTS
from .xml_damage import XML_DAMAGE

__all__ = ["mutated"]

_ATTRIBUTE = re.compile(r"""([\w:-]+)(\s*=\s*)"([^"<]*)\"""")
_NUMERIC = re.compile(r"^[-+0-9.eE\s]+$")
_NAMED = ("name", "link", "joint", "root_link", "driver")
_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical", "REVOLUTE", "")
_CHARACTERS = ("", "", "<", ">", '"', "&", "/", "=", "\0", "\ud800", "x", " ", "-", "!", "\n", "]]>")
_KEYS = (
    *("name", "link", "xyz", "value", "ixx", "stamp", "version", "x", "subsystems", "gears", "drivers"),
    *("joints", "anchors", "end_links", "predecessor", "axis", "__line__", "joint", "driver", "ratio"),
)
_TAGS = (
    *("robot", "link", "joint", "inertial", "mass", "inertia", "origin", "axis", "limit", "mimic", "parent"),
    *("child", "dynamics", "modular_dynamics", "subsystem", "loop_joint", "passive", "gear", "spring"),
    *("spherical", "joint_dynamics", "anchor", "predecessor", "successor", "driver", "end_link", "x:y"),
    "visual",
)


def mutated(text: str, seed: int) -> tuple[str | bytes, str]:
    """The damaged description, and what was done to it."""
    random = Random(seed)
    done = list[str]()
    if random.random() < 0.6:
        text, what = _structure(text, random)
        done += what
    if not done or random.random() < 0.5:
        for _ in range(random.choice((1, 1, 1, 2, 5))):
            text, what_text = random.choice(_TEXTUAL)(text, random)
            done.append(what_text)
    if random.random() < 0.1:
        text, what_text = random.choice(XML_DAMAGE)(text, random)
        done.append(what_text)
    if random.random() < 0.1:
        content, what_text = random.choice(ENCODINGS)(text, random)
        return content, "; ".join([*done, what_text])
    return text, "; ".join(done)


def _structure(text: str, random: Random) -> tuple[str, list[str]]:
    """Some changes of the tree of elements."""
    root, done = etree.fromstring(text.encode()), list[str]()
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        elements = [element for element in root.iter(etree.Element) if element is not root]
        if elements:
            element = random.choice(elements)
            shown = f"<{element.tag} {element.get('name', '')}>"
            done.append(f"{random.choice(_STRUCTURAL)(element, elements, random)} {shown}")
    return etree.tostring(root, encoding="unicode"), done


def _deleted(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    element.getparent().remove(element)
    return "deleted"


def _copy(element: etree._Element) -> etree._Element:
    return etree.fromstring(etree.tostring(element, with_tail=False))


def _duplicated(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    count = random.choice((1, 1, 1, 50))
    for _ in range(count):
        element.addnext(_copy(element))
    return f"{count} more of"


def _swapped(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    other = random.choice(elements)
    one, two = _copy(element), _copy(other)
    if element in other.iter() or other in element.iter():
        return "not swapped"
    element.getparent().replace(element, two)
    other.getparent().replace(other, one)
    return f"swapped with <{other.tag}>"


def _moved(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    other = random.choice(elements)
    if other not in element.iter():
        other.append(element)
    return f"moved into <{other.tag}>"


def _copied(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    other = random.choice(elements)
    other.append(_copy(element))
    return f"copied into <{other.tag}>"


def _wrapped(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    tag = random.choice(_TAGS[:-2])
    wrapper = etree.Element(tag)
    element.getparent().replace(element, wrapper)
    wrapper.append(element)
    return f"wrapped in <{tag}>"


def _retagged(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    tag = random.choice([tag for tag in _TAGS if ":" not in tag])
    element.tag = tag
    return f"<{tag}> was"


def _attribute_removed(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    if element.attrib:
        key = random.choice(sorted(element.attrib))
        del element.attrib[key]
        return f"{key} removed from"
    return "unchanged"


def _attribute_renamed(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    if element.attrib:
        key = random.choice(sorted(element.attrib))
        element.set(
            random.choice(_KEYS),
            element.attrib.pop(key),
        )
        return f"{key} renamed in"
    return "unchanged"


def _renamed_elsewhere(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    """A name of this element becomes that of another one: duplicates, cycles, other references."""
    keys = [key for key in element.attrib if key in _NAMED]
    others = [value for other in elements for key, value in other.attrib.items() if key in _NAMED]
    if keys and others:
        element.set(key := random.choice(sorted(keys)), name := random.choice(others))
        return f"{key}={name[:20]!r} in"
    return "unchanged"


def _retyped(element: etree._Element, elements: list[etree._Element], random: Random) -> str:
    typed = [one for one in elements if "type" in one.attrib]
    for one in random.sample(typed, min(len(typed), random.choice((1, 1, 3, 100)))):
        one.set("type", random.choice(_TYPES))
    return "types changed, near"


_STRUCTURAL: tuple[Callable[[etree._Element, list[etree._Element], Random], str], ...] = (
    _deleted,
    _duplicated,
    _swapped,
    _moved,
    _copied,
    _wrapped,
    _retagged,
    _attribute_removed,
    _attribute_renamed,
    _renamed_elsewhere,
    _renamed_elsewhere,
    _retyped,
)


def _value_changed(text: str, random: Random) -> tuple[str, str]:
    matches = list(_ATTRIBUTE.finditer(text))
    if not matches:
        return text, "unchanged"
    match = random.choice(matches)
    key, equals, value = match.groups()
    parts = value.split()
    if _NUMERIC.match(value) and parts and random.random() < 0.8:
        nasty = random.choice(random.choice((NUMBERS, NUMBERS, DIGITS)))
        parts[random.randrange(len(parts))] = nasty
        new = random.choice((" ", " ", " ", "\u00a0", "\t", ",", "\u3000", "\x0b")).join(parts)
    elif _NUMERIC.match(value) and random.random() < 0.5:
        new = nasty = " ".join(random.choices(NUMBERS, k=random.choice((0, 1, 2, 3, 4, 6))))
    else:
        new = nasty = random.choice(random.choice((NAMES, TEXTS, _TYPES, NUMBERS)))
    start, end = match.span()
    return f'{text[:start]}{key}{equals}"{new}"{text[end:]}', f"{key}={nasty[:20]!a}"


def _numbers_scaled(text: str, random: Random) -> tuple[str, str]:
    """All values of one attribute, as of a file in other units."""
    matches = [match for match in _ATTRIBUTE.finditer(text) if _NUMERIC.match(match[3])]
    if not matches:
        return text, "unchanged"
    key, nasty = random.choice(matches)[1], random.choice(NUMBERS)

    def change(match: re.Match[str]) -> str:
        if match[1] != key or not _NUMERIC.match(match[3]):
            return match[0]
        return f'{key}{match[2]}"{" ".join([nasty] * len(match[3].split()))}"'

    return _ATTRIBUTE.sub(change, text), f"every {key}={nasty[:20]}"


def _truncated(text: str, random: Random) -> tuple[str, str]:
    at = random.randrange(len(text) + 1)
    return text[:at], f"cut off at {at}"


def _characters_changed(text: str, random: Random) -> tuple[str, str]:
    for _ in range(random.choice((1, 1, 4, 30))):
        at = random.randrange(len(text) + 1)
        new = random.choice(_CHARACTERS)
        text = text[:at] + new + text[at + random.choice((0, 1)) :]
    return text, "characters changed"


def _part_repeated(text: str, random: Random) -> tuple[str, str]:
    one, two = sorted(random.randrange(len(text) + 1) for _ in range(2))
    return text[:two] + text[one:two][:3000] + text[two:], f"characters {one}-{two} repeated"


_TEXTUAL: tuple[Callable[[str, Random], tuple[str, str]], ...] = (
    _value_changed,
    _value_changed,
    _value_changed,
    _value_changed,
    _numbers_scaled,
    _truncated,
    _characters_changed,
    _part_repeated,
)
