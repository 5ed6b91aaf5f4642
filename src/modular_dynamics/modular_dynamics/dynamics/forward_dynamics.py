"""Forward dynamics: vdot of q, v and tau, by the compiled articulated-body recursion."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..model import SubsystemGraph
from .arrays.arguments import Array, Progress
from .arrays.body_frames import frames_of, joint_without_inertia
from .arrays.model_arrays import arrays_of
from .equation_of_motion import mass_matrix
from .execution.algorithms import FORWARD_DYNAMICS, reason_for_matrix
from .execution.solver import LoadedSolver, Wrenches
from .forward_by_matrix import FORWARD_BY_MATRIX, NO_INERTIA
from .lost_inertia import lost_joints, no_inertia_text
from .workspaces import direct_calls

__all__ = ["ForwardDynamics", "forward_dynamics", "forward_dynamics_batch"]

_direct_calls = direct_calls(FORWARD_DYNAMICS.name)


class ForwardDynamics(LoadedSolver):
    """Forward dynamics of one graph: a workspace of one thread, with everything allocated beforehand.

    ``friction`` and errors as of :func:`forward_dynamics`.
    """

    def __init__(self, graph: SubsystemGraph, friction: str = "none") -> None:
        arrays = arrays_of(graph, "forward dynamics", friction)
        self._frames = None if reason_for_matrix(graph) else frames_of(*arrays)
        if self._frames is None:
            super().__init__(graph, FORWARD_BY_MATRIX, *arrays)
        else:
            super().__init__(graph, FORWARD_DYNAMICS, self._frames.topology, self._frames.constants)
        self._friction = friction
        self.direct = self.direct and friction == "none"

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external_wrenches: Wrenches = None,
        out: Array | None = None,
    ) -> Array:
        """vdot: see :func:`forward_dynamics`. With ``out`` nothing is allocated after the first call."""
        return self._run((q, v, tau), out, self._loaded_call(external_wrenches))

    def _alone(self, external_wrenches: Wrenches) -> Callable[..., object]:
        graph, friction = self.graph, self._friction
        return lambda q, v, tau: forward_dynamics(graph, q, v, tau, external_wrenches, friction=friction)

    def _into_row(self, body: int, wrench: Array) -> Array:
        aligned = super()._into_row(body, wrench)
        return aligned if self._frames is None else self._frames.wrench(body, aligned)

    def _failure(self, status: int, q: Array) -> str:
        if status != NO_INERTIA:
            return super()._failure(status, q)
        names = lost_joints(self.graph, mass_matrix(self.graph, q))
        if self._frames is not None:
            first = joint_without_inertia(self.graph, self._work).name
            # far from the axis and back the recursion loses digits that M has
            names = names if first in names else [first]
        return no_inertia_text(self.graph, names)


def forward_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    external_wrenches: Wrenches = None,
    out: Array | None = None,
    *,
    friction: str = "none",
) -> Array:
    """Accelerations vdot (nv,) [rad/s^2 or m/s^2] that the torques tau give the graph: M vdot + h = tau.

    By articulated bodies, composed of subsystems (Featherstone, Rigid Body Dynamics Algorithms, chapter 7);
    where joints mimic others, or a floating or spherical joint on a moving body has an armature, by M and h
    themselves, which takes longer and allocates. Armatures, springs at joints and friction count as in
    ``inverse_dynamics``.

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m].
        v, tau: velocities and torques (nv,) [N m or N]; of a floating joint [force, moment] in its child's
            axes, and so is vdot: [linear, angular], the derivative of v.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.
        out: float64 array (nv,) for the result, may be one of the arguments.
        friction: as of ``inverse_dynamics``.

    Returns:
        vdot. With it ``inverse_dynamics`` gives tau again, as exactly as the condition of M allows.

    Raises:
        StateError: a wrong shape, a number that is not finite, an unknown link, a black box in the graph, or
            joints that move no inertia, by their names: what a joint moves while those beyond it are free is
            less than 1e-13 of what it moves while they are held, and mostly rounding. Where it is a share s
            of that, vdot has a relative error of some 1e-16 / s: 1e-6 at 1e-5 rad from the pose in which the
            axes of a wrist with massless links are in line, and 1e-3 just before the error.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    if external_wrenches is None and friction == "none":
        try:
            vdot = np.empty(graph.nv) if out is None else out
            if _direct_calls[id(graph)](q, v, tau, vdot) == 0:
                return vdot
        except (KeyError, AttributeError):
            pass  # the first call, or there is none; or no graph
    solver = ForwardDynamics.of(graph) if friction == "none" else ForwardDynamics.of(graph, friction)
    return solver(q, v, tau, external_wrenches, out)


def forward_dynamics_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    threads: int | None = None,
    *,
    external_wrenches: Wrenches = None,
    out: Array | None = None,
    progress: Progress = None,
    friction: str = "none",
) -> Array:
    """Accelerations of many states: row k of the result is ``forward_dynamics`` of row k of the arguments.

    Args:
        q: positions (count, nq). v, tau: velocities and torques (count, nv).
        external_wrenches: as of ``forward_dynamics``, the same for every state.
        out: float64 array (count, nv) for the result, none of the arguments.
        threads, progress, friction: as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``forward_dynamics``, with the row; or a wrong number of threads.
        UnsupportedModelError: as of ``forward_dynamics``.
    """
    solver = ForwardDynamics.of(graph) if friction == "none" else ForwardDynamics.of(graph, friction)
    run = solver.batch(external_wrenches)
    return run({"q": q, "v": v, "tau": tau}, threads, out, np.float64, progress)
