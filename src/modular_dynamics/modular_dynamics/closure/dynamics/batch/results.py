"""What inverse dynamics of closed loops gives for many states."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ....dynamics.arrays.arguments import Array
from ....exceptions import ClosureError, ModelError, ModularDynamicsError, SingularityError
from ....kernels.loops.planar.batch import PlanarStates
from ....model import SubsystemGraph

__all__ = ["ClosedLoopBatch", "RowStatus", "new_states", "status_of"]


class RowStatus(IntEnum):
    """What became of a state.

    Where the branch ends on the way to a state, Newton's method from its end decides whether loops close
    there all the same (DEAD_POINT) or not. A call for the state alone searches farther.
    """

    ANSWERED = 0
    CANNOT_CLOSE = 1
    DEAD_POINT = 2
    NO_STATE = 3  #: not finite, or too large
    NO_MODEL = 4  #: parameters that no robot can have


@dataclass(frozen=True, eq=False)
class ClosedLoopBatch:
    """Results of `closed_loop_inverse_dynamics_batch`, a row for each state.

    Of n designs with s states each, the shapes begin with (n, s).

    Attributes:
        tau: torques of the independent joints (n, independent) [N m or N]; NaN where there is none.
        coordinates: of all joints (n, nq); NaN as well. tensions: of the springs (n, springs) [N]; as well.
        sines (n,): where all loops are planar, the smallest sine of the angle between the directions in which
            the two unknown joints of a loop move its cut: 0 at a dead point. NaN elsewhere, and where the
            general method answered (beside a dead point, or far from the guess).
        statuses: a `RowStatus` of each state (n,).
        reasons: by row, what was wrong with a state that was not answered; rows of designs are counted as in
            ``statuses.ravel()``.
    """

    tau: Array
    coordinates: Array
    tensions: Array
    sines: Array
    statuses: NDArray[np.uint8]
    reasons: Mapping[int, str]


def status_of(error: ModularDynamicsError) -> RowStatus:
    """The status of a state with this error."""
    if isinstance(error, ModelError):
        return RowStatus.NO_MODEL
    if isinstance(error, SingularityError):
        return RowStatus.DEAD_POINT
    return RowStatus.CANNOT_CLOSE if isinstance(error, ClosureError) else RowStatus.NO_STATE


def new_states(graph: SubsystemGraph, given: Sequence[Array], starts: Array) -> PlanarStates:
    """Rows of q, v and vdot with results that are still NaN, and statuses that are not zero."""
    q, v, vdot = given
    rows, width = v.shape
    sizes = graph.nq, width, len(graph.springs), 1
    memory, first = np.full(rows * sum(sizes), np.nan), 0  # one array: small batches are worth it
    parts = []
    for size in sizes:
        parts.append(memory[first : first + rows * size].reshape(rows, size))
        first += rows * size
    coordinates, tau, tensions, sines = parts
    statuses = np.ones(rows, np.int64)
    return PlanarStates(q, v, vdot, starts, coordinates, tau, tensions, sines.reshape(rows), statuses)
