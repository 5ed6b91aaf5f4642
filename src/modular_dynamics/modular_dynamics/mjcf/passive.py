"""Which joints of closed loops are passive: those that no actuator drives.

If no actuator drives any joint of the loops, the file does not say which ones are driven. Then as many joints
are passive as the loops determine, at the reference position or at one of the keyframes, beginning with those
nearest to the ends of the branches.
"""

from collections.abc import Sequence, Set
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model import Gear
from .actuators import Actuators
from .codes import VELOCITIES, Constraint, Equality, Jacobian, Object
from .names import Names
from .source import mujoco_module

__all__ = ["passive_joints"]

Array = NDArray[np.float64]
#: A column of the constraint Jacobian counts as dependent where others explain it up to this part of the
#: largest entry: rounding.
_RANK = 1e-8


def passive_joints(
    model: Any, names: Names, loops: Set[int], gears: Sequence[Gear], actuators: Actuators
) -> tuple[tuple[str, ...], list[str]]:
    """Return names of the passive joints in loops, and notes that name them.

    Args:
        loops: indices of the equality constraints that close loops.
    """
    in_loops = sorted({joint for k in loops for joint in _joints_between(model, *_bodies(model, k))})
    if not in_loops:
        return (), []
    geared = {gear.joint for gear in gears}
    driven = {names.joints[k] for k, is_driven in enumerate(actuators.driven) if is_driven}
    for gear in gears:  # a gear passes an actuator's force on to all its joints
        related = {gear.joint, *(name for name, _ in gear.drivers)}
        driven |= related if related & driven else set()
    free = [names.joints[k] for k in in_loops if names.joints[k] not in driven | geared]
    if any(names.joints[k] in driven for k in in_loops):
        return tuple(free), [f"joints in closed loops without an actuator are passive: {', '.join(free)}"]
    chosen = _determined(model, names, loops, in_loops, geared)
    passive = tuple(name for name in free if name in chosen)
    notes = [
        "no actuator drives a joint of the closed loops; passive are as many as the loops determine, from "
        f"the tips: {', '.join(passive)}"
    ]
    return passive, notes


def _bodies(model: Any, k: int) -> tuple[int, int]:
    """Return the bodies that an equality constraint joins."""
    ends = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
    if model.eq_objtype[k] == Object.BODY:
        return ends
    return int(model.site_bodyid[ends[0]]), int(model.site_bodyid[ends[1]])


def _joints_between(model: Any, first: int, second: int) -> set[int]:
    """Return the joints that move one body against the other."""
    return _joints_above(model, first) ^ _joints_above(model, second)


def _joints_above(model: Any, body: int) -> set[int]:
    """Return the joints between a body and the world."""
    joints: set[int] = set()
    while body > 0:
        start = int(model.body_jntadr[body])
        joints |= set(range(start, start + int(model.body_jntnum[body])))
        body = int(model.body_parentid[body])
    return joints


def _determined(model: Any, names: Names, loops: Set[int], joints: list[int], geared: set[str]) -> set[str]:
    """Return names of joints whose columns increase the constraint Jacobian's rank, from the tips.

    The positions are the one of qpos0 and key_qpos at which the rank is highest.
    """
    from_tips = [k for k in reversed(joints) if names.joints[k] not in geared]
    columns = [model.jnt_dofadr[k] + np.arange(VELOCITIES[model.jnt_type[k]]) for k in from_tips]
    choices = []
    for q in (model.qpos0, *model.key_qpos):
        J = _jacobian(model, loops, q)
        choices.append(_independent([J[:, own] for own in columns]))
    _, best = max(choices, key=lambda choice: choice[0])
    return {names.joints[from_tips[k]] for k in best}


def _jacobian(model: Any, loops: Set[int], q: Array) -> Array:
    """Return MuJoCo's constraint Jacobian rows of loops, projected onto motions that gears allow."""
    mujoco = mujoco_module()
    dense = copy(model)
    dense.opt.jacobian = Jacobian.DENSE
    data = mujoco.MjData(dense)
    data.qpos[:] = q
    mujoco.mj_fwdPosition(dense, data)
    J = data.efc_J[: data.nefc * model.nv].reshape(-1, model.nv)  # the buffer may be longer
    rows = (data.efc_type == Constraint.EQUALITY) & np.isin(data.efc_id, list(loops))
    couplings = [k for k in range(model.neq) if model.eq_type[k] in (Equality.JOINT, Equality.TENDON)]
    gears = J[(data.efc_type == Constraint.EQUALITY) & np.isin(data.efc_id, couplings)]
    if len(gears):
        J = J - J @ np.linalg.pinv(gears) @ gears
    return np.asarray(J[rows], float)


def _independent(blocks: Sequence[Array]) -> tuple[int, list[int]]:
    """Return the rank of adjacent column blocks, and indices of those that increase it (Gram-Schmidt)."""
    largest = max((np.abs(block).max(initial=0.0) for block in blocks), default=0.0)
    basis, chosen = list[Array](), list[int]()
    for k, block in enumerate(blocks):
        rank = len(basis)
        for column in block.T:
            left = column.copy()
            for direction in basis:
                left -= (direction @ left) * direction
            if (size := np.linalg.norm(left)) > _RANK * largest:
                basis.append(left / size)
        if len(basis) > rank:
            chosen.append(k)
    return len(basis), chosen
