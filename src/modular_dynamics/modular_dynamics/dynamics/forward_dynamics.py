"""Forward dynamics: the face of the articulated-body kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from ..kernels import articulated_body, entries_are_direct, entry, forward_dynamics_float64, layout
from ..model import SubsystemGraph, body_loads, refuse_closures
from .algorithms import DOUBLE, FORWARD_DYNAMICS
from .arrays import (
    alignments_of,
    body_to_aligned,
    checked_out,
    constants_of,
    converted,
    topology_of,
    work_of,
)
from .batch import Batch, Progress
from .body_frames import frames_of
from .equation_of_motion import MassMatrix
from .forward_by_matrix import forward_by_matrix, rows_by_matrix
from .generated import with_code
from .inverse_dynamics import InverseDynamics
from .pivots import joint_without_inertia

__all__ = ["ForwardDynamics", "forward_dynamics", "forward_dynamics_batch"]

Wrenches = Mapping[str, ArrayLike] | None


class ForwardDynamics:
    """Forward dynamics of one graph with everything allocated beforehand. Not for several threads at once.

    Attributes:
        by_matrix: is M vdot = tau - h solved, as joints mimic others?
        compute: the kernel for float64 arrays (q, v, tau, vdot) alone, unless ``by_matrix``: see
            InverseDynamics.

    Raises:
        StateError: a black box, whose masses nobody knows.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        refuse_closures(graph, "forward dynamics")
        boxes = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
        if boxes:
            raise StateError(
                f"forward dynamics of '{graph.name}' is not known: its black boxes are {', '.join(boxes)}"
            )
        self.graph = graph
        self._topology, self._constants = topology_of(graph, frozenset()), constants_of(graph)
        self._alignments = alignments_of(graph)
        self.by_matrix = any(joint.mimic is not None for joint in graph.joints)
        self._loaded = False
        self._coded = self._topology
        self._free: Batch | None = None  # that of no wrenches
        if self.by_matrix:
            self._matrix, self._inverse = MassMatrix(graph), InverseDynamics(graph)
        else:
            self._frames = frames_of(self._topology, self._constants)
            self._topology, self._constants = self._frames.topology, self._frames.constants
            self._coded = with_code(graph, FORWARD_DYNAMICS, "single", DOUBLE, self._topology)
            self._work = work_of(graph, articulated_body.ARTICULATED_COLUMNS)
            arrays, sizes = (self._constants, self._work), (graph.nq, graph.nv)
            self.compute = entry("forward_dynamics", self._coded, *arrays, *sizes)  # see InverseDynamics
            self._compute_loaded = entry("forward_dynamics", self._topology, *arrays, *sizes)

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external_wrenches: Wrenches = None,
        out: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """vdot: see :func:`forward_dynamics`. With ``out`` nothing is allocated after the first call."""
        vdot = np.empty(self.graph.nv) if out is None else out
        if self.by_matrix:
            return self._by_matrix(q, v, tau, external_wrenches, vdot)
        if external_wrenches is not None or self._loaded:
            self._load(external_wrenches)
        compute = self._compute_loaded if self._loaded else self.compute
        if compute(q, v, tau, vdot) == 0:
            return vdot
        q, v, tau = converted(*self.graph.checked(q=q, v=v, tau=tau))
        status = compute(q, v, tau, checked_out(vdot, (self.graph.nv,)))
        if status == 3:
            raise StateError(self._blame())
        if status != 0:
            raise StateError("q, v and tau are finite, but so large that the accelerations are not")
        return vdot

    def batch(self, external_wrenches: Wrenches = None) -> Batch:
        """The same algorithm for many states under the same wrenches."""

        def alone(q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> None:
            forward_dynamics(self.graph, q, v, tau, external_wrenches)  # another solver in each thread

        if external_wrenches is None and self._free is not None:
            return self._free
        self._load(external_wrenches)
        rows = rows_by_matrix if self.by_matrix else forward_dynamics_float64
        algorithm = replace(FORWARD_DYNAMICS, batches={DOUBLE: rows})
        arrays = self._topology, self._constants.copy()
        batch = Batch(self.graph, algorithm, *arrays, generated=not self._loaded, alone=alone)
        if external_wrenches is None:
            self._free = batch
        return batch

    def _by_matrix(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: Wrenches, vdot: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        q, v, tau = self.graph.checked(q=q, v=v, tau=tau)
        checked_out(vdot, (self.graph.nv,))
        M = self._matrix(q)
        h = self._inverse(q, v, np.zeros(self.graph.nv), external)
        with np.errstate(over="ignore"):
            torques = tau - h
        forward_by_matrix(self.graph, M, torques, vdot)
        return vdot

    def _load(self, external: Wrenches) -> None:
        """Put the given wrenches on the bodies that bear them."""
        external = {} if external is None else external
        loads = body_loads(self.graph, external)
        self._constants[:-1, layout.EXTERNAL :] = 0.0
        self._loaded = bool(external)
        for body, zeta in loads.items():
            wrench = body_to_aligned(self._alignments[body], zeta.vec6())
            self._constants[body, layout.EXTERNAL :] = (
                wrench if self.by_matrix else self._frames.wrench(body, wrench)
            )

    def _blame(self) -> str:
        """Which joint moves no inertia, and what that means."""
        joint = joint_without_inertia(self.graph, self._work)
        return (
            f"joint '{joint.name}' moves no inertia: what hangs on link '{joint.child_link}' has none along "
            "the joint when the joints beyond it give way, and any torque would accelerate it infinitely"
        )


def forward_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    external_wrenches: Wrenches = None,
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Accelerations vdot (nv,) [rad/s^2 or m/s^2] that the torques tau give the graph: M vdot + h = tau.

    By articulated bodies, composed of subsystems (Featherstone, Rigid Body Dynamics Algorithms, chapter 7);
    where joints mimic others by M and h themselves, which takes longer and allocates.

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m].
        v, tau: velocities and torques (nv,) [N m or N]; of a floating joint [force, moment] in its child's
            axes, and so is vdot: [linear, angular], the derivative of v.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.
        out: float64 array (nv,) for the result, may be one of the arguments.

    Returns:
        vdot. With it ``inverse_dynamics`` gives tau again; how exactly, the condition of M says.

    Raises:
        StateError: a wrong shape, a number that is not finite, an unknown link, a black box in the graph, or
            a joint that moves no inertia, by its name.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    if external_wrenches is not None:
        loaded: ForwardDynamics | None = getattr(graph.workspaces, "forward_loaded", None)
        if loaded is None:
            loaded = graph.workspaces.forward_loaded = ForwardDynamics(graph)
        return loaded(q, v, tau, external_wrenches, out)
    try:
        vdot = np.empty(graph.nv) if out is None else out
        if graph.entries["forward_dynamics"](q, v, tau, vdot) == 0:
            return vdot
    except KeyError:
        pass  # the first call, or there is none
    solver: ForwardDynamics | None = getattr(graph.workspaces, "forward_dynamics", None)
    if solver is None:
        solver = graph.workspaces.forward_dynamics = ForwardDynamics(graph)
        if entries_are_direct() and not solver.by_matrix:
            graph.entries.setdefault("forward_dynamics", solver.compute)
    return solver(q, v, tau, out=out)


def forward_dynamics_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    threads: int | None = None,
    *,
    external_wrenches: Wrenches = None,
    out: NDArray[np.float64] | None = None,
    progress: Progress = None,
) -> NDArray[np.float64]:
    """Accelerations of many states: row k of the result is ``forward_dynamics`` of row k of the arguments.

    Args:
        q: positions (count, nq). v, tau: velocities and torques (count, nv).
        threads: how many to use; all cores by default.
        external_wrenches: as of ``forward_dynamics``, the same for every state.
        out: float64 array (count, nv) for the result, none of the arguments. Beside it memory does not grow
            with count.
        progress: called now and then with (states done, count), from the calling thread.

    Raises:
        StateError: as of ``forward_dynamics``, with the row; or a wrong number of threads.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    solver: ForwardDynamics | None = getattr(graph.workspaces, "forward_batch", None)
    if solver is None:
        solver = graph.workspaces.forward_batch = ForwardDynamics(graph)
    run = solver.batch(external_wrenches)
    return run({"q": q, "v": v, "tau": tau}, threads, out, np.float64, progress)
