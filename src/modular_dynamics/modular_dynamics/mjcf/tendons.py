"""Tendons with a spring: straight ones between two sites become springs; others are not supported."""

from collections.abc import Container
from typing import Any

import numpy as np

from ..exceptions import UnsupportedModelError
from ..model import Anchor, Finding, Spring
from .actuators import Actuators, tendon_joints
from .checks import IGNORED
from .codes import Disable, Wrap
from .names import Names, free_name, name_of
from .tree import site_frame

__all__ = ["read_springs"]


def read_springs(
    model: Any, names: Names, actuators: Actuators, taken: Container[str] = ()
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
        name = name_of(model, model.name_tendonadr[k]) or f"tendon_{k}"
        if actuators.tendon_armature[k]:
            raise UnsupportedModelError(f"tendon '{name}' has armature; only joints can have it")
        if model.tendon_stiffness[k] and not no_spring:
            springs.append(_spring(model, names, k, free_name(name, names.joints, taken)))
        elif model.tendon_damping[k]:
            text, assumed = f"tendon '{name}' has damping without stiffness", "; the damping is ignored"
            findings.append(Finding("damping of a tendon", "tendon", name, text, assumed=assumed))
        if np.any(getattr(model, "tendon_dampingpoly", [[]] * model.ntendon)[k]):
            text = f"tendon '{name}' has damping of higher order"
            findings.append(Finding("damping of higher order", "tendon", name, text, assumed=IGNORED))
        if model.tendon_frictionloss[k]:
            text = f"tendon '{name}' has frictionloss"
            findings.append(Finding("friction of a tendon", "tendon", name, text, assumed=IGNORED))
    return tuple(springs), findings


def _spring(model: Any, names: Names, k: int, name: str) -> Spring:
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
