"""The graph of subsystems: a robot, constant after construction."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion
from ..exceptions import StateError
from ..kernels import SMALLEST_NORM, first_not_finite
from .body import Body
from .closure import Gear, LoopJoint, Spring
from .joint import Joint, JointType
from .printing import tree
from .subsystem import Subsystem

__all__ = ["SubsystemGraph"]


@dataclass(frozen=True, eq=False)
class SubsystemGraph:
    """A robot as a tree of subsystems.

    Joints and bodies stand in topological order, subsystem by subsystem: body k is moved by joint k and
    ``parents[k]`` is the body that carries joint k (None: the ground).

    Attributes:
        joint_names: joints with coordinates of their own, in the order of q and v: document order within
            each subsystem. Mimic joints have none; their torque goes to their driver.
        gravity: gravitational acceleration in the root link's frame [m/s^2], shape (3,).
        ground: the root link with everything fixed to it.
        independent: joints chosen by the user as independent; None: all but the passive and geared ones.
        urdf: the text it was read from. floating_base: was a floating root joint added to it?
        warnings: what was accepted but looks wrong. notes: decisions taken on the way.
    """

    #: What `compile` calls. dynamics/ sets it when it is imported: the model comes below the algorithms and
    #: imports none of them, yet `graph.compile()` is a method that users look for.
    generate: ClassVar[Callable[..., Any] | None] = None

    name: str
    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]
    parents: tuple[int | None, ...]
    subsystems: tuple[Subsystem, ...]
    joint_names: tuple[str, ...]
    gravity: NDArray[np.float64]
    ground: Body
    loop_joints: tuple[LoopJoint, ...] = ()
    passive_joints: tuple[str, ...] = ()
    gears: tuple[Gear, ...] = ()
    springs: tuple[Spring, ...] = ()
    independent: tuple[str, ...] | None = None
    urdf: str = field(default="", repr=False)
    floating_base: bool = False
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def nq(self) -> int:
        """Length of a position vector q."""
        return sum(self.joint(name).type.nq for name in self.joint_names)

    @cached_property
    def nv(self) -> int:
        """Length of velocity, acceleration and torque vectors."""
        return sum(self.joint(name).type.nv for name in self.joint_names)

    @cached_property
    def independent_joint_names(self) -> tuple[str, ...]:
        """The joints whose coordinates say how the mechanism stands; its loops determine the others."""
        if self.independent is not None:
            return self.independent
        dependent = {*self.passive_joints, *(gear.joint for gear in self.gears)}
        return tuple(name for name in self.joint_names if name not in dependent)

    def with_independent_joints(self, *names: str) -> SubsystemGraph:
        """The same mechanism by other independent coordinates. Raises StateError: unknown names."""
        for name in names:
            if name not in self.joint_names or names.count(name) > 1:
                raise StateError(
                    f"independent joint '{name}' is named twice or is none of '{self.name}'; "
                    f"its joints: {', '.join(self.joint_names)}"
                )
        return replace(self, independent=tuple(name for name in self.joint_names if name in names))

    @cached_property
    def tree(self) -> SubsystemGraph:
        """The open tree: without loop joints, gears and springs, and all its joints actuated."""
        bare: dict[str, Any] = dict.fromkeys(("loop_joints", "passive_joints", "gears", "springs"), ())
        return replace(self, **bare, independent=None)

    @cached_property
    def _joint_index(self) -> Mapping[str, int]:
        return {joint.name: k for k, joint in enumerate(self.joints)}

    @cached_property
    def _slices(self) -> Mapping[str, tuple[slice, slice]]:
        slices, iq, iv = {}, 0, 0
        for name in self.joint_names:
            kind = self.joint(name).type
            slices[name] = (slice(iq, iq + kind.nq), slice(iv, iv + kind.nv))
            iq, iv = iq + kind.nq, iv + kind.nv
        return slices

    @cached_property
    def _link_owner(self) -> Mapping[str, int | None]:
        owners: dict[str, int | None] = dict.fromkeys(self.ground.links)
        owners.update({link: k for k, body in enumerate(self.bodies) for link in body.links})
        return owners

    @cached_property
    def _link_poses(self) -> Mapping[str, tuple[int | None, DualQuaternion]]:
        poses: dict[str, tuple[int | None, DualQuaternion]] = {}
        for link, x_root_link in self.ground.links.items():
            poses[link] = None, x_root_link
        for k, body in enumerate(self.bodies):
            poses.update({link: (k, x_body_link) for link, x_body_link in body.links.items()})
        for subsystem in self.subsystems:
            carrier = subsystem.connection.body
            poses.update({link: (carrier, x) for link, x in subsystem.fixed_links.items()})
        return poses

    @property
    def links(self) -> tuple[str, ...]:
        """All links: those of the ground, root link first; body by body; those fixed in black boxes."""
        return tuple(self._link_poses)

    def link_pose(self, link: str) -> tuple[int | None, DualQuaternion]:
        """The body that carries a link (None: the ground) and x_body_link. Raises KeyError.

        Other than :meth:`link_body` it knows the links that are fixed in black boxes too.
        """
        if link not in self._link_poses:
            raise KeyError(f"no link '{link}' in '{self.name}'; its links: {', '.join(self._link_poses)}")
        return self._link_poses[link]

    def joint(self, name: str) -> Joint:
        """The joint of that name. Raises KeyError naming the valid choices."""
        return self.joints[self.joint_index(name)]

    def joint_index(self, name: str) -> int:
        """Index of a joint in ``joints``."""
        if name not in self._joint_index:
            raise KeyError(f"no joint '{name}' in '{self.name}'; its joints: {', '.join(self._joint_index)}")
        return self._joint_index[name]

    def subsystem(self, name: str) -> Subsystem:
        """The subsystem of that name. Raises KeyError naming the valid choices."""
        for subsystem in self.subsystems:
            if subsystem.name == name:
                return subsystem
        choices = ", ".join(subsystem.name for subsystem in self.subsystems)
        raise KeyError(f"no subsystem '{name}' in '{self.name}'; its subsystems: {choices}")

    def link_body(self, link: str) -> int | None:
        """Index of the body that a link belongs to; None for the ground. Raises KeyError."""
        if link not in self._link_owner:
            raise KeyError(f"no link '{link}' in '{self.name}'; its links: {', '.join(self._link_owner)}")
        return self._link_owner[link]

    def driver(self, joint: Joint) -> str:
        """Name of the joint whose coordinates move ``joint``: itself, or the one that it mimics."""
        return joint.name if joint.mimic is None else joint.mimic.joint

    def q_slice(self, name: str) -> slice:
        """Where a joint of ``joint_names`` stands in q."""
        return self._slices[name][0]

    def v_slice(self, name: str) -> slice:
        """Where a joint of ``joint_names`` stands in v, vdot and tau."""
        return self._slices[name][1]

    def neutral(self) -> NDArray[np.float64]:
        """q of all zeros, with the unit quaternion for a floating base."""
        q = np.zeros(self.nq)
        for name in self.joint_names:
            if self.joint(name).type is JointType.FLOATING:
                q[self.q_slice(name).start + 3] = 1.0
        return q

    def joint_position(self, joint: Joint, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Position of one joint out of q, mimic joints included."""
        own = q[self.q_slice(self.driver(joint))]
        return own if joint.mimic is None else joint.mimic.multiplier * own + joint.mimic.offset

    def joint_rate(self, joint: Joint, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Velocity of one joint out of v (or acceleration out of vdot), mimic joints included."""
        own = v[self.v_slice(self.driver(joint))]
        return own if joint.mimic is None else joint.mimic.multiplier * own

    def checked(self, **vectors: object) -> list[NDArray[np.float64]]:
        """Named state vectors as float arrays of the right shape, all finite: q has nq numbers, others nv.

        Raises:
            StateError: names the vector, its shape and what is needed, or the joint whose value is bad.
        """
        return [self._checked(name, value) for name, value in vectors.items()]

    def _checked(self, name: str, value: object) -> NDArray[np.float64]:
        needed = self.nq if name == "q" else self.nv
        try:
            if np.iscomplexobj(np.asarray(value)):
                raise TypeError("complex numbers")
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise StateError(f"{name} is not an array of numbers: {error}") from None
        if array.shape != (needed,):
            raise StateError(f"{name} has shape {array.shape}; '{self.name}' needs ({needed},)")
        k = first_not_finite(array)
        if k >= 0:
            where = next(
                n for n in self.joint_names if k in range(*self._slices[n][name != "q"].indices(needed))
            )
            raise StateError(f"{name}[{k}] of joint '{where}' is {array[k]}; a finite number is needed")
        for joint in self.joint_names if name == "q" else ():
            part = self.q_slice(joint)
            if part.stop - part.start == 7 and math.hypot(*array[part][3:]) < SMALLEST_NORM:
                raise StateError(
                    f"q[{part.start + 3}:{part.stop}] of joint '{joint}' is a zero quaternion (w x y z)"
                )
        return array

    def compile(self, progress: Callable[[str], None] | None = None) -> Any:
        """Generate machine code for this robot: unrolled, its constants folded. Used from now on.

        Torques, accelerations, the mass matrix and derivatives, of one state and of many, come from it
        wherever it is faster than the compiled loops, which is measured. Kept on disk
        ($MODULAR_DYNAMICS_CACHE, or the user's cache folder), so that the next process only reads it.
        External wrenches go on through the loops.

        Args:
            progress: called with what is being made.

        Returns:
            A report that can be printed: what was made, how long it took, and what it brings.

        Raises:
            UnsupportedModelError: black boxes, or closed loops.
        """
        if SubsystemGraph.generate is None:
            raise RuntimeError("import modular_dynamics first: a graph alone knows no algorithms")
        return SubsystemGraph.generate(self, progress)

    def __str__(self) -> str:
        return tree(self)
