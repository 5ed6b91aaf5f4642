"""Joint states of one robot: read, counted, and handed on to be answered."""

from collections.abc import Callable, Sequence
from typing import Any

from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import State
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.joint_states import JointSample, JointStateReader
from modular_dynamics_ros.node.answer_record import AnswerRecord
from modular_dynamics_ros.node.interfaces import SessionNode

__all__ = ["Answering", "StateInput"]


ALARMING_AGE = 1.0  # [s] from stamp to arrival: clocks differ, or use_sim_time was forgotten

Answering = Callable[[State, int], None]
"""Takes a state and its arrival [ns of the system]; raises BadMessage where it cannot be answered."""


class StateInput:
    """What becomes of each joint state of a robot; `Succession` says which are.

    Args:
        answer: takes each state, at once or later. record: of what becomes of the messages.
    """

    def __init__(
        self, node: SessionNode, computation: Computation, answer: Answering, record: AnswerRecord
    ) -> None:
        self._node = node
        self._computation, self._answer, self._record = computation, answer, record
        robot = computation.robot
        self._reader = JointStateReader(robot.state_names, robot.passive_names)

    def fits(self, names: Sequence[str]) -> bool:
        """Whether a message with these names holds all joints that are needed."""
        return self._reader.fits(names)

    def receive(self, message: JointState, info: dict[str, Any]) -> None:
        """Answer a message, or count and report why not; `info`: rclpy's."""
        self._record.counts.received += 1
        now = self._node.now()
        try:
            sample = self._reader.read(message)
            state = self._computation.observe(
                sample.stamp or now, sample.q, sample.v, sample.without_velocity, sample.optional
            )
            self._report_flaws(sample, state, now)
            self._answer(state, info["received_timestamp"])
        except BadMessage as error:
            self._record.rejected(error)

    def _report_flaws(self, sample: JointSample, state: State, now: int) -> None:
        """Report flaws of a joint state that is answered nevertheless."""
        log, computation = self._node.log, self._computation
        self._record.counts.input_age = age = (now - (sample.stamp or now)) * 1e-9
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
        if state.coverage.doubtful:
            log.problem("reference", state.coverage.name.lower(), state.coverage.value)
