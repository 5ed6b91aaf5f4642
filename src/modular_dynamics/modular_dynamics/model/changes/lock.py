"""Locking joints: the bodies that a locked joint connects become one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import DualQuaternion, to_rotation_translation
from ...exceptions import ModelError, ModelWarning, UnsupportedModelError
from ..structure import Graph, Structure
from ..subsystem import Anchor, Body, Gear, Inertial, Joint, Link, LoopJoint
from .bodies import body_at, changed, checked_numbers, require_mapping
from .reindexing import Carried, Remainder

#: Largest distance [m], and length of a difference of unit vectors, at which two ends fit together.
_CLOSED = 1e-6


def closes_nothing(graph: Structure, loop: LoopJoint) -> bool:
    """Return whether the two links of a loop joint are fixed to each other, so that it closes no loop."""
    return graph.link_pose(loop.predecessor.link)[0] == graph.link_pose(loop.successor.link)[0]


def check_closed(graph: Structure, loop: LoopJoint) -> None:
    """Check that the two ends of a loop joint, fixed to each other, fit together as its type requires.

    Raises:
        ModelError: they do not; says by how much.
    """
    before, after = _pose(graph, loop.predecessor), _pose(graph, loop.successor)
    R, p = to_rotation_translation(before.conjugate() * after)
    a = loop.axis
    shift = p - a * (a @ p) if loop.type in ("prismatic", "planar") else p
    if loop.type == "revolute":
        turn = float(np.linalg.norm(R @ a - a))
    elif loop.type == "universal":  # a universal joint's second axis is fixed in the successor
        turn = abs(float(a @ R @ _second_axis(a)))
    else:
        turn = 0.0 if loop.type in ("spherical", "planar") else float(np.linalg.norm(R - np.eye(3)))
    distance = float(np.linalg.norm(shift))
    if max(distance, turn) > _CLOSED:
        raise ModelError(
            f"at these positions the {loop.type} loop joint '{loop.name}' is open by {distance:.3g} m and "
            f"{turn:.3g} (orientation), and its links '{loop.predecessor.link}' and '{loop.successor.link}' "
            "would be fixed to each other; lock the joints at positions at which the loop is closed"
        )


def _pose(graph: Structure, anchor: Anchor) -> DualQuaternion:
    """Return the pose of an anchor in the frame of the body that carries its link."""
    return graph.link_pose(anchor.link)[1] * anchor.x_link_anchor


def _second_axis(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a universal joint's second axis: the coordinate axis least along the first, orthogonalized."""
    second = np.eye(3)[int(np.argmin(np.abs(axis)))]
    perpendicular: NDArray[np.float64] = second - axis * (axis @ second)
    return perpendicular / np.linalg.norm(perpendicular)


#: Positions at which joints are locked, by name of the joint.
Positions = dict[str, NDArray[np.float64]]
#: Largest difference [rad or m] of two positions that count as the same.
_SAME = 1e-9


def lock(graph: Graph, positions: Mapping[str, ArrayLike]) -> Graph:
    """Return a new graph in which these joints are fixed, as if the URDF said so.

    The bodies of a locked joint become one; its armature, spring, friction and limits are gone. Joints that
    mimic a locked one, or are geared to locked ones alone, are locked with it. Links, payloads, loop joints
    and springs stay; a loop joint between links that are now fixed to each other goes, if it is closed. A
    subsystem without joints joins the one that carries it. Whether loops can still move is not examined here:
    the functions for closed loops do so, and `with_independent_joints` chooses other independent joints.

    Args:
        positions: by joint [rad or m]: one number, four for a ball joint, seven for a floating one, as in q.

    Raises:
        UnknownNameError: no such joint; names the choices.
        ModelError: not numbers; a joint that follows another one, at a position where it would not; a loop
            joint that could not close any more.
        UnsupportedModelError: a joint of a black box, or on a link of one.
    """
    require_mapping("positions", positions)
    locked = {name: _checked_position(graph, name, value) for name, value in positions.items()}
    gears = _add_followers(graph, locked)
    for name in locked:
        _refuse_black_boxes(graph, graph.joint(name))
    _warn_beyond_limits(graph, locked)
    carried: dict[int | None, Carried] = {None: (None, DualQuaternion.identity)}
    joints: dict[int, Joint] = {}
    for k, joint in enumerate(graph.joints):
        parent = graph.parents[k]
        body, x = carried[parent]
        x_parent_joint = joint.x_parent_joint if body == parent else x * joint.x_parent_joint
        if joint.name in locked:
            carried[k] = body, x_parent_joint * joint.motion(locked[joint.name])
        else:
            carried[k] = k, DualQuaternion.identity
            joints[k] = joint if body == parent else replace(joint, x_parent_joint=x_parent_joint)
    remainder = Remainder(graph, joints, _merged(graph, carried), carried)
    fields: dict[str, Any] = {**remainder.fields(), "gears": gears}
    fixed = replace(graph, **fields)
    for loop in fixed.loop_joints:
        if closes_nothing(fixed, loop):
            check_closed(fixed, loop)
    loops = tuple(loop for loop in fixed.loop_joints if not closes_nothing(fixed, loop))
    return changed(graph, **fields, loop_joints=loops)


def _refuse_black_boxes(graph: Structure, joint: Joint) -> None:
    """Raise UnsupportedModelError where a joint is part of a black box, or carried by one."""
    for box in graph.subsystems:
        if box.black_box and (joint in box.joints or joint.parent_link in box.fixed_links):
            raise UnsupportedModelError(
                f"joint '{joint.name}' cannot be locked: it is part of the black box '{box.name}' or carried "
                "by it, and masses in a black box are unknown"
            )


def _checked_position(graph: Structure, name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return the position (nq of the joint,) at which a joint is locked. Raises ModelError."""
    joint = graph.joint(name)
    position = value if joint.type.nq > 1 or np.ndim(value) > 0 else np.array([value])
    numbers = checked_numbers(f"the position of joint '{name}'", position, (joint.type.nq,))
    if joint.type.nq > 1 and not np.linalg.norm(numbers[-4:]) > 1e-9:
        raise ModelError(f"the position of joint '{name}' has a zero quaternion (w x y z)")
    return numbers


def _add_followers(graph: Structure, locked: Positions) -> tuple[Gear, ...]:
    """Add the joints that follow locked ones to ``locked``, in place, and return the remaining gears.

    Raises:
        ModelError: a joint whose position follows from others would be locked elsewhere, or without them.
    """
    given, before = {*locked}, -1
    while len(locked) > before:
        before = len(locked)
        for joint in graph.joints:
            if joint.mimic is not None and joint.mimic.joint in locked:
                _follow(joint.name, graph.joint_position(joint, _configuration(graph, locked)), locked)
        for gear in graph.gears:
            if all(name in locked for name, _ in gear.drivers):
                total = sum((ratio * locked[name] for name, ratio in gear.drivers), np.zeros(1))
                _follow(gear.joint, total + gear.offset, locked)
    drivers = {joint.name: [joint.mimic.joint] for joint in graph.joints if joint.mimic is not None}
    drivers |= {gear.joint: [name for name, _ in gear.drivers] for gear in graph.gears}
    for name in given & {*drivers}:
        if missing := [driver for driver in drivers[name] if driver not in locked]:
            raise ModelError(
                f"joint '{name}' cannot be locked alone: its position follows from {', '.join(missing)}; "
                "lock that, and it is locked with it"
            )
    return tuple(_reduced(gear, locked) for gear in graph.gears if gear.joint not in locked)


def _configuration(graph: Structure, locked: Positions) -> NDArray[np.float64]:
    """Return q (nq,) with the locked positions, and neutral ones for all other joints."""
    q = graph.neutral()
    for name, position in locked.items():
        if name in graph.joint_names:
            q[graph.q_slice(name)] = position
    return q


def _follow(name: str, position: NDArray[np.float64], locked: Positions) -> None:
    """Add a joint to ``locked``. Raises ModelError: the user gave another position for it."""
    given = locked.setdefault(name, position)
    if abs(given[0] - position[0]) > _SAME:
        raise ModelError(
            f"joint '{name}' cannot be locked at {given[0]:g}: it follows a locked joint, to {position[0]:g}"
        )


def _reduced(gear: Gear, locked: Positions) -> Gear:
    """Return the gear without its locked drivers, whose contribution becomes part of its offset."""
    if not any(name in locked for name, _ in gear.drivers):
        return gear
    offset = gear.offset + sum(ratio * float(locked[n][0]) for n, ratio in gear.drivers if n in locked)
    first, *further = [(name, ratio) for name, ratio in gear.drivers if name not in locked]
    return Gear(gear.joint, *first, offset, tuple(further))


def _warn_beyond_limits(graph: Structure, locked: Positions) -> None:
    """Issue a ModelWarning for each joint that is locked beyond its limits."""
    for name, position in locked.items():
        limits = graph.joint(name).limits
        lower = -np.inf if limits.lower is None else limits.lower
        upper = np.inf if limits.upper is None else limits.upper
        if len(position) == 1 and not lower - _SAME <= position[0] <= upper + _SAME:
            message = f"joint '{name}' is locked at {position[0]:g}, beyond its limits {lower:g} to {upper:g}"
            warnings.warn(message, ModelWarning, stacklevel=3)


def _merged(graph: Structure, carried: Mapping[int | None, Carried]) -> dict[int | None, Body]:
    """Return the remaining bodies by their old index, and the ground (None)."""
    members: dict[int | None, list[int | None]] = {}
    for k, (body, _) in carried.items():
        members.setdefault(body, []).append(k)
    return {
        body: body_at(graph, body) if len(own) == 1 else _union(graph, body, own, carried)
        for body, own in members.items()
    }


def _union(
    graph: Structure, body: int | None, own: list[int | None], carried: Mapping[int | None, Carried]
) -> Body:
    """Return the bodies with the indices ``own`` merged into one, with frame and name of ``body``."""
    parts: list[Link] = []
    links: dict[str, DualQuaternion] = {}
    payloads: dict[str, Inertial] = {}
    for k in own:
        member, x = body_at(graph, k), carried[k][1]
        described = member.parts
        if k is not None and k != body:
            joint = graph.joints[k]
            first = replace(described[0], parent=joint.parent_link, joint=joint.name or None)
            described = (first, *described[1:])
        parts += described
        links |= {
            link: x_body_link if k == body else x * x_body_link for link, x_body_link in member.links.items()
        }
        payloads |= member.payloads
    return Body(body_at(graph, body).name, links, tuple(parts), payloads)
