"""A YAML file, damaged by chance: ``mutated_yaml(text, seed)``; the same seed, the same damage."""

import copy
import re
from collections.abc import Callable
from itertools import islice
from random import Random
from typing import Any

import yaml

from .encodings import ENCODINGS
from .nasty_values import DIGITS, NAMES, NUMBERS, TEXTS

__all__ = ["mutated_yaml"]

_VALUE = re.compile(r"(?<=[:,\[] )([^\s,{}\[\]][^,{}\[\]\n]*)")
_PLAIN = (
    *("null", "~", "true", "yes", "off", ".nan", ".inf", "-.inf", "1:30", "010", "0x10", "0b1"),
    *("1_000", "=", "<<"),
    *("2001-01-01", "2001-01-01 12:00:00.5 +1", "9999-99-99", "2001-13-45", "0000-00-00", "[]", "{}"),
    "[[[1]]]",
    *("{a: {b: c}}", "*missing", "&a [*a]", "&b {x: *b}", "&c c", "!!binary aGk=", "!!binary '*'"),
    "!!set {a}",
    *("!!omap [a: 1]", "!!omap x", "!!pairs [a: 1]", "!!timestamp x", "!!int x", "!!float x"),
    *("!!bool x", "!!null x"),
    *("!!python/object/apply:os.system [true]", "!!python/name:os.system", "!!str 1", "!!map x"),
    *("!!seq x", "!x y"),
    *(
        "!<tag:x> y",
        "? a",
        "? [a]\n: b",
        "'",
        '"',
        '"\\ud800"',
        '"\\x00"',
        '"\\U00110000"',
        "|",
        ">",
        "%YAML 9.9",
    ),
    *(
        "@",
        "`",
        "{? [a, b] : c}",
        "{[1]: 2}",
        "{{}: 2}",
        "1" + "0" * 400,
        "1" * 5000,
        "- a",
        "{null: 1}",
        "{1: 2}",
    ),
)
_BOMB = "x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n" + "".join(
    f"x{k}: &x{k} [{', '.join([f'*x{k - 1}'] * 10)}]\n" for k in range(1, 9)
)
_MERGES = "m0: &m0 {a: 1, b: 2}\n" + "".join(
    f"m{k}: &m{k} {{<<: [{', '.join([f'*m{k - 1}'] * 10)}]}}\n" for k in range(1, 9)
)
_WHOLE = (
    *("", " ", "x", "[]", "null", "1", "---", "--- {}\n--- {}\n", "\t", "version: 1", "&a *a", "\ufeff"),
    *("[" * 100_000, "{a: " * 100_000, "- " * 20_000, "? " * 20_000, "a: " * 100, "!!" * 9),
    *(_BOMB, _BOMB + "subsystems: *x8\n", _MERGES, _MERGES + "subsystems: [*m8]\n", "subsystems: &a [*a]"),
    *("&a {subsystems: *a}", "gears: [" + "{}," * 20_000 + "]", "passive: [" + "a, " * 20_000 + "]"),
)
_OTHER_TYPES = (
    *(None, True, 1, 1.5, float("nan"), "", "x", [], {}, [None], [[]], {"a": 1}, 10**400, b"x"),
    *("1_000", "0x10", -0.0, 1e308, 1e155, -1, [1, 2, 3], ["a"], {"link": "x"}, {1: 2}),
)


def mutated_yaml(text: str, seed: int) -> tuple[str | bytes, str]:
    """The damaged YAML, and what was done to it."""
    random = Random(seed)
    done = list[str]()
    for _ in range(random.choice((1, 1, 2, 4))):
        text, what = random.choice(_CHANGES)(text, random)
        done.append(what)
    if random.random() < 0.1:
        content, what = random.choice(ENCODINGS)(text, random)
        return content, "; ".join([*done, what])
    return text, "; ".join(done)


def _value_changed(text: str, random: Random) -> tuple[str, str]:
    matches = list(_VALUE.finditer(text))
    if not matches:
        return text, "unchanged"
    start, end = random.choice(matches).span()
    new = random.choice(random.choice((_PLAIN, _PLAIN, NUMBERS, NUMBERS, DIGITS, NAMES, TEXTS)))
    return text[:start] + new + text[end:], f"{text[start:end][:20]!r} -> {new[:20]!a}"


def _structure(text: str, random: Random) -> tuple[str, str]:
    """A part of the data becomes another type, goes, or comes twice."""
    if len(text) > 20_000 or "<<" in text:  # YAML's own reader would take minutes
        return text, "unchanged"
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError, RecursionError):
        return text, "unchanged"
    paths = list(islice(_paths(data), 10_000))  # aliases may stand for more
    if not paths:
        return text, "unchanged"
    data, path = copy.deepcopy(data), random.choice(paths)
    owner = data
    for key in path[:-1]:
        owner = owner[key]
    kind = random.choice(("deleted", "type", "repeated", "other"))
    if kind == "deleted":
        del owner[path[-1]]
    elif kind == "repeated" and isinstance(owner, list):
        owner += [copy.deepcopy(owner[path[-1]])] * random.choice((1, 1, 30))
    elif kind == "other":
        other = data
        for key in random.choice(paths)[:1]:
            other = other[key]
        owner[path[-1]] = copy.deepcopy(other)
    else:
        owner[path[-1]] = random.choice(_OTHER_TYPES)
    try:
        return yaml.safe_dump(data, allow_unicode=True), f"{kind} at {path}"
    except (yaml.YAMLError, RecursionError):
        return text, "unchanged"


def _paths(data: Any, path: tuple[Any, ...] = ()) -> Any:
    if len(path) > 20:
        return
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield (*path, key)
            yield from _paths(data[key], (*path, key))


def _characters_changed(text: str, random: Random) -> tuple[str, str]:
    for _ in range(random.choice((1, 1, 4, 30))):
        at = random.randrange(len(text) + 1)
        new = random.choice(
            (
                "",
                "",
                ":",
                "- ",
                "{",
                "[",
                "]",
                "&a ",
                "*a",
                "!!",
                "|",
                "\t",
                "\0",
                "\ud800",
                "\n",
                "#",
                "'",
                ", ",
            )
        )
        text = text[:at] + new + text[at + random.choice((0, 1)) :]
    return text, "characters changed"


def _truncated(text: str, random: Random) -> tuple[str, str]:
    at = random.randrange(len(text) + 1)
    return text[:at], f"cut off at {at}"


def _line_repeated(text: str, random: Random) -> tuple[str, str]:
    lines = text.splitlines(keepends=True) or [""]
    at = random.randrange(len(lines))
    lines[at:at] = [lines[at]] * random.choice((1, 1, 40))
    return "".join(lines), f"line {at + 1} repeated"


def _replaced(text: str, random: Random) -> tuple[str, str]:
    new = random.choice(_WHOLE)
    return random.choice((new, text + "\n" + new, new + "\n" + text)), f"with {new[:20]!r}"


_CHANGES: tuple[Callable[[str, Random], tuple[str, str]], ...] = (
    *(_value_changed, _value_changed, _value_changed, _value_changed, _structure, _structure),
    *(_characters_changed, _truncated, _line_repeated, _replaced),
)
