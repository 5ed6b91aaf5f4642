"""Inverse dynamics: the face of the Newton-Euler kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..algebra import DualQuaternion, adjoint
from ..exceptions import StateError
from ..kernels import entries_are_direct, entry, layout
from ..model import JointType, Subsystem, SubsystemGraph, black_box_wrenches, body_loads, refuse_closures
from .algorithms import DOUBLE, INVERSE_DYNAMICS
from .arrays import (
    alignments_of,
    body_to_aligned,
    checked_out,
    constants_of,
    converted,
    rows_of,
    topology_of,
    work_of,
)
from .batch import Batch, Progress
from .generated import with_code

__all__ = ["InverseDynamics", "inverse_dynamics", "inverse_dynamics_batch"]

Wrenches = Mapping[str, ArrayLike] | None


class InverseDynamics:
    """Inverse dynamics of one graph with everything allocated and compiled beforehand.

    The first one on a machine takes the seconds that compiling needs; later ones load the result from disk.

    Calling it gives tau; afterwards the wrenches of that call can be read. Not for several threads at once.

    Args:
        wrenches: are they to be read? Without them code that `graph.compile` generated may do the work.

    Attributes:
        tagged: names of the black boxes of the graph.
        compute: the same for float64 arrays (q, v, vdot, tau) and no wrenches: the kernel itself
            (kernels/entry). Returns its status, 0 when tau is written.

    Raises:
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """

    def __init__(self, graph: SubsystemGraph, wrenches: bool = True) -> None:
        refuse_closures(graph, "inverse dynamics")
        self.graph = graph
        self._constants = constants_of(graph)
        self._buffer = work_of(graph)
        self._work = rows_of(self._buffer, len(graph.joints))
        self.tagged = frozenset(s.name for s in graph.subsystems if s.black_box)
        self._plain = topology_of(graph, self.tagged)
        if not wrenches:
            self._plain = with_code(graph, INVERSE_DYNAMICS, "single", DOUBLE, self._plain)
        self.compute = self._kernel(self._plain)
        self._topologies: dict[frozenset[str], NDArray[np.int64]] = {}
        self._kernels: dict[frozenset[str], Callable[..., int]] = {}  # for those topologies
        self._alignments = alignments_of(graph)
        self._given: dict[str, DualQuaternion] = {}
        self._loaded = False
        self._free: Batch | None = None  # that of no wrenches

    def warm_up(self) -> None:
        """Run the kernel once, so that the first real call is as fast as the others."""
        rest = np.zeros(self.graph.nv)
        self.compute(self.graph.neutral(), rest, rest, rest.copy())

    def _kernel(self, topology: NDArray[np.int64]) -> Callable[..., int]:
        arrays = topology, self._constants, self._buffer
        kernel: Callable[..., int] = entry("inverse_dynamics", *arrays, self.graph.nq, self.graph.nv)
        return kernel

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
        out: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """tau: see :func:`inverse_dynamics`. With ``out`` nothing is allocated after the first call."""
        tau = np.empty(self.graph.nv) if out is None else out
        self._q = q
        compute = self.compute
        free = external_wrenches is None and black_box_wrenches is None
        if not free or self.tagged or self._loaded:
            compute = self._kernels[self._load(external_wrenches, black_box_wrenches)]
        if compute(q, v, vdot, tau) == 0:
            return tau
        q, v, vdot = converted(*self.graph.checked(q=q, v=v, vdot=vdot))
        self._q = q
        if compute(q, v, vdot, checked_out(tau, (self.graph.nv,))) != 0:
            raise StateError("q, v and vdot are finite, but so large that the torques are not")
        return tau

    def batch(self, external_wrenches: Wrenches = None, black_box_wrenches: Wrenches = None) -> Batch:
        """The same algorithm for many states under the same wrenches."""
        free = external_wrenches is None and black_box_wrenches is None
        if free and self._free is not None:
            return self._free
        topology = self._topologies[self._load(external_wrenches, black_box_wrenches)]
        generated = not (self._loaded or self.tagged)
        batch = Batch(self.graph, INVERSE_DYNAMICS, topology, self._constants.copy(), generated=generated)
        if free:
            self._free = batch
        return batch

    def _load(self, external: Wrenches, boxes: Wrenches) -> frozenset[str]:
        """Put the given wrenches on the bodies that bear them; which topology it is: names of black boxes."""
        external = {} if external is None else external
        boxes = {} if boxes is None else boxes
        loads = body_loads(self.graph, external)
        self._given = black_box_wrenches(self.graph, boxes)
        self._constants[:-1, layout.EXTERNAL :] = 0.0
        self._loaded = bool(external or boxes)
        for body, zeta in loads.items():
            self._add(body, zeta)
        for name, zeta in self._given.items():
            subsystem = self.graph.subsystem(name)
            # into a predecessor that is itself a black box it does not enter: that one's own wrench holds it
            before = subsystem.predecessor
            inside = before is not None and self.graph.subsystems[before].name in boxes
            if subsystem.connection.body is not None and not inside:
                self._add(subsystem.connection.body, -adjoint(subsystem.connection.x_body_connection, zeta))
        names = frozenset(boxes)
        if names not in self._topologies:
            self._topologies[names] = topology_of(self.graph, names)
            self._kernels[names] = self._kernel(self._topologies[names])
        return names

    def _add(self, body: int, zeta: DualQuaternion) -> None:
        self._constants[body, layout.EXTERNAL :] += body_to_aligned(self._alignments[body], zeta.vec6())

    @property
    def joint_wrenches(self) -> NDArray[np.float64]:
        """(n, 6): [force N, moment N m] that each joint passes on to its child link, in that link's frame."""
        rows = self._work[:-1]
        parts = (rows[:, c : c + 3, None] for c in (layout.FORCE, layout.TORQUE))
        return np.concatenate([(self._alignments @ part)[..., 0] for part in parts], axis=1)

    @property
    def connection_wrenches(self) -> NDArray[np.float64]:
        """(s, 6): [force, moment] of the predecessor on each subsystem, at and in its connection frame."""
        return np.array([self._connection_wrench(subsystem).vec6() for subsystem in self.graph.subsystems])

    def _connection_wrench(self, subsystem: Subsystem) -> DualQuaternion:
        if subsystem.name in self._given:
            return self._given[subsystem.name]
        total = DualQuaternion.zero
        x_connection_body = subsystem.connection.x_body_connection.conjugate()
        for k in subsystem.indices:
            if self.graph.parents[k] not in subsystem.indices:
                total = total + adjoint(x_connection_body, self._passed_down(k))
        return total

    def _passed_down(self, k: int) -> DualQuaternion:
        """The wrench of joint k in the body that carries it."""
        joint, own, row = self.graph.joints[k], self._alignments[k], self._work[k]
        zeta = DualQuaternion.pure(
            own @ row[layout.FORCE : layout.FORCE + 3], own @ row[layout.TORQUE : layout.TORQUE + 3]
        )
        return adjoint(joint.x_parent_joint * joint.motion(self._position(k)), zeta)

    def _position(self, k: int) -> NDArray[np.float64]:
        """Of joint k in the last call, read back from its state: ``out`` may have overwritten q."""
        if self.graph.joints[k].type is JointType.FLOATING:
            return np.asarray(self._q)[self.graph.q_slice(self.graph.joints[k].name)]
        states = self._buffer[self._work.size :].reshape(layout.STATE_BLOCKS, -1)
        if self.graph.joints[k].type is JointType.PRISMATIC:
            return states[layout.SHIFT, [k]]
        return np.arctan2(states[layout.SINE, [k]], states[layout.COSINE, [k]])

    def stamped_wrench(self, index: int) -> tuple[str, NDArray[np.float64]]:
        """A subsystem's connection wrench at and in a link's frame, as tf knows it: (link, [force, moment]).

        The link is the child of the subsystem's first joint; where several joints start there, or a given
        wrench stands for a black box, it is the link that carries the connection point.
        """
        subsystem = self.graph.subsystems[index]
        first = [k for k in subsystem.indices if self.graph.parents[k] not in subsystem.indices]
        if subsystem.name not in self._given and len(first) == 1:
            own = self._alignments[first[0]]
            force, moment = (own @ self._work[first[0], c : c + 3] for c in (layout.FORCE, layout.TORQUE))
            return subsystem.root_link, np.concatenate([force, moment])
        zeta = adjoint(subsystem.connection.x_link_connection, self._connection_wrench(subsystem))
        return subsystem.connection.link, zeta.vec6()


def inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    external_wrenches: Wrenches = None,
    black_box_wrenches: Wrenches = None,
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Joint torques tau (nv,) [N m or N] that give the graph the acceleration vdot.

    Newton-Euler composed of subsystems (Silva & Adorno, eqs. 1, 5-7), by the compiled kernel.

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m].
        v, vdot: velocities and accelerations (nv,).
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.
        black_box_wrenches: {subsystem: [force, moment]} of the predecessor on that subsystem, at and in its
            connection frame. Any subsystem may be given; those tagged black_box must be. Theirs and their
            successors' wrenches reach the predecessor by this value alone.
        out: float64 array (nv,) for the result, may be one of the arguments; with it, and without wrenches,
            nothing is allocated after the first call.

    Returns:
        tau; NaN for joints inside black boxes, whose torques nobody can know.

    Raises:
        StateError: a wrong shape, a number that is not finite, an unknown name, a missing wrench.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    if external_wrenches is not None or black_box_wrenches is not None:
        loaded: InverseDynamics | None = getattr(graph.workspaces, "loaded", None)
        if loaded is None:
            loaded = graph.workspaces.loaded = InverseDynamics(graph)
        return loaded(q, v, vdot, external_wrenches, black_box_wrenches, out)
    try:  # what a robot's controller does a thousand times a second
        tau = np.empty(graph.nv) if out is None else out
        if graph.entries["inverse_dynamics"](q, v, vdot, tau) == 0:
            return tau
    except KeyError:
        pass  # the first call, or there is none
    solver: InverseDynamics | None = getattr(graph.workspaces, "inverse_dynamics", None)
    if solver is None:
        solver = graph.workspaces.inverse_dynamics = InverseDynamics(graph, wrenches=False)
        if entries_are_direct() and not solver.tagged:
            graph.entries.setdefault("inverse_dynamics", solver.compute)
    return solver(q, v, vdot, out=out)


def inverse_dynamics_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    threads: int | None = None,
    *,
    external_wrenches: Wrenches = None,
    black_box_wrenches: Wrenches = None,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike = np.float64,
    progress: Progress = None,
) -> NDArray[Any]:
    """Joint torques of many states: row k of the result is ``inverse_dynamics`` of row k of the arguments.

    Args:
        q: positions (count, nq). v, vdot: velocities and accelerations (count, nv).
        threads: how many to use; all cores by default.
        external_wrenches, black_box_wrenches: as of ``inverse_dynamics``, the same for every state.
        out: array (count, nv) of ``dtype`` for the result, none of the arguments. Beside it memory does not
            grow with count.
        dtype: float64, or float32: single precision, faster, to 1e-5 of the largest torque.
        progress: called now and then with (states done, count), from the calling thread.

    Raises:
        StateError: a wrong shape, dtype or number of threads, or a number that is not finite, with its row.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    solver: InverseDynamics | None = getattr(graph.workspaces, "batch", None)
    if solver is None:
        solver = graph.workspaces.batch = InverseDynamics(graph)
    run = solver.batch(external_wrenches, black_box_wrenches)
    return run({"q": q, "v": v, "vdot": vdot}, threads, out, dtype, progress)
