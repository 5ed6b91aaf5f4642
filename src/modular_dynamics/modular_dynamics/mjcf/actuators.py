"""Actuators: which joints they drive, and the armature, damping and effort that joints have by them."""

from dataclasses import dataclass
from typing import Any

from .codes import Transmission, Wrap

__all__ = ["Actuators", "read_actuators", "tendon_joints"]


@dataclass(frozen=True)
class Actuators:
    """By MuJoCo's index of the joint.

    Attributes:
        driven: whether an actuator acts on it, by itself or by a fixed tendon.
        armature [kg m^2 or kg], damping [N m s/rad or N s/m]: what actuators add, times gear^2.
        effort: the largest force of actuators [N m or N]; None where it is not limited.
        tendon_armature: by tendon.
    """

    driven: tuple[bool, ...]
    armature: tuple[float, ...]
    damping: tuple[float, ...]
    effort: tuple[float | None, ...]
    tendon_armature: tuple[float, ...]


def tendon_joints(model: Any, tendon: int) -> dict[int, float]:
    """Joints of a fixed tendon with their coefficients, summed; empty for a spatial tendon."""
    joints: dict[int, float] = {}
    for k in range(model.tendon_adr[tendon], model.tendon_adr[tendon] + model.tendon_num[tendon]):
        if model.wrap_type[k] == Wrap.JOINT:
            joint = int(model.wrap_objid[k])
            joints[joint] = joints.get(joint, 0.0) + float(model.wrap_prm[k])
    return joints


def read_actuators(model: Any) -> Actuators:
    """The actuators of a compiled model."""
    n = model.njnt
    driven, armature, damping = [False] * n, [0.0] * n, [0.0] * n
    limits: list[list[float | None]] = [[] for _ in range(n)]
    of_tendons = [float(value) for value in getattr(model, "tendon_armature", [0.0] * model.ntendon)]
    rows = getattr(model, "actuator_outadr", range(len(model.actuator_trntype)))
    for k, kind in enumerate(model.actuator_trntype):
        target, gear = int(model.actuator_trnid[k, 0]), float(model.actuator_gear[rows[k], 0])
        inertia, friction = (
            float(values[k]) * gear**2 if (values := getattr(model, name, None)) is not None else 0.0
            for name in ("actuator_armature", "actuator_damping")
        )
        if kind in (Transmission.JOINT, Transmission.JOINTINPARENT):
            driven[target] = True
            armature[target] += inertia
            damping[target] += friction
            limited = bool(model.actuator_forcelimited[k])
            force = float(abs(model.actuator_forcerange[k]).max()) * abs(gear)
            limits[target].append(force if limited else None)
        elif kind == Transmission.TENDON:
            of_tendons[target] += inertia
            for joint in tendon_joints(model, target):
                driven[joint] = True
                limits[joint].append(None)
    effort = tuple(_effort(model, joint, forces) for joint, forces in enumerate(limits))
    return Actuators(tuple(driven), tuple(armature), tuple(damping), effort, tuple(of_tendons))


def _effort(model: Any, joint: int, forces: list[float | None]) -> float | None:
    """The joint's own limit of actuator forces, else the sum of its actuators' limits."""
    if model.jnt_actfrclimited[joint]:
        return float(abs(model.jnt_actfrcrange[joint]).max())
    known = [force for force in forces if force is not None]
    return sum(known) if known and len(known) == len(forces) else None
