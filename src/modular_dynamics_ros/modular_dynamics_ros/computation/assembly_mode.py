"""Closes the loops of a robot, joint state after joint state, in the right assembly mode.

While states follow each other closely, the loops are closed from the last answer, and so stay in their
assembly mode. After a gap or a jump they are closed from the library's initial configuration. Where measured
passive joints disagree with the result, the loops are closed near these joints, if they can be; if not, the
joints are reported and ignored.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from modular_dynamics.exceptions import ClosureError, SingularityError
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import Array, Configuration, State
from modular_dynamics_ros.exceptions import BadMessage

if TYPE_CHECKING:  # a robot without loops does not wait for the import
    from modular_dynamics.loops import ClosedLoopSolver


CANNOT_CLOSE, SINGULAR = "cannot close", "singular configuration"  # causes of a BadMessage
OPEN = 1e-9  # [m or 1] residual of an open loop
LONGEST_GAP = 0.25  # [s] between stamps: beyond it the joints may have gone anywhere
#: Largest residual at measured passive joints from which loops are closed, in multiples of
#: closure_tolerance: errors of several joints add up.
NEARLY = 10.0
FARTHEST_SHIFT, FARTHEST_TURN = 0.1, 0.5  # [m], [rad] from one state to the next: more is a jump


class AssemblyMode:
    """Closes the loops of one robot.

    Args:
        tolerance: by how much measured passive joints may differ from their closed positions [rad or m].
    """

    def __init__(self, robot: Robot, solver: "ClosedLoopSolver", tolerance: float) -> None:
        graph = robot.graph
        self._robot, self._solver, self.tolerance = robot, solver, tolerance
        self._states, self._passive = (
            np.array([graph.q_slice(name).start for name in names], dtype=np.intp)
            for names in (robot.state_names, robot.passive_names)
        )
        self._turning = _turning(robot, robot.passive_names)
        self._farthest = np.where(_turning(robot, robot.state_names), FARTHEST_TURN, FARTHEST_SHIFT)

    def close(self, state: State, *previous: Configuration) -> Configuration:
        """Return coordinates of all joints at a state, from the first previous ones close to it.

        Raises:
            BadMessage: the loops do not close.
        """
        last = next((before for before in previous if self._follows(state, before.state)), None)
        return self._close(state, last)

    def close_from(self, state: State, start: Configuration | None) -> Configuration:
        """Return coordinates closed from `start`, however far: in the nearest or the measured assembly mode.

        Raises:
            BadMessage: the loops do not close, or not where passive joints are said to be.
        """
        closed = self._close(state, start)
        if closed.disagreements:
            differences = ", ".join(f"'{name}' by {d:.3g}" for name, d in closed.disagreements.items())
            # another assembly mode is found from a guess of all joints
            other = ", or name all passive joints" if np.isnan(state.measured).any() else ""
            raise BadMessage(
                "disagree",
                f"loops do not close with the passive joints as given: {differences} rad or m from where "
                f"they close, more than {self.tolerance:g} (closure_tolerance); leave these joints out"
                f"{other}",
            )
        return closed

    def _close(self, state: State, last: Configuration | None) -> Configuration:
        """Return the closed configuration: from `last`, or near the measured joints where they disagree."""
        failure, continues = None, last is not None
        try:
            guess = None if last is None else last.coordinates
            closed = self._solver.close(self._independent(state), guess)
        except ClosureError as error:
            failure, closed = error, self._nearest(error, state.q)
        disagreements = self._disagreements(state.measured, closed)
        if failure is not None or disagreements:
            as_measured = self._closed_as_measured(state, closed)
            if as_measured is not None:
                return Configuration(state, as_measured, {}, continues)
        if failure is not None:
            raise refused_closure(failure) from failure
        return Configuration(state, closed, disagreements, continues)

    def _independent(self, state: State) -> Array:
        """Return the independent coordinates from which the library closes the loops."""
        base = self._robot.base
        if base is None or state.base is None:
            return state.q
        return base.positions(state.q, state.base.orientation)

    def _follows(self, state: State, last: State) -> bool:
        """Return whether a state follows another so closely that the loops cannot have changed their mode."""
        if not 0 <= state.stamp - last.stamp <= LONGEST_GAP * 1e9:
            return False
        return bool((np.abs(state.q - last.q) <= self._farthest).all())

    def _nearest(self, error: ClosureError, q: Array) -> Array:
        """Return the configuration in which the loops were closest to being closed."""
        graph = self._robot.graph
        nearest = graph.neutral() if error.coordinates is None else np.array(error.coordinates)
        nearest[self._states] = q
        return nearest

    def _closed_as_measured(self, state: State, nearby: Array) -> Array | None:
        """Return the loops closed from the measured passive joints; None if they do not close nearby."""
        known = ~np.isnan(state.measured)
        if not known.any():
            return None
        guess = nearby.copy()
        guess[self._passive[known]] = state.measured[known]
        if max(self._solver.residual(guess).values(), default=0.0) > NEARLY * self.tolerance:
            return None  # far from closed: a search from there is slow and inconclusive
        try:
            closed = self._solver.close(self._independent(state), guess)
        except ClosureError:
            return None
        return None if self._disagreements(state.measured, closed) else closed

    def _disagreements(self, measured: Array, closed: Array) -> dict[str, float]:
        """Return measured less closed coordinates beyond the tolerance, by passive joint."""
        difference: Array = measured - closed[self._passive]
        difference[self._turning] = np.remainder(difference[self._turning] + np.pi, 2.0 * np.pi) - np.pi
        apart = np.abs(difference) > self.tolerance  # False for NaN
        names = self._robot.passive_names
        return {names[k]: float(difference[k]) for k in np.flatnonzero(apart)}


def refused_closure(error: ClosureError) -> BadMessage:
    """Return the library's error as the reason why a joint state is not processed."""
    residuals: Any = error.residual or {}
    residual = max(residuals.values(), default=np.inf)
    # a closed configuration that cannot be reached is at a singular configuration, too
    cause = SINGULAR if isinstance(error, SingularityError) or residual < OPEN else CANNOT_CLOSE
    return BadMessage(cause, f"{cause}: {error}")


def _turning(robot: Robot, names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which joints turn, unlike prismatic ones."""
    return np.array([robot.graph.joint(name).type != "prismatic" for name in names], dtype=bool)
