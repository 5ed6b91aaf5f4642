"""The compiled algorithms: the recursion, kernels and shapes of each, in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...kernels import layout
from ...kernels.recursions import (
    articulated_body,
    common_frame,
    composite_body,
    derivatives,
    kinematics,
    newton_euler,
    regressor,
)
from ...kernels.row_queue import new_queue
from ...kernels.transposition import zero_squares
from ...model import SubsystemGraph
from ..arrays.body_frames import frames_of
from ..arrays.regrouping import regrouped
from .state_call import Bind, direct, wrapped

__all__ = [
    "DERIVATIVES",
    "FORWARD_DYNAMICS",
    "FRAME_POSES",
    "GENERATED",
    "INVERSE_DYNAMICS",
    "JACOBIAN",
    "MASS_MATRIX",
    "REGRESSOR",
    "Algorithm",
]

DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)
Topology = NDArray[np.int64]
Arrays = tuple[Topology, NDArray[np.float64]]


@dataclass(frozen=True)
class Algorithm:
    """One algorithm in the forms that kernels/ has of it. Functions of ``topology`` take the kernels' array.

    Attributes:
        columns: of its work array.
        bind: makes the call for one state of (topology, constants, work).
        batches: for each float type the kernel for many states.
        inputs: names of the vectors that it reads.
        shape: (topology) -> shape of one state's result.
        overflow: the error where all inputs are finite and the result is not.
        recursion: what generated code is made from; None where none is generated.
        checked_results: (topology) -> the results, as indices into a flat one, of which some are not finite
            where any is not; all by default.
        direct: whether Python can call its kernel for one state without Numba's wrapper (kernels/entry.py).
        pivots: whether it writes as many pivots behind its results, which must all be positive.
        mimics: whether it can treat joints that mimic others.
        prepared: makes the (topology, constants) that it needs of those of arrays/model_arrays.py.
    """

    name: str
    columns: int
    bind: Bind
    batches: Mapping[np.dtype[Any], Any]
    inputs: tuple[str, ...]
    shape: Callable[[Topology], tuple[int, ...]]
    overflow: str
    recursion: Any = None
    checked_results: Callable[[Topology], NDArray[np.int64]] | None = None
    direct: bool = False
    pivots: bool = False
    mimics: bool = True
    prepared: Callable[..., Arrays] = lambda topology, constants: (topology, constants)

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

    def zero_blocks(
        self, graph: SubsystemGraph, kind: np.dtype[Any], topology: Topology, constants: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Square blocks of a result that are always zero, as the batch kernel takes them.

        See kernels/transposition. Found at one state, where the kernel marks what its recursion does not
        write.
        """
        state = graph.neutral(), np.zeros(graph.nv), np.zeros(graph.nv)
        rows = [x[None].astype(kind) for x in state]
        result = np.zeros((1, self.results(topology)), kind)
        none_checked, none_zero = np.empty(0, np.int64), np.empty(0, np.bool_)
        self.batches[kind](topology, constants, *rows, result, none_checked, none_zero, new_queue())
        return zero_squares(result[0], 64 // kind.itemsize)


def _nv(topology: Topology) -> int:
    return int(topology[-1, layout.V])


def _vector(topology: Topology) -> tuple[int, ...]:
    return (_nv(topology),)


def _derivatives_shape(topology: Topology) -> tuple[int, ...]:
    return 3, _nv(topology), _nv(topology)


def _poses_shape(topology: Topology) -> tuple[int, ...]:
    return int((topology[:-1, layout.KIND] == layout.FIXED).sum()), 4, 4


def _jacobian_shape(topology: Topology) -> tuple[int, ...]:
    return 6, _nv(topology)


def _regressor_shape(topology: Topology) -> tuple[int, ...]:
    return _nv(topology), regressor.PARAMETERS * (len(topology) - 1)


def _regrouped(topology: Topology, constants: NDArray[np.float64]) -> Arrays:
    return topology, regrouped(topology, constants)


def _in_own_frames(topology: Topology, constants: NDArray[np.float64]) -> Arrays:
    frames = frames_of(topology, constants)
    return frames.topology, frames.constants


INVERSE_DYNAMICS = Algorithm(
    "inverse_dynamics",
    layout.WORK_COLUMNS,
    direct("inverse_dynamics"),
    {DOUBLE: kernels.inverse_dynamics_float64, SINGLE: kernels.inverse_dynamics_float32},
    ("q", "v", "vdot"),
    _vector,
    "q, v and vdot are finite, but so large that the torques are not",
    newton_euler.recursion,
    direct=True,
)
MASS_MATRIX = Algorithm(
    "mass_matrix",
    composite_body.COMPOSITE_COLUMNS,
    direct("mass_matrix"),
    {DOUBLE: kernels.mass_matrix_float64},
    ("q",),
    lambda topology: (_nv(topology), _nv(topology)),
    "q is finite, but so large that the mass matrix is not",
    composite_body.recursion,
    # the diagonal bounds the others: |M_ij|^2 <= M_ii M_jj
    checked_results=lambda topology: np.arange(_nv(topology)) * (_nv(topology) + 1),
    direct=True,
    prepared=_regrouped,
)
DERIVATIVES = Algorithm(
    "inverse_dynamics_derivatives",
    common_frame.COMMON_COLUMNS,
    wrapped(derivatives.inverse_dynamics_derivatives, 3, _derivatives_shape),
    {DOUBLE: derivatives.inverse_dynamics_derivatives_float64},
    ("q", "v", "vdot"),
    _derivatives_shape,
    "q, v and vdot are finite, but so large that the derivatives are not",
    derivatives.recursion,
    prepared=_regrouped,
)
FORWARD_DYNAMICS = Algorithm(
    "forward_dynamics",
    articulated_body.ARTICULATED_COLUMNS,
    direct("forward_dynamics"),
    {DOUBLE: kernels.forward_dynamics_float64},
    ("q", "v", "tau"),
    _vector,
    "q, v and tau are finite, but so large that the accelerations are not",
    articulated_body.recursion,
    direct=True,
    pivots=True,
    mimics=False,
    prepared=_in_own_frames,
)
FRAME_POSES = Algorithm(
    "frame_poses",
    kinematics.POSE_COLUMNS,
    wrapped(kernels.frame_poses, 1, _poses_shape),
    {DOUBLE: kernels.frame_poses_float64},
    ("q",),
    _poses_shape,
    "q is finite, but so large that the result is not",
)
JACOBIAN = Algorithm(
    "jacobian",
    kinematics.POSE_COLUMNS,
    wrapped(kernels.jacobian, 1, _jacobian_shape),
    {DOUBLE: kernels.jacobian_float64},
    ("q",),
    _jacobian_shape,
    "q is finite, but so large that the result is not",
)
REGRESSOR = Algorithm(
    "regressor",
    regressor.REGRESSOR_COLUMNS,
    wrapped(kernels.regressor, 3, _regressor_shape),
    {DOUBLE: kernels.regressor_float64},
    ("q", "v", "vdot"),
    _regressor_shape,
    "q, v and vdot are finite, but so large that the result is not",
)
#: Those of which `graph.compile` generates code.
GENERATED = (INVERSE_DYNAMICS, MASS_MATRIX, FORWARD_DYNAMICS, DERIVATIVES)
