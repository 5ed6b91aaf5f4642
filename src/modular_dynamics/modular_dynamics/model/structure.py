"""The data of a graph of subsystems, and look-ups in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion
from ..exceptions import GraphTypeError, ModelError, StateError, UnknownNameError
from .findings import Finding
from .number_arrays import SMALLEST_NORM, Constant, number_array, read_only
from .subsystem import Body, Gear, Joint, JointType, LoopJoint, Spring, Subsystem


@dataclass(frozen=True, slots=True)
class SourceText:
    """A URDF's text, and which links of a graph were read from it: it has their shapes and colours.

    Attributes:
        prefix: what was put before all its names when the robot was attached to another one.
        links: names in the text, without the prefix, of the links that are still there.
    """

    text: str = field(repr=False)
    prefix: str
    links: frozenset[str]


class CoordinateLayout(NamedTuple):
    """Where the coordinates of joints are in q and v.

    Attributes:
        q, v: indices of the joints with one coordinate, in q and in v; in the same order.
        continuous: indices in v of the continuous joints among them.
        with_quaternion: of each floating or spherical joint: type, slice of q, slice of v.
    """

    q: NDArray[np.int64]
    v: NDArray[np.int64]
    continuous: NDArray[np.int64]
    with_quaternion: tuple[tuple[JointType, slice, slice], ...]


Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Structure(Constant):
    """The data of a robot, and look-ups in them: all that the functions of changes/ need of a graph.

    Its only subclass is :class:`.SubsystemGraph`, which describes the fields. Those functions are methods of
    the subclass, whose file imports them; they import only this file.
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
    warnings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[SourceText, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        self._set(gravity=read_only(self.gravity, (3,), f"the gravity of '{self.name}'"))
        inside = sum(len(subsystem.joints) for subsystem in self.subsystems)
        counts = len(self.joints), len(self.bodies), len(self.parents), inside
        own = {joint.name for joint in self.joints if joint.mimic is None}
        if len({*counts}) > 1 or {*self.joint_names} != own or len(self.joint_names) != len(own):
            raise ModelError(
                f"'{self.name}' has {counts[0]} joints, {counts[1]} bodies, {counts[2]} parents, and "
                f"{inside} joints in subsystems: as many of each are needed, and joint_names must name each "
                "joint that mimics no other once"
            )
        self._set(subsystems=tuple(self._with_members(subsystem) for subsystem in self.subsystems))

    def _with_members(self, subsystem: Subsystem) -> Subsystem:
        """Return the subsystem with its part of the graph's joints and bodies."""
        rows = slice(subsystem.first, subsystem.first + len(subsystem.joints))
        joints, bodies = self.joints[rows], self.bodies[rows]
        is_same = subsystem.joints == joints and subsystem.bodies == bodies
        return subsystem if is_same else replace(subsystem, joints=joints, bodies=bodies)

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

    @cached_property
    def has_loops(self) -> bool:
        """Whether there are loop joints, gears, springs between links, or joints that are not independent."""
        return bool(closing_elements(self))

    @cached_property
    def _joint_index(self) -> Mapping[str, int]:
        return {joint.name: k for k, joint in enumerate(self.joints)}

    @cached_property
    def _subsystem_by_name(self) -> Mapping[str, Subsystem]:
        return {subsystem.name: subsystem for subsystem in self.subsystems}

    @cached_property
    def _slices(self) -> Mapping[str, tuple[slice, slice]]:
        slices, iq, iv = {}, 0, 0
        for name in self.joint_names:
            kind = self.joint(name).type
            nq, nv = kind.nq, kind.nv
            slices[name] = (slice(iq, iq + nq), slice(iv, iv + nv))
            iq, iv = iq + nq, iv + nv
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
        """Return the body that carries a link (None: the ground) and x_body_link. Raises KeyError.

        Unlike `body_of_link` it includes the links that are fixed in black boxes.
        """
        return self._named("link", link, self._link_poses)

    def joint(self, name: str) -> Joint:
        """Return the joint of that name. Raises KeyError naming the valid choices."""
        return self.joints[self.joint_index(name)]

    def joint_index(self, name: str) -> int:
        """Return the index of a joint in ``joints``. Raises KeyError naming the valid choices."""
        return self._named("joint", name, self._joint_index)

    def subsystem(self, name: str) -> Subsystem:
        """Return the subsystem of that name. Raises KeyError naming the valid choices."""
        return self._named("subsystem", name, self._subsystem_by_name)

    def predecessor(self, subsystem: Subsystem) -> Subsystem | None:
        """Return the subsystem that carries another one; None for the ground."""
        return None if subsystem.predecessor is None else self.subsystems[subsystem.predecessor]

    def first_joints(self, subsystem: Subsystem) -> list[int]:
        """Return the indices of a subsystem's joints that start at its connection point."""
        return [k for k in subsystem.indices if self.parents[k] not in subsystem.indices]

    def _named(self, kind: str, name: str, table: Mapping[str, Item]) -> Item:
        """Return table[name]. Raises UnknownNameError: no such name; it has all names of this kind."""
        if not isinstance(name, str) or name not in table:
            raise UnknownNameError(f"no {kind} '{name}' in '{self.name}'; its {kind}s: {', '.join(table)}")
        return table[name]

    def driver(self, joint: Joint) -> str:
        """Return the name of the joint whose coordinates move this one: itself, or the one that it mimics."""
        return joint.name if joint.mimic is None else joint.mimic.joint

    def q_slice(self, name: str) -> slice:
        """Return the slice of q of a joint of ``joint_names``."""
        return self._slices[name][0]

    def v_slice(self, name: str) -> slice:
        """Return the slice of v, accelerations and tau of a joint of ``joint_names``."""
        return self._slices[name][1]

    @cached_property
    def coordinate_layout(self) -> CoordinateLayout:
        """Where the coordinates of joints are in q and v."""
        joints = [
            (self.joint(name).type, self.q_slice(name), self.v_slice(name)) for name in self.joint_names
        ]
        single = [(kind, q.start, v.start) for kind, q, v in joints if kind.nq == 1]
        indices = (
            np.array([q for _, q, _ in single], np.int64),
            np.array([v for _, _, v in single], np.int64),
            np.array([v for kind, _, v in single if kind is JointType.CONTINUOUS], np.int64),
        )
        for array in indices:
            array.flags.writeable = False
        return CoordinateLayout(*indices, tuple(row for row in joints if row[0].nq > 1))

    def neutral(self) -> NDArray[np.float64]:
        """Return q with all zeros and unit quaternions."""
        q = np.zeros(self.nq)
        for name in self.joint_names:
            if (first := self.joint(name).type.quaternion) is not None:
                q[self.q_slice(name).start + first] = 1.0
        return q

    def joint_position(self, joint: Joint, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one joint's position, from q; mimic joints included."""
        own = q[self.q_slice(self.driver(joint))]
        return own if joint.mimic is None else joint.mimic.multiplier * own + joint.mimic.offset

    def joint_rate(self, joint: Joint, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one joint's velocity from v, or acceleration from a; mimic joints included."""
        own = v[self.v_slice(self.driver(joint))]
        return own if joint.mimic is None else joint.mimic.multiplier * own


def body_of_link(graph: Structure, link: str) -> int | None:
    """Return the index of the body that a link belongs to; None for the ground. Raises UnknownNameError."""
    return graph._named("link", link, graph._link_owner)


def checked_vectors(graph: Structure, **vectors: object) -> list[NDArray[np.float64]]:
    """Return named state vectors as float arrays of the right shape, all finite: q has nq numbers, others nv.

    Raises:
        StateError: names the vector, its shape and the needed one, or the joint and its value.
    """
    return [state_array(graph, name, value, rows=False) for name, value in vectors.items()]


@np.errstate(over="ignore")  # of large quaternions
def state_array(graph: Structure, name: str, value: object, *, rows: bool = True) -> NDArray[np.float64]:
    """Return a state vector as a finite float array: (nq,) if its name begins with q, else (nv,).

    Args:
        rows: whether it may have rows, (..., nq) or (..., nv).

    Raises:
        StateError: as of `checked_vectors`.
    """
    is_q, array = name.startswith("q"), number_array(name, value)
    needed, slice_of = (graph.nq, graph.q_slice) if is_q else (graph.nv, graph.v_slice)
    if array.shape[-1:] != (needed,) or (array.ndim > 1 and not rows):
        or_rows = " or rows of it" if rows else ""
        raise StateError(f"{name} has shape {array.shape}; '{graph.name}' needs ({needed},){or_rows}")
    finite = np.isfinite(array)
    if not finite.all():
        index = np.argwhere(~finite)[0].tolist()
        where, number = joint_at(graph, index[-1], slice_of), array[tuple(index)]
        raise StateError(f"{name}{index} of joint '{where}' is {number}; a finite number is needed")
    for _, part, _ in graph.coordinate_layout.with_quaternion if is_q else ():
        if (np.linalg.norm(array[..., part][..., -4:], axis=-1) < SMALLEST_NORM).any():
            joint = next(n for n in graph.joint_names if graph.q_slice(n) == part)
            raise StateError(
                f"{name}[{part.stop - 4}:{part.stop}] of joint '{joint}' is a zero quaternion (w x y z)"
            )
    return array


def joint_at(graph: Structure, index: int, slice_of: Callable[[str], slice]) -> str:
    """Return the joint to which a coordinate belongs; ``slice_of``: the graph's q_slice or v_slice."""
    return next(name for name in graph.joint_names if slice_of(name).start <= index < slice_of(name).stop)


def closing_elements(graph: Structure) -> dict[str, list[str]]:
    """Return the names of loop joints, passive joints, gears and springs, by kind that is present.

    If there are none of these: the joints that the user did not choose as independent, as "dependent joints".
    """
    names = {
        "loop joints": [loop.name for loop in graph.loop_joints],
        "passive joints": list(graph.passive_joints),
        "gears": [gear.joint for gear in graph.gears],
        "springs": [spring.name for spring in graph.springs],
    }
    present = {kind: of_kind for kind, of_kind in names.items() if of_kind}
    if not present and graph.independent is not None:
        left = [name for name in graph.joint_names if name not in graph.independent]
        return {"dependent joints": left} if left else {}
    return present


#: Functions that change a graph return one of the same class.
Graph = TypeVar("Graph", bound=Structure)


def require_graph(graph: object) -> None:
    """Raise GraphTypeError unless it is a SubsystemGraph, and say how to get one."""
    if not isinstance(graph, Structure):
        shown = f" {graph!r:.60}" if isinstance(graph, (str, PathLike)) else ""
        raise GraphTypeError(
            f"an object of type {type(graph).__name__}{shown} is given where a SubsystemGraph is needed; "
            "graph = md.load_urdf(path) reads one"
        )
