"""Vectors of a graph in another order of joints, with other coordinates, and back."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra import quaternion_product, rotated, translation, unit_quaternion
from ..algebra.rigid_motions import conjugate
from ..exceptions import StateError, UnsupportedModelError
from .graph import SubsystemGraph
from .number_arrays import number_array
from .structure import require_graph, state_array
from .subsystem import Joint, JointType

__all__ = ["JointOrder", "from_mujoco", "from_names", "from_pinocchio"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Entry:
    """A joint of the other order.

    Attributes:
        name: its name in the other library.
        joint: name of the graph's joint; None: the graph has no such joint.
        q, v: slices of its coordinates and velocities in the other library's vectors.
        as_direction: its angle is a pair (cos, sin). scalar_last: its quaternion is x y z w.
        in_world: of a floating joint: its pose is in the world, and its linear velocity in the world's axes;
            otherwise the pose is in the joint's frame in the parent, the velocity in the body's axes.
    """

    name: str
    joint: str | None
    q: slice
    v: slice
    as_direction: bool = False
    scalar_last: bool = False
    in_world: bool = False


@dataclass(frozen=True, eq=False)
class JointOrder:
    """Conversion of vectors between a graph and another order of its joints; all take rows, too.

    Arguments without a prefix are in the graph's order. A joint that mimics another has no coordinate in the
    graph: where it has one in the other order, `to_q` and `to_v` write the value that it follows, `to_tau`
    writes zero, since its driver's torque includes its own; `from_q` and `from_v` read the driver's value,
    and `from_tau` adds its torque, times its multiplier, to its driver's.

    Attributes:
        entries: the joints of the other order. nq, nv: lengths of its vectors.
        extra: its joints that the graph does not have; `to_...` then needs ``others``. `from_...` does not
            read them.
        missing: joints of the graph that it does not have; `from_...` then needs ``others``. `to_...` does
            not write them.
    """

    graph: SubsystemGraph
    entries: tuple[Entry, ...]
    nq: int
    nv: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints in the other order."""
        return tuple(entry.name for entry in self.entries)

    @property
    def extra(self) -> tuple[str, ...]:
        """Names in the other order that the graph does not have."""
        return tuple(entry.name for entry in self.entries if entry.joint is None)

    @property
    def missing(self) -> tuple[str, ...]:
        """Joints of the graph, with coordinates of their own, that the other order does not have."""
        present = {entry.joint for entry in self.entries}
        return tuple(name for name in self.graph.joint_names if name not in present)

    def to_q(self, q: ArrayLike, others: ArrayLike | None = None) -> Array:
        """Return positions (nq,) or rows, from the graph's order into the other. ``others``: see ``extra``.

        Raises:
            StateError: a wrong shape, a number that is not finite, or extra joints without ``others``.
        """
        ours = state_array(self.graph, "q", q)
        theirs = self._filled(others, self.extra, self.nq, ours.shape[:-1])
        for entry, joint in self._matched():
            own = ours[..., self.graph.q_slice(self.graph.driver(joint))]
            if joint.mimic is not None:
                own = joint.mimic.multiplier * own + joint.mimic.offset
            theirs[..., entry.q] = _to_position(entry, joint, own)
        return theirs

    def from_q(self, theirs: ArrayLike, others: ArrayLike | None = None) -> Array:
        """Return positions (nq,) or rows, from the other order into the graph's. ``others``: see ``missing``.

        Raises:
            StateError: a wrong shape, a number that is not finite, or missing joints without ``others``.
        """
        array = self._checked("positions", theirs, self.nq)
        ours = self._filled(others, self.missing, self.graph.nq, array.shape[:-1])
        for entry, joint in self._matched():
            if joint.mimic is None:
                ours[..., self.graph.q_slice(joint.name)] = _from_position(entry, joint, array[..., entry.q])
        return state_array(self.graph, "q", ours)

    def to_v(self, v: ArrayLike, q: ArrayLike | None = None, others: ArrayLike | None = None) -> Array:
        """Return velocities (nv,) or rows, into the other order.

        Args:
            q: positions in the graph's order; needed where the other order has floating joints in the world's
                axes, as MuJoCo does.
            others: see ``extra``.

        Raises:
            StateError: as of `to_q`, or q is needed.
        """
        ours = state_array(self.graph, "v", v)
        theirs = self._filled(others, self.extra, self.nv, ours.shape[:-1])
        for entry, joint in self._matched():
            scale = 1.0 if joint.mimic is None else joint.mimic.multiplier
            own = scale * ours[..., self.graph.v_slice(self.graph.driver(joint))]
            theirs[..., entry.v] = self._turned(entry, joint, own, q)
        return theirs

    def from_v(self, theirs: ArrayLike, q: ArrayLike | None = None, others: ArrayLike | None = None) -> Array:
        """Return velocities (nv,) or rows, into the graph's order. Arguments, errors: `to_v`, `from_q`."""
        array = self._checked("velocities", theirs, self.nv)
        ours = self._filled(others, self.missing, self.graph.nv, array.shape[:-1])
        for entry, joint in self._matched():
            if joint.mimic is None:
                own = self._turned(entry, joint, array[..., entry.v], q, back=True)
                ours[..., self.graph.v_slice(joint.name)] = own
        return ours

    def to_a(
        self,
        a: ArrayLike,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        others: ArrayLike | None = None,
    ) -> Array:
        """Return accelerations (nv,) or rows, into the other order: the derivative of `to_v`.

        Args:
            q, v: positions and velocities in the graph's order, needed where `to_v` needs q.
            others: see ``extra``.

        Raises:
            StateError: as of `to_v`, or v is needed.
        """
        return self.to_v(self._with_drift(state_array(self.graph, "a", a), v, 1.0), q, others)

    def from_a(
        self,
        theirs: ArrayLike,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        others: ArrayLike | None = None,
    ) -> Array:
        """Return accelerations (nv,) or rows, into the graph's order. Arguments and errors as of `to_a`."""
        return self._with_drift(self.from_v(theirs, q, others), v, -1.0)

    def to_tau(self, tau: ArrayLike, q: ArrayLike | None = None, others: ArrayLike | None = None) -> Array:
        """Return torques (nv,) or rows, into the other order. Arguments and errors as of `to_v`."""
        ours = state_array(self.graph, "tau", tau)
        theirs = self._filled(others, self.extra, self.nv, ours.shape[:-1])
        for entry, joint in self._matched():
            theirs[..., entry.v] = 0.0
            if joint.mimic is None:
                own = ours[..., self.graph.v_slice(joint.name)]
                theirs[..., entry.v] = self._turned(entry, joint, own, q)
        return theirs

    def from_tau(
        self, theirs: ArrayLike, q: ArrayLike | None = None, others: ArrayLike | None = None
    ) -> Array:
        """Return torques (nv,) or rows, into the graph's order. Arguments and errors as of `from_v`."""
        array = self._checked("torques", theirs, self.nv)
        ours = self.from_v(array, q, others)
        for entry, joint in self._matched():
            if joint.mimic is not None:
                driver = self.graph.v_slice(joint.mimic.joint)
                ours[..., driver] += joint.mimic.multiplier * array[..., entry.v]
        return ours

    def _matched(self) -> list[tuple[Entry, Joint]]:
        """Return the entries of joints that the graph has, with those joints."""
        return [(entry, self.graph.joint(entry.joint)) for entry in self.entries if entry.joint is not None]

    def _checked(self, what: str, theirs: ArrayLike, size: int) -> Array:
        """Return a vector of the other order, finite where the graph has the joint. Raises StateError."""
        array = number_array(what, theirs, "are")
        if array.shape[-1:] != (size,):
            raise StateError(f"{what} have shape {array.shape}; ({size},) or rows of it are needed")
        for entry, _ in self._matched():
            part = array[..., entry.q if what == "positions" else entry.v]
            if not np.isfinite(part).all():
                raise StateError(f"{what}: those of joint '{entry.name}' are not finite")
        return array

    def _filled(
        self, others: ArrayLike | None, unknown: tuple[str, ...], size: int, rows: tuple[int, ...]
    ) -> Array:
        """Return a copy of ``others``, or zeros, with the given number of rows."""
        if unknown and others is None:
            raise StateError(
                f"no values are known of {', '.join(unknown)}; others, ({size},) with these, is needed"
            )
        base = np.zeros(size) if others is None else number_array("others", others)
        if base.shape[-1:] != (size,):
            raise StateError(f"others has shape {base.shape}; ({size},) or rows of it are needed")
        return np.broadcast_to(base, (*rows, size)).copy()

    def _turned(
        self, entry: Entry, joint: Joint, own: Array, q: ArrayLike | None, back: bool = False
    ) -> Array:
        """Return a velocity or wrench, linear part turned to the other order's axes; ``back``: to ours."""
        if not entry.in_world or joint.type is not JointType.FLOATING:
            return own
        if q is None:
            raise StateError(
                f"the velocities of floating joint '{joint.name}' are in the world's axes there: q is needed"
            )
        r = unit_quaternion(state_array(self.graph, "q", q)[..., self.graph.q_slice(joint.name)][..., 3:])
        r = quaternion_product(_quaternion(joint), r)
        return np.concatenate([rotated(conjugate(r) if back else r, own[..., :3]), own[..., 3:]], axis=-1)

    def _with_drift(self, a: Array, v: ArrayLike | None, sign: float) -> Array:
        """Return a with sign * (omega x v) added to floating joints' linear part: their axes turn."""
        result = a.copy()
        for entry, joint in self._matched():
            if entry.in_world and joint.type is JointType.FLOATING:
                if v is None:
                    raise StateError(f"accelerations of floating joint '{joint.name}': v is needed")
                where = self.graph.v_slice(joint.name)
                twist = state_array(self.graph, "v", v)[..., where]
                drift = np.cross(twist[..., 3:], twist[..., :3])
                result[..., where.start : where.start + 3] += sign * drift
        return result


def _quaternion(joint: Joint) -> Array:
    """Return the rotation w x y z (4,) of the joint's frame in its parent."""
    return joint.x_parent_joint.vec8()[:4]


def _to_position(entry: Entry, joint: Joint, own: Array) -> Array:
    """Return a joint's position, given as in the graph, as in the other order."""
    if joint.type.nq == 1:
        return np.concatenate([np.cos(own), np.sin(own)], axis=-1) if entry.as_direction else own
    position, r = own[..., :-4], unit_quaternion(own[..., -4:])
    if entry.in_world and joint.type is JointType.FLOATING:
        fixed = _quaternion(joint)
        position = translation(joint.x_parent_joint) + rotated(fixed, position)
        r = quaternion_product(fixed, r)
    return np.concatenate([position, np.roll(r, -1, axis=-1) if entry.scalar_last else r], axis=-1)


def _from_position(entry: Entry, joint: Joint, own: Array) -> Array:
    """Return a joint's position, given as in the other order, as in the graph."""
    if joint.type.nq == 1:
        return np.arctan2(own[..., 1:], own[..., :1]) if entry.as_direction else own
    position, r = own[..., :-4], own[..., -4:]
    r = np.roll(r, 1, axis=-1) if entry.scalar_last else r
    if entry.in_world and joint.type is JointType.FLOATING:
        back = conjugate(_quaternion(joint))
        position = rotated(back, position - translation(joint.x_parent_joint))
        r = quaternion_product(back, r)
    return np.concatenate([position, r], axis=-1)


# The orders of Pinocchio's and MuJoCo's models, read by their attributes without an import, and of names.

#: nq and nv by MuJoCo's number of a joint type (mjtJoint): free, ball, slide, hinge.
_MUJOCO_SIZES = ((7, 6), (4, 3), (1, 1), (1, 1))


def from_names(graph: SubsystemGraph, names: Iterable[str]) -> JointOrder:
    """Return the order of a list of joint names, one number each, as in ``JointState.name``.

    Joints with several coordinates cannot be in it: they are ``missing``.

    Raises:
        StateError: no sequence of names, a name twice, or that of a joint with several coordinates.
    """
    require_graph(graph)
    listed = tuple(names) if isinstance(names, Iterable) and not isinstance(names, str) else (names,)
    if isinstance(names, str) or not all(isinstance(name, str) for name in listed):
        raise StateError(f"names is {names!r}; a sequence of joint names is needed")
    if twice := [name for name in listed if listed.count(name) > 1]:
        raise StateError(f"joint '{twice[0]}' is named twice; each name must be there once")
    entries = []
    for k, name in enumerate(listed):
        known = any(joint.name == name for joint in graph.joints)
        _check_sizes(graph, name, name if known else None, (1, 1))
        entries.append(Entry(name, name if known else None, slice(k, k + 1), slice(k, k + 1)))
    return JointOrder(graph, tuple(entries), len(listed), len(listed))


def from_pinocchio(graph: SubsystemGraph, model: Any) -> JointOrder:
    """Return the order of a ``pinocchio.Model``: quaternions x y z w, continuous joints as (cos, sin).

    Angles converted back from (cos, sin) are between -pi and pi. Joints are matched by name; if exactly one
    floating joint of each side has no match, these two are matched as well.

    Raises:
        UnsupportedModelError: a joint of the model has coordinates that no joint of a graph has.
        StateError: another kind of model, or joints of one name have different coordinates.
    """
    require_graph(graph)
    _raise_if_other(model, "njoints", "pinocchio.Model")
    rows = []
    for k in range(1, model.njoints):
        size, kind = (int(model.nqs[k]), int(model.nvs[k])), model.joints[k].shortname()
        if size == (0, 0):  # Pinocchio's mimic joint has no coordinates
            continue
        if size not in {(1, 1), (2, 1), (7, 6), (4, 3)} or (size == (4, 3) and "Spherical" not in kind):
            raise UnsupportedModelError(
                f"joint '{model.names[k]}' of the Pinocchio model is a {kind}; graphs have joints with one "
                "coordinate, spherical and floating ones"
            )
        rows.append((str(model.names[k]), size, int(model.idx_qs[k]), int(model.idx_vs[k])))
    return _order(graph, rows, (int(model.nq), int(model.nv)), scalar_last=True)


def from_mujoco(graph: SubsystemGraph, model: Any) -> JointOrder:
    """Return the order of a ``mujoco.MjModel``: a free joint's pose and linear velocity are in world axes.

    Its angular velocity, and a ball joint's, are in the body's axes, as in a graph. Joints are matched by
    name, those without one as `load_mjcf` names them; if exactly one free joint of each side has no match,
    these two are matched as well. The world must be the graph's root link.

    Raises:
        StateError: another kind of model, or joints of one name have different coordinates.
    """
    require_graph(graph)
    _raise_if_other(model, "njnt", "mujoco.MjModel")
    sizes = (_MUJOCO_SIZES[int(kind)] for kind in model.jnt_type)
    names = names_of_mujoco(model).joints
    rows = zip(names, sizes, map(int, model.jnt_qposadr), map(int, model.jnt_dofadr), strict=True)
    return _order(graph, [*rows], (int(model.nq), int(model.nv)), in_world=True)


@dataclass(frozen=True)
class Names:
    """Names of a MuJoCo model's elements by its index; all different.

    Attributes:
        bodies: (nbody,); body 0 is the world. joints: (njnt,); an unnamed joint is named after its body.
    """

    bodies: tuple[str, ...]
    joints: tuple[str, ...]


def names_of_mujoco(model: Any) -> Names:
    """Return the names of a ``mujoco.MjModel``'s bodies and joints; those without one get one."""
    given = [name_in_mujoco(model, model.name_bodyadr[k]) for k in range(model.nbody)]
    bodies = _unique(given, [f"body_{k}" for k in range(model.nbody)])
    joints = [name_in_mujoco(model, model.name_jntadr[k]) for k in range(model.njnt)]
    return Names(bodies, _unique(joints, [f"{bodies[k]}_joint" for k in model.jnt_bodyid]))


def name_in_mujoco(model: Any, address: int) -> str:
    """Return the name at an address of the model's table of names; empty if the element has none."""
    table: bytes = model.names
    return table[address : table.index(b"\0", address)].decode()


def _unique(given: list[str], otherwise: list[str]) -> tuple[str, ...]:
    """Return the given names; an empty one is replaced by ``otherwise``, numbered if that is taken."""
    taken, names = set(given), list[str]()
    for name, other in zip(given, otherwise, strict=True):
        chosen, count = name or other, 2
        while not name and chosen in taken:
            chosen, count = f"{other}_{count}", count + 1
        taken.add(chosen)
        names.append(chosen)
    return tuple(names)


def _raise_if_other(model: Any, attribute: str, kind: str) -> None:
    """Raise StateError where the model has no such attribute, and so is not of this kind."""
    if not hasattr(model, attribute):
        raise StateError(f"the model is {type(model).__name__}; a {kind} is needed")


def _order(
    graph: SubsystemGraph,
    rows: list[tuple[str, tuple[int, int], int, int]],
    lengths: tuple[int, int],
    scalar_last: bool = False,
    in_world: bool = False,
) -> JointOrder:
    """Return the order of another model.

    Args:
        rows: of each of its joints the name, (nq, nv), and where these begin. lengths: nq, nv of the model.
        scalar_last, in_world: of all its entries.
    """
    ours = {joint.name: joint for joint in graph.joints}
    theirs = {name for name, *_ in rows}
    left = [name for name, joint in ours.items() if joint.type.nq == 7 and name not in theirs]
    left_there = [name for name, size, *_ in rows if size == (7, 6) and name not in ours]
    renamed = {left_there[0]: left[0]} if len(left) == len(left_there) == 1 else {}
    entries = []
    for name, size, first_q, first_v in rows:
        joint = name if name in ours else renamed.get(name)
        _check_sizes(graph, name, joint, size)
        where = slice(first_q, first_q + size[0]), slice(first_v, first_v + size[1])
        entries.append(Entry(name, joint, *where, size == (2, 1), scalar_last, in_world))
    return JointOrder(graph, tuple(entries), *lengths)


def _check_sizes(graph: SubsystemGraph, name: str, joint: str | None, size: tuple[int, int]) -> None:
    """Raise StateError where the graph's joint (None: it has none) has another nv than ``size`` (nq, nv)."""
    if joint is None:
        return
    kind = graph.joint(joint).type
    if kind.nv != size[1]:
        raise StateError(
            f"joint '{name}' has {size[1]} velocities in the other order and {kind.nv} in '{graph.name}', "
            f"where it is {kind.value}; the same type of joint is needed"
        )
