"""Elements of a compiled model that a graph cannot express: an error, a warning or a note names them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..exceptions import MjcfError, UnsupportedModelError
from .codes import Disable, Joint
from .names import Names

__all__ = ["check_numbers", "check_supported", "notes_on", "warnings_about"]


def check_numbers(model: Any, names: Names) -> None:
    """Masses, inertias and positions are finite, and no mass or moment is negative.

    MuJoCo's compiler checks that; a model may have been changed afterwards.

    Raises:
        MjcfError: names the body.
    """
    for k, name in enumerate(names.bodies):
        values = [model.body_mass[k : k + 1], model.body_inertia[k], model.body_ipos[k], model.body_iquat[k]]
        if not all(np.isfinite(value).all() for value in (*values, model.body_pos[k], model.body_quat[k])):
            raise MjcfError(f"body '{name}' has a mass, inertia or pose that is not finite")
        if min(map(np.min, values[:2])) < 0.0:
            raise MjcfError(f"body '{name}' has a negative mass or principal moment of inertia")


def check_supported(model: Any, names: Names) -> None:
    """Raise an error for elements that exert forces which a graph cannot express.

    Raises:
        UnsupportedModelError: a deformable body, a plugin, a plastic or nonlinear spring, or a spring at a
            joint with several coordinates; names the element.
    """
    if model.nflex:
        raise UnsupportedModelError("the model has flexible bodies (flex); only rigid bodies are supported")
    for name in _where(names.bodies, lambda k: model.body_plugin[k] >= 0):
        raise UnsupportedModelError(
            f"body '{name}' has a plugin that exerts forces; plugins are not supported"
        )
    if model.opt.disableflags & Disable.SPRING:
        return
    for description, is_present in (
        ("stiffness of higher order", lambda k: _any(model, "jnt_stiffnesspoly", k)),
        ("a plastic spring", lambda k: _any(model, "jnt_springyield", k)),
        (
            "a spring although it has several coordinates",
            lambda k: model.jnt_stiffness[k] and model.jnt_type[k] in (Joint.FREE, Joint.BALL),
        ),
    ):
        for name in _where(names.joints, is_present):
            raise UnsupportedModelError(f"joint '{name}' has {description}, which is not supported")
    for k in range(model.ntendon):
        if _any(model, "tendon_stiffnesspoly", k) or _any(model, "tendon_springyield", k):
            raise UnsupportedModelError(f"tendon {k} has a plastic spring or stiffness of higher order")


def warnings_about(model: Any, names: Names) -> list[str]:
    """Forces of MuJoCo's simulation that the graph leaves out, one sentence each."""
    warnings = []
    gravity = not model.opt.disableflags & Disable.GRAVITY
    if compensated := _where(names.bodies, lambda k: gravity and model.body_gravcomp[k]):
        warnings.append(f"gravity compensation (gravcomp) is ignored: bodies {', '.join(compensated)}")
    if model.opt.density or model.opt.viscosity:
        warnings.append("forces of the medium (density, viscosity) are ignored")
    if heavy := _where(names.joints, lambda k: model.jnt_type[k] == Joint.FREE and _armature(model, k)):
        warnings.append(f"armature of free joints, which have no drive, is ignored: {', '.join(heavy)}")
    dofs = [names.joints[k] for k in model.dof_jntid]
    if nonlinear := _where(dofs, lambda k: _any(model, "dof_dampingpoly", k)):
        warnings.append(f"damping of higher order is ignored: joints {', '.join(dict.fromkeys(nonlinear))}")
    return warnings


def notes_on(model: Any, names: Names) -> list[str]:
    """Elements that are no part of a rigid-body model and are left out, one sentence each."""
    notes = []
    if count := len(model.actuator_trntype):
        notes.append(f"forces of {count} actuators are ignored; they say which joints are driven")
    if (model.geom_contype | model.geom_conaffinity).any() or model.npair:
        notes.append("contacts are ignored")
    if mocap := _where(names.bodies, lambda k: model.body_mocapid[k] >= 0):
        notes.append(f"mocap bodies are fixed to the world: {', '.join(mocap)}")
    if balls := _where(names.joints, lambda k: model.jnt_type[k] == Joint.BALL and model.jnt_limited[k]):
        notes.append(f"limits of ball joints are ignored: {', '.join(balls)}")
    return notes


def _where(names: Any, condition: Callable[[int], Any]) -> list[str]:
    """Names of the elements whose index fulfils a condition."""
    return [name for k, name in enumerate(names) if condition(k)]


def _any(model: Any, field: str, k: int) -> bool:
    """Whether entry k of a field is other than zero; False where the version of MuJoCo lacks the field."""
    return bool(np.any(getattr(model, field, np.zeros((k + 1, 1)))[k]))


def _armature(model: Any, joint: int) -> bool:
    return bool(model.dof_armature[model.jnt_dofadr[joint]])
