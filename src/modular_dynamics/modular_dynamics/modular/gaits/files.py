"""Gaits from YAML: the keys of each kind, and sections for waves along bodies and legs."""

import os
from collections.abc import Mapping
from typing import Any

from ...exceptions import GaitError
from ...text.files import given_text
from ...text.sizes import MAX_YAML_BYTES
from ...text.yaml_text import documents
from ..names import shown
from .coupled_maps import CoupledMaps
from .gait import Gait
from .oscillators import Oscillators
from .rhythm import Rhythm, body_wave, legs
from .sine import Sine
from .values import joint_names, number

__all__ = ["load"]

NUMBERS = ("amplitude", "frequency", "offset", "phase")
WAVE = {"joints", "lag", *NUMBERS}
LEGS = {"left", "right", "lag", "opposition", "within", *NUMBERS}
RHYTHMIC = {"kind", "ramp", "body", "legs", "joints", *NUMBERS}
MAPS = {"period", "growth", "coupling", "boundary", "seed", "initial", "settle", "ramp"}
HOPF = {"coupling", "convergence", "connections", "seed", "step", "ramp"}


def load(source: str | os.PathLike[str] | Mapping[str, Any]) -> Gait:
    """Return a gait from a YAML file, YAML text (of more than one line), or a mapping.

    Keys and units: docs/gaits.md; examples: config/gaits/.

    Raises:
        GaitError: no such file, not YAML, a key twice or unknown, a value out of range; it names file, key
            and value, and what is right.
    """
    if isinstance(source, Mapping):
        return _gait(source)
    if not isinstance(source, str | os.PathLike):
        raise GaitError(
            f"{shown(source)} is no gait; the path of a YAML file, YAML text or a mapping is needed"
        )
    name, text = given_text(source, "gait", MAX_YAML_BYTES, GaitError)
    found = documents(text, name, GaitError, merges=True)
    try:
        return _gait(found[0] if len(found) == 1 else found)
    except GaitError as error:
        raise error if name == "the text" else error.located(f"{name[:250]}: ", error.line) from None


def _gait(content: Any) -> Gait:
    table = _table("a gait", content)
    kind = table.get("kind")
    if kind == "sine":
        _known("sine", table, RHYTHMIC)
        return Sine(_rhythm(table), **_chosen(table, {"ramp"}))
    if kind == "oscillators":
        _known("oscillators", table, RHYTHMIC | HOPF)
        return Oscillators(_rhythm(table), **_chosen(table, HOPF))
    if kind == "coupled_maps":
        _known("coupled_maps", table, {"kind", "joints", "amplitude", "offset"} | MAPS)
        _needed("coupled_maps", table, "joints", "period")
        if {"seed", "initial"} <= table.keys():
            raise GaitError("seed and initial both give the first states; leave one of them out")
        names, numbers = _own_numbers(table, ("amplitude", "offset"))
        return CoupledMaps(joint_names=names, **numbers, **_chosen(table, MAPS))
    raise GaitError(f"kind is {shown(kind)}; sine, coupled_maps and oscillators are known")


def _rhythm(table: Mapping[str, Any]) -> Rhythm:
    """Return the rhythm of the sections body, legs and joints, in this order."""
    parts = []
    common = _chosen(table, set(NUMBERS))
    if "body" in table:
        section = _table("body", table["body"])
        _known("body", section, WAVE)
        values = {**common, **section}
        _needed("body", values, "joints", "amplitude", "frequency", "lag")
        parts.append(body_wave(**values))
    if "legs" in table:
        section = _table("legs", table["legs"])
        _known("legs", section, LEGS)
        values = {"left": [], "right": [], **common, **section}
        _needed("legs", values, "amplitude", "frequency", "lag")
        parts.append(legs(**values))
    if "joints" in table:
        names, numbers = _own_numbers(table, NUMBERS)
        parts.append(Rhythm(names, **numbers))
    if not parts:
        raise GaitError("no section body, legs or joints; at least one is needed")
    rhythm = parts[0]
    for part in parts[1:]:
        rhythm = rhythm + part
    return rhythm


def _own_numbers(table: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names under joints, and each joint's numbers: its own, or else the gait's."""
    given = table["joints"]
    names = joint_names("joints", tuple(given) if isinstance(given, Mapping) else given)
    numbers: dict[str, list[float]] = {key: [] for key in keys}
    for name in names:
        own = _table(f"joint '{name}'", (given[name] or {}) if isinstance(given, Mapping) else {})
        _known(f"joint '{name}'", own, set(keys))
        values = {"offset": 0.0, "phase": 0.0, **_chosen(table, set(keys)), **own}
        for key in keys:
            _needed(f"joint '{name}'", values, key)
            numbers[key].append(number(f"{key} of joint '{name}'", values[key]))
    return names, numbers


def _table(where: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise GaitError(f"{where} is {shown(value)}; a mapping of keys to values is needed")
    return value


def _known(where: str, table: Mapping[str, Any], keys: set[str]) -> None:
    for key in table:
        if key not in keys:
            known = ", ".join(sorted(keys))
            raise GaitError(
                f"unknown key {shown(key)} (value {shown(table[key])}) in {where}; known are {known}"
            )


def _needed(where: str, table: Mapping[str, Any], *keys: str) -> None:
    for key in keys:
        if key not in table:
            raise GaitError(f"{where} lacks '{key}'")


def _chosen(table: Mapping[str, Any], keys: set[str]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key in keys}
