"""What inverse dynamics with closed loops finds at one state, and at many."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arguments import Array
from ...dynamics.transmitted_wrenches import TransmittedWrenches
from ...exceptions import ClosureError, ModelError, ModularDynamicsError, SingularityError
from ..constraints.constraint_system import ConstraintSystem, Projection
from .closing_wrenches import ClosingElements, ClosingWrenches

__all__ = ["ClosedLoopResult", "ClosedLoopResults", "StateStatus", "errors_name_row", "status_of"]


@dataclass(frozen=True, eq=False)
class ClosedLoopResult:
    """What ``InverseDynamics.solve`` finds for a robot with closed loops.

    What belongs to the single rows (multipliers, rank, redundant, condition, residual, projection) is
    computed when it is read first.

    Attributes:
        tau: torques of the independent joints, in the order of ``graph.independent_joint_names`` [N m or N].
        coordinates, velocities, accelerations: of all joints, in the order of ``graph.joint_names``;
            ``coordinates`` is the next call's guess.
        wrenches: by loop joint, [force N, moment N m] of the predecessor on the successor, at and in the
            successor's anchor frame.
        tensions: by spring [N].
        free: names of the passive joints that neither independent joints nor loops determine. They are
            unactuated, at the guess's position as long as loops close there, with velocity zero; their
            accelerations follow from the dynamics.
        open_tree: what the tree's joints would transmit at this motion without loop joints and springs.
    """

    tau: Array
    coordinates: Array
    velocities: Array
    accelerations: Array
    wrenches: Mapping[str, Array]
    tensions: Mapping[str, float]
    free: tuple[str, ...]
    open_tree: TransmittedWrenches = field(repr=False)
    _system: ConstraintSystem = field(repr=False)
    _find_multipliers: Callable[[], Array] = field(repr=False)

    @cached_property
    def multipliers(self) -> Array:
        """Multipliers of the constraint rows [N or N m]; the least-norm ones where rows are redundant."""
        return self._find_multipliers()

    @property
    def rank(self) -> int:
        """Rank of the constraint rows, in the dependent coordinates."""
        return self._projection.rank

    @property
    def redundant(self) -> int:
        """Number of constraint rows beyond the rank."""
        return len(self._system.names) - self.rank

    @property
    def condition(self) -> float:
        """Condition number of J_d, gears in the units of their driving joints: large near a dead point."""
        return self._projection.condition

    @cached_property
    def residual(self) -> Mapping[str, float]:
        """Largest violation [m or 1] of the rows of each loop joint and gear, by name."""
        return self._system.residual(self.coordinates)

    @property
    def projection(self) -> Array:
        """W (nv, independent), v = W v_independent: see `explicit_constraint_jacobian`."""
        return self._projection.W[:, : len(self.tau)]

    @cached_property
    def closing_wrenches(self) -> ClosingWrenches:
        """The wrenches of loop joints and springs on their links."""
        elements = self.open_tree.graph.once(ClosingElements)
        return elements(self.coordinates, self.wrenches, self.tensions)

    @cached_property
    def tree(self) -> TransmittedWrenches:
        """What the tree's joints and connection points transmit, without loop joints and springs."""
        wrenches = self.open_tree.joint_wrenches - self.closing_wrenches.on_joints
        return replace(self.open_tree, joint_wrenches=wrenches)

    @cached_property
    def _projection(self) -> Projection:
        return self._system.projection(self.coordinates)


class StateStatus(IntEnum):
    """Outcome of one of many states.

    Where the branch ends on the way to a state, Newton's method from its end decides whether loops close
    there all the same (DEAD_POINT) or not. A call for the state alone searches farther.
    """

    ANSWERED = 0
    CANNOT_CLOSE = 1
    DEAD_POINT = 2
    NO_STATE = 3  #: not finite, or too large
    NO_MODEL = 4  #: parameters that no robot can have


def status_of(error: ModularDynamicsError) -> StateStatus:
    """Return the status of a state with this error."""
    if isinstance(error, ModelError):
        return StateStatus.NO_MODEL
    if isinstance(error, SingularityError):
        return StateStatus.DEAD_POINT
    return StateStatus.CANNOT_CLOSE if isinstance(error, ClosureError) else StateStatus.NO_STATE


@dataclass(frozen=True, eq=False)
class ClosedLoopResults:
    """What ``InverseDynamics.solve_many`` finds, a row for each state.

    Of n designs with s states each, the shapes begin with (n, s).

    Attributes:
        tau: torques of the independent joints (n, independent) [N m or N]; NaN where there is none.
        coordinates: of all joints (n, nq); NaN as well.
        statuses: a `StateStatus` of each state (n,).
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
        """Tensions [N] of the springs (n, springs); NaN where there is no torque."""
        return self._details[0]

    @property
    def sines(self) -> Array:
        """Smallest sine (n,) of the angle between the motions of a planar loop's two unknown joints.

        0 at a dead point; NaN where the general method was used (near one, or far from the guess).
        """
        return self._details[1]

    @cached_property
    def _details(self) -> tuple[Array, Array]:
        return self._find_details()


@contextmanager
def errors_name_row(k: int) -> Iterator[None]:
    """Make errors about the state of row k begin with it."""
    try:
        yield
    except ModularDynamicsError as error:
        error.args = (f"row {k}: {error}", *error.args[1:])
        raise
