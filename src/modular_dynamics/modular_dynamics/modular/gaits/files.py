"""Gaits from YAML: the keys of each kind, and sections for waves along bodies and legs."""

import os
from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Any

from ...exceptions import GaitError
from ...text.element import Element
from ...text.files import given_text
from ...text.sizes import MAX_YAML_BYTES
from ...text.yaml_text import documents
from .gait import CoupledMaps, Gait, Rhythm, Sine, body_wave, checked_names, legs, number

__all__ = ["load"]

NUMBERS = ("amplitude", "frequency", "offset", "phase")
RHYTHMIC = ("kind", "ramp", "body", "legs", "joints", *NUMBERS)
MAPS = ("period", "growth", "coupling", "boundary", "seed", "initial", "settle", "ramp")


def load(source: str | os.PathLike[str] | Mapping[str, Any]) -> Gait:
    """Return a gait from a YAML file, YAML text (of more than one line), or a mapping.

    Keys and units: docs/gaits.md; examples: config/gaits/.

    Raises:
        GaitError: no such file, not YAML, a key twice or unknown, a value out of range; it names file, line,
            key and value, and what is right.
    """
    name, content = "", source
    if not isinstance(source, Mapping):
        name, text = given_text(source, "gait", MAX_YAML_BYTES, GaitError)
        found = documents(text, name, GaitError, merges=True)
        content = found[0] if len(found) == 1 else found  # type: ignore[assignment]
    try:
        return _gait(Element.top(content, name, "a mapping of keys to values", GaitError))
    except GaitError as error:
        if error.line is not None or not name:  # it names file and line
            raise
        raise error.located(f"{name[:250]}: ", None) from None


def _gait(top: Element) -> Gait:
    kind = top.choice("kind", ("sine", "coupled_maps"))
    if kind == "sine":
        return Sine(_rhythm(top.require((), RHYTHMIC)), **_chosen(top, ("ramp",)))
    top.require(("kind", "joints", "period"), ("amplitude", "offset", *MAPS))
    if "seed" in top.item and "initial" in top.item:
        raise top.failure("seed", " and initial both give the first states; leave one of them out")
    names, numbers = _own_numbers(top, ("amplitude", "offset"))
    return CoupledMaps(joint_names=names, **numbers, **_chosen(top, MAPS))


def _rhythm(top: Element) -> Rhythm:
    """Return the rhythm of the sections body, legs and joints, in this order."""
    parts = []
    common = _chosen(top, NUMBERS)
    if "body" in top.item:
        section = top.element("body").require(("joints", "lag"), NUMBERS)
        parts.append(body_wave(**_with(section, common, "amplitude", "frequency")))
    if "legs" in top.item:
        section = top.element("legs").require(("lag",), ("left", "right", "opposition", "within", *NUMBERS))
        values = {"left": [], "right": [], **common}
        parts.append(legs(**_with(section, values, "amplitude", "frequency")))
    if "joints" in top.item:
        names, numbers = _own_numbers(top, NUMBERS)
        parts.append(Rhythm(names, **numbers))
    if not parts:
        raise top.failure("", "no section body, legs or joints; at least one is needed")
    return reduce(add, parts)


def _own_numbers(top: Element, keys: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names under joints, and each joint's numbers: its own, or else the gait's."""
    given = top.item["joints"]
    names = checked_names("joints", tuple(given) if isinstance(given, Mapping) else given)
    numbers: dict[str, list[float]] = {key: [] for key in keys}
    common = {"offset": 0.0, "phase": 0.0, **_chosen(top, keys)}
    own = Element({}, top.file, "joints/", GaitError)
    for name in names:
        if isinstance(given, Mapping) and given[name] is not None:
            own = top.element("joints").element(name)
        else:
            own = own._replace(item={}, path=f"joints/{name}/")
        for key, value in _with(own.require((), keys), common, *keys).items():
            if key in keys:
                numbers[key].append(number(f"{key} of joint '{name}'", value))
    return names, numbers


def _with(section: Element, common: Mapping[str, Any], *needed: str) -> dict[str, Any]:
    """Return the values of a section, or else the gait's. Raises GaitError: there is neither."""
    values = {**common, **section.item}
    for key in needed:
        if key not in values:
            raise section.failure(key, " is missing")
    return values


def _chosen(top: Element, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in top.item.items() if key in keys}
