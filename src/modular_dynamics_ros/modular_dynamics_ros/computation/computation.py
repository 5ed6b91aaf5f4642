"""From one joint state to the torques of one robot, without ROS: what the nodes do for each message.

The inverse dynamics of robots without closed loops are here, those of the others in closed_loop.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics_ros.computation.accelerations.acceleration_source import AccelerationSource
from modular_dynamics_ros.computation.base_states import BaseStates
from modular_dynamics_ros.computation.closed_loop import ClosedLoop, ClosedLoopSolution
from modular_dynamics_ros.computation.robot import Robot, friction_torques
from modular_dynamics_ros.computation.values import (
    AppliedWrenches,
    Array,
    ComputationSettings,
    Configuration,
    State,
    Wrenches,
    all_finite,
    joint_indices,
    values_at,
)
from modular_dynamics_ros.computation.wrenches.robot_wrenches import RobotWrenches
from modular_dynamics_ros.exceptions import BadMessage

Motion = tuple[Array, Array, Array]  # positions (nq,), velocities and accelerations (nv,) of all joints


@dataclass(frozen=True, eq=False)
class OpenChainDynamics:
    """The inverse dynamics of one state of an open chain.

    Attributes:
        motion: of all joints. wrenches: that act on the robot. tau_of_all: (nv,) torques of all joints
        [N m or N].
    """

    robot: Robot
    motion: Motion
    wrenches: AppliedWrenches
    tau_of_all: Array
    _solver: md.InverseDynamics

    @property
    def tau(self) -> Array:
        """Return the torques (n,) of the robot's `state_names` [N m or N]."""
        return self.tau_of_all if self.robot.all_known else self.tau_of_all[self.robot.indices]

    @cached_property
    def tree(self) -> md.InverseDynamicsResult:
        """Return what the joints transmit: wrenches of joints and subsystems, computed at the first use.

        Raises:
            BadMessage: the wrenches overflow, though the torques do not.
        """
        external, black_box = self.wrenches.external, self.wrenches.black_box
        try:
            return self._solver.solve(*self.motion, external_wrenches=external, black_box_wrenches=black_box)
        except md.StateError as error:
            raise BadMessage("not finite", str(error)) from error

    @property
    def friction(self) -> Array:
        """Return the torques (n,) that overcome the friction of each joint."""
        robot = self.robot
        return friction_torques(self.motion[1][robot.indices], robot.damping, robot.dry_friction)

    @property
    def base_wrench(self) -> Array:
        """Return the wrench (6,) [force, moment] of the world on the floating base, in its link's frame."""
        assert self.robot.base is not None  # the caller looks
        return self.tau_of_all[self.robot.base.velocities]

    def compare(self, check: "md.crosscheck.CrossCheck") -> "md.crosscheck.Residual":
        """Compare the torques with Pinocchio's, at this robot's gravity."""
        check.set_gravity(self.robot.graph.gravity)
        return check(*self.motion, self.tau_of_all, self.wrenches.external, self.wrenches.black_box)


class OpenChain:
    """Inverse dynamics of one robot without closed loops."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self._solver = robot, md.InverseDynamics(robot.graph)
        self._rest = np.zeros(robot.graph.nv)
        self._weightless = {name: np.zeros(6) for name in robot.black_boxes} or None

    def configuration_at(self, state: State, *previous: Configuration) -> Configuration:
        """Return the positions of all joints at a state; there are no loops that follow previous ones."""
        return Configuration(state, coordinates_of(self.robot, state))

    def solve(
        self, configuration: Configuration, state: State, wrenches: AppliedWrenches
    ) -> OpenChainDynamics:
        """Return the dynamics at velocities and accelerations of a state.

        Raises:
            BadMessage: the torques overflow.
        """
        motion = motion_of(self.robot, state, configuration)
        try:
            tau = self._solver(
                *motion, external_wrenches=wrenches.external, black_box_wrenches=wrenches.black_box
            )
        except md.StateError as error:
            raise BadMessage("not finite", str(error)) from error
        return OpenChainDynamics(self.robot, motion, wrenches, tau, self._solver)

    def gravity(self, configuration: Configuration) -> Array:
        """Return torques (n,) at rest for gravity and springs; wrenches and black boxes are excluded.

        Raises:
            BadMessage: the torques overflow.
        """
        q, rest = configuration.coordinates, self._rest
        try:
            tau: Array = self._solver(q, rest, rest, black_box_wrenches=self._weightless)
        except md.StateError as error:
            raise BadMessage("not finite", str(error)) from error
        return tau[self.robot.indices]


def coordinates_of(robot: Robot, state: State) -> Array:
    """Return positions (nq,) of all joints; zero for those in black boxes that move no other joint."""
    if robot.all_known:
        return state.q
    if robot.base is None or state.base is None:
        return _of_all(robot, state.q)
    return robot.base.positions(state.q, state.base.orientation)


def motion_of(robot: Robot, state: State, configuration: Configuration) -> Motion:
    """Return positions (nq,), velocities and accelerations (nv,) of all joints."""
    if robot.all_known:
        return state.q, state.v, state.a
    base, moving = robot.base, state.base
    if base is None or moving is None:
        return configuration.coordinates, _of_all(robot, state.v), _of_all(robot, state.a)
    v, a = base.rates(state.v, moving.twist), base.rates(state.a, moving.acceleration)
    return configuration.coordinates, v, a


def _of_all(robot: Robot, values: Array) -> Array:
    """Return the values of the state's joints in a vector of all joints, zero elsewhere."""
    if len(values) == robot.graph.nv:
        return values
    every = np.zeros(robot.graph.nv)
    every[robot.indices] = values
    return every


Dynamics = OpenChainDynamics | ClosedLoopSolution  # of one state of any robot


class Answer(NamedTuple):
    """The torques of one state, and what they were computed from.

    Attributes:
        configuration: of all joints. wrenches: that were applied.
        effort: torques (n,) [N m or N], NaN inside black boxes; may share the array of `dynamics`.
        exceeded: (n,) whether each joint exceeded its effort limit. dynamics: the inverse dynamics.
    """

    state: State
    configuration: Configuration
    wrenches: AppliedWrenches
    effort: Array
    exceeded: NDArray[np.bool_]
    dynamics: Dynamics


class Computation:
    """Computes torques of one robot. It keeps inputs, but no answers: the caller passes previous ones.

    Attributes:
        accelerations: their source, with reference and filter. wrenches: from topics.
        base_states: of the floating base; None where the root is fixed.
        position: measured last: stamp [ns], positions (n,), and those of the passive joints, NaN where they
            were not measured; None before the first one.
        solver: inverse dynamics of the robot, for the thread that computes answers.

    Raises:
        RobotError: there is no configuration in which the robot's loops close, or the settings name black
            boxes that it does not have.
    """

    def __init__(self, robot: Robot, settings: ComputationSettings) -> None:
        self.robot, self.settings = robot, settings
        self.accelerations = AccelerationSource(len(robot.state_names), settings)
        self.wrenches = RobotWrenches(robot, settings.reversed_black_boxes)
        self.position: tuple[int, Array, Array] | None = None
        # the position at which loops did not close, with cause and text: repeating the search would be slow
        self._not_held: tuple[tuple[int, Array, Array], str, str] | None = None
        # configuration of the robot before, while this one has no answer
        self._inherited: tuple[Robot, Configuration] | None = None
        self.base_states = None if robot.base is None else BaseStates(settings, robot.base.source)
        self.solver = _solver_of(robot, settings)

    def set_gravity(self, gravity: tuple[float, ...]) -> None:
        """Change gravity from the next answer on; inputs, filters and assembly mode stay."""
        if np.array_equal(gravity, self.robot.graph.gravity):
            return
        graph = replace(self.robot.graph, gravity=np.array(gravity))
        self.robot = replace(self.robot, graph=graph)
        self.solver = _solver_of(self.robot, self.settings)

    def apply_settings(self, settings: ComputationSettings) -> None:
        """Take new settings; the filter restarts only where its cutoff changes."""
        self.settings, self._not_held = settings, None
        self.accelerations.apply_settings(settings)
        if self.base_states is not None:
            self.base_states.apply_settings(settings)
        if isinstance(self.solver, ClosedLoop):
            self.solver.mode.tolerance = settings.closure_tolerance

    def keep_base_states(self, other: "Computation") -> None:
        """Take over the base's states from the robot that this one replaces, if it has the same base."""
        base, own, others = self.robot.base, self.base_states, other.base_states
        if base is None or own is None or others is None or not base.equals(other.robot.base):
            return
        own.continue_from(others)

    def continue_after_change(self, other: "Computation", last: Answer | None) -> None:
        """Take over the inputs of the robot before its change.

        Call it after `keep_base_states`.

        Args:
            last: answer of the other one, whose assembly mode the loops keep.
        """
        robot, before = self.robot, other.robot
        self.accelerations.continue_from(other.accelerations, robot.state_names, before.state_names)
        self.wrenches.continue_from(other.wrenches)
        self._inherited = other._inherited if last is None else (before, last.configuration)
        if other.position is not None:
            stamp, q, measured = other.position
            state = state_after_change(robot, before, State(stamp, q, q, q, measured))
            self.position = None if state is None else (stamp, state.q, state.measured)

    def answer_after_change(self, before: Robot, last: Answer | None) -> Answer | None:
        """Return an answer of the robot before its change as one of this robot; None if it has new joints."""
        if last is None:
            return None
        robot, boxes, then = self.robot, last.wrenches.black_box or {}, last.configuration
        state = state_after_change(robot, before, last.state)
        known = {*before.graph.joint_names, *boxes}
        if state is None or not known.issuperset((*robot.graph.joint_names, *robot.black_boxes)):
            return None
        kept = {name: boxes[name] for name in robot.black_boxes} or None
        wrenches = AppliedWrenches(None, kept, last.wrenches.stopped)
        where = joint_indices(robot.state_names, before.state_names)
        configuration = configuration_after_change(robot, before, then, state, lambda: then)
        effort, exceeded = last.effort[where], last.exceeded[where]
        return Answer(state, configuration, wrenches, effort, exceeded, last.dynamics)

    def positions(self, last: Answer | None) -> dict[str, float]:
        """Return the last measured position by joint, or the last answer's where loops or gears move it."""
        robot, positions = self.robot, dict[str, float]()
        if last is not None:
            q, names = last.configuration.coordinates, robot.passive_names
            positions = {name: float(q[robot.graph.q_slice(name)][0]) for name in names}
        if (position := self.position) is not None:
            positions |= zip(robot.state_names, position[1].tolist(), strict=True)
        return positions

    def forget(self) -> None:
        """Forget all inputs, after a pause of unknown length."""
        self.wrenches.clear()
        self.accelerations.forget()
        self.position = self._inherited = None
        if self.base_states is not None:
            self.base_states.clear()

    @property
    def needs_velocity(self) -> bool:
        """Return whether the torques depend on velocities."""
        return self.settings.output != "gravity" or self.settings.friction != "none"

    def observe(
        self,
        stamp: int,
        q: Array,
        v: Array,
        without_velocity: tuple[str, ...] = (),
        measured: Array | None = None,
        effort: Array | None = None,
    ) -> State:
        """Return joint values at a stamp [ns] as a state, with accelerations and the state of the base.

        Args:
            without_velocity: joints whose velocity was not measured.
            measured: positions of the passive joints of closed loops, NaN where they are not measured.
            effort: see `State`.

        Raises:
            BadMessage: accelerations or the state of the base are not known at the stamp.
        """
        if measured is None:
            measured = np.full(len(self.robot.passive_names), np.nan)
        self.position = stamp, q, measured
        a, coverage = self.accelerations.at(stamp, v, without_velocity)
        base = None if self.base_states is None else self.base_states.at(stamp)
        return State(stamp, q, v, a, measured, coverage, base, effort, not without_velocity)

    def note_position(self, stamp: int, q: Array, measured: Array) -> None:
        """Store the position of a joint state with this stamp [ns] that is not processed."""
        if self.position is not None:  # before all joints have come once, some have no position
            self.position = stamp, q, measured

    def compute(self, state: State, now: int, *previous: Answer | None) -> Answer:
        """Return torques and wrenches of a state, with the wrenches that are valid now [ns].

        Args:
            previous: loops are closed from the first of these that the state follows closely.

        Raises:
            BadMessage: a wrench is missing or has stopped, the loops do not close or stand at a singular
            configuration, or the torques overflow.
        """
        external, boxes = self.wrenches.current(now, self.settings)
        configuration = self.solver.configuration_at(state, *self._followed(state, previous))
        black_box = self.wrenches.at_connections(boxes, configuration.coordinates)
        wrenches = AppliedWrenches(external, black_box, self.wrenches.stopped_boxes)
        return self._answer(state, configuration, wrenches)

    def _followed(self, state: State, previous: Sequence[Answer | None]) -> list[Configuration]:
        """Return the configurations that loops follow: of previous answers, else of the robot before."""
        own = [answer.configuration for answer in previous if answer] if self.robot.closed else []
        if own or self._inherited is None or not self.robot.closed:
            self._inherited = None
            return own
        solver = self.solver
        return [
            configuration_after_change(
                self.robot, *self._inherited, state, lambda: solver.configuration_at(state)
            )
        ]

    def hold(self, previous: Answer, boxes_at: Callable[[State], Wrenches] | None = None) -> Answer:
        """Return torques that hold the last measured position against gravity.

        Args:
            previous: an answer, from which loops are closed. boxes_at: wrenches of the black boxes at and in
                their connection frames, at the held state; None: those of the answer.

        Raises:
            BadMessage: no position was measured, the loops do not close there or stand at a singular
            configuration, or the torques overflow; and as `boxes_at`.
        """
        if (position := self.position) is None:
            raise BadMessage("no position", "no position was measured")
        if self._not_held is not None and self._not_held[0] is position:
            raise BadMessage(*self._not_held[1:])
        stamp, q, measured = position
        # the base may have turned since the joints were measured
        base = None if self.base_states is None else self.base_states.latest() or previous.state.base
        state = State(stamp, q, q, q, measured, base=base).at_rest()
        boxes = previous.wrenches.black_box if boxes_at is None else boxes_at(state)
        try:
            configuration = self.solver.configuration_at(state, previous.configuration)
        except BadMessage as error:
            self._not_held = position, error.cause, str(error)
            raise
        return self._answer(state, configuration, AppliedWrenches(None, boxes))

    def _answer(self, state: State, configuration: Configuration, wrenches: AppliedWrenches) -> Answer:
        """Return the torques of a state by the settings: terms, friction, limits."""
        robot, settings = self.robot, self.settings
        try:
            gravity = None if settings.output == "full" else self.solver.gravity(configuration)
            dynamics = self.solver.solve(configuration, state, wrenches)
            tau = dynamics.tau
            effort = select_terms(tau, gravity, settings.output)
            if settings.friction == "urdf":
                effort = effort + dynamics.friction
            effort, exceeded = limit_efforts(effort, robot.effort_limits, settings.effort_limits)
            known = effort is tau and robot.all_known  # the same array was checked for NaN by the library
            if not known and not all_finite(effort[robot.published]):
                raise BadMessage("not finite", "the state is finite, but so large that the torques are not")
        except BadMessage as error:
            if error.cause == "not finite":
                self.accelerations.restart_filter()  # it would keep the values that caused the overflow
                if self.base_states is not None:
                    self.base_states.restart_filter()
            raise
        return Answer(state, configuration, wrenches, effort, exceeded, dynamics)


def _solver_of(robot: Robot, settings: ComputationSettings) -> OpenChain | ClosedLoop:
    """Return the inverse dynamics of a robot."""
    return ClosedLoop(robot, settings.closure_tolerance) if robot.closed else OpenChain(robot)


def select_terms(tau: Array, gravity: Array | None, output: str) -> Array:
    """Return the torques (n,) of an output mode; the array may be one of the arguments.

    Args:
        tau: inverse dynamics. gravity: its part at rest, springs included; not needed by the mode `full`.
        output: full | gravity | full_minus_gravity.
    """
    if output == "full" or gravity is None:
        return tau
    return gravity if output == "gravity" else tau - gravity


def limit_efforts(tau: Array, limits: Array, mode: str) -> tuple[Array, NDArray[np.bool_]]:
    """Return torques (n,) within +-limits, tau itself if it is, and which joints exceeded their limit.

    "clip" cuts each joint at its own limit; "scale" shrinks all torques by one factor, which keeps their
    direction in joint space; "off" changes and reports nothing. NaN (a joint in a black box) and infinite
    limits never count.
    """
    if mode == "off":
        return tau, np.zeros(len(tau), dtype=bool)
    exceeded: NDArray[np.bool_] = np.abs(tau) > limits
    if not exceeded.any():
        return tau, exceeded
    if mode == "clip":
        return np.clip(tau, -limits, limits), exceeded
    return tau * np.min(limits[exceeded] / np.abs(tau[exceeded])), exceeded


def state_after_change(robot: Robot, before: Robot, state: State) -> State | None:
    """Return a state of the robot before its change as one of this robot; None if it has new joints."""
    where = joint_indices(robot.state_names, before.state_names)
    if (where < 0).any():
        return None
    measured = values_at(joint_indices(robot.passive_names, before.passive_names), state.measured, np.nan)
    q, v, a = state.q[where], state.v[where], state.a[where]
    return State(state.stamp, q, v, a, measured, state.coverage, state.base)


def configuration_after_change(
    robot: Robot, before: Robot, last: Configuration, state: State, unguided: Callable[[], Configuration]
) -> Configuration:
    """Return a configuration of the robot before its change as one of this robot, for `state` to follow.

    Args:
        unguided: returns a configuration at the state that follows no other one, for joints that are new.
    """
    where = joint_indices(robot.state_names, before.state_names)
    names, known = robot.graph.joint_names, {*before.graph.joint_names}
    coordinates = np.zeros(robot.graph.nq) if known.issuperset(names) else unguided().coordinates.copy()
    for name in known.intersection(names):
        coordinates[robot.graph.q_slice(name)] = last.coordinates[before.graph.q_slice(name)]
    q = values_at(where, last.state.q, state.q)
    return Configuration(state._replace(stamp=last.state.stamp, q=q), coordinates)
