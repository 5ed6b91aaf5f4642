"""What functions of closed loops give for many states."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arguments import Array
from ...exceptions import ClosureError, ModelError, ModularDynamicsError, SingularityError

__all__ = ["ClosedLoopBatch", "ClosedLoopTerms", "RowStatus", "status_of"]


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


def status_of(error: ModularDynamicsError) -> RowStatus:
    """The status of a state with this error."""
    if isinstance(error, ModelError):
        return RowStatus.NO_MODEL
    if isinstance(error, SingularityError):
        return RowStatus.DEAD_POINT
    return RowStatus.CANNOT_CLOSE if isinstance(error, ClosureError) else RowStatus.NO_STATE


@dataclass(frozen=True, eq=False)
class ClosedLoopBatch:
    """Results of `closed_loop_inverse_dynamics_batch`, a row for each state.

    Of n designs with s states each, the shapes begin with (n, s).

    Attributes:
        tau: torques of the independent joints (n, independent) [N m or N]; NaN where there is none.
        coordinates: of all joints (n, nq); NaN as well.
        statuses: a `RowStatus` of each state (n,).
        reasons: by row, what was wrong with a state that was not answered; rows of designs are counted as in
            ``statuses.ravel()``.
    """

    tau: Array
    coordinates: Array
    statuses: NDArray[np.uint8]
    reasons: Mapping[int, str]
    _find_details: Callable[[], tuple[Array, Array]] = field(repr=False)

    @property
    def tensions(self) -> Array:
        """Of the springs (n, springs) [N]; NaN where there is no torque."""
        return self._details[0]

    @property
    def sines(self) -> Array:
        """(n,) where all loops are planar, the smallest sine of the angle between the directions in which the
        two unknown joints of a loop move its cut: 0 at a dead point. NaN where the general method answered
        (beside a dead point, or far from the guess)."""
        return self._details[1]

    @cached_property
    def _details(self) -> tuple[Array, Array]:
        return self._find_details()


@dataclass(frozen=True, eq=False)
class ClosedLoopTerms:
    """A quantity of n states in the p independent coordinates.

    Attributes:
        values: (n, p), or (n, p, p) of the mass matrix; NaN where a state was not answered.
        coordinates, statuses, reasons: as of :class:`.ClosedLoopBatch`.
    """

    values: Array
    coordinates: Array
    statuses: NDArray[np.uint8]
    reasons: Mapping[int, str]
