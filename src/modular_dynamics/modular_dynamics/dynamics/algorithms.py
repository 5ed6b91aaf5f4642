"""What there is in compiled form: each algorithm's recursion, kernels and shapes, in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..kernels import articulated_body, common_frame, composite_body, derivatives, layout, newton_euler
from ..kernels.compilation import make_ready
from ..kernels.transposition import blank_squares
from ..kernels.turns import new_turns
from ..model import SubsystemGraph
from .body_frames import frames_of
from .regrouping import regrouped

__all__ = ["ALGORITHMS", "DERIVATIVES", "FORWARD_DYNAMICS", "INVERSE_DYNAMICS", "MASS_MATRIX", "Algorithm"]

DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)
Arrays = tuple[NDArray[np.int64], NDArray[np.float64]]


def _regrouped(topology: NDArray[np.int64], constants: NDArray[np.float64]) -> Arrays:
    return topology, regrouped(topology, constants)


def _framed(topology: NDArray[np.int64], constants: NDArray[np.float64]) -> Arrays:
    frames = frames_of(topology, constants)
    return frames.topology, frames.constants


@dataclass(frozen=True)
class Algorithm:
    """One algorithm in the forms that kernels/ has of it.

    Attributes:
        columns: of its work array.
        single: the kernel for one state, and ``signature`` its types; none where entries call it.
        batches: for each float type the kernel for many states.
        inputs: names of the vectors that it reads.
        shape: of one state's result.
        telling: which numbers of a flat result are not finite where any is not; all by default.
        pivots: does it write as many pivots behind its results, which must all be positive?
        mimics: can it treat joints that mimic others?
        prepared: makes the (topology, constants) that it wants of those of arrays.py.
    """

    name: str
    recursion: Any
    columns: int
    single: Any
    signature: Any
    batches: Mapping[np.dtype[Any], Any]
    inputs: tuple[str, ...]
    shape: Callable[[SubsystemGraph], tuple[int, ...]]
    telling: Callable[[SubsystemGraph], NDArray[np.int64]] | None = None
    pivots: bool = False
    mimics: bool = True
    prepared: Callable[..., Arrays] = lambda topology, constants: (topology, constants)

    def results(self, graph: SubsystemGraph) -> int:
        """How many numbers one state's result has."""
        return int(np.prod(self.shape(graph)))

    def bound(
        self,
        graph: SubsystemGraph,
        topology: NDArray[np.int64],
        constants: NDArray[np.float64],
        work: NDArray[np.float64],
    ) -> Callable[..., int]:
        """The kernel for one state as a function of the inputs and the array for results."""
        if self.single is None:
            kernel: Callable[..., int] = kernels.entry(
                self.name, topology, constants, work, graph.nq, graph.nv
            )
            return kernel
        make_ready(self.single, self.signature)
        return partial(self.single, topology, constants, work)

    def written(self, graph: SubsystemGraph) -> int:
        """How many numbers its recursion writes."""
        return self.results(graph) * (2 if self.pivots else 1)

    def blank(
        self, graph: SubsystemGraph, kind: np.dtype[Any], topology: NDArray[np.int64], constants: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Squares of a result that are always zero, as the batch kernel takes them: learnt from one state."""
        state = graph.neutral(), np.zeros(graph.nv), np.zeros(graph.nv)
        rows = [x[None].astype(kind) for x in state]
        result = np.zeros((1, self.results(graph)), kind)
        nothing = np.empty(0, np.int64), np.empty(0, np.bool_)
        self.batches[kind](topology, constants, *rows, result, *nothing, new_turns())
        return blank_squares(result[0], 64 // kind.itemsize)

    def checked(self, graph: SubsystemGraph) -> NDArray[np.int64]:
        """Indices of the results that a batch kernel checks."""
        return np.arange(self.results(graph)) if self.telling is None else self.telling(graph)


INVERSE_DYNAMICS = Algorithm(
    "inverse_dynamics",
    newton_euler.recursion,
    layout.WORK_COLUMNS,
    None,
    None,
    {DOUBLE: kernels.inverse_dynamics_float64, SINGLE: kernels.inverse_dynamics_float32},
    ("q", "v", "vdot"),
    lambda graph: (graph.nv,),
)
MASS_MATRIX = Algorithm(
    "mass_matrix",
    composite_body.recursion,
    composite_body.COMPOSITE_COLUMNS,
    None,
    None,
    {DOUBLE: kernels.mass_matrix_float64},
    ("q",),
    lambda graph: (graph.nv, graph.nv),
    lambda graph: (
        np.arange(graph.nv) * (graph.nv + 1)
    ),  # the diagonal bounds the others: |M_ij|^2 <= M_ii M_jj
    prepared=_regrouped,
)
DERIVATIVES = Algorithm(
    "inverse_dynamics_derivatives",
    derivatives.recursion,
    common_frame.COMMON_COLUMNS,
    derivatives.inverse_dynamics_derivatives,
    derivatives.SIGNATURE,
    {DOUBLE: derivatives.inverse_dynamics_derivatives_float64},
    ("q", "v", "vdot"),
    lambda graph: (3, graph.nv, graph.nv),
    prepared=_regrouped,
)
FORWARD_DYNAMICS = Algorithm(
    "forward_dynamics",
    articulated_body.recursion,
    articulated_body.ARTICULATED_COLUMNS,
    None,
    None,
    {DOUBLE: kernels.forward_dynamics_float64},
    ("q", "v", "tau"),
    lambda graph: (graph.nv,),
    pivots=True,
    mimics=False,
    prepared=_framed,
)
ALGORITHMS = (INVERSE_DYNAMICS, MASS_MATRIX, FORWARD_DYNAMICS, DERIVATIVES)
