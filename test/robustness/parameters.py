"""Every parameter of every node over its whole range and beyond, at run time."""

import math
from dataclasses import Field, fields
from random import Random
from typing import Any

from lifecycle_msgs.srv import GetState

from modular_dynamics_ros.parameters.nodes import AssemblyParameters, DynamicsParameters, ReactionParameters
from modular_dynamics_ros.parameters.table import Change
from robustness.harness.judge import DEFAULTS
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import START, Target
from robustness.transitions import PARAMETERS

JOINTS = 6
TABLES = {
    "dynamics_node": DynamicsParameters,
    "torso_reaction_node": ReactionParameters,
    "assembly_node": AssemblyParameters,
}
TEXTS = (
    *("", " ", "左", "a" * 10_000, "/dev/zero", "/", "../.."),
    *("x:=1", "joint_0:=nan", "joint_0:=1e400", "%s{}"),
)
NUMBERS = (0.0, -0.0, -1.0, 1e-300, 1e-10, 1e300, math.inf, -math.inf, math.nan, 5e-324)


def values_of(entry: Field[Any]) -> list[Any]:
    """Values to try: bounds, just inside and outside, extremes, other types."""
    spec, kind = entry.metadata["spec"], type(entry.default)
    if kind is float:
        bounds = [x for x in (spec.low, spec.high) if math.isfinite(x)]
        near = [math.nextafter(x, to) for x in bounds for to in (-math.inf, math.inf)]
        return [*bounds, *near, *NUMBERS, 1, True, "1.0", [1.0]]
    if kind is int:
        low, high = int(spec.low), int(spec.high)
        return [low, high, low - 1, high + 1, 2**63 - 1, -(2**63), 0.5, "1"]
    if kind is bool:
        return [True, False, 1, "true"]
    if kind is str:
        return [*spec.choices, *TEXTS, 1, 1.0, True]
    if spec.length:
        zeros = [[0.0] * n for n in (0, 1, 3, 4)]
        return [*zeros, [math.nan] * 3, [1e308] * 3, [1, 2, 3], "x", [-1.62, 3.0, 9.0]]
    return [[text] for text in TEXTS] + [["a", "a"], [f"a{k}" for k in range(3000)], "x", 1.0]


def is_allowed(entry: Field[Any], value: Any) -> bool:
    """Whether the node must take a value; by the bounds of the table, written a second time."""
    spec, kind = entry.metadata["spec"], type(entry.default)
    if spec.change in (Change.NEVER, Change.UNCONFIGURED):  # the node is configured
        return False
    if kind is float or kind is int:
        numeric = type(value) is int or (kind is float and type(value) is float)
        return numeric and (spec.low <= value <= spec.high or (spec.or_zero and value == 0.0))
    if kind is tuple:
        if type(value) is not list:
            return False
        if spec.length:
            in_bounds = [type(x) in (int, float) and spec.low <= x <= spec.high for x in value]
            return len(value) == spec.length and all(in_bounds) and all(map(math.isfinite, value))
        return all(type(x) is str for x in value) and len(set(value)) == len(value)
    return type(value) is kind and (not spec.choices or value in spec.choices)


def run(effort: Effort, tally: Tally) -> None:
    """Values are taken or refused as the table says, and afterwards good states are processed by default."""
    random = Random(effort.seed)
    for name, table in list(TABLES.items())[: 1 if effort.short else None]:
        entries = list(fields(table))
        pairs = [(entry, value) for entry in entries for value in values_of(entry)]
        if effort.short:
            pairs = random.sample(pairs, 30)
        with Target.of_tree(tally, effort, JOINTS, name) as target:
            target.start(*PARAMETERS[name])
            if name == "dynamics_node" and not target.recovers("the start", START):
                return
            target.call(GetState, "get_state", START)  # until it is configured
            for entry, value in pairs:
                if target.alive():
                    _at_run_time(target, entry, value)
            target.end()


def _at_run_time(target: Target, entry: Field[Any], value: Any) -> None:
    judge, default = target.judge, list(entry.default) if type(entry.default) is tuple else entry.default
    before = [dict(DEFAULTS)]
    allowed = is_allowed(entry, value)
    if entry.name in DEFAULTS and allowed:
        judge.settings = [*before, {**DEFAULTS, entry.name: value}]
    if entry.name == "stale_after" and allowed:
        judge.stale_after = max(0.2, value)
    with target.sending():
        _set(target, entry, value, allowed)
        target.spin(0.05)
        if is_allowed(entry, default):
            _set(target, entry, default, True)
    target.spin(0.02)
    if target.name == "dynamics_node":
        target.recovers(f"{entry.name} was {str(value)[:100]!r}")
    judge.settings, judge.stale_after = before, 0.2


def _set(target: Target, entry: Field[Any], value: Any, allowed: bool) -> None:
    try:
        accepted = target.set_parameter(entry.name, value)
    except (TypeError, OverflowError, ValueError):
        return  # rclpy has no type for it
    target.tally.tried += 1
    if accepted is not allowed:
        outcome = {None: "not processed", True: "taken", False: "refused"}[accepted]
        target.tally.found_wrong(f"{target.name}: {entry.name}:={str(value)[:100]!r} was {outcome}")
    elif accepted:
        target.tally.right += 1
    else:
        target.tally.refused += 1
