"""What became of the joint states of an active node; how old the last answered one is."""

import time

from modular_dynamics_ros.computation.assembly_mode import CANNOT_CLOSE, DEAD_POINT
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.diagnostics.statuses import MessageCounts, closure_status, input_status
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.status import Status
from modular_dynamics_ros.node.interfaces import SessionNode

__all__ = ["AnswerRecord"]


class AnswerRecord:
    """Counts and reports joint states and answers since activation.

    Attributes:
        counts: of messages. last: the last answer that was published.
    """

    counts: MessageCounts
    last: Answer | None

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        self._node, self._computation = node, computation
        self.restart()

    def restart(self) -> None:
        """Forget everything: the node is activated."""
        self.counts, self.last = MessageCounts(), None
        self._answered = 0  # when the last answer was published, by the node's clock [ns]

    def continue_from(self, other: "AnswerRecord") -> None:
        """Count on what another robot of the node has counted."""
        self.counts = other.counts

    def answered(self, answer: Answer, arrival: int) -> None:
        """An answer is published; `arrival` of its state [ns of the system]."""
        self.last, self._answered = answer, self._node.now()
        self.counts.answered += 1
        self.counts.latency.add(arrival, time.time_ns() - arrival)
        self.counts.closed_anew += not answer.configuration.continues_last
        if disagreements := answer.configuration.disagreements:
            tolerance = self._computation.settings.closure_tolerance
            self._node.log.problem(
                "passive joints",
                "disagree",
                f"measured {listed(list(disagreements))}: more than {tolerance:g} rad or m "
                "(closure_tolerance) from the position that closes the loops, which is used instead",
            )

    def rejected(self, error: BadMessage) -> None:
        """A joint state cannot be answered."""
        self.counts.rejected[error.cause] += 1
        closing = error.cause in (CANNOT_CLOSE, DEAD_POINT)
        where = "closure" if closing else "joint_states"
        self._node.log.problem(where, error.cause, f"not answered: {error}", severe=closing)

    def unanswerable(self, error: BadMessage) -> None:
        """A joint state has arrived that no robot can answer."""
        self.counts.received += 1
        self.rejected(error)

    def stale(self, publishing: str) -> None:
        """The input is stale; `publishing`: what is published meanwhile."""
        stale_after = self._computation.settings.stale_after
        text = f"no joint state was answered for {stale_after:g} s; publishing {publishing}"
        self._node.log.problem("stale input", "stale", text)

    def overdue(self) -> float | None:
        """For how long [s] the input has been stale; None where it is fresh, and before the first answer."""
        age, stale_after = self._age(), self._computation.settings.stale_after
        return None if age is None or age <= stale_after else age - stale_after

    def _age(self) -> float | None:
        """Seconds since the last answer; None before the first."""
        if self.last is None:
            return None
        now = self._node.now()
        self._answered = min(self._answered, now)  # a simulation that starts again sets the clock back
        return (now - self._answered) * 1e-9

    def acceleration_source(self) -> str:
        """Where accelerations come from, and the source's condition at the last answer, if that is fresh."""
        fresh = self.last is not None and self.overdue() is None
        return self._computation.accelerations.description(self.last.state if fresh and self.last else None)

    def status(self, *elsewhere: str) -> Status:
        """Joint states and all problems, except those that other statuses report."""
        problems = self._node.log.current("stale input", *elsewhere)
        return input_status(self.counts, problems, self._age(), self.overdue() is not None)

    def closure_status(self, answer: Answer | None) -> Status:
        """The closed loops at an answer."""
        texts = self._node.log.texts
        return closure_status(answer, self.counts.closed_anew, texts("closure"), texts("passive joints"))
