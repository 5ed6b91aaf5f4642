"""Bodies and joints in timor-python's JSON, placed in the module's frame at zero joint positions."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ....algebra import DualQuaternion, rotation_matrix, translation
from ....exceptions import UnsupportedModelError
from ....model import Inertial, JointType
from ....model.changes.checks import checked_inertial
from ....model.inertial import merged
from ....text.numbers import LARGEST, STIFFEST
from ..parts import ModuleBody, ModuleJoint
from .element import Element
from .timor_shapes import shapes_of
from .timor_values import limits_of, matrix, pose_of

__all__ = ["Tree", "bodies_of", "joints_of", "tree_of"]

_TYPES = ("revolute", "continuous", "prismatic", "fixed")
_NEEDED = ("ID", "parent", "child", "type")
_NUMBERS = ("gearRatio", "motorInertia", "frictionCoulomb", "frictionViscous")
_OPTIONAL = ("passive", "poseParent", "poseChild", "limits", *_NUMBERS)


class Tree(NamedTuple):
    """The poses of a module's bodies, and the bodies into which fixed joints merge them.

    Attributes:
        x_module: pose of each body at zero joint positions.
        body_of: the body of the module type that each becomes part of: itself, or one that it is fixed to.
    """

    root: str
    x_module: Mapping[str, DualQuaternion]
    body_of: Mapping[str, str]


def tree_of(
    bodies: Mapping[str, Element], joints: Mapping[str, Element], root: str, x_root: DualQuaternion
) -> Tree:
    """Return the bodies that joints connect with the root body.

    Raises:
        DescriptionError: an unknown body or type, or a body that no joint connects.
    """
    for joint in joints.values():
        _check(joint, bodies)
    x_module, body_of, queue = {root: x_root}, {root: root}, [root]
    while queue:
        body = queue.pop(0)
        for joint in joints.values():
            parent, child = str(joint.item["parent"]), str(joint.item["child"])
            if (body == parent) == (body == child):
                continue
            other = child if body == parent else parent
            if other in x_module:
                continue
            step = pose_of(joint, "poseParent") * pose_of(joint, "poseChild")
            x_module[other] = x_module[body] * (step if body == parent else step.conjugate())
            body_of[other] = body_of[body] if joint.item["type"] == "fixed" else other
            queue.append(other)
    for name, element in bodies.items():
        if name not in x_module:
            raise element.failure("", f": no joint connects this body with body '{root}'")
    return Tree(root, x_module, body_of)


def _check(joint: Element, bodies: Mapping[str, Element]) -> None:
    """Check a joint's keys and values; also those of a fixed one, which have no effect."""
    joint.require(_NEEDED, _OPTIONAL)
    for end in ("parent", "child"):
        if str(joint.item[end]) not in bodies:
            raise joint.wrong(end, f"one of {', '.join(bodies)}")
    if str(joint.item["parent"]) == str(joint.item["child"]):
        raise joint.wrong("child", "another body than the parent")
    joint.choice("type", _TYPES)
    limits_of(joint)
    for key in _NUMBERS:
        is_ratio = key == "gearRatio"
        joint.number(key, least=-LARGEST if is_ratio else 0.0, largest=LARGEST if is_ratio else STIFFEST)
    if (passive := joint.item.get("passive", False)) is True:
        what = joint.failure("passive", " is true; passive joints are not supported")
        raise UnsupportedModelError(str(what))
    if passive is not False:
        raise joint.wrong("passive", "true or false")


def bodies_of(bodies: Mapping[str, Element], tree: Tree) -> dict[str, ModuleBody]:
    """Return the bodies, those that fixed joints connect merged into one."""
    groups: dict[str, list[str]] = {}
    for name in tree.x_module:
        groups.setdefault(tree.body_of[name], []).append(name)
    found: dict[str, ModuleBody] = {}
    for name, members in groups.items():
        parts = [_inertial(bodies[each], alone=len(members) == 1) for each in members]
        own = merged([(part, tree.x_module[each]) for part, each in zip(parts, members, strict=True)])
        shapes = [shape for each in members for shape in shapes_of(bodies[each], tree.x_module[each])]
        with bodies[name].located("inertia"):
            found[name] = ModuleBody(name, own.mass, own.com, own.inertia, tuple(shapes))
    return found


def _inertial(body: Element, alone: bool) -> Inertial:
    """Return mass, centre and inertia; a body not merged (``alone``) is checked by :class:`.ModuleBody`."""
    body.require(("ID",), ("mass", "inertia", "r_com", "connectors", "visual", "collision"))
    mass, com = body.number("mass", least=0.0), body.numbers("r_com", 3, [0.0] * 3)
    inertia = matrix(body, "inertia", 3, 3) if "inertia" in body.item else np.zeros((3, 3))
    if alone:
        return Inertial(mass, np.array(com), inertia)
    with body.located("inertia"):
        return checked_inertial(f"{body.file}: {body.path.rstrip('/')}", mass, com, inertia)


def joints_of(joints: Mapping[str, Element], tree: Tree) -> tuple[ModuleJoint, ...]:
    """Return the joints that move."""
    return tuple(_joint(name, joint, tree) for name, joint in joints.items() if joint.item["type"] != "fixed")


def _joint(name: str, joint: Element, tree: Tree) -> ModuleJoint:
    parent, child = str(joint.item["parent"]), str(joint.item["child"])
    x = tree.x_module[parent] * pose_of(joint, "poseParent")
    ratio, rotor = joint.number("gearRatio", 1.0), joint.number("motorInertia", largest=STIFFEST)
    limits = limits_of(joint)
    with joint.located():
        return ModuleJoint(
            name,
            JointType(joint.item["type"]),
            tree.body_of[parent],
            tree.body_of[child],
            rotation_matrix(x.primary)[:, 2],
            translation(x),
            limits,
            joint.number("frictionViscous", largest=STIFFEST),
            joint.number("frictionCoulomb", largest=STIFFEST),
            armature=ratio**2 * rotor,
        )
