"""How modules are connected: dockings, and the mount of the base."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...exceptions import ModelError
from ...model import JointType, Limits
from ..modules.equality import is_same
from ..modules.module_type import ENTRY, ModuleJoint, Step
from ..names import NAME, is_name, shown

__all__ = ["FIXED", "FLOATING", "Docking", "Mount", "virtual_joint"]


class Docking(NamedTuple):
    """Port ``port`` of ``module`` docked at ``parent_port`` of ``parent``, the one nearer to the base.

    ``turn``: quarter turns about the parent port's normal; 0 keeps the tops of both modules on one side.
    """

    parent: str
    parent_port: str
    module: str
    port: str
    turn: int = 0


@dataclass(frozen=True, eq=False)
class Mount:
    """How the base module stands in the world: fixed, floating, or on virtual joints, in this order.

    Virtual joints move the base (Meister & Gutenkunst, section V.B); massless bodies lie between them.
    """

    floating: bool = False
    virtual_joints: tuple[ModuleJoint, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mount):
            return NotImplemented
        return is_same(self, other)

    def __hash__(self) -> int:
        return hash((self.floating, len(self.virtual_joints)))

    def steps(self, root: str) -> tuple[Step, ...]:
        """Return the joints from the world to the root body of the base."""
        names = [joint.name for joint in self.virtual_joints]
        children = [*names[:-1], root]
        return tuple(
            Step(joint, ENTRY if k == 0 else names[k - 1], children[k], False)
            for k, joint in enumerate(self.virtual_joints)
        )


#: Types of virtual joints.
_VIRTUAL = (JointType.PRISMATIC, JointType.REVOLUTE, JointType.CONTINUOUS)
FIXED = Mount()
FLOATING = Mount(floating=True)


def virtual_joint(
    name: str, kind: str, axis: ArrayLike, *, limits: Limits | None = None, damping: float = 0.0
) -> ModuleJoint:
    """Return a virtual joint that moves the base: "prismatic", "revolute" or "continuous", by ``axis``.

    Args:
        axis: in the world's frame at zero joint positions, shape (3,); made a unit vector.

    Raises:
        ModelError: no name, another kind, an axis of zero length, other limits or damping than these.
    """
    _require_name(name)
    kinds = [each.value for each in _VIRTUAL]
    if not isinstance(kind, str) or kind not in kinds:
        raise ModelError(f"virtual joint '{name}' is {kind!r}; needed is one of {', '.join(kinds)}")
    try:
        direction = np.array(axis, float)
    except (TypeError, ValueError):
        direction = np.empty(0)
    if (
        direction.shape != (3,)
        or not np.isfinite(direction).all()
        or not (length := np.linalg.norm(direction))
    ):
        raise ModelError(
            f"the axis of virtual joint '{name}' is {axis!r}; three finite numbers, not all 0, are needed"
        )
    if limits is not None and not isinstance(limits, Limits):
        raise ModelError(f"the limits of virtual joint '{name}' are {limits!r}; a Limits is needed")
    if not isinstance(damping, (int, float)) or not 0.0 <= damping < np.inf:
        raise ModelError(f"the damping of virtual joint '{name}' is {damping!r}; a number from 0 is needed")
    return ModuleJoint(
        name, JointType(kind), ENTRY, name, direction / length, limits=limits or Limits(), damping=damping
    )


def checked_mount(mount: object, base: str, bodies: Iterable[str]) -> Mount:
    """Return the mount given as "fixed", "floating", a Mount, or virtual joints in order.

    Args:
        base: the base module. bodies: names of its bodies.

    Raises:
        ModelError: anything else; virtual joints of one name, of other types, or without an axis.
    """
    if isinstance(mount, str) and mount in ("fixed", "floating"):
        return FLOATING if mount == "floating" else FIXED
    if isinstance(mount, (list, tuple)) and mount:
        mount = Mount(virtual_joints=tuple(mount))
    if not isinstance(mount, Mount):
        raise ModelError(f"the mount is {mount!r}; needed is fixed, floating, or a list of virtual joints")
    if mount.floating and mount.virtual_joints:
        raise ModelError("the mount is floating and has virtual joints; needed is one of both")
    names = [*bodies]  # a link between virtual joints has the name of a joint
    for joint in mount.virtual_joints:
        if not isinstance(joint, ModuleJoint):
            raise ModelError(f"the mount has {joint!r}; virtual joints are made by virtual_joint()")
        _require_name(joint.name)
        if joint.name in names:
            raise ModelError(
                f"virtual joint '{joint.name}' of module '{base}' has the name of another one, or of "
                "one of its bodies"
            )
        if joint.type not in _VIRTUAL or joint.axis is None:
            raise ModelError(
                f"virtual joint '{joint.name}' of module '{base}' is {joint.type.value}, about the axis "
                f"{joint.axis}; needed is prismatic, revolute or continuous, with an axis"
            )
        names.append(joint.name)
    return mount


def _require_name(name: object) -> None:
    if not is_name(name):
        raise ModelError(f"a virtual joint's name is {shown(name)}; {NAME} is needed")
