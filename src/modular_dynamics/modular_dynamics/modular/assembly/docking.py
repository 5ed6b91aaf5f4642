"""How modules are connected: dockings, and the mount of the base."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...exceptions import ModelError
from ...model import JointType, Limits
from ..modules.module_type import ENTRY, ModuleJoint, Step

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


@dataclass(frozen=True)
class Mount:
    """How the base module stands in the world: fixed, floating, or on virtual joints, in this order.

    Virtual joints move the base (Meister & Gutenkunst, section V.B); massless bodies lie between them.
    """

    floating: bool = False
    virtual_joints: tuple[ModuleJoint, ...] = ()

    def steps(self, root: str) -> tuple[Step, ...]:
        """The joints from the world to the root body of the base."""
        names = [joint.name for joint in self.virtual_joints]
        children = [*names[:-1], root]
        return tuple(
            Step(joint, ENTRY if k == 0 else names[k - 1], children[k], False)
            for k, joint in enumerate(self.virtual_joints)
        )


FIXED = Mount()
FLOATING = Mount(floating=True)


def virtual_joint(
    name: str, kind: str, axis: ArrayLike, *, limits: Limits | None = None, damping: float = 0.0
) -> ModuleJoint:
    """A virtual joint that moves the base: "prismatic", "revolute" or "continuous", along or about ``axis``.

    Args:
        axis: in the world's frame at zero joint positions, shape (3,); made a unit vector.

    Raises:
        ModelError: another kind; an axis of zero length.
    """
    kinds = [JointType.PRISMATIC.value, JointType.REVOLUTE.value, JointType.CONTINUOUS.value]
    if kind not in kinds:
        raise ModelError(f"virtual joint '{name}' is '{kind}'; needed is one of {', '.join(kinds)}")
    direction = np.asarray(axis, float)
    if (
        direction.shape != (3,)
        or not np.isfinite(direction).all()
        or not (length := np.linalg.norm(direction))
    ):
        raise ModelError(
            f"the axis of virtual joint '{name}' is {axis!r}; three finite numbers, not all 0, are needed"
        )
    return ModuleJoint(
        name, JointType(kind), ENTRY, name, direction / length, limits=limits or Limits(), damping=damping
    )


def checked_mount(mount: Mount | str | Sequence[ModuleJoint]) -> Mount:
    """A mount given as "fixed", "floating", a Mount, or virtual joints in order. Raises ModelError."""
    if isinstance(mount, Mount):
        return mount
    if isinstance(mount, str):
        if mount not in ("fixed", "floating"):
            raise ModelError(
                f"the mount is '{mount}'; needed is fixed, floating, or a list of virtual joints"
            )
        return FLOATING if mount == "floating" else FIXED
    joints = tuple(mount)
    if not joints or not all(isinstance(joint, ModuleJoint) for joint in joints):
        raise ModelError(f"the mount is {mount!r}; needed is fixed, floating, or a list of virtual joints")
    return Mount(virtual_joints=joints)
