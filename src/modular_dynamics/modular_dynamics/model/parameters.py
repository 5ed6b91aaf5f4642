"""Numbers of a robot by name: `graph.parameters`, and copies of a graph with others (`with_parameters`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..algebra import DualQuaternion, from_xyz_rpy, pose, to_xyz_rpy
from ..exceptions import ModelError, UnknownNameError
from .changes.bodies import body_at, body_of, changed, changed_bodies, parts_of, with_payloads
from .changes.checks import checked_inertial, checked_number, require_mapping
from .changes.payload import payloads_of
from .closure import Anchor, Gear, LoopJoint, Spring
from .inertial import Inertial
from .structure import Graph, Structure, body_of_link
from .subsystem import Joint, JointType, Limits

# A kind of parameters: its elements, their values and units, and the graph with other values.

#: The six numbers of a pose: translation [m], and rotation Rz(yaw) Ry(pitch) Rx(roll) [rad], as in a URDF.
PLACE = ("x", "y", "z", "roll", "pitch", "yaw")


class Parameter(NamedTuple):
    """A number of the model, and its unit."""

    value: float
    unit: str


Values = dict[str, Parameter]


class Write(Protocol):
    """A function that gives a graph with other numbers of one of its elements."""

    def __call__(self, graph: Graph, owner: str, new: dict[str, float], /) -> Graph:
        """The changed graph."""


@dataclass(frozen=True)
class Kind:
    """A kind of element that has parameters.

    Attributes:
        word: the first word of the names of its parameters, such as "joint".
        quantities: the last words of these names, such as "origin z": all that there can be.
        owners: (graph) -> names of the graph's elements of that kind.
        read: (graph, owner) -> values of the quantities that this element has, with units.
        write: (graph, owner, {quantity: number}) -> the changed graph.
    """

    word: str
    quantities: tuple[str, ...]
    owners: Callable[[Structure], Iterable[str]]
    read: Callable[[Structure, str], Values]
    write: Write


def place_values(x: DualQuaternion, before: str) -> Values:
    """Return a pose's six numbers by name: ``before``, such as "origin ", and the name in PLACE."""
    numbers = (np.concatenate(to_xyz_rpy(x)) + 0.0).tolist()  # no -0
    units = ("m",) * 3 + ("rad",) * 3
    named = zip(PLACE, numbers, units, strict=True)
    return {before + name: Parameter(number, unit) for name, number, unit in named}


def placed(x: DualQuaternion, new: dict[str, float]) -> DualQuaternion:
    """Return the pose with some of its numbers, by their names in PLACE, replaced.

    Where no angle is among them, the rotation is not converted and so stays exactly the same.
    """
    xyz, rpy = (part.tolist() for part in to_xyz_rpy(x))
    for name, number in new.items():
        (xyz if name in PLACE[:3] else rpy)[PLACE.index(name) % 3] = number
    return from_xyz_rpy(xyz, rpy) if {*new} & {*PLACE[3:]} else pose(x.primary, xyz)


def starting_with(new: dict[str, float], before: str) -> dict[str, float]:
    """Return the numbers whose names begin with ``before``, by the rest of their names."""
    return {name.removeprefix(before): number for name, number in new.items() if name.startswith(before)}


def not_negative(what: str, number: float) -> float:
    """Return the number. Raises ModelError: it is negative."""
    if number < 0.0:
        raise ModelError(f"{what} is {number:g}; it cannot be negative")
    return number


# Origins of joints, fixed ones included, and the graph with an origin moved.

#: The body of a fixed joint (None: the ground), the link above it and the link below it.
FixedJoint = tuple[int | None, str, str]


def fixed_joints(graph: Structure) -> dict[str, FixedJoint]:
    """Return the fixed joints inside bodies, by name."""
    return {
        part.joint: (index, part.parent, part.name)
        for index in (None, *range(len(graph.bodies)))
        for part in body_at(graph, index).parts
        if part.joint is not None and part.parent is not None
    }


def origin_of(graph: Structure, name: str) -> DualQuaternion:
    """Return x_link_joint, the pose of a joint, moving or fixed, in its parent link."""
    fixed = fixed_joints(graph).get(name)
    if fixed is not None:
        index, above, below = fixed
        links = body_at(graph, index).links
        return links[above].conjugate() * links[below]
    joint = graph.joint(name)
    return graph.link_pose(joint.parent_link)[1].conjugate() * joint.x_parent_joint


def with_origin(graph: Graph, name: str, origin: DualQuaternion) -> Graph:
    """Return the graph with another pose of a joint, moving or fixed, in its parent link."""
    fixed = fixed_joints(graph).get(name)
    if fixed is not None:
        return _with_fixed(graph, *fixed, origin)
    k = graph.joint_index(name)
    joint = graph.joints[k]
    x = graph.link_pose(joint.parent_link)[1] * origin
    joints = [replace(joint, x_parent_joint=x) if joint.name == name else joint for joint in graph.joints]
    subsystems = []
    for subsystem in graph.subsystems:
        entries = [i for i in subsystem.indices if graph.parents[i] not in subsystem.indices]
        point = subsystem.connection
        if entries == [k]:
            point = replace(point, x_link_connection=origin, x_body_connection=x)
        subsystems.append(replace(subsystem, connection=point))
    return changed(graph, joints=tuple(joints), subsystems=tuple(subsystems))


def _with_fixed(graph: Graph, index: int | None, above: str, below: str, origin: DualQuaternion) -> Graph:
    body = body_at(graph, index)
    shift = body.links[above] * origin * body.links[below].conjugate()
    moved = {below}
    for part in body.parts:  # parts are ordered: each after the one that carries it
        if part.parent in moved:
            moved.add(part.name)
    links = {link: shift * x if link in moved else x for link, x in body.links.items()}
    bodies = [
        body_of(body.name, body.parts, links, body.payloads) if k == index else own
        for k, own in enumerate(graph.bodies)
    ]
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
    ground = graph.ground
    if index is None:
        ground = body_of(body.name, body.parts, links, body.payloads)
    return changed(
        graph, joints=tuple(joints), bodies=tuple(bodies), ground=ground, subsystems=tuple(subsystems)
    )


# Parameters of joints: origin; damping, friction, armature and spring; limits; mimic.

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


# Parameters of links and payloads: mass, centre of mass, inertia about it, all in the link's frame.

_MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")
_QUANTITIES = ("mass", *(f"com {axis}" for axis in "xyz"), *(f"inertia {pair}" for pair in _MOMENTS))
#: Functions between `checked_inertial` and the user's line that calls `with_parameters`.
_DEPTH = 3


def _links(graph: Structure) -> Iterable[str]:
    """Return the names of the links with known masses."""
    inside = {k for box in graph.subsystems if box.black_box for k in box.indices}
    known = (body for k, body in enumerate(graph.bodies) if k not in inside)
    return (part.name for body in (graph.ground, *known) for part in body.parts or parts_of(body))


def _mass_values(inertial: Inertial) -> Values:
    moments = inertial.inertia[np.triu_indices(3)]
    numbers = inertial.mass, *inertial.com.tolist(), *moments.tolist()
    units = "kg", *("m",) * 3, *("kg m^2",) * 6
    return {name: Parameter(*one) for name, *one in zip(_QUANTITIES, numbers, units, strict=True)}


def _with_numbers(what: str, inertial: Inertial, new: dict[str, float]) -> Inertial:
    numbers = {name: value for name, (value, _) in _mass_values(inertial).items()} | new
    mass, x, y, z, xx, xy, xz, yy, yz, zz = numbers.values()
    inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return checked_inertial(what, mass, [x, y, z], inertia, _DEPTH)


def _link_values(graph: Structure, name: str) -> Values:
    body = body_at(graph, body_of_link(graph, name))
    return _mass_values(next(part.inertial for part in parts_of(body) if part.name == name))


def _with_link(graph: Graph, name: str, new: dict[str, float]) -> Graph:
    index = body_of_link(graph, name)
    body = body_at(graph, index)
    parts = list(parts_of(body))
    k = [part.name for part in parts].index(name)
    parts[k] = replace(parts[k], inertial=_with_numbers(f"link '{name}'", parts[k].inertial, new))
    return changed_bodies(graph, {index: body_of(body.name, tuple(parts), body.links, body.payloads)})


def _payload_values(graph: Structure, name: str) -> Values:
    return _mass_values(payloads_of(graph)[name])


def _with_payload(graph: Graph, name: str, new: dict[str, float]) -> Graph:
    index = body_of_link(graph, name)
    body = body_at(graph, index)
    load = _with_numbers(f"the payload on link '{name}'", body.payloads[name], new)
    loads = {**body.payloads, name: load}
    if load.mass == 0.0:
        del loads[name]
    return changed_bodies(graph, {index: with_payloads(body.bare or body, loads)})


LINKS = Kind("link", _QUANTITIES, _links, _link_values, _with_link)
PAYLOADS = Kind("payload", _QUANTITIES, payloads_of, _payload_values, _with_payload)


# Parameters of loop joints, springs and gears, and of gravity.

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


# Numbers of a graph by name: "joint elbow origin z", "link hand mass", "spring s5 stiffness".

_KINDS = {kind.word: kind for kind in (LOOP_JOINTS, JOINTS, LINKS, PAYLOADS, SPRINGS, GEARS, GRAVITY)}


def parameters_of(graph: Structure) -> Mapping[str, Parameter]:
    """Return all numbers that `with_parameters` can change, by name, each with its unit.

    A name is the kind of element, its name, and the quantity: "joint elbow origin z". Origins are poses in
    the parent link, fixed joints' too; masses, centres of mass and inertias about these in the link's frame.
    """
    return MappingProxyType(
        {
            _name(kind, owner, quantity): value
            for kind in _KINDS.values()
            for owner in kind.owners(graph)
            for quantity, value in kind.read(graph, owner).items()
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
        new = _KINDS[word].write(new, owner, numbers)
    return new


def _name(kind: Kind, owner: str, quantity: str) -> str:
    return " ".join(part for part in (kind.word, owner, quantity) if part)


def _parsed(graph: Structure, name: str) -> tuple[Kind, str, str]:
    """Return kind, owner and quantity in a parameter's name. Raises UnknownNameError."""
    for kind in _KINDS.values():
        if not name.startswith(f"{kind.word} "):
            continue
        rest = name.removeprefix(kind.word)
        for quantity in (one for one in kind.quantities if rest.endswith(f" {one}")):
            owner = rest.removesuffix(f" {quantity}")[1:]
            if owner in kind.owners(graph) and quantity in kind.read(graph, owner):
                return kind, owner, quantity
    known = parameters_of(graph)
    similar = get_close_matches(name, known, 5, 0.5)
    hint = f"similar ones: {', '.join(similar)}" if similar else f"one of them is {next(iter(known))}"
    raise UnknownNameError(f"no parameter '{name}' in '{graph.name}'; of its {len(known)} parameters {hint}")
