"""The torques that were published last, and their way to zero."""

import time
from collections.abc import Callable

from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.values import Array, State
from modular_dynamics_ros.dynamics.outputs import DynamicsOutputs
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.robot_session import WATCH_PERIOD

__all__ = ["TorqueRamp"]


class TorqueRamp:
    """ramp_to_zero of what receivers of the torques have, whichever robot of the node it was published for.

    The robots of a node share one: when a robot is replaced, controllers keep the torques of the old one
    until the new one is answered. They came with its joints and in its order, and so does the ramp. The
    topics are the same for all robots of a node, which keeps their publishers (`SharedEntities`).
    """

    def __init__(self, node: SessionNode) -> None:
        self._node = node
        self._outputs: DynamicsOutputs | None = None
        self._last: tuple[State, Array] | None = None  # the state, and the torques published for it
        self._factor = 1.0  # of the last torques; it falls until others are published
        self._start = 0.0  # for how long [s] the input had been stale when the ramp began

    def published(self, answer: Answer, outputs: DynamicsOutputs) -> None:
        """Note the published torques, with which a ramp begins."""
        self._last, self._outputs, self._factor = (answer.state, answer.effort), outputs, 1.0

    def advance(self, overdue: float, duration: float) -> bool:
        """Publish the torques that are due, `overdue` [s] after the input became stale.

        Args:
            duration: of the whole ramp [s].

        Returns:
            whether there was something to publish.
        """
        if self._last is None or self._factor == 0.0:
            return False
        # it begins with the first look, which comes late where /clock died or the process stood still
        begun = max(0.0, overdue - WATCH_PERIOD)
        self._start = begun if self._factor == 1.0 else min(self._start, begun)
        self._publish(1.0 - (overdue - self._start) / duration)
        return True

    def finish(self, duration: float, hurried: Callable[[], bool]) -> None:
        """Publish all of the ramp, or what is left of it; until `hurried` is true."""
        began, start = time.monotonic(), self._factor
        while self._last is not None and self._factor > 0.0 and not hurried():
            time.sleep(WATCH_PERIOD)
            self._publish(start - (time.monotonic() - began) / duration)
        if self._outputs is not None:
            self._outputs.wait_until_received()

    def _publish(self, factor: float) -> None:
        assert self._last is not None  # both callers have checked
        assert self._outputs is not None
        # never more than before, also where a simulation that starts again sets the clock back
        self._factor = min(self._factor, max(0.0, factor))
        state, effort = self._last
        self._outputs.publish_torques(state, self._factor * effort, self._node.now())
