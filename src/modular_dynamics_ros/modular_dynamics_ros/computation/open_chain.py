"""From one joint state to the torques of one robot, without ROS: what dynamics_node does per message."""

from typing import TYPE_CHECKING, Any

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.feedforward import Feedforward
from modular_dynamics_ros.computation.reference import Coverage, ReferenceSampler
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.timed_wrenches import TimedWrenches
from modular_dynamics_ros.messages.bad_message import BadMessage, listed
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

if TYPE_CHECKING:
    from modular_dynamics_ros.computation.acceleration import FilteredAcceleration

__all__ = ["Computation"]


class Computation:
    """State, inputs that outlive a message, and preallocated results of one robot.

    A state that is refused, by `observe` or by `compute`, changes none of these.

    Attributes:
        q, v, a: (n,) state of the robot's `state_names` that the results belong to.
        effort: (n,) what is to be published, NaN inside black boxes; exceeded: (n,) bool, joints whose effort
        limit was reached.
    """

    def __init__(self, robot: Robot, parameters: DynamicsParameters) -> None:
        self.robot = robot
        count, full = len(robot.state_names), robot.graph.nv
        self.q, self.v, self.a, self.effort = (np.zeros(count) for _ in range(4))
        self._observed = tuple(np.zeros(count) for _ in range(3))  # q, v, a that `compute` is to answer
        self._result = np.zeros(count)
        self.exceeded = np.zeros(count, dtype=bool)
        self._q, self._v, self._a, self._tau, self._gravity = (np.zeros(full) for _ in range(5))
        self._rest = np.zeros(full)
        self._weightless = {name: np.zeros(6) for name in robot.black_boxes}
        self._wrenches: tuple[dict | None, dict | None] = (None, None)
        self.external, self.black_box = TimedWrenches(), TimedWrenches()
        self.reference = ReferenceSampler(parameters.stale_after)
        self.coverage = Coverage.NONE
        self.filter: FilteredAcceleration | None = None
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
        if parameters.acceleration_source == "filtered":
            # it brings scipy.signal: half a second, which a node that does not filter must not wait for
            from modular_dynamics_ros.computation.acceleration import FilteredAcceleration  # noqa: PLC0415

            if self.filter is None or parameters.filter_cutoff != self.filter.cutoff:
                self.filter = FilteredAcceleration(len(robot.state_names), parameters.filter_cutoff)

    def forget(self) -> None:
        """Forget all inputs: what came before a pause of unknown length says nothing about now."""
        self.external.clear()
        self.black_box.clear()
        self.reference.clear()
        self._restart_filter()

    @property
    def needs_velocity(self) -> bool:
        """Whether the published torques depend on velocities at all."""
        return self.parameters.output != "gravity" or self.parameters.friction != "none"

    def observe(
        self,
        stamp: int,
        q: np.ndarray,
        v: np.ndarray,
        without_velocity: tuple[str, ...] = (),
        measured: np.ndarray | None = None,
    ) -> None:
        """Take a joint state with its stamp [ns] and find its accelerations; `measured` is for closed loops.

        Raises:
            BadMessage: the acceleration source has nothing to say about this state.
        """
        source = self.parameters.acceleration_source
        if source == "filtered":
            acceleration = self._filtered(stamp, v, without_velocity)
        elif source == "reference":
            acceleration = self._result
            self.coverage = self.reference.sample(stamp, acceleration)
            if self.coverage is Coverage.NONE:
                raise BadMessage("no reference", "no reference covers the stamp of this joint state")
        else:
            acceleration = 0.0
        for kept, new in zip(self._observed, (q, v, acceleration), strict=True):
            kept[:] = new

    def _restart_filter(self) -> None:
        if self.filter is not None:
            self.filter.restart()

    def _filtered(self, stamp: int, v: np.ndarray, without_velocity: tuple[str, ...]) -> np.ndarray:
        if without_velocity:
            raise BadMessage(
                "no velocity",
                f"no velocity of {listed(without_velocity)}, which acceleration_source 'filtered' needs",
            )
        from modular_dynamics_ros.computation.acceleration import SamplingError  # noqa: PLC0415  # as in set_parameters

        assert self.filter is not None  # set_parameters has made it
        try:
            acceleration = self.filter.update(stamp, v)
        except SamplingError as error:
            raise BadMessage("unfit for the filter", str(error)) from error
        if acceleration is None:
            raise BadMessage("filter starts", self.filter.state.value)
        return acceleration

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
        wrenches = (self.external.valid(now, valid_for), black_box)
        indices, (q, v, a) = self.robot.indices, self._observed
        self._q[indices], self._v[indices], self._a[indices] = q, v, a
        try:
            if self.feedforward.needs_gravity:
                self._solve(self._rest, self._rest, None, self._weightless, self._gravity)
            self._solve(self._v, self._a, *wrenches, self._tau)
            self._take_result(v)
        except BadMessage:
            self._restart_filter()  # such a velocity would echo in it for long
            raise
        self.q[:], self.v[:], self.a[:], self._wrenches = q, v, a, wrenches

    def _solve(self, *arguments: Any) -> None:
        """The solver at _q: v, vdot, external wrenches, black boxes' wrenches, out."""
        try:
            self.robot.solver(self._q, *arguments)
        except md.StateError as error:
            raise BadMessage("not finite", str(error)) from error

    def _take_result(self, v: np.ndarray) -> None:
        """Make efforts of the solver's torques at velocity v (n,), and keep them if they are finite."""
        indices, result = self.robot.indices, self._result
        exceeded = self.feedforward(self._tau[indices], self._gravity[indices], v, result)
        if not np.isfinite(result[self.robot.published]).all():
            raise BadMessage("not finite", "the state is finite, but so large that the torques are not")
        self.effort[:], self.exceeded = result, exceeded

    def hold(self) -> None:
        """Torques that hold the last position against gravity, with the last wrenches of black boxes.

        Raises:
            BadMessage: a black box has never told its wrench, or the torques overflow.
        """
        black_box = self._wrenches[1]
        if self.robot.black_boxes and black_box is None:
            raise BadMessage("no wrench", f"no wrench of black box {listed(self.robot.black_boxes)} yet")
        self._q[self.robot.indices] = self.q
        self._solve(self._rest, self._rest, None, self._weightless, self._gravity)
        self._solve(self._rest, self._rest, None, black_box, self._tau)
        self._take_result(np.zeros_like(self.v))
        self.v[:] = self.a[:] = 0.0

    def cross_check(self) -> Any:
        """Compare the last `compute` with Pinocchio: what `md.crosscheck.CrossCheck` returns."""
        return self.robot.check(self._q, self._v, self._a, self._tau, *self._wrenches)
