"""One robot in an active dynamics_node: takes joint states, answers them, and says how that goes."""

import time
from typing import TYPE_CHECKING, Any

from builtin_interfaces.msg import Time
from rclpy.lifecycle import LifecycleState
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from modular_dynamics_ros.bad_message import BadMessage, listed
from modular_dynamics_ros.closed_computation import CANNOT_CLOSE, DEAD_POINT, ClosedComputation
from modular_dynamics_ros.computation import Computation
from modular_dynamics_ros.conversions import JointStateReader, stamp_message, stamp_nanoseconds
from modular_dynamics_ros.crosscheck_monitor import CrossCheckMonitor
from modular_dynamics_ros.diagnostics import (
    Tally,
    closure_status,
    crosscheck_status,
    input_status,
    output_status,
)
from modular_dynamics_ros.inputs import Inputs
from modular_dynamics_ros.outputs import Outputs
from modular_dynamics_ros.parameters import DynamicsParameters
from modular_dynamics_ros.reference import Coverage
from modular_dynamics_ros.robot import Robot
from modular_dynamics_ros.stale import Reaction, StaleInput
from modular_dynamics_ros.status import Status

if TYPE_CHECKING:
    from modular_dynamics_ros.dynamics_node import DynamicsNode

__all__ = ["Session"]

# SensorDataQoS keeps 5: at 500 Hz a pause of 10 ms (another process on the core) would lose messages already.
# 500 bridge a second; how old the answered input is stands in /diagnostics.
JOINT_STATES = QoSProfile(depth=500, reliability=ReliabilityPolicy.BEST_EFFORT)
WATCH_PERIOD = 0.02  # [s] how often staleness is looked at, and how often something is published when stale
ALARMING_AGE = (
    1.0  # [s] between a state's stamp and its arrival: clocks differ, or use_sim_time was forgotten
)


class Session:
    """What one robot needs between activation and deactivation, and its publishers as long as it lives.

    Raises:
        RobotError: the node's parameters do not fit the robot.
    """

    def __init__(self, node: "DynamicsNode", robot: Robot) -> None:
        self.robot, self._node, self._log = robot, node, node.log
        self.outputs = Outputs(node, robot, node.parameters.controller_joints)
        self.computation = (ClosedComputation if robot.closed else Computation)(robot, node.parameters)
        self._reader = JointStateReader(robot.state_names, robot.passive_names)
        self._inputs: Inputs | None = None
        self._subscription: Any = None
        self._watch: Any = None
        self._rate_timer: Any = None
        self._reset(node.parameters)

    def _reset(self, parameters: DynamicsParameters) -> None:
        self.tally = Tally()
        self.monitor = CrossCheckMonitor(parameters.crosscheck_rate, parameters.crosscheck_threshold)
        self._stale = StaleInput(parameters.stale_after, parameters.on_stale, parameters.ramp_time)
        self._pending: tuple[Time, int] | None = None
        self._is_stale = False

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer."""
        node = self._node
        self._reset(node.parameters)
        self.outputs.activate(state)
        self.outputs.publish_graph(node.stamp())
        # before joint_states: of a reference and a joint state that are both there the reference is taken
        # first
        self._inputs = Inputs(node, self.computation, self._log, node.now)
        self._subscription = node.create_subscription(
            JointState, "joint_states", self._on_joint_state, JOINT_STATES
        )
        self._watch = node.create_timer(WATCH_PERIOD, self._on_watch)
        self._set_rate(node.parameters.rate)

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        if self._inputs is None:
            return
        self._inputs.destroy()
        self._node.destroy_subscription(self._subscription)
        self._node.destroy_timer(self._watch)
        self._set_rate(0.0)
        self._inputs = None
        self.computation.forget()

    def destroy(self) -> None:
        """Take everything away, publishers too."""
        self.deactivate()
        self.outputs.destroy()

    def set_parameters(self, parameters: DynamicsParameters) -> None:
        """Take parameters that changed at run time."""
        self.computation.set_parameters(parameters)
        self.monitor.rate, self.monitor.threshold = (
            parameters.crosscheck_rate,
            parameters.crosscheck_threshold,
        )
        stale = self._stale
        stale.stale_after, stale.on_stale, stale.ramp_time = (
            parameters.stale_after,
            parameters.on_stale,
            parameters.ramp_time,
        )
        if self._inputs is not None:
            self._set_rate(parameters.rate)

    def _set_rate(self, rate: float) -> None:
        if self._rate_timer is not None:
            self._node.destroy_timer(self._rate_timer)
        self._rate_timer = self._node.create_timer(1.0 / rate, self._on_rate) if rate > 0.0 else None

    def _on_joint_state(self, message: JointState, info: dict) -> None:
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
            due = (message.header.stamp if stamp else stamp_message(now), info["received_timestamp"])
            if self._rate_timer is None:
                self._answer(*due, now)
            else:
                self.tally.superseded += self._pending is not None
                self._pending = due
        except BadMessage as error:
            self._reject(error)

    def _on_rate(self) -> None:
        if self._pending is None:
            return
        due, self._pending = self._pending, None
        try:
            self._answer(*due, self._node.now())
        except BadMessage as error:
            self._reject(error)

    def _reject(self, error: BadMessage) -> None:
        self.tally.rejected[error.cause] += 1
        closing = error.cause in (CANNOT_CLOSE, DEAD_POINT)
        where = "closure" if closing else "joint_states"
        self._log.problem(where, error.cause, f"not answered: {error}", severe=closing)

    def _answer(self, stamp: Time, arrival: int, now: int) -> None:
        computation, tally = self.computation, self.tally
        computation.compute(now)
        self.outputs.publish(stamp, computation.q, computation.v, computation.effort)
        tally.answered += 1
        tally.latency.add(arrival, time.time_ns() - arrival)
        tally.count_limits(computation.exceeded)
        self._remark_on_passive_joints()
        self._stale.arrived(now)
        if self.robot.check is not None and self.monitor.due(time.monotonic()):
            self._cross_check()

    def _cross_check(self) -> None:
        try:
            result = self.computation.cross_check()
        except Exception as error:  # the answer is out; what fails in checking it must not end the node
            self.monitor.fail(f"{type(error).__name__}: {error}")
        else:
            self.monitor.take(result.relative, result.per_subsystem)
        self._remark_on_crosscheck()

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

    def _remark_on_crosscheck(self) -> None:
        if self.monitor.failure:
            self._log.problem("cross-check", "failed", f"a comparison failed: {self.monitor.failure}")
        elif self.monitor.disagrees:
            self._log.problem(
                "cross-check",
                "disagrees",
                f"torques differ from Pinocchio's by more than {self.monitor.threshold:.1e} of the largest",
                severe=True,
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
        computation = self.computation
        try:
            if reaction is Reaction.HOLD_GRAVITY:
                computation.hold()
                self.outputs.publish(self._node.stamp(), computation.q, computation.v, computation.effort)
            elif reaction is Reaction.RAMP:
                self.outputs.publish(
                    self._node.stamp(),
                    computation.q,
                    computation.v,
                    factor * computation.effort,
                    wrenches=False,
                )
        except BadMessage as error:
            self._log.problem("joint_states", error.cause, f"position not held: {error}")

    def statuses(self) -> list[Status]:
        """How it goes, for /diagnostics."""
        self._remark_on_crosscheck()
        age = self._stale.age(self._node.now())
        problems = self._log.current("cross-check", "stale input")
        statuses = [
            input_status(self.tally, problems, age, self._is_stale),
            output_status(self.tally, self.computation),
            crosscheck_status(self.monitor, self.robot.no_check, self.robot.closed),
        ]
        if isinstance(self.computation, ClosedComputation):
            texts = self._log.texts
            statuses.append(closure_status(self.computation, texts("closure"), texts("passive joints")))
        return statuses
