"""Parameters of joints: origin; damping, friction, armature and spring; limits; mimic."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ....exceptions import ModelError
from ...structure import Graph, Structure
from ...subsystem import Joint, JointType, Limits
from ..bodies import changed
from ..placement import fixed_joints, origin_of, with_origin
from .kind import PLACE, Kind, Parameter, Values, not_negative, place_values, placed, starting_with

__all__ = ["JOINTS"]

#: Quantities that are never negative, and their units where the joint turns and where it slides.
_DRIVE = {
    "damping": ("N m s/rad", "N s/m"),
    "friction": ("N m", "N"),
    "armature": ("kg m^2", "kg"),
    "stiffness": ("N m/rad", "N/m"),
}
_LIMITS = {"lower": ("rad", "m"), "upper": ("rad", "m"), "effort": ("N m", "N"), "velocity": ("rad/s", "m/s")}


def _owners(graph: Structure) -> Iterable[str]:
    return (*(joint.name for joint in graph.joints), *fixed_joints(graph))


def _values(graph: Structure, name: str) -> Values:
    values = place_values(origin_of(graph, name), "origin ")
    if name in fixed_joints(graph):
        return values
    joint = graph.joint(name)
    slides = joint.type is JointType.PRISMATIC
    for quantity, units in _DRIVE.items():
        unit = ", ".join(units) if joint.type is JointType.FLOATING else units[slides]
        values[quantity] = Parameter(getattr(joint, quantity), unit)
    if joint.type.nv > 1:  # no springs, see Joint
        del values["stiffness"]
    else:
        values["rest position"] = Parameter(joint.rest_position, "m" if slides else "rad")
    for quantity, units in _LIMITS.items():
        if (limit := getattr(joint.limits, quantity)) is not None:
            values[f"{quantity} limit"] = Parameter(limit, units[slides])
    if joint.mimic is not None:
        values["mimic multiplier"] = Parameter(joint.mimic.multiplier, "1")
        values["mimic offset"] = Parameter(joint.mimic.offset, "m" if slides else "rad")
    return values


def _with(graph: Graph, name: str, new: dict[str, float]) -> Graph:
    if place := starting_with(new, "origin "):
        graph = with_origin(graph, name, placed(origin_of(graph, name), place))
    if len(place) == len(new):
        return graph
    joint = graph.joint(name)
    fields: dict[str, Any] = {}
    for quantity in {*_DRIVE} & {*new}:
        fields[quantity] = not_negative(f"the {quantity} of joint '{name}'", new[quantity])
    fields["limits"] = _limits(joint, new)
    fields["rest_position"] = new.get("rest position", joint.rest_position)
    if joint.mimic is not None:
        mimic: dict[str, Any] = dict(starting_with(new, "mimic "))
        fields["mimic"] = replace(joint.mimic, **mimic)
    other = replace(joint, **fields)
    return changed(graph, joints=tuple(other if own is joint else own for own in graph.joints))


def _limits(joint: Joint, new: dict[str, float]) -> Limits:
    own = {quantity: new[f"{quantity} limit"] for quantity in _LIMITS if f"{quantity} limit" in new}
    for quantity in {"effort", "velocity"} & {*own}:
        not_negative(f"the {quantity} limit of joint '{joint.name}'", own[quantity])
    limits = replace(joint.limits, **own)
    if limits.lower is not None and limits.upper is not None and limits.lower > limits.upper:
        raise ModelError(
            f"the lower limit of joint '{joint.name}' is {limits.lower:g}, above its upper limit, "
            f"{limits.upper:g}"
        )
    return limits


JOINTS = Kind(
    "joint",
    (
        *(f"origin {part}" for part in PLACE),
        *_DRIVE,
        "rest position",
        *(f"{quantity} limit" for quantity in _LIMITS),
        "mimic multiplier",
        "mimic offset",
    ),
    _owners,
    _values,
    _with,
)
