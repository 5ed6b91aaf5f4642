"""Checks of what describes a gait: names of joints, numbers, numbers of each joint."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Integral, Real
from typing import Any

from ...exceptions import GaitError
from ...text.sizes import MAX_NAME, too_large
from ..names import listed, shown

__all__ = ["Values", "duration", "joint_names", "number", "per_joint", "whole_number"]

#: One number for all joints, or one for each.
Values = float | Sequence[float]
#: Larger numbers, and shorter times [s] but 0, are mistakes: products of them could overflow.
LARGEST, SHORTEST = 1e9, 1e-6


def number(
    key: str, value: Any, *, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> float:
    """Return a number in [least, most], above ``above``, within +-1e9. Raises GaitError: names key, range."""
    bounds = [f"of at least {least:g}"] * (least > -math.inf) + [f"above {above:g}"] * (above > -math.inf)
    bounds += [f"of at most {most:g}"] * (most < math.inf)
    wanted = " ".join(["a finite number", " and ".join(bounds)]).rstrip()
    if isinstance(value, bool) or not isinstance(value, Real):
        raise GaitError(f"{key} is {shown(value)}; {wanted} is needed{_hint(value)}")
    try:
        result = float(value)
    except OverflowError:  # an integer of more than 308 digits
        result = math.inf
    if LARGEST < abs(result) < math.inf:
        wanted += f", its size at most {LARGEST:g}"
    if not (abs(result) <= LARGEST and least <= result <= most and result > above):
        raise GaitError(f"{key} is {result:g}; {wanted} is needed")
    return result


def duration(key: str, value: Any, *, most: float = math.inf) -> float:
    """Return a time [s], 0 or at least a microsecond. Raises GaitError."""
    result = number(key, value, least=0.0, most=most)
    if 0.0 < result < SHORTEST:
        raise GaitError(f"{key} is {result:g}; 0 or at least {SHORTEST:g} s is needed")
    return result


def _hint(value: Any) -> str:
    try:
        result = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return ""
    return f", in YAML written with a decimal point: {result!r}" if math.isfinite(result) else ""


def whole_number(key: str, value: Any, *, most: int = 2**63 - 1) -> int:
    """Return an integer from 0 to ``most``. Raises GaitError."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) <= most:
        raise GaitError(f"{key} is {shown(value)}; a whole number from 0 to {most} is needed")
    return int(value)


def joint_names(key: str, names: Any) -> tuple[str, ...]:
    """Return at least one name, none twice, each a text that YAML can hold. Raises GaitError."""
    if isinstance(names, str | Mapping | Set) or not isinstance(names, Iterable):
        raise GaitError(f"{key} is {shown(names)}; a list of joints' names is needed")
    result = tuple(names)
    if not result:
        raise GaitError(f"{key} is empty; the name of at least one joint is needed")
    for name in result:
        if not isinstance(name, str) or not name:
            raise GaitError(f"{key} holds {shown(name)}; the name of a joint is needed")
        if len(name) > MAX_NAME:
            raise GaitError(too_large(f"in {key} the name {shown(name)}", len(name), MAX_NAME, "characters"))
        if any("\ud800" <= character <= "\udfff" for character in name):
            raise GaitError(f"{key} holds {shown(name)}, which is no text: it has half a character")
    twice = [name for name, count in Counter(result).items() if count > 1]
    if twice:
        raise GaitError(f"{key} names {listed(twice)} twice; each joint has one motion")
    return result


def per_joint(key: str, values: Any, joints: Sequence[str], *, least: float = -math.inf) -> tuple[float, ...]:
    """Return one number for each joint; a single number is for all. Raises GaitError: names the joint."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        return (number(key, values, least=least),) * len(joints)
    listed = list(values)
    if len(listed) != len(joints):
        counts = f"{len(listed)} numbers for {len(joints)} joints"
        raise GaitError(f"{key} has {counts}; one number, or one for each joint is needed")
    return tuple(
        number(f"{key} of joint '{joint}'", value, least=least)
        for joint, value in zip(joints, listed, strict=True)
    )
