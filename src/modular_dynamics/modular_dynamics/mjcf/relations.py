"""Equality constraints and tendons -> loop joints, springs, passive joints, gears and fixed joints."""

from collections.abc import Container, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion
from ..exceptions import MjcfError, UnsupportedModelError
from ..model import Anchor, Finding, Gear, LoopJoint, Spring
from ..model.joint_order import Names, name_in_mujoco
from ..urdf.description import free_name
from .source import EQUALITIES, Disable, Equality, Object, Wrap
from .tree import IGNORED, Actuators, pose_of, site_frame, tendon_joints

# Equality constraints between bodies: connect -> spherical loop joint, weld -> fixed loop joint.


def active_equalities(model: Any) -> tuple[list[tuple[int, str]], list[str]]:
    """Return index and name of each active equality constraint, and notes on the inactive ones."""
    names = [
        name_in_mujoco(model, address) or f"{EQUALITIES[kind]}_{k}"
        for k, (address, kind) in enumerate(zip(model.name_eqadr, model.eq_type, strict=True))
    ]
    if model.opt.disableflags & (Disable.CONSTRAINT | Disable.EQUALITY) and names:
        return [], [f"equality constraints are disabled in the file and ignored: {', '.join(names)}"]
    on = [(k, name) for k, name in enumerate(names) if model.eq_active0[k]]
    off = [name for k, name in enumerate(names) if not model.eq_active0[k]]
    return on, [f"inactive equality constraints are ignored: {', '.join(off)}"] if off else []


def read_loops(
    model: Any, names: Names, equalities: list[tuple[int, str]]
) -> tuple[dict[int, LoopJoint], list[str]]:
    """Return loop joints of connect and weld constraints by index, and notes on those left out.

    A weld whose torquescale is zero holds a point only, as connect does. MuJoCo's constraints are soft
    (solref, solimp); here they are exact. A constraint with a mocap body, a target that is moved from outside
    the simulation, is left out, and so is one between bodies that cannot move against each other. A
    constraint with the name of a joint gets another name.
    """
    loops: dict[int, LoopJoint] = {}
    notes = []
    for k, name in equalities:
        if model.eq_type[k] not in (Equality.CONNECT, Equality.WELD):
            continue
        (first, x_first), (second, x_second) = _ends(model, k)
        if model.body_mocapid[first] >= 0 or model.body_mocapid[second] >= 0:
            notes.append(f"equality '{name}' holds a mocap body and is ignored")
        elif model.body_weldid[first] == model.body_weldid[second]:
            notes.append(f"equality '{name}' joins bodies that cannot move against each other: ignored")
        else:
            rigid = model.eq_type[k] == Equality.WELD and model.eq_data[k, 10] != 0.0
            taken = [loop.name for loop in loops.values()]
            loops[k] = LoopJoint(
                free_name(name, names.joints, taken, mark="'"),
                "fixed" if rigid else "spherical",
                Anchor(names.bodies[first], x_first),
                Anchor(names.bodies[second], x_second),
                np.array([0.0, 0.0, 1.0]),
            )
    return loops, notes


def _ends(model: Any, k: int) -> tuple[tuple[int, DualQuaternion], tuple[int, DualQuaternion]]:
    """Return the two bodies, each with the pose in it of the frame that the constraint makes coincide.

    As in MuJoCo's mj_instantiateEquality.
    """
    data, objects = model.eq_data[k], (model.eq_obj1id[k], model.eq_obj2id[k])
    no_rotation = np.array([1.0, 0.0, 0.0, 0.0])
    if model.eq_objtype[k] != Object.BODY:
        return site_frame(model, objects[0]), site_frame(model, objects[1])
    if model.eq_type[k] == Equality.CONNECT:
        first, second = pose_of(data[:3], no_rotation), pose_of(data[3:6], no_rotation)
        return (int(objects[0]), first), (int(objects[1]), second)
    first, second = pose_of(data[3:6], data[6:10]), pose_of(data[:3], no_rotation)
    return (int(objects[0]), first), (int(objects[1]), second)


# Tendons with a spring: straight ones between two sites become springs; others are not supported.


def read_springs(
    model: Any, names: Names, actuators: Actuators, taken: Container[str]
) -> tuple[tuple[Spring, ...], list[Finding]]:
    """Return springs of the tendons with a stiffness, and findings on properties that are left out.

    A spring whose name is that of a joint or ``taken`` gets another one.

    MuJoCo: F = -stiffness (L - L_0) - damping dL/dt. Tendons without stiffness exert nothing by themselves.

    Raises:
        UnsupportedModelError: a spring that is not a straight line between two sites, or armature.
    """
    springs, findings = list[Spring](), list[Finding]()
    no_spring = bool(model.opt.disableflags & Disable.SPRING)
    for k in range(model.ntendon):
        name = name_in_mujoco(model, model.name_tendonadr[k]) or f"tendon_{k}"
        if actuators.tendon_armature[k]:
            raise UnsupportedModelError(f"tendon '{name}' has armature; only joints can have it")
        if model.tendon_stiffness[k] and not no_spring:
            springs.append(_spring(model, names, k, free_name(name, names.joints, taken, mark="'")))
        elif model.tendon_damping[k]:
            text, assumed = f"tendon '{name}' has damping without stiffness", "; the damping is ignored"
            findings.append(Finding("damping of a tendon", "tendon", name, text, assumed=assumed))
        if model.tendon_dampingpoly[k].any():
            text = f"tendon '{name}' has damping of higher order"
            findings.append(Finding("damping of higher order", "tendon", name, text, assumed=IGNORED))
        if model.tendon_frictionloss[k]:
            text = f"tendon '{name}' has frictionloss"
            findings.append(Finding("friction of a tendon", "tendon", name, text, assumed=IGNORED))
    return tuple(springs), findings


def _spring(model: Any, names: Names, k: int, name: str) -> Spring:
    """Return the spring of tendon k. Raises UnsupportedModelError: see :func:`read_springs`."""
    first, last = model.tendon_adr[k], model.tendon_adr[k] + model.tendon_num[k]
    shortest, longest = map(float, model.tendon_lengthspring[k])
    reason = ""
    if joints := tendon_joints(model, k):
        reason = f"is a spring over the joints {', '.join(names.joints[joint] for joint in joints)}"
    elif last - first != 2 or any(kind != Wrap.SITE for kind in model.wrap_type[first:last]):
        reason = "is a spatial tendon with a spring that passes more than two sites"
    elif shortest != longest:
        reason = f"is slack between the lengths {shortest:g} and {longest:g} m"
    if reason:
        raise UnsupportedModelError(
            f"tendon '{name}' {reason}, which is not supported; a spring is a straight line between two sites"
        )
    ends = [site_frame(model, site) for site in model.wrap_objid[first:last]]
    anchors = [Anchor(names.bodies[body], x_body_site) for body, x_body_site in ends]
    return Spring(
        name=name,
        stiffness=float(model.tendon_stiffness[k]),
        free_length=longest,
        initial_force=0.0,
        damping=float(model.tendon_damping[k]),
        anchors=(anchors[0], anchors[1]),
    )


# Passive joints in closed loops: those that no actuator drives.


def passive_joints(
    model: Any, names: Names, loops: Set[int], gears: Sequence[Gear], actuators: Actuators
) -> tuple[tuple[str, ...], list[str], list[Finding]]:
    """Return names of the passive joints in loops, notes that name them, and a finding if none is known.

    Args:
        loops: indices of the equality constraints that close loops.
    """
    moving = set[int]()  # joints that move the two bodies of a loop against each other
    for k in loops:
        (first, _), (second, _) = _ends(model, k)
        moving |= _joints_above(model, first) ^ _joints_above(model, second)
    if not moving:
        return (), [], []
    geared = {gear.joint for gear in gears}
    driven = {names.joints[k] for k, is_driven in enumerate(actuators.driven) if is_driven}
    for gear in gears:  # a gear passes an actuator's force on to all its joints
        related = {gear.joint, *(name for name, _ in gear.drivers)}
        driven |= related if related & driven else set()
    in_loops = [names.joints[k] for k in sorted(moving)]
    free = [name for name in in_loops if name not in driven | geared]
    if not driven.isdisjoint(in_loops):
        return tuple(free), [f"joints in closed loops without an actuator are passive: {', '.join(free)}"], []
    text = f"no actuator says which joints of the closed loops are passive: {', '.join(free)}"
    assumed, hint = "; none is, and torques are refused", "; name them by 'passive' in a partition"
    return (), [], [Finding("loop without passive joints", "joint", free[0], text, None, assumed, hint)]


def _joints_above(model: Any, body: int) -> set[int]:
    """Return the joints between a body and the world."""
    joints: set[int] = set()
    while body > 0:
        start = int(model.body_jntadr[body])
        joints |= set(range(start, start + int(model.body_jntnum[body])))
        body = int(model.body_parentid[body])
    return joints


# Gears, and joints that are held: linear relations between joints, solved by Gauss-Jordan elimination.

Array = NDArray[np.float64]
#: Rounding errors of coefficients, relative to their relation's largest, and of values [rad or m].
_ROUNDING = 1e-12
_CONTRADICTION = 1e-9


@dataclass(frozen=True)
class Relations:
    """Gears; positions [rad or m] of joints that relations hold, by MuJoCo's index of the joint; notes."""

    gears: tuple[Gear, ...] = ()
    locked: dict[int, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_relations(
    model: Any, names: Names, equalities: list[tuple[int, str]], driven: Sequence[bool]
) -> Relations:
    """Return gears and locked joints of the equality constraints of joints and fixed tendons.

    MuJoCo: y - y_ref = c_0 + c_1 (x - x_ref), where y and x are positions of joints or lengths of tendons. A
    gear determines a joint that no actuator drives, if there is one. What follows from others is left out.

    Raises:
        UnsupportedModelError: a polynomial of higher degree, or a spatial tendon.
        MjcfError: relations that contradict each other.
    """
    rows: dict[int, Array] = {}  # by the joint that only this row determines: coefficients, then the value
    redundant = list[str]()
    for k, name in equalities:
        if model.eq_type[k] not in (Equality.JOINT, Equality.TENDON):
            continue
        row, joints = _relation(model, k, name)
        size = np.abs(row[:-1]).max(initial=0.0)
        for own, known in rows.items():
            change = row[own] * known
            row, size = row - change, max(size, np.abs(change[:-1]).max())
        row[:-1][np.abs(row[:-1]) <= _ROUNDING * size] = 0.0
        candidates = [*joints, *np.flatnonzero(row[:-1]).tolist()]
        candidates = [joint for joint in candidates if row[joint] != 0.0]
        if not candidates:
            if abs(row[-1]) > _CONTRADICTION:
                raise MjcfError(f"equality '{name}' contradicts others: they leave {row[-1]:g}, not 0")
            redundant += [name] if size else []
            continue
        pivot = next((joint for joint in candidates if not driven[joint]), candidates[0])
        row = row / row[pivot]
        rows = {own: known - known[pivot] * row for own, known in rows.items()} | {pivot: row}
    gears, locked = list[Gear](), dict[int, float]()
    for own, row in rows.items():
        size = _ROUNDING * np.abs(row[:-1]).max()
        others = [k for k in np.flatnonzero(np.abs(row[:-1]) > size).tolist() if k != own]
        drivers = [(names.joints[k], -float(row[k])) for k in others]
        if drivers:
            gears.append(Gear(names.joints[own], *drivers[0], float(row[-1]), tuple(drivers[1:])))
        else:
            locked[own] = float(row[-1])
    notes = [f"equalities that follow from others are ignored: {', '.join(redundant)}"] if redundant else []
    return Relations(tuple(gears), locked, notes)


def _relation(model: Any, k: int, name: str) -> tuple[Array, list[int]]:
    """Return the linear relation of equality constraint k: coefficients (njnt,) and value; and its joints.

    Errors as of :func:`read_relations`.
    """
    data, objects = model.eq_data[k], [int(model.eq_obj1id[k]), int(model.eq_obj2id[k])]
    ratio = float(data[1])
    if objects[1] < 0:
        objects, ratio = objects[:1], 0.0
    elif data[2:5].any():
        terms = ", ".join(f"{c:g}" for c in data[:5])
        raise UnsupportedModelError(
            f"equality '{name}' has the polycoef {terms}; only the first two may be other than zero: gears "
            "are linear"
        )
    row, joints = np.zeros(model.njnt + 1), list[int]()
    row[-1] = data[0]
    for sign, item in zip((1.0, -ratio), objects, strict=False):
        if model.eq_type[k] == Equality.JOINT:
            own, reference = {item: 1.0}, float(model.qpos0[model.jnt_qposadr[item]])
        elif own := tendon_joints(model, item):
            reference = float(model.tendon_length0[item])
        else:
            raise UnsupportedModelError(
                f"equality '{name}' holds the length of a spatial tendon, which is not supported"
            )
        row[-1] += sign * reference
        joints += own
        row[list(own)] += sign * np.array([*own.values()])
    return row, joints
