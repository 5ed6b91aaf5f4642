"""One robot in an active dynamics_node: every joint state gets its torques, and some are compared."""

import time
from typing import TYPE_CHECKING, Any

from builtin_interfaces.msg import Time
from rclpy.lifecycle import LifecycleState

from modular_dynamics_ros.computation.closed_loop import ClosedComputation
from modular_dynamics_ros.computation.open_chain import Computation
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.diagnostics.status import Status
from modular_dynamics_ros.diagnostics.statuses import crosscheck_status, output_status
from modular_dynamics_ros.dynamics.crosscheck_monitor import CrossCheckMonitor
from modular_dynamics_ros.dynamics.outputs import Outputs
from modular_dynamics_ros.messages.bad_message import BadMessage
from modular_dynamics_ros.node.input_timeout import Reaction, StaleInput
from modular_dynamics_ros.node.session import Session
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

if TYPE_CHECKING:
    from modular_dynamics_ros.dynamics.node import DynamicsNode

__all__ = ["DynamicsSession"]


class DynamicsSession(Session):
    """As `Session`; what is answered are torques and wrenches.

    Raises:
        RobotError: the node's parameters do not fit the robot.
    """

    def __init__(self, node: "DynamicsNode", robot: Robot) -> None:
        outputs = Outputs(node, robot, node.parameters.controller_joints)
        computation = (ClosedComputation if robot.closed else Computation)(robot, node.parameters)
        self._rate_timer: Any = None
        super().__init__(node, robot, computation, outputs)

    def _reset(self, parameters: DynamicsParameters) -> None:
        super()._reset(parameters)
        self.monitor = CrossCheckMonitor(parameters.crosscheck_rate, parameters.crosscheck_threshold)
        self._pending: tuple[Time, int] | None = None

    def _judge(self, parameters: DynamicsParameters) -> StaleInput:
        return StaleInput(parameters.stale_after, parameters.on_stale, parameters.ramp_time)

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer; tell the graph."""
        super().activate(state)
        self.outputs.publish_graph(self._node.stamp())
        self._set_rate(self._node.parameters.rate)

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        self._set_rate(0.0)
        super().deactivate()

    def set_parameters(self, parameters: DynamicsParameters) -> None:
        """Take parameters that changed at run time."""
        super().set_parameters(parameters)
        self.monitor.rate, self.monitor.threshold = (
            parameters.crosscheck_rate,
            parameters.crosscheck_threshold,
        )
        if self.active:
            self._set_rate(parameters.rate)

    def _set_rate(self, rate: float) -> None:
        if self._rate_timer is not None:
            self._node.destroy_timer(self._rate_timer)
        self._rate_timer = self._node.create_timer(1.0 / rate, self._on_rate) if rate > 0.0 else None

    def _observed(self, stamp: Time, arrival: int, now: int) -> None:
        if self._rate_timer is None:
            self._answer(stamp, arrival, now)
        else:
            self.tally.superseded += self._pending is not None
            self._pending = stamp, arrival

    def _on_rate(self) -> None:
        if self._pending is None:
            return
        due, self._pending = self._pending, None
        try:
            self._answer(*due, self._node.now())
        except BadMessage as error:
            self._reject(error)

    def _answer(self, stamp: Time, arrival: int, now: int) -> None:
        computation = self.computation
        computation.compute(now)
        self.outputs.publish(stamp, computation.q, computation.v, computation.effort)
        self._answered(arrival, now)
        self.tally.count_limits(computation.exceeded)
        self._remark_on_passive_joints()
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

    def _react(self, reaction: Reaction, factor: float) -> None:
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
        statuses = [
            self._input_status("cross-check"),
            output_status(self.tally, self.computation),
            crosscheck_status(self.monitor, self.robot.no_check, self.robot.closed),
        ]
        return [*statuses, self._closure_status()] if self.robot.closed else statuses
