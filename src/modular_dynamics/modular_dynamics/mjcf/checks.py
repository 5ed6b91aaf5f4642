"""Elements of a compiled model that a graph cannot express: an error, a warning or a note names them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..exceptions import MjcfError, UnsupportedModelError
from ..model import Finding
from ..text.numbers import LARGEST, STIFFEST
from .source import Disable, Joint
from .tree import Names

#: Fields of a model, besides those of bodies, of which numbers are read.
_READ = (
    *("jnt_pos", "jnt_axis", "jnt_stiffness", "qpos0", "qpos_spring", "dof_armature", "dof_damping"),
    *("dof_frictionloss", "eq_data", "site_pos", "site_quat", "tendon_stiffness", "tendon_damping"),
    *("tendon_lengthspring", "tendon_length0", "wrap_prm", "actuator_gear"),
)
#: Endings of fields of springs, dampers, friction and drives.
_OF_FORCES = ("stiffness", "armature", "damping", "frictionloss")
#: What is assumed of numbers that only a simulation uses, and of those that cannot be meant.
IGNORED, _AS_GIVEN = ", which is ignored", ", which is used as given"
#: Lengths of axes differ from one by rounding only.
UNIT = 1e-9


def check_numbers(model: Any, names: Names) -> None:
    """Check that numbers are finite and bounded, axes have a direction, and no mass or moment is negative.

    MuJoCo's compiler lets some NaN pass with a warning, and a model may have been changed afterwards.

    Raises:
        MjcfError: names the body or the field of the model.
    """
    for k, name in enumerate(names.bodies):
        values = [model.body_mass[k : k + 1], model.body_inertia[k], model.body_ipos[k], model.body_iquat[k]]
        if not all(np.isfinite(value).all() for value in (*values, model.body_pos[k], model.body_quat[k])):
            raise MjcfError(f"body '{name}' has a mass, inertia or pose that is not finite")
        if min(map(np.min, values[:2])) < 0.0:
            raise MjcfError(f"body '{name}' has a negative mass or principal moment of inertia")
    for field in _READ:
        rows = np.asarray(getattr(model, field))
        most = STIFFEST if field.endswith(_OF_FORCES) else LARGEST
        for row in dict.fromkeys(np.argwhere(~(np.abs(rows) <= most))[:, 0]):
            raise MjcfError(
                f"{field}[{row}] of MuJoCo's model is {rows[row]}; numbers up to {most:g} are needed"
            )
    for k, name in enumerate(names.joints):
        turns_or_slides = model.jnt_type[k] in (Joint.HINGE, Joint.SLIDE)
        if turns_or_slides and abs(np.linalg.norm(model.jnt_axis[k]) - 1.0) > UNIT:
            raise MjcfError(f"joint '{name}' has the axis {model.jnt_axis[k]}, whose length is not one")


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


def findings_about(model: Any, names: Names) -> Iterator[Finding]:
    """Yield findings on simulation forces that the graph leaves out, and on implausible joint numbers."""
    gravity = not model.opt.disableflags & Disable.GRAVITY
    for name in _where(names.bodies, lambda k: gravity and model.body_gravcomp[k]):
        text = f"body '{name}' has gravity compensation (gravcomp)"
        yield Finding("gravity compensation", "body", name, text, assumed=IGNORED)
    if model.opt.density or model.opt.viscosity:
        text, assumed = "the medium has density or viscosity", "; its forces are ignored"
        yield Finding("medium", "model", "option", text, assumed=assumed)
    for name in _where(names.joints, lambda k: model.jnt_type[k] == Joint.FREE and _armature(model, k)):
        text, assumed = f"free joint '{name}', which has no drive, has armature", "; it is ignored"
        yield Finding("armature of a free joint", "joint", name, text, assumed=assumed)
    dofs = [names.joints[k] for k in model.dof_jntid]
    for name in dict.fromkeys(_where(dofs, lambda k: _any(model, "dof_dampingpoly", k))):
        text = f"joint '{name}' has damping of higher order"
        yield Finding("damping of higher order", "joint", name, text, assumed=IGNORED)
    for what in ("damping", "frictionloss", "armature"):
        negative = np.flatnonzero(getattr(model, f"dof_{what}") < 0.0)
        for name in dict.fromkeys(dofs[k] for k in negative):
            text = f"joint '{name}' has a negative {what}"
            yield Finding(f"negative {what}", "joint", name, text, assumed=_AS_GIVEN)
    for name in _where(names.joints, lambda k: model.jnt_stiffness[k] < 0.0):
        text = f"joint '{name}' has a negative stiffness"
        yield Finding("negative stiffness", "joint", name, text, assumed=_AS_GIVEN)


def notes_on(model: Any, names: Names) -> list[str]:
    """Return one sentence for each kind of element that a rigid-body model leaves out."""
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
    """Return the names of the elements whose index fulfils a condition."""
    return [name for k, name in enumerate(names) if condition(k)]


def _any(model: Any, field: str, k: int) -> bool:
    """Return whether entry k of a field is nonzero; False if this version of MuJoCo lacks the field."""
    return bool(np.any(getattr(model, field, np.zeros((k + 1, 1)))[k]))


def _armature(model: Any, joint: int) -> bool:
    return bool(model.dof_armature[model.jnt_dofadr[joint]])
