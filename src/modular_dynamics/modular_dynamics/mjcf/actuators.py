"""Actuators of a compiled model: the joints that they drive, their armature, damping and limits."""

from dataclasses import dataclass
from typing import Any

from .codes import Transmission, Wrap

__all__ = ["Actuators", "read_actuators", "tendon_joints"]


@dataclass(frozen=True)
class Actuators:
    """What actuators do to joints; all but the last by MuJoCo's index of the joint (njnt,).

    Attributes:
        driven: whether an actuator acts on the joint, directly or through a fixed tendon.
        armature [kg m^2 or kg], damping [N m s/rad or N s/m]: what actuators add to the joint's own, their
            values times gear^2.
        effort: the largest torque or force of the actuators together [N m or N]; None if not limited.
        tendon_armature: armature of each tendon (ntendon,), that of its actuators included [kg].
    """

    driven: tuple[bool, ...]
    armature: tuple[float, ...]
    damping: tuple[float, ...]
    effort: tuple[float | None, ...]
    tendon_armature: tuple[float, ...]


def tendon_joints(model: Any, tendon: int) -> dict[int, float]:
    """Return coefficients of a fixed tendon by joint, added up for each joint; empty for a spatial tendon."""
    joints: dict[int, float] = {}
    for k in range(model.tendon_adr[tendon], model.tendon_adr[tendon] + model.tendon_num[tendon]):
        if model.wrap_type[k] == Wrap.JOINT:
            joint = int(model.wrap_objid[k])
            joints[joint] = joints.get(joint, 0.0) + float(model.wrap_prm[k])
    return joints


def read_actuators(model: Any) -> Actuators:
    """Return the actuators of a compiled model (mujoco.MjModel).

    Transmissions to joints and to tendons are read; others (sites, bodies, sliders) drive no joint. Fields
    that older versions of MuJoCo do not have count as zero.
    """
    n = model.njnt
    driven, armature, damping = [False] * n, [0.0] * n, [0.0] * n
    limits: list[list[float | None]] = [[] for _ in range(n)]
    of_tendons = [float(value) for value in getattr(model, "tendon_armature", [0.0] * model.ntendon)]
    rows = getattr(model, "actuator_outadr", range(len(model.actuator_trntype)))
    for k, kind in enumerate(model.actuator_trntype):
        target, gear = int(model.actuator_trnid[k, 0]), float(model.actuator_gear[rows[k], 0])
        own_armature, own_damping = (
            float(values[k]) * gear**2 if (values := getattr(model, name, None)) is not None else 0.0
            for name in ("actuator_armature", "actuator_damping")
        )
        if kind in (Transmission.JOINT, Transmission.JOINTINPARENT):
            driven[target] = True
            armature[target] += own_armature
            damping[target] += own_damping
            limited = bool(model.actuator_forcelimited[k])
            force = float(abs(model.actuator_forcerange[k]).max()) * abs(gear)
            limits[target].append(force if limited else None)
        elif kind == Transmission.TENDON:
            of_tendons[target] += own_armature
            for joint in tendon_joints(model, target):
                driven[joint] = True
                limits[joint].append(None)
    effort = tuple(_effort(model, joint, forces) for joint, forces in enumerate(limits))
    return Actuators(tuple(driven), tuple(armature), tuple(damping), effort, tuple(of_tendons))


def _effort(model: Any, joint: int, forces: list[float | None]) -> float | None:
    """Return the joint's own limit of actuator forces, else the sum of its actuators' limits."""
    if model.jnt_actfrclimited[joint]:
        return float(abs(model.jnt_actfrcrange[joint]).max())
    known = [force for force in forces if force is not None]
    return sum(known) if known and len(known) == len(forces) else None
