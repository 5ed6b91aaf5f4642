"""URDFs and YAML files, damaged by chance: the same seed gives the same damage."""

import copy
import re
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random
from typing import Any

import yaml
from lxml import etree

Changed = tuple[str, str]
"""A text, and what was done to it."""


def _words(text: str) -> list[str]:
    return text.split()


#: Numbers: not finite, at the ends of what a float holds, large and small, signed zeros, and plain ones.
NUMBERS = (
    *_words("""
        nan NaN -nan inf -inf Infinity INF 1.#INF 1.#QNAN nan(7) 1e308 -1e308 1e309 1.7976931348623157e308
        1e-308 5e-324 1e-400 1e155 1e-155 1e100 1e60 1e50 -1e50 1e30 1e20 1e15 1e12 1e9 1e6 -1e6 1000 -1000
        1e-6 1e-9 1e-12 1e-15 1e-20 1e-30 1e-50 1e-100 -0 -0.0 0 0.0 1 -1 2 0.5 3.141592653589793
        1.5707963267948966 6.283185307179586 +1 1. .5 1E3 1e+3 00012
    """),
    *("1" + "0" * 40, "0." + "3" * 400, "9" * 5000),
)
#: What float() of some language reads and a decimal number is not; digits of other scripts, spaces, signs.
DIGITS = (
    *("\u0661.\u0665", "\uff11\uff0e\uff15", "\uff11", "\u0967\u0968", "\u00b2", "\u00bd", "\u22121"),
    "1\u00a0",
    *("1\u20032", "1\u20282", "\u200b1", "1\ufeff", "1 000", "$(arg x)"),
    *_words("""
        1,5 0x10 0x1p3 0b1 0o7 1_000 1e e5 --1 +-1 1e1.5 1.5.2 1d5 1f 1;2 (1) 1/2 ${1} ${pi/2} True yes null
        None ~ 1:30
    """),
)
TEXTS = (
    *("", " ", "\t\n", "a b", "\0", "\x01", "\x1b[2J", "\x7f", "\u0085", "\u202e", "\ufffd", "\ud800"),
    "\udfff",
    *_words("""
        &#0; &#1; &#xFFFE; &#xD800; &#x110000; &lt; &amp; &undefined; ' < > ]]> -- <!-- --> %s%n {0} { \\
        ../../etc /dev/zero __proto__ root_joint universe world base_link 0 e\u0301 \u00e9 \u5de6
    """),
    *("\U0001f916", "a" * 20_000),
)
NAMES = (
    *("", " ", "a" * 20_000, "a b", "a\tb", "x\u00a0", "\u202eabc"),
    *_words("""
        \u5de6 e\u0301 a/b &#10; root_joint universe 0 \U0001f916 __line__ {x} %s ${x} name link joint nan
    """),
)


def as_bytes(text: str) -> bytes:
    """The content of a file."""
    return text.encode("utf-8", "surrogatepass")


def damaged_urdf(text: str, seed: int) -> Changed:
    """The damaged description, and what was done to it."""
    random, done = Random(seed), list[str]()
    if random.random() < 0.6:
        text, what = _elements_changed(text, random)
        done.append(what)
    if not done or random.random() < 0.5:
        text, what = _changed(text, random, _IN_URDF, (1, 1, 1, 2, 5))
        done.append(what)
    return text, "; ".join(done)


def damaged_yaml(text: str, seed: int) -> Changed:
    """The same of YAML."""
    return _changed(text, Random(seed), _IN_YAML, (1, 1, 2, 4))


def _changed(text: str, random: Random, changes: Any, counts: tuple[int, ...]) -> Changed:
    done = []
    for _ in range(random.choice(counts)):
        text, what = random.choice(changes)(text, random)
        done.append(what)
    return text, "; ".join(done)


def _truncated(text: str, random: Random) -> Changed:
    at = random.randrange(len(text) + 1)
    return text[:at], f"cut off at {at}"


def _part_repeated(text: str, random: Random) -> Changed:
    one, two = sorted(random.randrange(len(text) + 1) for _ in range(2))
    part, count = text[one:two][:3000], random.choice((1, 1, 40))
    return text[:two] + part * count + text[two:], f"characters {one}-{two} repeated"


def _characters_changed(characters: tuple[str, ...]) -> Callable[[str, Random], Changed]:
    def change(text: str, random: Random) -> Changed:
        for _ in range(random.choice((1, 1, 4, 30))):
            at, new = random.randrange(len(text) + 1), random.choice(characters)
            text = text[:at] + new + text[at + random.choice((0, 1)) :]
        return text, "characters changed"

    return change


_ATTRIBUTE = re.compile(r"""([\w:-]+)(\s*=\s*)"([^"<]*)\"""")
_NUMERIC = re.compile(r"^[-+0-9.eE\s]+$")
_NAMED = ("name", "link", "joint", "root_link", "driver")
_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical", "REVOLUTE", "")
_KEYS = (
    *_words("""
        name link xyz value ixx stamp version x subsystems gears drivers joints anchors end_links
        predecessor axis __line__ joint driver ratio
    """),
)
_TAGS = (
    *_words("""
        robot link joint inertial mass inertia origin axis limit mimic parent child dynamics
        modular_dynamics subsystem loop_joint passive gear spring spherical joint_dynamics anchor
        predecessor successor driver end_link visual
    """),
)
_ELEMENT_CHANGES = (
    *("deleted", "repeated", "swapped", "moved", "copied", "wrapped", "retagged", "without an attribute"),
    *("with another attribute", "named as another", "named as another"),
)


def _elements_changed(text: str, random: Random) -> Changed:
    root, done = etree.fromstring(text.encode()), list[str]()
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        if elements := [element for element in root.iter(etree.Element) if element is not root]:
            element, change = random.choice(elements), random.choice(_ELEMENT_CHANGES)
            done.append(f"<{element.tag} {element.get('name', '')}> {change}")
            _change_element(element, elements, change, random)
    return etree.tostring(root, encoding="unicode"), "; ".join(done)


def _change_element(element: Any, elements: list[Any], change: str, random: Random) -> None:
    other, tag = random.choice(elements), random.choice(_TAGS)
    key = random.choice(sorted(element.attrib)) if element.attrib else ""
    apart = other not in element.iter() and element not in other.iter()
    match change:
        case "deleted":
            element.getparent().remove(element)
        case "repeated":
            for _ in range(random.choice((1, 1, 1, 50))):
                element.addnext(_copy(element))
        case "swapped" if apart:
            two = _copy(other)
            other.getparent().replace(other, _copy(element))
            element.getparent().replace(element, two)
        case "moved" if apart:
            other.append(element)
        case "copied":
            other.append(_copy(element))
        case "wrapped":
            wrapper = etree.Element(tag)
            element.getparent().replace(element, wrapper)
            wrapper.append(element)
        case "retagged":
            element.tag = tag
        case "without an attribute" if key:
            del element.attrib[key]
        case "with another attribute" if key:
            element.set(random.choice(_KEYS), element.attrib.pop(key))
        case "named as another" if key in _NAMED:  # duplicates, cycles, other references
            names = [value for one in elements for key, value in one.attrib.items() if key in _NAMED]
            element.set(key, random.choice(names))


def _copy(element: Any) -> Any:
    return etree.fromstring(etree.tostring(element, with_tail=False))


def _value_changed(text: str, random: Random) -> Changed:
    matches = list(_ATTRIBUTE.finditer(text))
    if not matches:
        return text, "unchanged"
    match = random.choice(matches)
    key, equals, value = match.groups()
    parts = value.split()
    if _NUMERIC.match(value) and parts and random.random() < 0.8:
        parts[random.randrange(len(parts))] = random.choice(random.choice((NUMBERS, NUMBERS, DIGITS)))
        new = random.choice((" ", " ", " ", "\u00a0", "\t", ",", "\u3000", "\x0b")).join(parts)
    elif _NUMERIC.match(value) and random.random() < 0.5:
        new = " ".join(random.choices(NUMBERS, k=random.choice((0, 1, 2, 3, 4, 6))))
    else:
        new = random.choice(random.choice((NAMES, TEXTS, _TYPES, NUMBERS)))
    start, end = match.span()
    return f'{text[:start]}{key}{equals}"{new}"{text[end:]}', f"{key}={new[:20]!a}"


def _every_value_changed(text: str, random: Random) -> Changed:
    """All values of one attribute that is a number or a type, as of a file in other units."""
    matches = [match for match in _ATTRIBUTE.finditer(text) if match[1] == "type" or _NUMERIC.match(match[3])]
    if not matches:
        return text, "unchanged"
    key = random.choice(matches)[1]
    nasty = random.choice(_TYPES if key == "type" else NUMBERS)

    def change(match: re.Match[str]) -> str:
        is_meant = match[1] == key and (key == "type" or _NUMERIC.match(match[3]))
        return f'{key}{match[2]}"{" ".join([nasty] * len(match[3].split()))}"' if is_meant else match[0]

    return _ATTRIBUTE.sub(change, text), f"every {key}={nasty[:20]}"


_IN_URDF = (
    *(_value_changed, _value_changed, _value_changed, _value_changed, _every_value_changed, _truncated),
    _characters_changed(
        ("", "", "<", ">", '"', "&", "/", "=", "\0", "\ud800", "x", " ", "-", "!", "\n", "]]>")
    ),
    _part_repeated,
)


_VALUE = re.compile(r"(?<=[:,\[] )([^\s,{}\[\]][^,{}\[\]\n]*)")
_PLAIN = (
    *_words("""
        null ~ true yes off .nan .inf -.inf 1:30 010 0x10 0b1 1_000 = << 2001-01-01 9999-99-99 2001-13-45
        0000-00-00 [] {} [[[1]]] *missing | > ' \" @ `
    """),
    *("2001-01-01 12:00:00.5 +1", "{a: {b: c}}", "&a [*a]", "&b {x: *b}", "&c c", "? a", "? [a]\n: b"),
    *("!!binary aGk=", "!!binary '*'", "!!set {a}", "!!omap [a: 1]", "!!omap x", "!!pairs [a: 1]", "!!int x"),
    *("!!timestamp x", "!!float x", "!!bool x", "!!null x", "!!str 1", "!!map x", "!!seq x", "!x y"),
    *("!!python/object/apply:os.system [true]", "!!python/name:os.system", "!<tag:x> y", "%YAML 9.9"),
    *('"\\ud800"', '"\\x00"', '"\\U00110000"', "{? [a, b] : c}", "{[1]: 2}", "{{}: 2}", "{null: 1}"),
    "{1: 2}",
    *("- a", "1" + "0" * 400, "1" * 5000),
)
_OTHER_TYPES = (
    *(None, True, 1, 1.5, float("nan"), "", "x", [], {}, [None], [[]], {"a": 1}, 10**400, b"x"),
    *("1_000", "0x10", -0.0, 1e308, 1e155, -1, [1, 2, 3], ["a"], {"link": "x"}, {1: 2}),
)


def _yaml_value_changed(text: str, random: Random) -> Changed:
    matches = list(_VALUE.finditer(text))
    if not matches:
        return text, "unchanged"
    start, end = random.choice(matches).span()
    new = random.choice(random.choice((_PLAIN, _PLAIN, NUMBERS, NUMBERS, DIGITS, NAMES, TEXTS)))
    return text[:start] + new + text[end:], f"{text[start:end][:20]!r} -> {new[:20]!a}"


def _data_changed(text: str, random: Random) -> Changed:
    """A part of the data becomes another type, goes, or comes twice."""
    if len(text) > 20_000 or "<<" in text:  # YAML's own reader would take minutes
        return text, "unchanged"
    try:
        data = yaml.safe_load(text)
        paths = list(islice(_paths(data), 10_000))  # aliases may stand for more
        path = random.choice(paths)
        owner = data = copy.deepcopy(data)
        for key in path[:-1]:
            owner = owner[key]
        kind = random.choice(("deleted", "type", "repeated", "other"))
        if kind == "deleted":
            del owner[path[-1]]
        elif kind == "repeated" and isinstance(owner, list):
            owner += [copy.deepcopy(owner[path[-1]])] * random.choice((1, 1, 30))
        elif kind == "other":
            owner[path[-1]] = copy.deepcopy(data[random.choice(paths)[0]])
        else:
            owner[path[-1]] = random.choice(_OTHER_TYPES)
        return yaml.safe_dump(data, allow_unicode=True), f"{kind} at {path}"
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError, RecursionError):
        return text, "unchanged"


def _paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if len(path) <= 20 and isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield (*path, key)
            yield from _paths(data[key], (*path, key))


_IN_YAML = (
    *(_yaml_value_changed, _yaml_value_changed, _yaml_value_changed, _yaml_value_changed),
    *(_data_changed, _data_changed, _truncated, _part_repeated),
    _characters_changed(
        ("", "", ":", "- ", "{", "[", "]", "&a ", "*a", "!!", "|", "\t", "\0", "\ud800", "\n", "#", "'", ", ")
    ),
)
