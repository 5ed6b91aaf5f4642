"""Kinds of parameters that several nodes have: when they may change, and the bounds of their values."""

from functools import partial
from typing import Any

from modular_dynamics_ros.parameters.table import Change, parameter

__all__ = ["DURATION", "GRAVITY", "RATE", "RELATIVE", "constant", "unconfigured"]

unconfigured = partial(parameter, change=Change.UNCONFIGURED)
constant = partial(parameter, change=Change.NEVER)
DURATION: dict[str, Any] = {"unit": "s", "low": 0.001, "high": 3600.0}
#: 0: never; the period of a timer fits in 64 bits of nanoseconds, and one of minutes is still noticed.
RATE: dict[str, Any] = {"unit": "Hz", "low": 0.01, "high": 10_000.0, "or_zero": True}
#: Of whatever robot or simulation; products with it stay finite.
GRAVITY: dict[str, Any] = {"unit": "m/s^2", "length": 3, "low": -1e4, "high": 1e4}
RELATIVE: dict[str, Any] = {"low": 0.0, "high": 1.0}
