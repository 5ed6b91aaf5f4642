"""From one joint state to the torques of one robot, without ROS: what dynamics_node does per message."""

from typing import Any

import numpy as np

from modular_dynamics_ros.acceleration import FilteredAcceleration, SamplingError
from modular_dynamics_ros.bad_message import BadMessage, listed
from modular_dynamics_ros.feedforward import Feedforward
from modular_dynamics_ros.parameters import DynamicsParameters
from modular_dynamics_ros.reference import Coverage, ReferenceSampler
from modular_dynamics_ros.robot import Robot
from modular_dynamics_ros.timed_wrenches import TimedWrenches

__all__ = ["Computation"]


class Computation:
    """State, inputs that outlive a message, and preallocated results of one robot.

    Attributes:
        q, v, a: (n,) state of the robot's measured joints that the results belong to.
        effort: (n,) what is to be published; exceeded: (n,) bool, joints whose effort limit was reached.
    """

    def __init__(self, robot: Robot, parameters: DynamicsParameters) -> None:
        self.robot = robot
        count, full = len(robot.joint_names), robot.graph.nv
        self.q, self.v, self.a, self.effort = (np.zeros(count) for _ in range(4))
        self.exceeded = np.zeros(count, dtype=bool)
        self._q, self._v, self._a, self._tau, self._gravity = (np.zeros(full) for _ in range(5))
        self._rest = np.zeros(full)
        self._weightless = {name: np.zeros(6) for name in robot.black_boxes}
        self._wrenches: tuple[dict | None, dict | None] = (None, None)
        self.external, self.black_box = TimedWrenches(), TimedWrenches()
        self.reference = ReferenceSampler(parameters.stale_after)
        self.coverage = Coverage.NONE
        self.filter = FilteredAcceleration(count, parameters.filter_cutoff)
        self.set_parameters(parameters)

    def set_parameters(self, parameters: DynamicsParameters) -> None:
        """Take new parameters; the filter starts anew only when it is another one."""
        self.parameters = parameters
        robot = self.robot
        self.feedforward = Feedforward(
            robot.damping,
            robot.dry_friction,
            robot.effort_limits,
            output=parameters.output,
            friction=parameters.friction,
            effort_limits=parameters.effort_limits,
        )
        self.reference.hold = parameters.stale_after
        if parameters.filter_cutoff != self.filter.cutoff:
            self.filter = FilteredAcceleration(len(robot.joint_names), parameters.filter_cutoff)

    def forget(self) -> None:
        """Forget all inputs: what came before a pause of unknown length says nothing about now."""
        self.external.clear()
        self.black_box.clear()
        self.reference.clear()
        self.filter.restart()

    @property
    def needs_velocity(self) -> bool:
        """Whether the published torques depend on velocities at all."""
        return self.parameters.output != "gravity" or self.parameters.friction != "none"

    def observe(
        self, stamp: int, q: np.ndarray, v: np.ndarray, without_velocity: tuple[str, ...] = ()
    ) -> None:
        """Take a joint state with its stamp [ns] and find its accelerations.

        Raises:
            BadMessage: the acceleration source has nothing to say about this state.
        """
        source = self.parameters.acceleration_source
        if source == "filtered":
            acceleration = self._filtered(stamp, v, without_velocity)
        elif source == "reference":
            self.coverage = self.reference.sample(stamp, self.a)
            if self.coverage is Coverage.NONE:
                raise BadMessage("no reference", "no reference covers the stamp of this joint state")
            acceleration = self.a
        else:
            acceleration = 0.0
        self.q[:], self.v[:], self.a[:] = q, v, acceleration

    def _filtered(self, stamp: int, v: np.ndarray, without_velocity: tuple[str, ...]) -> np.ndarray:
        if without_velocity:
            raise BadMessage(
                "no velocity",
                f"no velocity of {listed(without_velocity)}, which acceleration_source 'filtered' needs",
            )
        try:
            return self.filter.update(stamp, v)
        except SamplingError as error:
            raise BadMessage("too slow for the filter", str(error)) from error

    def compute(self, now: int) -> None:
        """Torques and connection wrenches of the observed state, with the wrenches that are valid now [ns].

        Raises:
            BadMessage: the wrench of a black box is missing or too old, or the torques overflow: nothing true
                can be said then.
        """
        valid_for = self.parameters.stale_after
        black_box = self.black_box.valid(now, valid_for)
        missing = [name for name in self.robot.black_boxes if name not in (black_box or ())]
        if missing:
            raise BadMessage(
                "no wrench", f"no wrench of black box {listed(missing)} in the last {valid_for:g} s"
            )
        self._wrenches = (self.external.valid(now, valid_for), black_box)
        indices, tau = self.robot.indices, self._tau
        self._q[indices], self._v[indices], self._a[indices] = self.q, self.v, self.a
        if self.feedforward.needs_gravity:
            self.robot.solver(self._q, self._rest, self._rest, None, self._weightless, self._gravity)
        self.robot.solver(self._q, self._v, self._a, *self._wrenches, tau)
        self.exceeded = self.feedforward(tau[indices], self._gravity[indices], self.v, self.effort)
        if not np.isfinite(self.effort).all():
            raise BadMessage("not finite", "the state is finite, but too large: the torques are not")

    def hold(self) -> None:
        """Torques that hold the last position against gravity, with the last wrenches of black boxes.

        Raises:
            BadMessage: a black box has never told its wrench.
        """
        black_box = self._wrenches[1]
        if self.robot.black_boxes and black_box is None:
            raise BadMessage("no wrench", f"no wrench of black box {listed(self.robot.black_boxes)} yet")
        self.v[:] = self.a[:] = 0.0
        self._q[self.robot.indices] = self.q
        self.robot.solver(self._q, self._rest, self._rest, None, self._weightless, self._gravity)
        self.robot.solver(self._q, self._rest, self._rest, None, black_box, self._tau)
        indices = self.robot.indices
        self.exceeded = self.feedforward(self._tau[indices], self._gravity[indices], self.v, self.effort)

    def cross_check(self) -> Any:
        """Compare the last `compute` with Pinocchio: what `md.crosscheck.CrossCheck` returns."""
        return self.robot.check(self._q, self._v, self._a, self._tau, *self._wrenches)
