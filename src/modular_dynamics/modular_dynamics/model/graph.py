"""The graph of subsystems: a robot, constant after construction."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion
from ..exceptions import StateError
from ..kernels import SMALLEST_NORM, first_not_finite
from .closure import Gear, LoopJoint, Spring
from .printing import tree_lines
from .subsystem import Body, Joint, JointType, Subsystem

__all__ = ["SubsystemGraph", "register_compiler"]

Item = TypeVar("Item")
#: (graph, progress) -> report: what `graph.compile` calls.
Compiler = Callable[["SubsystemGraph", Callable[[str], None] | None], Any]
_compilers: list[Compiler] = []  # the last one counts


def register_compiler(compiler: Compiler) -> Compiler:
    """Decorator of what `graph.compile` calls: it is in dynamics/, which the model cannot import."""
    _compilers.append(compiler)
    return compiler


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
        independent: joints that the user chose as independent; None: all except passive and geared ones.
        urdf: the text from which it was read. floating_base: whether a floating root joint was added.
        warnings: what was accepted although it looks wrong. notes: decisions of the reader.
    """

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
        """The joints whose coordinates determine the configuration; the loops determine the others."""
        if self.independent is not None:
            return self.independent
        dependent = {*self.passive_joints, *(gear.joint for gear in self.gears)}
        return tuple(name for name in self.joint_names if name not in dependent)

    def with_independent_joints(self, *names: str) -> SubsystemGraph:
        """The same mechanism with other independent joints. Raises StateError: unknown names."""
        for name in names:
            if name not in self.joint_names or names.count(name) > 1:
                raise StateError(
                    f"independent joint '{name}' is named twice or is no joint of '{self.name}'; "
                    f"its joints: {', '.join(self.joint_names)}"
                )
        return replace(self, independent=tuple(name for name in self.joint_names if name in names))

    @cached_property
    def tree(self) -> SubsystemGraph:
        """The open tree: without loop joints, gears and springs, with all joints actuated."""
        bare: dict[str, Any] = dict.fromkeys(("loop_joints", "passive_joints", "gears", "springs"), ())
        return replace(self, **bare, independent=None)

    @property
    def closing_elements(self) -> dict[str, list[str]]:
        """Names of loop joints, passive joints, gears and springs, by kind; without kinds that are absent."""
        names = {
            "loop joints": [loop.name for loop in self.loop_joints],
            "passive joints": list(self.passive_joints),
            "gears": [gear.joint for gear in self.gears],
            "springs": [spring.name for spring in self.springs],
        }
        return {kind: of_kind for kind, of_kind in names.items() if of_kind}

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
        for k, body in ((None, self.ground), *enumerate(self.bodies)):
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

        Unlike :meth:`link_body` it includes the links that are fixed in black boxes.
        """
        return self._named("link", link, self._link_poses)

    def joint(self, name: str) -> Joint:
        """The joint of that name. Raises KeyError naming the valid choices."""
        return self.joints[self.joint_index(name)]

    def joint_index(self, name: str) -> int:
        """Index of a joint in ``joints``."""
        return self._named("joint", name, self._joint_index)

    def subsystem(self, name: str) -> Subsystem:
        """The subsystem of that name. Raises KeyError naming the valid choices."""
        return self._named("subsystem", name, {subsystem.name: subsystem for subsystem in self.subsystems})

    def predecessor(self, subsystem: Subsystem) -> Subsystem | None:
        """The subsystem that carries another one; None for the ground."""
        return None if subsystem.predecessor is None else self.subsystems[subsystem.predecessor]

    def link_body(self, link: str) -> int | None:
        """Index of the body that a link belongs to; None for the ground. Raises KeyError."""
        return self._named("link", link, self._link_owner)

    def _named(self, kind: str, name: str, table: Mapping[str, Item]) -> Item:
        if name not in table:
            raise KeyError(f"no {kind} '{name}' in '{self.name}'; its {kind}s: {', '.join(table)}")
        return table[name]

    def driver(self, joint: Joint) -> str:
        """Name of the joint whose coordinates move ``joint``: itself, or the one that it mimics."""
        return joint.name if joint.mimic is None else joint.mimic.joint

    def q_slice(self, name: str) -> slice:
        """The slice of q of a joint of ``joint_names``."""
        return self._slices[name][0]

    def v_slice(self, name: str) -> slice:
        """The slice of v, vdot and tau of a joint of ``joint_names``."""
        return self._slices[name][1]

    def neutral(self) -> NDArray[np.float64]:
        """q of all zeros, with the unit quaternion for a floating base."""
        q = np.zeros(self.nq)
        for name in self.joint_names:
            if self.joint(name).type is JointType.FLOATING:
                q[self.q_slice(name).start + 3] = 1.0
        return q

    def joint_position(self, joint: Joint, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Position of one joint, from q; mimic joints included."""
        own = q[self.q_slice(self.driver(joint))]
        return own if joint.mimic is None else joint.mimic.multiplier * own + joint.mimic.offset

    def joint_rate(self, joint: Joint, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Velocity of one joint, from v (or acceleration, from vdot); mimic joints included."""
        own = v[self.v_slice(self.driver(joint))]
        return own if joint.mimic is None else joint.mimic.multiplier * own

    def checked(self, **vectors: object) -> list[NDArray[np.float64]]:
        """Named state vectors as float arrays of the right shape, all finite: q has nq numbers, others nv.

        Raises:
            StateError: names the vector, its shape and the needed one, or the joint and its value.
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

        Torques, accelerations, the mass matrix and derivatives, of one state and of many, are computed by
        it unless the robot needs so many operations that the compiled loops are faster. That is a matter of
        their number, not of times measured here, so that results are the same to the bit in every process.
        The code is kept on disk ($MODULAR_DYNAMICS_CACHE, or the user's cache folder), so that the next
        process only reads it. With external wrenches the loops are used.

        Args:
            progress: called with the name of each piece before it is made, and before the first with a line
                for each algorithm whose loops stay. By default lines on stderr where that is a terminal.

        Returns:
            A report that can be printed: what was made, how long it took, and how much faster it is.

        Raises:
            UnsupportedModelError: black boxes, or closed loops.
        """
        if not _compilers:
            raise RuntimeError("import modular_dynamics first: it registers what graph.compile() calls")
        return _compilers[-1](self, progress)

    def __str__(self) -> str:
        heading = (
            f"{self.name}: {len(self.subsystems)} subsystems, {len(self.joints)} moving joints, "
            f"nq = {self.nq}, nv = {self.nv}, moving mass {sum(body.mass for body in self.bodies):.6g} kg"
        )
        closing = (f"{kind}: {', '.join(names)}" for kind, names in self.closing_elements.items())
        return "\n".join([heading, *tree_lines(self.subsystems), *closing])
