"""Joint states of an active node: counted, and handed on to be answered; what is published when they stop."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.assembly_mode import CANNOT_CLOSE, DEAD_POINT
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.values import Coverage, State
from modular_dynamics_ros.diagnostics.statuses import MessageCounts, closure_status, input_status
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.joint_states import JointSample, JointStateReader
from modular_dynamics_ros.messages.status import Status
from modular_dynamics_ros.node.inputs import Inputs
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.topics import JOINT_STATES

__all__ = ["InputTimeout", "StaleBehaviour", "StateInput"]


class StaleBehaviour(Enum):
    """What the node publishes now."""

    ANSWERS = "the input is fresh: answers only"
    NOTHING = "nothing"
    HOLD_GRAVITY = "gravity torques at the last position"
    RAMP = "the last torques times a falling factor"


@dataclass
class InputTimeout:
    """Measures the time since the last good joint state arrived, in the node's clock [ns].

    Args:
        stale_after: [s]. on_stale: stop | hold_gravity | ramp_to_zero. ramp_time: [s].
    """

    stale_after: float
    on_stale: str = "stop"
    ramp_time: float = 1.0
    _last: int | None = None
    _ramp_done: bool = False

    def arrived(self, now: int) -> None:
        """A good joint state has arrived."""
        self._last, self._ramp_done = now, False

    def age(self, now: int) -> float | None:
        """Seconds since the last good joint state; None before the first."""
        return None if self._last is None else (now - self._last) * 1e-9

    def behaviour(self, now: int) -> tuple[StaleBehaviour, float]:
        """What to publish and, for RAMP, the factor; the ramp ends with exactly one factor of zero."""
        age = self.age(now)
        if age is None:
            return StaleBehaviour.NOTHING, 0.0
        if age < 0.0:  # the clock was set back, as a simulation does when it starts again
            self._last, age = now, 0.0
        if age <= self.stale_after:
            return StaleBehaviour.ANSWERS, 1.0
        if self.on_stale == "hold_gravity":
            return StaleBehaviour.HOLD_GRAVITY, 1.0
        if self.on_stale == "ramp_to_zero" and not self._ramp_done:
            factor = max(0.0, 1.0 - (age - self.stale_after) / self.ramp_time)
            self._ramp_done = factor == 0.0
            return StaleBehaviour.RAMP, factor
        return StaleBehaviour.NOTHING, 0.0


ALARMING_AGE = 1.0  # [s] from stamp to arrival: clocks differ, or use_sim_time was forgotten


class StateInput(Inputs):
    """The subscription to joint_states from activation to deactivation.

    Args:
        answer: called with each state and its arrival [ns of the system]; raises BadMessage where the state
        cannot be answered. timeout: when the input is stale.

    Attributes:
        counts: of messages.
    """

    def __init__(
        self,
        node: SessionNode,
        computation: Computation,
        answer: Callable[[State, int], None],
        timeout: InputTimeout,
    ) -> None:
        super().__init__(node)
        self.counts, self._timeout = MessageCounts(), timeout
        self._computation, self._answer = computation, answer
        robot = computation.robot
        self._reader = JointStateReader(robot.state_names, robot.passive_names)
        self._is_stale = False
        self._subscribe_with_queued(JointState, "joint_states", self._receive, JOINT_STATES)

    def set_timeout(self, stale_after: float, on_stale: str = "stop", ramp_time: float = 1.0) -> None:
        """Take new parameters; the time of the last joint state stays."""
        timeout = self._timeout
        timeout.stale_after, timeout.on_stale, timeout.ramp_time = stale_after, on_stale, ramp_time

    def count_answer(self, answer: Answer, arrival: int) -> None:
        """An answer is published; `arrival` of its state [ns of the system]."""
        self.counts.answered += 1
        self.counts.latency.add(arrival, time.time_ns() - arrival)
        self.counts.closed_anew += not answer.configuration.continues_last
        self._timeout.arrived(self._node.now())
        if disagreements := answer.configuration.disagreements:
            tolerance = self._computation.settings.closure_tolerance
            self._node.log.problem(
                "passive joints",
                "disagree",
                f"measured {listed(list(disagreements))}: more than {tolerance:g} rad or m "
                "(closure_tolerance) from the position that closes the loops, which is used instead",
            )

    def reject(self, error: BadMessage) -> None:
        """Count and report a state that cannot be answered."""
        self.counts.rejected[error.cause] += 1
        closing = error.cause in (CANNOT_CLOSE, DEAD_POINT)
        where = "closure" if closing else "joint_states"
        self._node.log.problem(where, error.cause, f"not answered: {error}", severe=closing)

    def behaviour(self) -> tuple[StaleBehaviour, float]:
        """What to publish now, by the age of the input, and the factor of a ramp."""
        now, timeout = self._node.now(), self._timeout
        behaviour, factor = timeout.behaviour(now)
        self._is_stale = timeout.age(now) is not None and behaviour is not StaleBehaviour.ANSWERS
        if self._is_stale:
            self._node.log.problem(
                "stale input",
                "stale",
                f"no joint state was answered for {timeout.stale_after:g} s; publishing {behaviour.value}",
            )
        return behaviour, factor

    def status(self, *elsewhere: str) -> Status:
        """Joint states and all problems, except those that other statuses report."""
        problems = self._node.log.current("stale input", *elsewhere)
        return input_status(self.counts, problems, self._timeout.age(self._node.now()), self._is_stale)

    def closure_status(self, answer: Answer | None) -> Status:
        """The closed loops at the last answer."""
        texts = self._node.log.texts
        return closure_status(answer, self.counts.closed_anew, texts("closure"), texts("passive joints"))

    def _receive(self, message: JointState, info: dict[str, Any]) -> None:
        self.counts.received += 1
        now = self._node.now()
        try:
            sample = self._reader.read(message)
            state = self._computation.observe(
                sample.stamp or now, sample.q, sample.v, sample.without_velocity, sample.optional
            )
            self._report_flaws(sample, state, now)
            self._answer(state, info["received_timestamp"])
        except BadMessage as error:
            self.reject(error)

    def _report_flaws(self, sample: JointSample, state: State, now: int) -> None:
        """Report flaws of a joint state that is answered nevertheless."""
        log, computation = self._node.log, self._computation
        self.counts.input_age = age = (now - (sample.stamp or now)) * 1e-9
        if abs(age) > ALARMING_AGE:
            log.problem(
                "joint_states",
                "stamp",
                f"stamps differ from this node's clock by more than {ALARMING_AGE:g} s: "
                "synchronise the clocks, or set use_sim_time",
            )
        if sample.without_velocity and computation.needs_velocity:
            text = f"no velocity of {listed(sample.without_velocity)}: taken as zero"
            log.problem("joint_states", "no velocity", text)
        if state.coverage is Coverage.HELD:
            log.problem("reference", "held", Coverage.HELD.value)
