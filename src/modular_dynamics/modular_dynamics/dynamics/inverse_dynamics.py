"""Inverse dynamics: tau of q, v and vdot, by the compiled Newton-Euler recursion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..algebra import DualQuaternion
from ..model import SubsystemGraph, black_box_loads, black_box_wrenches, refuse_closures
from .arrays.model_arrays import constants_of, rows_of, topology_of
from .execution.algorithms import INVERSE_DYNAMICS
from .execution.batch import Batch, Progress
from .execution.solver import LoadedSolver, Wrenches, leave_to_python
from .execution.workspaces import direct_calls
from .inverse_dynamics_result import InverseDynamicsResult

__all__ = ["InverseDynamics", "inverse_dynamics", "inverse_dynamics_batch"]

_direct_calls = direct_calls(INVERSE_DYNAMICS.name)


class InverseDynamics(LoadedSolver):
    """Inverse dynamics of one graph: a workspace with everything allocated and compiled beforehand.

    The first one on a machine takes the seconds that compiling needs; later ones load the result from disk.
    A workspace belongs to one thread. Calling it gives tau alone; :meth:`solve` gives the wrenches too.

    Raises:
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        refuse_closures(graph, "inverse dynamics")
        self.black_box_names = frozenset(s.name for s in graph.subsystems if s.black_box)
        topology = topology_of(graph, self.black_box_names)
        super().__init__(graph, INVERSE_DYNAMICS, topology, constants_of(graph))
        self._topologies = {self.black_box_names: topology}  # by the black boxes whose wrenches are given
        if self.black_box_names:
            self.direct_call = leave_to_python  # their wrenches are needed

    def warm_up(self) -> None:
        """Run the kernel once, so that the first real call is as fast as the others."""
        rest = np.zeros(self.graph.nv)
        self._kernel(
            self._topology, self.constants, self._work, self.graph.neutral(), rest, rest, rest.copy()
        )

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
        tau = np.empty(self.shape) if out is None else out
        if self._has_wrenches(external_wrenches, black_box_wrenches):
            boxes = self._given_boxes(black_box_wrenches)
            return self._run(*self._loaded(external_wrenches, boxes), (q, v, vdot), tau)
        if self.direct_call(q, v, vdot, tau):
            return tau
        return self._run(self._topology, self.constants, (q, v, vdot), tau)

    def solve(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
    ) -> InverseDynamicsResult:
        """Torques and wrenches as a value. Arguments and errors as of :func:`inverse_dynamics`."""
        boxes: dict[str, DualQuaternion] = {}
        arrays = self.topology, self.constants  # generated code computes no wrenches
        if self._has_wrenches(external_wrenches, black_box_wrenches):
            boxes = self._given_boxes(black_box_wrenches)
            arrays = self._loaded(external_wrenches, boxes)
        tau = self._run(*arrays, (q, v, vdot), np.empty(self.shape))
        rows = rows_of(self._work, len(self.graph.joints)).copy()
        return InverseDynamicsResult(self.graph, tau, np.array(q, np.float64), boxes, rows, self.alignments)

    def batch(self, external_wrenches: Wrenches = None, black_box_wrenches: Wrenches = None) -> Batch:
        """The same algorithm for many states under the same wrenches."""
        if not self._has_wrenches(external_wrenches, black_box_wrenches):
            return self._batch
        topology, constants = self._loaded(external_wrenches, self._given_boxes(black_box_wrenches))
        return Batch(self.graph, self.algorithm, topology, constants.copy(), generated=False)

    def _has_wrenches(self, external: Wrenches, boxes: Wrenches) -> bool:
        return external is not None or boxes is not None or bool(self.black_box_names)

    def _given_boxes(self, wrenches: Wrenches) -> dict[str, DualQuaternion]:
        return black_box_wrenches(self.graph, {} if wrenches is None else wrenches)

    def _loaded(
        self, external: Wrenches, boxes: Mapping[str, DualQuaternion]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Topology without the black boxes, and constants with all wrenches that act on the other bodies."""
        loads = self._loads(external)
        for body, zeta in black_box_loads(self.graph, boxes).items():
            loads[body] = loads[body] + zeta if body in loads else zeta
        names = frozenset(boxes)
        if names not in self._topologies:
            self._topologies[names] = topology_of(self.graph, names)
        return self._topologies[names], self._with_loads(loads)


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
    if external_wrenches is None and black_box_wrenches is None:
        try:  # what a robot's controller does a thousand times a second
            tau = np.empty(graph.nv) if out is None else out
            if _direct_calls[id(graph)](q, v, vdot, tau):
                return tau
        except KeyError:
            pass  # the first call, or there is none
    return InverseDynamics.of(graph)(q, v, vdot, external_wrenches, black_box_wrenches, out)


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
    run = InverseDynamics.of(graph).batch(external_wrenches, black_box_wrenches)
    return run({"q": q, "v": v, "vdot": vdot}, threads, out, dtype, progress)
