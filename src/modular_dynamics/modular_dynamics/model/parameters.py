"""Numbers of a robot by name: `graph.parameters`, and copies of a graph with others (`with_parameters`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..algebra import DualQuaternion, from_xyz_rpy, pose, to_xyz_rpy
from ..exceptions import ModelError, UnknownNameError
from .changes.bodies import (
    body_at,
    changed,
    changed_bodies,
    checked_inertial,
    checked_number,
    payloads_of,
    require_mapping,
)
from .structure import Graph, Structure, body_of_link
from .subsystem import Anchor, Gear, Inertial, Joint, JointType, LoopJoint, Spring

#: The six numbers of a pose: translation [m], and rotation Rz(yaw) Ry(pitch) Rx(roll) [rad], as in a URDF.
POSE_NUMBERS = ("x", "y", "z", "roll", "pitch", "yaw")


class Parameter(NamedTuple):
    """A number of the model, and its unit."""

    value: float
    unit: str


#: By quantity, such as "origin z": the values of one element, or new numbers for it.
Values = dict[str, Parameter]
New = dict[str, float]


class Kind(NamedTuple):
    """A kind of element that has parameters.

    Attributes:
        word: the first word of the names of its parameters, such as "joint".
        elements: (graph) -> the graph's elements of that kind, by name.
        read: (graph, element) -> values of the quantities that this element has, with units.
        write: (graph, element, {quantity: number}) -> the changed graph.
    """

    word: str
    elements: Callable[[Any], Mapping[str, Any]]
    read: Callable[[Any, Any], Values]
    write: Callable[[Any, Any, New], Any]


def _with_element(graph: Graph, field: str, old: object, new: object) -> Graph:
    """Return the graph with one element of a field replaced."""
    return changed(graph, **{field: tuple(new if own is old else own for own in getattr(graph, field))})


def _pose_values(x: DualQuaternion, before: str) -> Values:
    """Return a pose's six numbers by quantity: ``before``, such as "origin ", then a name of POSE_NUMBERS."""
    numbers = (np.concatenate(to_xyz_rpy(x)) + 0.0).tolist()  # no -0
    named = zip(POSE_NUMBERS, numbers, ("m",) * 3 + ("rad",) * 3, strict=True)
    return {before + name: Parameter(number, unit) for name, number, unit in named}


def _changed_pose(x: DualQuaternion, new: New, before: str) -> DualQuaternion:
    """Return the pose with those of its numbers replaced whose names begin with ``before``.

    Where no angle is among them, the rotation is not converted and so stays exactly the same.
    """
    if not (own := _starting_with(new, before)):
        return x
    xyz, rpy = (part.tolist() for part in to_xyz_rpy(x))
    for name, number in own.items():
        (xyz if name in POSE_NUMBERS[:3] else rpy)[POSE_NUMBERS.index(name) % 3] = number
    return from_xyz_rpy(xyz, rpy) if {*own} & {*POSE_NUMBERS[3:]} else pose(x.primary, xyz)


def _starting_with(new: New, before: str) -> New:
    """Return the numbers whose names begin with ``before``, by the rest of their names."""
    return {name.removeprefix(before): number for name, number in new.items() if name.startswith(before)}


def _not_negative(of_what: str, new: New, keys: Iterable[str], ending: str = "") -> dict[str, Any]:
    """Return the new numbers of quantities ``key + ending``, by field. Raises ModelError: one is negative."""
    given = {key: new[key + ending] for key in keys if key + ending in new}
    for key, number in given.items():
        if number < 0.0:
            raise ModelError(f"the {key}{ending} of {of_what} is {number:g}; it cannot be negative")
    return {key.replace(" ", "_"): number for key, number in given.items()}


# Parameters of joints: origins, of fixed joints as well; damping, friction, armature, springs, limits, mimic.

#: Quantities that are never negative, with units of rotating and of sliding joints.
_DRIVE = {
    "damping": ("N m s/rad", "N s/m"),
    "friction": ("N m", "N"),
    "armature": ("kg m^2", "kg"),
    "stiffness": ("N m/rad", "N/m"),
}
_LIMITS = {"lower": ("rad", "m"), "upper": ("rad", "m"), "effort": ("N m", "N"), "velocity": ("rad/s", "m/s")}


class FixedJoint(NamedTuple):
    """A joint inside a body (None: the ground): the link above it and the link below it."""

    body: int | None
    above: str
    below: str


def _joints(graph: Structure) -> dict[str, Joint | FixedJoint]:
    """Return the moving joints, then the fixed ones inside bodies, by name."""
    joints: dict[str, Joint | FixedJoint] = {joint.name: joint for joint in graph.joints}
    for index in (None, *range(len(graph.bodies))):
        for part in body_at(graph, index).parts:
            if part.joint is not None and part.parent is not None:
                joints[part.joint] = FixedJoint(index, part.parent, part.name)
    return joints


def _origin(graph: Structure, joint: Joint | FixedJoint) -> DualQuaternion:
    """Return x_link_joint, the pose of a joint in its parent link."""
    if isinstance(joint, FixedJoint):
        links = body_at(graph, joint.body).links
        return links[joint.above].conjugate() * links[joint.below]
    return graph.link_pose(joint.parent_link)[1].conjugate() * joint.x_parent_joint


def _joint_values(graph: Structure, joint: Joint | FixedJoint) -> Values:
    values = _pose_values(_origin(graph, joint), "origin ")
    if isinstance(joint, FixedJoint):
        return values
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


def _with_joint(graph: Graph, joint: Joint | FixedJoint, new: New) -> Graph:
    if origins := _starting_with(new, "origin "):
        origin = _changed_pose(_origin(graph, joint), new, "origin ")
        if isinstance(joint, FixedJoint):
            return _with_fixed_joint(graph, joint, origin)
        graph = _with_moving_joint(graph, joint, origin)
    if isinstance(joint, FixedJoint) or len(origins) == len(new):
        return graph
    joint, what = graph.joint(joint.name), f"joint '{joint.name}'"
    _not_negative(what, new, ("effort", "velocity"), " limit")
    own = {quantity: new[f"{quantity} limit"] for quantity in _LIMITS if f"{quantity} limit" in new}
    limits = replace(joint.limits, **own)
    if limits.lower is not None and limits.upper is not None and limits.lower > limits.upper:
        raise ModelError(
            f"the lower limit of {what} is {limits.lower:g}, above its upper limit, {limits.upper:g}"
        )
    fields = {**_not_negative(what, new, _DRIVE), "limits": limits}
    fields["rest_position"] = new.get("rest position", joint.rest_position)
    if joint.mimic is not None:
        mimic: dict[str, Any] = dict(_starting_with(new, "mimic "))
        fields["mimic"] = replace(joint.mimic, **mimic)
    return _with_element(graph, "joints", joint, replace(joint, **fields))


def _with_moving_joint(graph: Graph, joint: Joint, origin: DualQuaternion) -> Graph:
    """Return the graph with the joint, and its subsystem's connection point, at x_link_joint = ``origin``."""
    x, k = graph.link_pose(joint.parent_link)[1] * origin, graph.joint_index(joint.name)
    subsystems = []
    for subsystem in graph.subsystems:
        point = subsystem.connection
        if graph.first_joints(subsystem) == [k]:
            point = replace(point, x_link_connection=origin, x_body_connection=x)
        subsystems.append(replace(subsystem, connection=point))
    graph = changed(graph, subsystems=tuple(subsystems))
    return _with_element(graph, "joints", joint, replace(joint, x_parent_joint=x))


def _with_fixed_joint(graph: Graph, joint: FixedJoint, origin: DualQuaternion) -> Graph:
    """Return the graph with the link below the joint, and all that is fixed to it, at another pose."""
    index, above, below = joint
    body = body_at(graph, index)
    shift = body.links[above] * origin * body.links[below].conjugate()
    moved = {below}
    for part in body.parts:  # parts are ordered: each after the one that carries it
        if part.parent in moved:
            moved.add(part.name)
    links = {link: shift * x if link in moved else x for link, x in body.links.items()}
    subsystems = []
    for subsystem in graph.subsystems:
        point, inside = subsystem.connection, subsystem.fixed_links
        if point.link in moved and point.body == index:
            moved |= {*inside}
            inside = {link: shift * x for link, x in inside.items()}
            point = replace(point, x_body_connection=shift * point.x_body_connection)
        subsystems.append(replace(subsystem, connection=point, fixed_links=inside))
    joints = [
        replace(joint, x_parent_joint=shift * joint.x_parent_joint) if joint.parent_link in moved else joint
        for joint in graph.joints
    ]
    graph = changed_bodies(graph, {index: replace(body, links=links)})
    return changed(graph, joints=tuple(joints), subsystems=tuple(subsystems))


# Parameters of links and payloads: mass, centre of mass, inertia about it, all in the link's frame.

_MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")
_MASSES = ("mass", *(f"com {axis}" for axis in "xyz"), *(f"inertia {pair}" for pair in _MOMENTS))
#: Number of functions between `checked_inertial` and the call of `with_parameters`, for the warning's line.
_DEPTH = 3


def _links(graph: Structure) -> dict[str, str]:
    """Return the names of the links with known masses."""
    inside = {k for box in graph.subsystems if box.black_box for k in box.indices}
    known = (body for k, body in enumerate(graph.bodies) if k not in inside)
    return {part.name: part.name for body in (graph.ground, *known) for part in body.parts}


def _mass_values(inertial: Inertial) -> Values:
    moments = inertial.inertia[np.triu_indices(3)]
    numbers = inertial.mass, *inertial.com.tolist(), *moments.tolist()
    units = "kg", *("m",) * 3, *("kg m^2",) * 6
    return {name: Parameter(*one) for name, *one in zip(_MASSES, numbers, units, strict=True)}


def _with_numbers(what: str, inertial: Inertial, new: New) -> Inertial:
    """Return the inertial with new numbers, checked. Raises ModelError: no body has such numbers."""
    numbers = {name: value for name, (value, _) in _mass_values(inertial).items()} | new
    mass, x, y, z, xx, xy, xz, yy, yz, zz = numbers.values()
    inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return checked_inertial(what, mass, [x, y, z], inertia, _DEPTH)


def _link_values(graph: Structure, name: str) -> Values:
    body = body_at(graph, body_of_link(graph, name))
    return _mass_values(next(part.inertial for part in body.parts if part.name == name))


def _with_link(graph: Graph, name: str, new: New) -> Graph:
    index = body_of_link(graph, name)
    body = body_at(graph, index)
    parts = list(body.parts)
    k = [part.name for part in parts].index(name)
    parts[k] = replace(parts[k], inertial=_with_numbers(f"link '{name}'", parts[k].inertial, new))
    return changed_bodies(graph, {index: replace(body, parts=tuple(parts))})


def _payload_values(graph: Structure, link: str) -> Values:
    return _mass_values(payloads_of(graph)[link])


def _with_payload(graph: Graph, name: str, new: New) -> Graph:
    index = body_of_link(graph, name)
    body = body_at(graph, index)
    load = _with_numbers(f"the payload on link '{name}'", body.payloads[name], new)
    loads = {**body.payloads, name: load}
    if load.mass == 0.0:
        del loads[name]
    return changed_bodies(graph, {index: replace(body, payloads=loads)})


# Parameters of loop joints, springs and gears, and of gravity.

_ENDS = ("predecessor", "successor")
_LAW = {"stiffness": "N/m", "free length": "m", "initial force": "N", "damping": "N s/m"}
_ANCHORS = ("first anchor", "second anchor")


def _moved_anchor(anchor: Anchor, new: New, before: str) -> Anchor:
    """Return the anchor at the pose with those new numbers whose names begin with ``before``."""
    return replace(anchor, x_link_anchor=_changed_pose(anchor.x_link_anchor, new, f"{before} "))


def _loop_values(_: Structure, loop: LoopJoint) -> Values:
    before, after = (_pose_values(getattr(loop, end).x_link_anchor, f"{end} ") for end in _ENDS)
    return before | after


def _with_loop(graph: Graph, loop: LoopJoint, new: New) -> Graph:
    before, after = (_moved_anchor(getattr(loop, end), new, end) for end in _ENDS)
    return _with_element(graph, "loop_joints", loop, replace(loop, predecessor=before, successor=after))


def _spring_values(_: Structure, spring: Spring) -> Values:
    values = {key: Parameter(getattr(spring, key.replace(" ", "_")), unit) for key, unit in _LAW.items()}
    for which, anchor in zip(_ANCHORS, spring.anchors, strict=True):
        pose_values = _pose_values(anchor.x_link_anchor, f"{which} ")
        values |= {f"{which} {axis}": pose_values[f"{which} {axis}"] for axis in POSE_NUMBERS[:3]}
    return values


def _with_spring(graph: Graph, spring: Spring, new: New) -> Graph:
    law = _not_negative(f"spring '{spring.name}'", new, _LAW)
    first, second = (
        _moved_anchor(one, new, which) for one, which in zip(spring.anchors, _ANCHORS, strict=True)
    )
    return _with_element(graph, "springs", spring, replace(spring, **law, anchors=(first, second)))


def _gear_values(graph: Structure, gear: Gear) -> Values:
    slides = [graph.joint(name).type.value == "prismatic" for name in (gear.joint, *dict(gear.drivers))]
    own = ("rad", "m")[slides[0]]
    units = ["1" if one == slides[0] else f"{own}/{('rad', 'm')[one]}" for one in slides[1:]]
    named = zip(_ratio_names(gear), gear.drivers, units, strict=True)
    values = {name: Parameter(ratio, unit) for name, (_, ratio), unit in named}
    return values | {"offset": Parameter(gear.offset, own)}


def _with_gear(graph: Graph, gear: Gear, new: New) -> Graph:
    named = zip(_ratio_names(gear), gear.drivers, strict=True)
    first, *further = [(joint, new.get(name, ratio)) for name, (joint, ratio) in named]
    other = Gear(gear.joint, *first, new.get("offset", gear.offset), tuple(further))
    return _with_element(graph, "gears", gear, other)


def _ratio_names(gear: Gear) -> list[str]:
    """Return "ratio", "ratio 2" and so on: a name for each driver."""
    return ["ratio", *(f"ratio {k}" for k in range(2, len(gear.drivers) + 1))]


def _gravity_values(graph: Structure, _: None) -> Values:
    named = zip(POSE_NUMBERS[:3], graph.gravity.tolist(), strict=True)
    return {axis: Parameter(number, "m/s^2") for axis, number in named}


def _with_gravity(graph: Graph, _: None, new: New) -> Graph:
    return changed(
        graph, gravity=[new.get(*pair) for pair in zip("xyz", graph.gravity.tolist(), strict=True)]
    )


_KINDS = {
    kind.word: kind
    for kind in (
        Kind("loop joint", lambda g: {one.name: one for one in g.loop_joints}, _loop_values, _with_loop),
        Kind("joint", _joints, _joint_values, _with_joint),
        Kind("link", _links, _link_values, _with_link),
        Kind("payload", lambda g: {link: link for link in payloads_of(g)}, _payload_values, _with_payload),
        Kind("spring", lambda g: {one.name: one for one in g.springs}, _spring_values, _with_spring),
        Kind("gear", lambda g: {one.joint: one for one in g.gears}, _gear_values, _with_gear),
        # gravity belongs to no element: its name is empty
        Kind("gravity", lambda _: {"": None}, _gravity_values, _with_gravity),
    )
}


def parameters_of(graph: Structure) -> Mapping[str, Parameter]:
    """Return all numbers that `with_parameters` can change, by name, each with its unit.

    A name is the kind of element, its name, and the quantity: "joint elbow origin z". Origins are poses in
    the parent link, fixed joints' too; masses, centres of mass and inertias about these in the link's frame.
    """
    return MappingProxyType(
        {
            " ".join(filter(None, (kind.word, name, quantity))): value
            for kind in _KINDS.values()
            for name, element in kind.elements(graph).items()
            for quantity, value in kind.read(graph, element).items()
        }
    )


def with_parameters(graph: Graph, values: Mapping[str, float]) -> Graph:
    """Return a new graph with other numbers; everything else stays.

    Args:
        values: by the names of `parameters`, in their units. What is not named stays as it is.

    Raises:
        UnknownNameError: no such parameter; names similar ones.
        ModelError: a number that is not finite, or negative where none can be; an inertia that no body has; a
            lower limit above the upper one; no mapping.
    """
    require_mapping("values", values)
    by_owner: dict[tuple[str, str], dict[str, float]] = {}
    for name, value in values.items():
        kind, owner, quantity = _parsed(graph, name)
        by_owner.setdefault((kind.word, owner), {})[quantity] = checked_number(name, value)
    new = changed(graph)
    for (word, owner), numbers in by_owner.items():
        kind = _KINDS[word]
        new = kind.write(new, kind.elements(new)[owner], numbers)
    return new


def _parsed(graph: Structure, name: str) -> tuple[Kind, str, str]:
    """Return kind, owner and quantity in a parameter's name: "joint", "elbow", "origin z".

    Raises:
        UnknownNameError: no such parameter; names similar ones.
    """
    for kind in _KINDS.values():
        if not name.startswith(f"{kind.word} "):
            continue
        words, elements = name.removeprefix(f"{kind.word} ").split(" "), kind.elements(graph)
        for k in range(len(words)):  # an owner's name may contain spaces
            owner, quantity = " ".join(words[:k]), " ".join(words[k:])
            if owner in elements and quantity in kind.read(graph, elements[owner]):
                return kind, owner, quantity
    known = parameters_of(graph)
    similar = get_close_matches(name, known, 5, 0.5)
    hint = f"similar ones: {', '.join(similar)}" if similar else f"one of them is {next(iter(known))}"
    raise UnknownNameError(f"no parameter '{name}' in '{graph.name}'; of its {len(known)} parameters {hint}")
