"""From the independent joints of a robot with closed loops to all joints, torques and wrenches at the cuts.

The loops are closed from where they stood at the last answer, as long as the states follow each other
closely: then they stay in their assembly mode. After a gap or a jump they are closed anew, from the
configuration that the library begins with. Where measured passive joints contradict that, and the loops close
upon them, the measured ones tell the assembly mode; where the loops do not, they are named, and not used.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from modular_dynamics.closure import ClosedLoopDynamics, close_loops, constraint_projection, tree_torques
from modular_dynamics.exceptions import ClosureError, SingularityError
from modular_dynamics_ros.computation.closed_solver import ClosedSolver
from modular_dynamics_ros.computation.open_chain import Computation
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.messages.bad_message import BadMessage
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

__all__ = ["CANNOT_CLOSE", "DEAD_POINT", "ClosedComputation", "Disagreement"]

CANNOT_CLOSE, DEAD_POINT = "cannot close", "dead point"  # causes of a BadMessage
OPEN = 1e-9  # [m or 1] from which on a loop is open
LONGEST_GAP = 0.25  # [s] between stamps: beyond it the joints may have gone anywhere
NEARLY = 10.0  # closure_tolerances by which loops may be open at measured joints: several add up
FARTHEST_SHIFT, FARTHEST_TURN = 0.1, 0.5  # [m], [rad] from one state to the next: more is a jump


@dataclass(frozen=True)
class Disagreement:
    """A passive joint that was measured elsewhere than where the loops put it [rad or m]."""

    joint: str
    difference: float


class ClosedComputation(Computation):
    """As `Computation`; the robot's state is that of its independent joints.

    Attributes:
        completed: all joints, multipliers and wrenches of the last answer; None before the first.
        disagreements: which passive joints of that answer's message were measured elsewhere.
        closed_anew: in how many answers the assembly mode was not carried on from the answer before.
    """

    def __init__(self, robot: Robot, parameters: DynamicsParameters) -> None:
        super().__init__(robot, parameters)
        graph = robot.graph
        self.completed: ClosedLoopDynamics | None = None
        self.disagreements: tuple[Disagreement, ...] = ()
        self.closed_anew = 0
        self._solver: ClosedSolver = robot.solver
        self._passive = np.array([graph.q_slice(name).start for name in robot.passive_names], dtype=np.intp)
        self._turning = np.array([_turns(robot, name) for name in robot.passive_names], dtype=bool)
        self._measured = np.full(len(self._passive), np.nan)
        self._farthest = np.array(
            [FARTHEST_TURN if _turns(robot, name) else FARTHEST_SHIFT for name in robot.state_names]
        )
        self._stamp = self._answered = 0  # [ns] of the observed state, and of the answered one

    def forget(self) -> None:
        """Forget all inputs, and how the loops stood."""
        super().forget()
        self.completed, self.disagreements = None, ()

    def observe(
        self,
        stamp: int,
        q: np.ndarray,
        v: np.ndarray,
        without_velocity: tuple[str, ...] = (),
        measured: np.ndarray | None = None,
    ) -> None:
        """As `Computation.observe`; `measured`: positions of the passive joints, NaN where unknown."""
        super().observe(stamp, q, v, without_velocity)
        self._stamp = stamp
        self._measured[:] = np.nan if measured is None else measured

    def compute(self, now: int) -> None:
        """Close the loops, then torques and wrenches of the observed state.

        Raises:
            BadMessage: also where the loops do not close, or stand at a dead point.
        """
        carried_on = self._carries_on()
        self._solver.guess, disagreements = self._closed(self._observed[0], carried_on)
        try:
            super().compute(now)
        except ClosureError as error:
            raise _refused(error) from error
        self.completed, self.disagreements = self._solver.found, disagreements
        self._answered = self._stamp
        self.closed_anew += not carried_on

    def hold(self) -> None:
        """As `Computation.hold`, with the loops as they stood at the last answer."""
        if self.completed is None:
            raise BadMessage("no answer", "no joint state was answered yet")
        self._solver.guess = self.completed.coordinates
        super().hold()
        self.completed = self._solver.found

    def cross_check(self) -> Any:
        """Compare with Pinocchio: the open tree, with the wrenches of cuts and springs on its links."""
        found = self.completed
        assert found is not None  # it is called after an answer
        motion = found.coordinates, found.velocities, found.accelerations
        return self.robot.check(*motion, tree_torques(self.robot.graph, found), self._solver.loads)

    def _take_result(self, v: np.ndarray) -> None:
        """Efforts, with the friction of all joints: W^T of it is felt by the independent ones."""
        found = self._solver.found
        assert found is not None  # the solver was called
        if self.parameters.friction != "none":
            graph, indices = self.robot.graph, self.robot.indices
            self.feedforward.projection = constraint_projection(
                graph, found.coordinates[indices], found.coordinates
            )
        super()._take_result(found.velocities)

    def _carries_on(self) -> bool:
        """Whether the observed state follows closely upon the answered one."""
        if self.completed is None or not 0 <= self._stamp - self._answered <= LONGEST_GAP * 1e9:
            return False
        return bool((np.abs(self._observed[0] - self.q) <= self._farthest).all())

    def _closed(self, q: np.ndarray, carried_on: bool) -> tuple[np.ndarray, tuple[Disagreement, ...]]:
        """Coordinates of all joints, and which measured passive ones contradict them."""
        before = self.completed.coordinates if carried_on and self.completed is not None else None
        failure = None
        try:
            closed = close_loops(self.robot.graph, q, before)
        except ClosureError as error:
            failure, closed = error, self._nearest(error, q)
        contradicting = self._contradicting(closed)
        if failure is None and not contradicting:
            return closed, ()
        told = self._closed_as_measured(q, closed)
        if told is not None:
            return told, ()
        if failure is not None:
            raise _refused(failure) from failure
        return closed, contradicting

    def _nearest(self, error: ClosureError, q: np.ndarray) -> np.ndarray:
        """Where the loops came closest to being closed."""
        found = self.robot.graph.neutral() if error.coordinates is None else np.array(error.coordinates)
        found[self.robot.indices] = q
        return found

    def _closed_as_measured(self, q: np.ndarray, beside: np.ndarray) -> np.ndarray | None:
        """The loops closed upon the measured passive joints; None where they do not close there."""
        known = ~np.isnan(self._measured)
        if not known.any():
            return None
        guess = beside.copy()
        guess[self._passive[known]] = self._measured[known]
        if self._solver.open_by(guess) > NEARLY * self.parameters.closure_tolerance:
            return None  # far from closed: a search from there is long, and would tell nothing
        try:
            told = close_loops(self.robot.graph, q, guess)
        except ClosureError:
            return None
        return None if self._contradicting(told) else told

    def _contradicting(self, closed: np.ndarray) -> tuple[Disagreement, ...]:
        difference = self._measured - closed[self._passive]
        difference[self._turning] = np.remainder(difference[self._turning] + np.pi, 2.0 * np.pi) - np.pi
        apart = np.abs(difference) > self.parameters.closure_tolerance  # never where it is NaN, not measured
        names = self.robot.passive_names
        return tuple(Disagreement(names[k], float(difference[k])) for k in np.flatnonzero(apart))


def _turns(robot: Robot, name: str) -> bool:
    return robot.graph.joint(name).type != "prismatic"


def _refused(error: ClosureError) -> BadMessage:
    open_by = max((error.residual or {}).values(), default=np.inf)  # closed there, but the way is barred
    at_dead_point = isinstance(error, SingularityError) or open_by < OPEN
    cause = DEAD_POINT if at_dead_point else CANNOT_CLOSE
    return BadMessage(cause, f"{cause}: {error}")
