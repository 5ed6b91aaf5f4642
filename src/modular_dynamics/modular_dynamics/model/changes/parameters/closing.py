"""Parameters of loop joints, springs and gears, and of gravity."""

from dataclasses import replace
from typing import Any

from ...closure import Anchor, Gear, LoopJoint, Spring
from ...structure import Graph, Structure
from ..bodies import changed
from .kind import PLACE, Kind, Parameter, Values, not_negative, place_values, placed, starting_with

__all__ = ["GEARS", "GRAVITY", "LOOP_JOINTS", "SPRINGS"]

_ENDS = ("predecessor", "successor")
_LAW = {"stiffness": "N/m", "free length": "m", "initial force": "N", "damping": "N s/m"}
_ANCHORS = ("first anchor", "second anchor")
#: Largest number of drivers of a gear whose ratios have names: "ratio", "ratio 2" ... "ratio 99".
_MOST_DRIVERS = 99


def _moved(anchor: Anchor, new: dict[str, float], before: str) -> Anchor:
    own = starting_with(new, f"{before} ")
    return replace(anchor, x_link_anchor=placed(anchor.x_link_anchor, own)) if own else anchor


def _loop(graph: Structure, name: str) -> LoopJoint:
    return next(loop for loop in graph.loop_joints if loop.name == name)


def _loop_values(graph: Structure, name: str) -> Values:
    loop = _loop(graph, name)
    before, after = (place_values(getattr(loop, end).x_link_anchor, f"{end} ") for end in _ENDS)
    return before | after


def _with_loop(graph: Graph, name: str, new: dict[str, float]) -> Graph:
    old = _loop(graph, name)
    before, after = (_moved(getattr(old, end), new, end) for end in _ENDS)
    loop = replace(old, predecessor=before, successor=after)
    return changed(graph, loop_joints=tuple(loop if own is old else own for own in graph.loop_joints))


def _spring(graph: Structure, name: str) -> Spring:
    return next(spring for spring in graph.springs if spring.name == name)


def _spring_values(graph: Structure, name: str) -> Values:
    spring = _spring(graph, name)
    values = {key: Parameter(getattr(spring, key.replace(" ", "_")), unit) for key, unit in _LAW.items()}
    for which, anchor in zip(_ANCHORS, spring.anchors, strict=True):
        place = place_values(anchor.x_link_anchor, f"{which} ")
        values |= {f"{which} {axis}": place[f"{which} {axis}"] for axis in PLACE[:3]}
    return values


def _with_spring(graph: Graph, name: str, new: dict[str, float]) -> Graph:
    old = _spring(graph, name)
    law: dict[str, Any] = {
        key.replace(" ", "_"): not_negative(f"the {key} of spring '{name}'", new[key])
        for key in _LAW
        if key in new
    }
    first, second = (_moved(one, new, which) for one, which in zip(old.anchors, _ANCHORS, strict=True))
    spring = replace(old, **law, anchors=(first, second))
    return changed(graph, springs=tuple(spring if own is old else own for own in graph.springs))


def _ratios(count: int) -> list[str]:
    """Return the names of a gear's ratios: that of its first driver, then those of the others."""
    return ["ratio", *(f"ratio {number}" for number in range(2, count + 1))]


def _gear(graph: Structure, joint: str) -> Gear:
    return next(gear for gear in graph.gears if gear.joint == joint)


def _gear_values(graph: Structure, joint: str) -> Values:
    gear, slides = _gear(graph, joint), _slides(graph, joint)
    units = [_unit_of_ratio(slides, _slides(graph, driver)) for driver, _ in gear.drivers]
    named = zip(_ratios(len(units)), gear.drivers, units, strict=True)
    values = {name: Parameter(ratio, unit) for name, (_, ratio), unit in named}
    return values | {"offset": Parameter(gear.offset, "m" if slides else "rad")}


def _slides(graph: Structure, joint: str) -> bool:
    return graph.joint(joint).type.value == "prismatic"


def _unit_of_ratio(slides: bool, driver_slides: bool) -> str:
    if slides == driver_slides:
        return "1"
    return "m/rad" if slides else "rad/m"


def _with_gear(graph: Graph, joint: str, new: dict[str, float]) -> Graph:
    old = _gear(graph, joint)
    names = _ratios(len(old.drivers))
    drivers = [(name, new.get(key, ratio)) for key, (name, ratio) in zip(names, old.drivers, strict=True)]
    gear = Gear(joint, *drivers[0], new.get("offset", old.offset), tuple(drivers[1:]))
    return changed(graph, gears=tuple(gear if own is old else own for own in graph.gears))


def _gravity_values(graph: Structure, _: str) -> Values:
    named = zip(PLACE[:3], graph.gravity.tolist(), strict=True)
    return {axis: Parameter(number, "m/s^2") for axis, number in named}


def _with_gravity(graph: Graph, _: str, new: dict[str, float]) -> Graph:
    gravity = graph.gravity.copy()
    for axis, number in new.items():
        gravity[PLACE.index(axis)] = number
    return changed(graph, gravity=gravity)


LOOP_JOINTS = Kind(
    "loop joint",
    tuple(f"{end} {part}" for end in _ENDS for part in PLACE),
    lambda graph: (loop.name for loop in graph.loop_joints),
    _loop_values,
    _with_loop,
)
SPRINGS = Kind(
    "spring",
    (*_LAW, *(f"{which} {axis}" for which in _ANCHORS for axis in PLACE[:3])),
    lambda graph: (spring.name for spring in graph.springs),
    _spring_values,
    _with_spring,
)
GEARS = Kind(
    "gear",
    ("offset", *_ratios(_MOST_DRIVERS)),
    lambda graph: (gear.joint for gear in graph.gears),
    _gear_values,
    _with_gear,
)
#: Gravity belongs to no element: the name of its owner is empty.
GRAVITY = Kind("gravity", PLACE[:3], lambda graph: ("",), _gravity_values, _with_gravity)
