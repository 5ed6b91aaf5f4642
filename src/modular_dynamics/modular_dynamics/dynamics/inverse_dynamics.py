"""Inverse dynamics: tau of q, v and vdot, by the compiled Newton-Euler recursion."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..algebra import DualQuaternion
from ..exceptions import StateError
from ..kernels.layout import FORCE
from ..model import SubsystemGraph, black_box_wrenches, refuse_closures
from .arrays.arguments import Array, Progress, Topology
from .arrays.model_arrays import constants_of, rows_of, topology_of
from .design_batch import inverse_dynamics_of_designs
from .execution.algorithms import INVERSE_DYNAMICS, StateCall
from .execution.batch import Batch
from .execution.solver import LoadedSolver, Wrenches
from .inverse_dynamics_result import FirstJoints, InverseDynamicsResult, first_joints
from .workspaces import direct_calls

__all__ = ["InverseDynamics", "inverse_dynamics", "inverse_dynamics_batch"]

_direct_calls = direct_calls(INVERSE_DYNAMICS.name)


class _Loaded(NamedTuple):
    """A graph on which wrenches act: those of black boxes, its topology, and the call with all wrenches."""

    boxes: dict[str, DualQuaternion]
    topology: Topology
    call: StateCall


class InverseDynamics(LoadedSolver):
    """Inverse dynamics of one graph: a workspace with everything allocated and compiled beforehand.

    The first one on a machine takes the seconds that compiling needs; later ones load the result from disk.
    A workspace belongs to one thread. Calling it gives tau alone; :meth:`solve` gives the wrenches too.

    Args:
        friction: as of :func:`inverse_dynamics`. springs: whether those at the joints count.

    Raises:
        StateError: friction is neither "none" nor "urdf".
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs between links.
    """

    def __init__(self, graph: SubsystemGraph, friction: str = "none", springs: bool = True) -> None:
        refuse_closures(graph, "inverse dynamics")
        self._terms = friction, springs
        self.black_box_names = frozenset(s.name for s in graph.subsystems if s.black_box)
        topology = topology_of(graph, self.black_box_names, *self._terms)
        super().__init__(graph, INVERSE_DYNAMICS, topology, constants_of(graph))
        self._by_boxes: dict[frozenset[str], tuple[Topology, StateCall]] = {}
        if self.black_box_names or self._terms != ("none", True):
            self.direct = False  # their wrenches are needed, or these terms

    def warm_up(self) -> None:
        """Run the kernel once, so that the first real call is as fast as the others."""
        rest = np.zeros(self.graph.nv)
        self.call(self.graph.neutral(), rest, rest, rest.copy())

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
        out: Array | None = None,
    ) -> Array:
        """tau: see :func:`inverse_dynamics`. With ``out`` nothing is allocated after the first call."""
        loaded = self._loaded(external_wrenches, black_box_wrenches)
        return self._run((q, v, vdot), out, None if loaded is None else loaded.call)

    def solve(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
    ) -> InverseDynamicsResult:
        """Torques and wrenches as a value. Arguments and errors as of :func:`inverse_dynamics`."""
        loaded = self._loaded(external_wrenches, black_box_wrenches)
        boxes, call = ({}, self._recursion_call) if loaded is None else (loaded.boxes, loaded.call)
        tau = self._run((q, v, vdot), None, call)
        wrenches = self._wrench_rows.copy()
        return InverseDynamicsResult(self.graph, np.array(q, np.float64), boxes, wrenches, *self._frames, tau)

    def batch(self, external_wrenches: Wrenches = None, black_box_wrenches: Wrenches = None) -> Batch:
        """The same algorithm for many states under the same wrenches."""
        loaded = self._loaded(external_wrenches, black_box_wrenches)
        if loaded is None:
            return self._batch
        constants = self._with_loads.constants.copy()
        return Batch(self.graph, self.algorithm, loaded.topology, constants, loaded=True)

    @cached_property
    def _frames(self) -> tuple[Array, tuple[FirstJoints, ...]]:
        """What only results with wrenches need; a large robot's first torques do not wait for it."""
        return self.alignments, first_joints(self.graph)

    @cached_property
    def _wrench_rows(self) -> Array:
        """Every body's wrench in the work array (n, 6), as the recursion leaves it."""
        rows: Array = rows_of(self._work, len(self.graph.joints))[:-1, FORCE:]
        return rows

    @cached_property
    def _recursion_call(self) -> StateCall:
        """The call without wrenches that leaves every body's wrench in the work array: not generated code."""
        return self.algorithm.bind(self.topology, self.constants, self._work)

    def _loaded(self, external: Wrenches, boxes: Wrenches) -> _Loaded | None:
        """Everything with these wrenches, valid until the next call; None where none act."""
        if external is None and boxes is None and not self.black_box_names:
            return None
        box_wrenches = black_box_wrenches(self.graph, {} if boxes is None else boxes)
        self._with_loads({} if external is None else external, box_wrenches)
        names = frozenset(box_wrenches)
        if names not in self._by_boxes:
            topology = topology_of(self.graph, names, *self._terms)
            call = self.algorithm.bind(topology, self._with_loads.constants, self._work)
            self._by_boxes[names] = topology, call
        return _Loaded(box_wrenches, *self._by_boxes[names])


def inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    external_wrenches: Wrenches = None,
    black_box_wrenches: Wrenches = None,
    out: Array | None = None,
    *,
    friction: str = "none",
) -> Array:
    """Joint torques tau (nv,) [N m or N] that give the graph the acceleration vdot.

    Newton-Euler composed of subsystems (Silva & Adorno, eqs. 1, 5-7), by the compiled kernel. What joints
    themselves add where they have it: armature times vdot, and stiffness (q - rest position).

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m].
        v, vdot: velocities and accelerations (nv,).
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.
        black_box_wrenches: {subsystem: [force, moment]} of the predecessor on that subsystem, at and in its
            connection frame. Any subsystem may be given; those with black_box must be. Theirs and their
            successors' wrenches reach the predecessor by this value alone.
        out: float64 array (nv,) for the result, may be one of the arguments; with it, and without wrenches,
            nothing is allocated after the first call.
        friction: "none", or "urdf": the joints' damping and friction count, damping v + friction sign(v) with
            sign(0) = 0.

    Returns:
        tau; NaN for joints inside black boxes, whose torques are not known.

    Raises:
        StateError: a wrong shape, a number that is not finite, an unknown name, a missing wrench, or another
            friction.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs between links.
    """
    if external_wrenches is None and black_box_wrenches is None and friction == "none":
        try:  # what a robot's controller does a thousand times a second
            tau = np.empty(graph.nv) if out is None else out
            if _direct_calls[id(graph)](q, v, vdot, tau) == 0:
                return tau
        except (KeyError, AttributeError):
            pass  # the first call, or there is none; or no graph
    solver = InverseDynamics.of(graph) if friction == "none" else InverseDynamics.of(graph, friction)
    return solver(q, v, vdot, external_wrenches, black_box_wrenches, out)


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
    friction: str = "none",
    parameters: Mapping[str, ArrayLike] | None = None,
) -> NDArray[Any]:
    """Joint torques of many states: row k of the result is ``inverse_dynamics`` of row k of the arguments.

    With ``parameters`` also of many designs, robots that differ in these numbers: nothing is loaded or
    compiled for each.

    Args:
        q: positions (count, nq). v, vdot: velocities and accelerations (count, nv).
        threads: how many to use; all cores by default.
        external_wrenches, black_box_wrenches: as of ``inverse_dynamics``, the same for every state.
        out: array (count, nv) of ``dtype`` for the result, none of the arguments. Other memory does not
            grow with count.
        dtype: float64, or float32: single precision, faster, to 1e-5 of the largest torque.
        progress: called repeatedly with (states done, count), from the calling thread.
        friction: as of ``inverse_dynamics``.
        parameters: columns (n,) by the names of ``graph.parameters``. Then q, v and vdot are s states of each
            of n designs (n, s, ...), or one of each (n, ...), and so is the result, in double precision; the
            arguments about wrenches, ``out``, ``dtype`` and ``progress`` go without it.

    Raises:
        StateError: a wrong shape, dtype or number of threads, or a number that is not finite, with its row.
        UnknownNameError: no such parameter; names similar ones. ModelError: no robot can be that design.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    if parameters is not None:
        others = external_wrenches, black_box_wrenches, out, progress
        if any(x is not None for x in others) or np.dtype(dtype) != np.float64:
            raise StateError("parameters go without wrenches, out, another dtype and progress")
        states = {"q": q, "v": v, "vdot": vdot}
        return inverse_dynamics_of_designs(graph, states, parameters, threads, friction)
    solver = InverseDynamics.of(graph) if friction == "none" else InverseDynamics.of(graph, friction)
    run = solver.batch(external_wrenches, black_box_wrenches)
    return run({"q": q, "v": v, "vdot": vdot}, threads, out, dtype, progress)
