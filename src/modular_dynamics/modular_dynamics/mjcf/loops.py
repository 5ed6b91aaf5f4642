"""Equality constraints between bodies: connect -> spherical loop joint, weld -> fixed loop joint."""

from typing import Any

import numpy as np

from ..algebra import DualQuaternion
from ..model import Anchor, LoopJoint
from .codes import Disable, Equality, Object
from .names import Names, free_name, name_of
from .tree import pose_of, site_frame

__all__ = ["active_equalities", "read_loops"]


def active_equalities(model: Any) -> tuple[list[tuple[int, str]], list[str]]:
    """Return index and name of each active equality constraint, and notes on the inactive ones."""
    names = [
        name_of(model, address) or f"{Equality.NAMES[kind]}_{k}"
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
                free_name(name, names.joints, taken),
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
