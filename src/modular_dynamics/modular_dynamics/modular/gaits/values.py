"""Checks of what describes a gait: names of joints, numbers, numbers of each joint."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

from ...exceptions import GaitError

__all__ = ["Values", "joint_names", "number", "per_joint", "whole_number"]

#: One number for all joints, or one for each.
Values = float | Sequence[float]


def number(
    key: str, value: Any, *, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> float:
    """A finite number in [least, most] and above ``above``. Raises GaitError: names key, value, and range."""
    bounds = [f"of at least {least:g}"] * (least > -math.inf) + [f"above {above:g}"] * (above > -math.inf)
    bounds += [f"of at most {most:g}"] * (most < math.inf)
    wanted = " ".join(["a finite number", " and ".join(bounds)]).rstrip()
    if isinstance(value, bool) or not isinstance(value, Real):
        raise GaitError(f"{key} is {value!r}; {wanted} is needed{_hint(value)}")
    result = float(value)
    if not (math.isfinite(result) and least <= result <= most and result > above):
        raise GaitError(f"{key} is {result:g}; {wanted} is needed")
    return result


def _hint(value: Any) -> str:
    try:
        result = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return ""
    return f", in YAML written with a decimal point: {result!r}" if math.isfinite(result) else ""


def whole_number(key: str, value: Any) -> int:
    """An integer of at least zero. Raises GaitError."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise GaitError(f"{key} is {value!r}; a whole number of at least 0 is needed")
    return int(value)


def joint_names(key: str, names: Any) -> tuple[str, ...]:
    """Names, at least one, none twice. Raises GaitError."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise GaitError(f"{key} is {names!r}; a list of joints' names is needed")
    result = tuple(names)
    if not result:
        raise GaitError(f"{key} is empty; the name of at least one joint is needed")
    for name in result:
        if not isinstance(name, str) or not name:
            raise GaitError(f"{key} holds {name!r}; the name of a joint is needed")
    twice = [name for name, count in Counter(result).items() if count > 1]
    if twice:
        raise GaitError(f"{key} names {', '.join(twice)} twice; each joint has one motion")
    return result


def per_joint(key: str, values: Any, joints: Sequence[str], *, least: float = -math.inf) -> tuple[float, ...]:
    """One number for each joint; a single number is that of all joints. Raises GaitError: names the joint."""
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
