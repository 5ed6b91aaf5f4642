"""Inverse dynamics: tau of q, v and vdot, by the compiled Newton-Euler recursion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..algebra import DualQuaternion
from ..exceptions import StateError
from ..kernels import entry, layout
from ..kernels import inverse_dynamics as kernel
from ..kernels.numba_support.compilation import make_ready
from ..kernels.recursions import newton_euler
from ..model import SubsystemGraph, black_box_loads, black_box_wrenches, body_loads, refuse_closures
from .arrays.model_arrays import (
    alignments_of,
    body_to_aligned,
    checked_out,
    constants_of,
    converted,
    plain,
    rows_of,
    topology_of,
    work_of,
)
from .execution.algorithms import DOUBLE, INVERSE_DYNAMICS
from .execution.batch import Batch, Progress
from .execution.generated import with_code
from .inverse_dynamics_result import InverseDynamicsResult

__all__ = ["InverseDynamics", "inverse_dynamics", "inverse_dynamics_batch"]

Wrenches = Mapping[str, ArrayLike] | None


class InverseDynamics:
    """Inverse dynamics of one graph: a workspace with everything allocated and compiled beforehand.

    The first one on a machine takes the seconds that compiling needs; later ones load the result from disk.
    A workspace belongs to one thread. Calling it gives tau alone; :meth:`solve` gives the wrenches too.

    Raises:
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        refuse_closures(graph, "inverse dynamics")
        make_ready(kernel, newton_euler.SIGNATURE)
        self.graph = graph
        self._black_boxes = frozenset(s.name for s in graph.subsystems if s.black_box)
        self._constants, self._work = constants_of(graph), work_of(graph)
        self._loops = topology_of(graph, self._black_boxes)
        self._topology = with_code(graph, INVERSE_DYNAMICS, "single", DOUBLE, self._loops)
        self._topologies = {self._black_boxes: self._loops}
        self._alignments = alignments_of(graph)
        self._with_wrenches = self._constants.copy()  # overwritten by each call that has wrenches
        self._free: Batch | None = None  # that of no wrenches
        self.written = None
        if not self._black_boxes:
            arrays = self._topology, self._constants, self._work
            self.written = entry("inverse_dynamics", *arrays, graph.nq, graph.nv)

    def warm_up(self) -> None:
        """Run the kernel once, so that the first real call is as fast as the others."""
        rest = np.zeros(self.graph.nv)
        kernel(self._topology, self._constants, self._work, self.graph.neutral(), rest, rest, rest.copy())

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
        arrays = self._topology, self._constants
        if self._black_boxes or external_wrenches is not None or black_box_wrenches is not None:
            boxes = self._checked_boxes(black_box_wrenches)
            arrays = self._loaded(external_wrenches, boxes)
        elif self.written is not None and self.written(q, v, vdot, tau):
            return tau
        return self._run(*arrays, q, v, vdot, tau)

    def solve(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
    ) -> InverseDynamicsResult:
        """Torques and wrenches as a value. Arguments and errors as of :func:`inverse_dynamics`."""
        boxes = self._checked_boxes(black_box_wrenches)
        arrays = self._loops, self._constants
        if boxes or external_wrenches is not None:
            arrays = self._loaded(external_wrenches, boxes)
        tau = self._run(*arrays, q, v, vdot, np.empty(self.graph.nv))
        rows = rows_of(self._work, len(self.graph.joints)).copy()
        return InverseDynamicsResult(self.graph, tau, np.array(q, np.float64), boxes, rows, self._alignments)

    def batch(self, external_wrenches: Wrenches = None, black_box_wrenches: Wrenches = None) -> Batch:
        """The same algorithm for many states under the same wrenches."""
        loaded = external_wrenches is not None or black_box_wrenches is not None or bool(self._black_boxes)
        if loaded:
            boxes = self._checked_boxes(black_box_wrenches)
            topology, constants = self._loaded(external_wrenches, boxes)
            return Batch(self.graph, INVERSE_DYNAMICS, topology, constants.copy(), generated=False)
        if self._free is None:
            self._free = Batch(self.graph, INVERSE_DYNAMICS, self._loops, self._constants)
        return self._free

    def _run(
        self,
        topology: NDArray[np.int64],
        constants: NDArray[np.float64],
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        tau: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Write tau; arguments that the kernel does not take as they are, are converted first."""
        suited = plain(q, v, vdot, tau) and tau.ndim == 1
        if suited and kernel(topology, constants, self._work, q, v, vdot, tau) == 0:
            return tau
        q, v, vdot = converted(*self.graph.checked(q=q, v=v, vdot=vdot))
        checked_out(tau, (self.graph.nv,))
        if kernel(topology, constants, self._work, q, v, vdot, tau) != 0:
            raise StateError("q, v and vdot are finite, but so large that the torques are not")
        return tau

    def _checked_boxes(self, wrenches: Wrenches) -> dict[str, DualQuaternion]:
        return black_box_wrenches(self.graph, {} if wrenches is None else wrenches)

    def _loaded(
        self, external: Wrenches, boxes: Mapping[str, DualQuaternion]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Topology without the black boxes, and constants with all wrenches that act on the other bodies."""
        loads = body_loads(self.graph, {} if external is None else external)
        for body, zeta in black_box_loads(self.graph, boxes).items():
            loads[body] = loads[body] + zeta if body in loads else zeta
        self._with_wrenches[:-1, layout.EXTERNAL :] = 0.0
        for body, zeta in loads.items():
            wrench = body_to_aligned(self._alignments[body], zeta.vec6())
            self._with_wrenches[body, layout.EXTERNAL :] = wrench
        names = frozenset(boxes)
        if names not in self._topologies:
            self._topologies[names] = topology_of(self.graph, names)
        return self._topologies[names], self._with_wrenches


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
        if graph.entries["inverse_dynamics"](q, v, vdot, tau):
            return tau
    except KeyError:
        pass  # the first call, or there is none
    solver: InverseDynamics | None = getattr(graph.workspaces, "inverse_dynamics", None)
    if solver is None:
        solver = graph.workspaces.inverse_dynamics = InverseDynamics(graph)
        if solver.written is not None:
            graph.entries.setdefault("inverse_dynamics", solver.written)
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
