"""The compiled algorithms: the recursion, kernels and shapes of each, in one table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...kernels import layout
from ...kernels.numba_support.compilation import make_ready
from ...kernels.quantities import frame_motions, momentum_matrix, whole_body
from ...kernels.recursions import (
    articulated_body,
    common_frame,
    composite_body,
    derivatives,
    kinematics,
    regressor,
)
from ...kernels.recursions.torques.recursion import recursion as torques
from ...kernels.row_queue import new_queue
from ...kernels.transposition import zero_squares
from ...model import SubsystemGraph
from ..arrays.arguments import Array, Topology, is_contiguous_float64
from ..arrays.body_frames import frames_of
from ..arrays.model_arrays import Arrays
from ..arrays.motion_places import with_motion_places
from ..arrays.regrouping import regrouped

__all__ = [
    "DERIVATIVES",
    "FORWARD_DYNAMICS",
    "FRAME_MOTIONS",
    "FRAME_POSES",
    "GENERATED",
    "INVERSE_DYNAMICS",
    "JACOBIAN",
    "MASS_MATRIX",
    "MOMENTUM_MATRIX",
    "REFUSED",
    "REGRESSOR",
    "WHOLE_BODY",
    "Algorithm",
    "StateCall",
    "reason_for_matrix",
]

DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)
#: Status of a call whose arguments are not the arrays which the kernel takes, or are not finite.
REFUSED = 1

#: (*inputs, out) -> status of the kernel, 0 when the result is written.
StateCall = Callable[..., int]


@dataclass(frozen=True)
class Algorithm:
    """One algorithm in the forms that kernels/ has of it. Functions of ``topology`` take the kernels' array.

    Attributes:
        columns: of its work array.
        batches: for each float type the kernel for many states on which no wrenches act.
        inputs: names of the vectors that it reads.
        shape: (topology) -> shape of one state's result.
        overflow: the error where all inputs are finite and the result is not.
        single: its kernel for one state where Python calls it through Numba's wrapper; None where it can do
            without (kernels/entry.py).
        recursion: what generated code is made from; None where none is generated.
        loaded_batches: the kernels for many states on which wrenches act, where they are others.
        checked_results: (topology) -> the results, as indices into a flat one, of which some are not finite
            where any is not; all by default.
        pivots: whether it writes as many pivots behind its results, which must all be positive.
        by_matrix: whether the mass matrix takes its place for some graphs, see :func:`reason_for_matrix`.
        prepared: makes the (topology, constants) that it needs of those of arrays/model_arrays.py.
        reduced: makes of these what ``recursion`` and ``batches`` need, and code is given.
    """

    name: str
    columns: int
    batches: Mapping[np.dtype[Any], Any]
    inputs: tuple[str, ...]
    shape: Callable[[Topology], tuple[int, ...]]
    overflow: str
    single: Any = None
    recursion: Any = None
    loaded_batches: Mapping[np.dtype[Any], Any] | None = None
    checked_results: Callable[[Topology], NDArray[np.int64]] | None = None
    pivots: bool = False
    by_matrix: bool = False
    prepared: Callable[..., Arrays] = lambda topology, constants: (topology, constants)
    reduced: Callable[..., Arrays] = lambda topology, constants: (topology, constants)

    @property
    def direct(self) -> bool:
        """Whether Python can call its kernel for one state without Numba's wrapper."""
        return self.single is None

    def bind(self, topology: Topology, constants: Array, work: Array) -> StateCall:
        """The call for one state that keeps these arrays."""
        if self.single is None:
            nq, nv = (int(topology[-1, column]) for column in (layout.Q, layout.V))
            call: StateCall = kernels.entry(self.name, topology, constants, work, nq, nv)
            return call
        kernel, shape = self.single, self.shape(topology)
        make_ready(kernel, (*[1] * len(self.inputs), len(shape)))

        def wrapped(*arrays: Any) -> int:
            if not is_contiguous_float64(*arrays) or arrays[-1].shape != shape:
                return REFUSED
            status: int = kernel(topology, constants, work, *arrays)
            return status

        return wrapped

    def results(self, topology: Topology) -> int:
        """How many numbers one state's result has."""
        return int(np.prod(self.shape(topology)))

    def outputs(self, topology: Topology) -> int:
        """How many numbers its recursion writes: results, and pivots."""
        return self.results(topology) * (2 if self.pivots else 1)

    def checked(self, topology: Topology) -> NDArray[np.int64]:
        """Indices of the results that a batch kernel checks."""
        if self.checked_results is not None:
            return self.checked_results(topology)
        return np.arange(self.results(topology))

    def batch_kernel(self, kind: np.dtype[Any], loaded: bool = False) -> Any:
        """The kernel for many states of a float type; ``loaded``: on which wrenches act."""
        return (self.loaded_batches if loaded and self.loaded_batches else self.batches)[kind]

    def zero_blocks(
        self, graph: SubsystemGraph, kernel: Any, topology: Topology, constants: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Square blocks of a result that are always zero, as a kernel for many states takes them.

        See kernels/transposition. Found at one state, where the kernel marks what its recursion does not
        write.
        """
        state = graph.neutral(), np.zeros(graph.nv), np.zeros(graph.nv)
        kind = constants.dtype
        rows = [x[None].astype(kind) for x in state]
        result = np.zeros((1, self.results(topology)), kind)
        none_checked, none_zero = np.empty(0, np.int64), np.empty(0, np.bool_)
        kernel(topology, constants, *rows, result, none_checked, none_zero, new_queue())
        return zero_squares(result[0], 64 // kind.itemsize)


def _nv(topology: Topology) -> int:
    return int(topology[-1, layout.V])


def _regrouped(topology: Topology, constants: Array) -> Arrays:
    return topology, regrouped(topology, constants)


def _in_own_frames(topology: Topology, constants: Array) -> Arrays:
    frames = frames_of(topology, constants)
    return frames.topology, frames.constants


def _for_torques(topology: Topology, constants: Array) -> Arrays:
    frames = frames_of(topology, regrouped(topology, constants))
    return with_motion_places(frames.topology), frames.constants


INVERSE_DYNAMICS = Algorithm(
    "inverse_dynamics",
    layout.WORK_COLUMNS,
    {DOUBLE: kernels.torques_float64, SINGLE: kernels.torques_float32},
    ("q", "v", "vdot"),
    lambda topology: (_nv(topology),),
    "q, v and vdot are finite, but so large that the torques are not",
    recursion=torques,
    loaded_batches={DOUBLE: kernels.inverse_dynamics_float64, SINGLE: kernels.inverse_dynamics_float32},
    reduced=_for_torques,
)
MASS_MATRIX = Algorithm(
    "mass_matrix",
    composite_body.COMPOSITE_COLUMNS,
    {DOUBLE: kernels.mass_matrix_float64},
    ("q",),
    lambda topology: (_nv(topology), _nv(topology)),
    "q is finite, but so large that the mass matrix is not",
    recursion=composite_body.recursion,
    # the diagonal bounds the others: |M_ij|^2 <= M_ii M_jj
    checked_results=lambda topology: np.arange(_nv(topology)) * (_nv(topology) + 1),
    prepared=_regrouped,
)
DERIVATIVES = Algorithm(
    "inverse_dynamics_derivatives",
    common_frame.COMMON_COLUMNS,
    {DOUBLE: derivatives.inverse_dynamics_derivatives_float64},
    ("q", "v", "vdot"),
    lambda topology: (3, _nv(topology), _nv(topology)),
    "q, v and vdot are finite, but so large that the derivatives are not",
    derivatives.inverse_dynamics_derivatives,
    derivatives.recursion,
    prepared=_regrouped,
)
FORWARD_DYNAMICS = Algorithm(
    "forward_dynamics",
    articulated_body.ARTICULATED_COLUMNS,
    {DOUBLE: kernels.forward_dynamics_float64},
    ("q", "v", "tau"),
    lambda topology: (_nv(topology),),
    "q, v and tau are finite, but so large that the accelerations are not",
    recursion=articulated_body.recursion,
    pivots=True,
    by_matrix=True,
    prepared=_in_own_frames,
)
FRAME_POSES = Algorithm(
    "frame_poses",
    kinematics.POSE_COLUMNS,
    {DOUBLE: kernels.frame_poses_float64},
    ("q",),
    lambda topology: (int((topology[:-1, layout.KIND] == layout.FIXED).sum()), 4, 4),
    "q is finite, but so large that the result is not",
    kernels.frame_poses,
)
JACOBIAN = Algorithm(
    "jacobian",
    kinematics.POSE_COLUMNS,
    {DOUBLE: kernels.jacobian_float64},
    ("q",),
    lambda topology: (6, _nv(topology)),
    "q is finite, but so large that the result is not",
    kernels.jacobian,
)
REGRESSOR = Algorithm(
    "regressor",
    regressor.REGRESSOR_COLUMNS,
    {DOUBLE: kernels.regressor_float64},
    ("q", "v", "vdot"),
    lambda topology: (_nv(topology), regressor.PARAMETERS * (len(topology) - 1)),
    "q, v and vdot are finite, but so large that the result is not",
    kernels.regressor,
)
FRAME_MOTIONS = Algorithm(
    "frame_motions",
    frame_motions.MOTION_COLUMNS,
    {DOUBLE: frame_motions.frame_motions_float64},
    ("q", "v", "vdot"),
    lambda topology: (int((topology[:-1, layout.KIND] == layout.FIXED).sum()), 8, 3),
    "q, v and vdot are finite, but so large that the result is not",
    frame_motions.frame_motions,
)
WHOLE_BODY = Algorithm(
    "whole_body",
    frame_motions.MOTION_COLUMNS,
    {DOUBLE: whole_body.whole_body_float64},
    ("q", "v", "vdot"),
    lambda topology: (whole_body.SUMS,),
    "q, v and vdot are finite, but so large that the result is not",
    whole_body.whole_body,
)
MOMENTUM_MATRIX = Algorithm(
    "momentum_matrix",
    momentum_matrix.MOMENTUM_COLUMNS,
    {DOUBLE: momentum_matrix.momentum_matrix_float64},
    ("q",),
    lambda topology: (6, _nv(topology)),
    "q is finite, but so large that the result is not",
    momentum_matrix.momentum_matrix,
)


def reason_for_matrix(graph: SubsystemGraph) -> str | None:
    """Why a graph's forward dynamics is computed by its mass matrix; None: it is by articulated bodies."""
    if any(joint.mimic is not None for joint in graph.joints):
        return "joints mimic others"
    for joint, parent in zip(graph.joints, graph.parents, strict=True):
        if joint.type.nv > 1 and parent is not None and joint.armature != 0.0:
            return f"the {joint.type.value} joint '{joint.name}' stands on a moving body and has an armature"
    return None


#: The algorithms of which `graph.compile` generates code.
GENERATED = (INVERSE_DYNAMICS, MASS_MATRIX, FORWARD_DYNAMICS, DERIVATIVES)
