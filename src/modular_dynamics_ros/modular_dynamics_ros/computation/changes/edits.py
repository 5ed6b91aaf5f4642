"""New lists of changes: what a request adds to one, or takes from it."""

import warnings
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np

import modular_dynamics as md
from modular_dynamics.model import Limits
from modular_dynamics.text.numbers import LARGEST
from modular_dynamics.urdf.checks.robot import SIX_DIGITS
from modular_dynamics_ros.computation.changes.kinds import (
    Attachment,
    Change,
    Changes,
    Lock,
    Payload,
    locked_positions,
)
from modular_dynamics_ros.computation.robot import position_range
from modular_dynamics_ros.computation.values import checked_numbers
from modular_dynamics_ros.exceptions import NumbersError, RobotError, UnknownError, listed, repeated

SAME = 1e-9  # excess over a limit [rad or m] that is rounding


def require_possible(change: Change) -> None:
    """Check the inertia of a payload, which has no negative moments, as those of descriptions are checked.

    Raises:
        NumbersError: it breaks the triangle inequality by more than the rounding that `load_urdf` accepts.
    """
    if not isinstance(change, Payload):
        return
    xx, xy, xz, yy, yz, zz = change.inertia
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if moments[2] > moments[0] + moments[1] + SIX_DIGITS * moments[2]:
        shown = ", ".join(f"{moment:.6g}" for moment in moments)
        raise NumbersError(
            f"strict: the inertia of the payload on link '{change.link}' breaks the triangle inequality "
            f"(principal moments {shown} kg m^2: the largest exceeds the sum of the others); no rigid body "
            "has such an inertia"
        )


class Applied(NamedTuple):
    """A changed graph.

    Attributes:
        changes: that made it. dropped: those that do not fit the robot, and why, one text each.
        warnings: of the library, such as a joint that is locked beyond its limits.
        wanted: all changes, those that were dropped among them.
    """

    graph: md.SubsystemGraph
    changes: Changes
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    wanted: Changes = ()


def applied(
    described: md.SubsystemGraph, changes: Sequence[Change], *, strict: bool = False, drop: bool = False
) -> Applied:
    """Apply all changes in order, and return the result.

    Args:
        strict: whether inertias that no body can have are refused; else they are in the warnings.
        drop: whether what a new description does not allow is dropped, one by one.

    Raises, without ``drop``:
        ModularDynamicsError: of the first one that the robot does not allow. NumbersError: see `strict`.
    """
    graph, kept, dropped, warned = described, list[Change](), list[str](), list[str]()
    for change in changes:
        try:
            graph, more = _with(graph, change, strict)
        except (md.ModularDynamicsError, NumbersError) as error:  # noqa: PERF203  # a few changes
            if not drop:
                raise
            dropped.append(f"{change}: {error}")
        else:
            kept.append(change)
            warned += more
    return Applied(graph, tuple(kept), tuple(dropped), tuple(dict.fromkeys(warned)), tuple(changes))


def _with(graph: md.SubsystemGraph, change: Change, strict: bool) -> tuple[md.SubsystemGraph, list[str]]:
    """Return the graph with one more change, and the library's warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", md.ModelWarning)
        changed = change.apply(graph)
    if strict:
        require_possible(change)
    return changed, [str(one.message) for one in caught]


def remaining(described: md.SubsystemGraph, changes: Sequence[Change]) -> Changes:
    """Return the changes left after one was removed: those that depend on it go, too.

    Raises:
        ModularDynamicsError: what is left of a change is not allowed without the other one.
    """
    kept: list[Change] = []
    graph = described
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        for change in changes:
            left = change.without_unknown(graph)
            if left is not None:
                graph = left.apply(graph)
                kept.append(left)
    return tuple(kept)


def with_payload(described: md.SubsystemGraph, changes: Changes, payload: Payload) -> Changes:
    """Return the changes with a load on a link in place of its old one; mass zero removes it.

    Raises:
        UnknownNameError: no such link. NumbersError: a load without mass that has other numbers.
    """
    graph = applied(described, changes).graph
    graph.link_pose(payload.link)  # raises if there is no such link
    kept = [one for one in changes if not (isinstance(one, Payload) and one.link == payload.link)]
    if payload.mass != 0.0:
        return *kept, payload
    if any(payload.com) or any(payload.inertia):
        raise NumbersError(
            f"the payload on '{payload.link}' has no mass, which removes it, but other numbers"
        )
    return tuple(kept)


def attached(described: md.SubsystemGraph, changes: Changes, attachment: Attachment) -> Changes:
    """Return the changes with another robot attached. Raises RobotError: no name, or one that is in use."""
    name = attachment.name
    if not name:
        raise RobotError("what is attached needs a name, by which detach_subsystem finds it")
    graph = applied(described, changes).graph
    if any(isinstance(change, Attachment) and change.name == name for change in changes):
        raise RobotError(
            f"the name '{name}' is in use for what is attached to '{graph.name}'; choose another"
        )
    subsystems, moving = _subsystems(described, changes), [one.name for one in graph.subsystems]
    brought = [attachment.prefix + one.name for one in attachment.robot.subsystems]
    if with_locked_joints := [one for one in brought if one in subsystems and one not in moving]:
        text = f"'{name}' brings a subsystem {listed(with_locked_joints)}, as '{graph.name}' has one"
        raise RobotError(f"{text} with locked joints; choose a prefix")
    return *changes, attachment


def _subsystems(described: md.SubsystemGraph, changes: Changes) -> list[str]:
    """Return the changed robot's subsystems, also those with all joints locked, which its graph omits."""
    unlocked = [one for one in changes if not isinstance(one, Lock)]
    return [one.name for one in applied(described, unlocked).graph.subsystems]


def detached(described: md.SubsystemGraph, changes: Changes, name: str) -> Changes:
    """Return the changes without an attachment and all that concerns it.

    Raises:
        UnknownError: nothing is attached by this name. ModularDynamicsError: as of `remaining`.
    """
    kept = [one for one in changes if not (isinstance(one, Attachment) and one.name == name)]
    if len(kept) == len(changes):
        names = listed([one.name for one in changes if isinstance(one, Attachment)]) or "none"
        raise UnknownError(f"nothing is attached by the name '{name}'; attached are {names}")
    return remaining(described, kept)


def locked(
    described: md.SubsystemGraph,
    changes: Changes,
    joints: Sequence[str],
    positions: Mapping[str, float],
    *,
    measured: bool = False,
) -> Changes:
    """Return the changes with joints locked at positions [rad or m]; a locked joint moves there.

    Args:
        measured: the robot is there, so that limits say nothing; else a position must be within them.

    Raises:
        UnknownError: no such joint. NumbersError: a position that is not finite, huge, beyond the joint's
            limits, or unknown; a joint twice; no joint.
    """
    if not joints:
        raise NumbersError("joint_names is empty: name the joints to lock")
    held = locked_positions(changes)
    graph = applied(described, changes).graph
    known = {joint.name for joint in graph.joints} | held.keys()
    if absent := [name for name in joints if name not in known]:
        has = listed(graph.independent_joint_names, 8) or "none"
        raise UnknownError(f"no joint {listed(absent)} in '{graph.name}' as it is now; its joints are {has}")
    if twice := repeated(joints):
        raise NumbersError(f"joint {listed(twice)} named more than once")
    if unknown := [name for name in joints if name not in positions]:
        raise NumbersError(f"no position of {listed(unknown)} was measured: give positions")
    given = {name: float(positions[name]) for name in joints}
    for name, at in given.items():
        checked_numbers(f"the position of '{name}'", [at], 1, LARGEST)
    if not measured:
        for name, at in given.items():
            own = _before_lock(described, changes, name) if name in held else graph
            _require_within_limits(name, at, own.joint(name).limits)
    kept = [
        Lock({name: given.get(name, at) for name, at in one.positions.items()})
        if isinstance(one, Lock)
        else one
        for one in changes
    ]
    new = {name: at for name, at in given.items() if name not in held}
    return (*kept, Lock(new)) if new else tuple(kept)


def _before_lock(described: md.SubsystemGraph, changes: Changes, name: str) -> md.SubsystemGraph:
    """Return the graph in which a locked joint is still present."""
    before = takewhile(lambda one: not (isinstance(one, Lock) and name in one.positions), changes)
    return applied(described, tuple(before)).graph


def _require_within_limits(name: str, position: float, limits: Limits) -> None:
    lower, upper = position_range(limits)
    if not lower - SAME <= position <= upper + SAME:
        text = (
            f"the position of '{name}' is {position:g}, beyond its limits {lower:g} to {upper:g} [rad or m]"
        )
        raise NumbersError(f"{text}; without positions joints are locked where they were measured")


def unlocked(described: md.SubsystemGraph, changes: Changes, joints: Sequence[str]) -> Changes:
    """Return the changes without the locks of these joints.

    Raises:
        UnknownError: a joint that is not locked. NumbersError: no joint. ModularDynamicsError: as of
            `remaining`.
    """
    if not joints:
        raise NumbersError("joint_names is empty: name the joints to unlock")
    held = locked_positions(changes)
    if unknown := [name for name in joints if name not in held]:
        raise UnknownError(f"{listed(unknown)} is not locked; locked are {listed([*held], 8) or 'none'}")
    left = [one.without(joints) if isinstance(one, Lock) else one for one in changes]
    return remaining(described, [one for one in left if one is not None])
