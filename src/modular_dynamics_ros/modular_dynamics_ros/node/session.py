"""One robot in an active node: joint states are read, judged, answered and watched."""

import time
from typing import TYPE_CHECKING, Any

from builtin_interfaces.msg import Time
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.lifecycle import LifecycleState
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.closed_loop import CANNOT_CLOSE, DEAD_POINT, ClosedComputation
from modular_dynamics_ros.computation.open_chain import Computation
from modular_dynamics_ros.computation.reference import Coverage
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.diagnostics.status import Status
from modular_dynamics_ros.diagnostics.statuses import Tally, closure_status, input_status
from modular_dynamics_ros.messages.bad_message import BadMessage, listed
from modular_dynamics_ros.messages.conversions import JointStateReader, stamp_message, stamp_nanoseconds
from modular_dynamics_ros.node.input_timeout import Reaction, StaleInput
from modular_dynamics_ros.node.inputs import Inputs
from modular_dynamics_ros.node.pending_messages import waiting

if TYPE_CHECKING:
    from modular_dynamics_ros.node.robot_node import RobotNode

__all__ = ["Session"]

# SensorDataQoS keeps 5: at 500 Hz a pause of 10 ms (another process on the core) would lose messages already.
# 500 bridge a second; how old the answered input is stands in /diagnostics.
JOINT_STATES = QoSProfile(depth=500, reliability=ReliabilityPolicy.BEST_EFFORT)
# the executor would look at two more things at every message; best effort fits whatever is published
NO_EVENTS = SubscriptionEventCallbacks(use_default_callbacks=False)
WATCH_PERIOD = 0.02  # [s] how often staleness is looked at, and how often something is published when stale
ALARMING_AGE = (
    1.0  # [s] between a state's stamp and its arrival: clocks differ, or use_sim_time was forgotten
)


class Session:
    """What one robot needs between activation and deactivation, and its publishers as long as it lives.

    A node's own session says what answering a joint state is: `_observed`, and what it says of itself:
    `statuses`.

    Args:
        computation: takes the joint states. outputs: has activate, publish and destroy. takes_loads: whether
        wrenches from topics load the robot.
    """

    def __init__(
        self,
        node: "RobotNode",
        robot: Robot,
        computation: Computation,
        outputs: Any,
        *,
        takes_loads: bool = True,
    ) -> None:
        self.robot, self.computation, self.outputs = robot, computation, outputs
        self._node, self._log, self._takes_loads = node, node.log, takes_loads
        self._reader = JointStateReader(robot.state_names, robot.passive_names)
        self._inputs: Inputs | None = None
        self._subscription: Any = None
        self._watch: Any = None
        self._reset(node.parameters)

    def _reset(self, parameters: Any) -> None:
        self.tally = Tally()
        self._stale = self._judge(parameters)
        self._is_stale = False

    def _judge(self, parameters: Any) -> StaleInput:
        """What judges the input's age."""
        return StaleInput(parameters.stale_after, "stop", 1.0)

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer."""
        node = self._node
        self._reset(node.parameters)
        self.outputs.activate(state)
        # before joint_states: of a reference and a joint state that are both there the reference is taken
        # first
        self._inputs = Inputs(node, self.computation, self._log, node.now, loads=self._takes_loads)
        self._subscription = node.create_subscription(
            JointState, "joint_states", self._on_joint_state, JOINT_STATES, event_callbacks=NO_EVENTS
        )
        self._watch = node.create_timer(WATCH_PERIOD, self._on_watch)

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        if self._inputs is None:
            return
        self._inputs.destroy()
        self._node.destroy_subscription(self._subscription)
        self._node.destroy_timer(self._watch)
        self._inputs = None
        self.computation.forget()

    @property
    def active(self) -> bool:
        """Whether joint states are taken."""
        return self._inputs is not None

    def destroy(self) -> None:
        """Take everything away, publishers too."""
        self.deactivate()
        self.outputs.destroy()

    def set_parameters(self, parameters: Any) -> None:
        """Take parameters that changed at run time."""
        self.computation.set_parameters(parameters)
        new, stale = self._judge(parameters), self._stale
        stale.stale_after, stale.on_stale, stale.ramp_time = new.stale_after, new.on_stale, new.ramp_time

    def statuses(self) -> list[Status]:
        """How it goes, for /diagnostics."""
        raise NotImplementedError

    def _observed(self, stamp: Time, arrival: int, now: int) -> None:
        """The computation has taken a state, stamped, arrived [ns of the system] now [ns of the node].

        Raises:
            BadMessage: it cannot be answered.
        """
        raise NotImplementedError

    def _react(self, reaction: Reaction, factor: float) -> None:
        """What the age of the input asks for."""

    def _on_joint_state(self, message: JointState, info: dict) -> None:
        self._take(message, info)
        for next_message, next_info in waiting(self._subscription):
            self._take(next_message, next_info)

    def _take(self, message: JointState, info: dict) -> None:
        self.tally.received += 1
        now = self._node.now()
        try:
            self._reader.read(message)
            stamp = stamp_nanoseconds(message.header.stamp)
            reader = self._reader
            self.computation.observe(
                stamp or now, reader.q, reader.v, reader.without_velocity, reader.measured
            )
            self._remark_on_input(now, stamp or now)
            self._observed(
                message.header.stamp if stamp else stamp_message(now), info["received_timestamp"], now
            )
        except BadMessage as error:
            self._reject(error)

    def _reject(self, error: BadMessage) -> None:
        self.tally.rejected[error.cause] += 1
        closing = error.cause in (CANNOT_CLOSE, DEAD_POINT)
        where = "closure" if closing else "joint_states"
        self._log.problem(where, error.cause, f"not answered: {error}", severe=closing)

    def _answered(self, arrival: int, now: int) -> None:
        """Count an answer that is out."""
        self.tally.answered += 1
        self.tally.latency.add(arrival, time.time_ns() - arrival)
        self._stale.arrived(now)

    def _remark_on_input(self, now: int, stamp: int) -> None:
        """Say what is wrong with an input that is answered all the same."""
        self.tally.input_age = age = (now - stamp) * 1e-9
        computation = self.computation
        if abs(age) > ALARMING_AGE:
            self._log.problem(
                "joint_states",
                "stamp",
                f"stamps differ from this node's clock by more than {ALARMING_AGE:g} s: "
                "synchronise the clocks, or set use_sim_time",
            )
        if self._reader.without_velocity and computation.needs_velocity:
            self._log.problem(
                "joint_states",
                "no velocity",
                f"no velocity of {listed(self._reader.without_velocity)}: taken as zero",
            )
        source = computation.parameters.acceleration_source
        if source == "reference" and computation.coverage is Coverage.HELD:
            self._log.problem("reference", "held", Coverage.HELD.value)

    def _remark_on_passive_joints(self) -> None:
        """Say which measured passive joints the loops contradict; the loops' values were used."""
        computation = self.computation
        if isinstance(computation, ClosedComputation) and computation.disagreements:
            names = [disagreement.joint for disagreement in computation.disagreements]
            self._log.problem(
                "passive joints",
                "disagree",
                f"{listed(names)} measured more than {computation.parameters.closure_tolerance:g} rad or m "
                "(closure_tolerance) away from where the loops put it; the loops' value is used",
            )

    def _on_watch(self) -> None:
        now = self._node.now()
        reaction, factor = self._stale.react(now)
        age = self._stale.age(now)
        self._is_stale = age is not None and reaction is not Reaction.ANSWER
        if self._is_stale:
            self._log.problem(
                "stale input",
                "stale",
                f"no joint state was answered for {self._stale.stale_after:g} s; "
                f"on_stale is {self._stale.on_stale}",
            )
        self._react(reaction, factor)

    def _input_status(self, *other: str) -> Status:
        """Of joint states, and of all problems but those with statuses of their own."""
        problems = self._log.current("stale input", *other)
        return input_status(self.tally, problems, self._stale.age(self._node.now()), self._is_stale)

    def _closure_status(self) -> Status:
        """Of the closed loops."""
        texts = self._log.texts
        return closure_status(self.computation, texts("closure"), texts("passive joints"))
