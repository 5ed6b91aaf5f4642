"""One robot for requests: solvers of their own thread, apart from those that answer joint states."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.black_boxes.point_motions import BlackBoxMotions
from modular_dynamics_ros.computation.black_boxes.static_load import Load
from modular_dynamics_ros.computation.closed_loop import ClosedLoop
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.open_chain import OpenChain, coordinates_of
from modular_dynamics_ros.computation.queries.box_wrenches import BoxWrenches
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.torque_terms import TermsSolver
from modular_dynamics_ros.computation.values import (
    TWIST_NAMES,
    AppliedWrenches,
    Array,
    ComputationSettings,
    Configuration,
    StampedWrench,
    State,
    Wrenches,
)
from modular_dynamics_ros.computation.wrenches.frames import BlackBoxFrames
from modular_dynamics_ros.computation.wrenches.robot_wrenches import RobotWrenches
from modular_dynamics_ros.exceptions import BadMessage, listed

__all__ = ["GivenWrenches", "QueryModel", "Subject"]


@dataclass(frozen=True, eq=False)
class Subject:
    """The robot and its inputs at the time of a request: values that do not change afterwards.

    Attributes:
        wrenches: from topics; other threads may change them. last: the last answer. now: [ns].
        loads: what hangs beyond the connection points of black boxes, by their names.
    """

    robot: Robot
    settings: ComputationSettings
    wrenches: RobotWrenches
    last: Answer | None
    now: int
    loads: Mapping[str, Load] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class GivenWrenches:
    """Wrenches on the robot: external ones by link, and those of black boxes; None: there are none."""

    external: Wrenches
    boxes: BoxWrenches | None


class QueryModel:
    """The solvers of one robot; a workspace of one thread.

    Args:
        solver: of this robot and for this thread; None: a new one.

    Attributes:
        solver: inverse dynamics.

    Raises:
        RobotError: the robot has no configuration with closed loops.
    """

    def __init__(
        self, robot: Robot, settings: ComputationSettings, solver: OpenChain | ClosedLoop | None = None
    ) -> None:
        self.robot = robot
        self.solver: OpenChain | ClosedLoop = solver or (
            ClosedLoop(robot, settings.closure_tolerance) if robot.closed else OpenChain(robot)
        )
        self._frames = BlackBoxFrames(robot)

    def set_tolerance(self, tolerance: float) -> None:
        """Set by how much given passive joints may differ from closed loops [rad or m]."""
        if isinstance(self.solver, ClosedLoop):
            self.solver.mode.tolerance = tolerance

    @cached_property
    def terms(self) -> TermsSolver:
        """Solver that splits torques into terms."""
        return TermsSolver(self.robot, self.solver)

    def configuration(self, state: State, last: Configuration | None) -> Configuration:
        """Return all joints at a state, with loops closed from the last answer.

        Raises:
            BadMessage: the loops do not close.
        """
        if isinstance(self.solver, ClosedLoop):
            return self.solver.mode.close_from(state, last)
        return self.solver.configuration_at(state)

    def given(self, subject: Subject, external: Sequence[StampedWrench]) -> GivenWrenches:
        """Return a request's external wrenches by frame, and the valid ones of black boxes.

        Raises:
            BadMessage: an unknown frame, a link in a black box; a black box whose wrench is not known, or
                was measured when the robot's position was not known.
        """
        on_links: dict[str, Array] = {}
        for frame, values in external:
            link, moved = subject.wrenches.links.on_outer_link(self.robot.link(frame), values)
            on_links[link] = on_links.get(link, np.zeros(6)) + moved
        return GivenWrenches(on_links or None, self._boxes(subject))

    def _boxes(self, subject: Subject) -> BoxWrenches | None:
        boxes = subject.wrenches.boxes(subject.now, subject.settings)
        if not boxes:
            return None
        if (last := subject.last) is None:
            if pulling := [name for name, one in boxes.items() if one.values.any()]:
                text = (
                    "no joint state was answered since the robot is as it is: where it was when the wrench "
                    f"of black box {listed(pulling)} was measured is not known"
                )
                raise BadMessage("pose not known", text)
            return BoxWrenches({name: one.values for name, one in boxes.items()}, {}, {})
        for name, one in boxes.items():
            self._frames.place(name, one.link)
        q, move = coordinates_of(self.robot, last.state), self._frames.at_connection
        measured = {name: move(name, one.link, one.values, q) for name, one in boxes.items()}
        longest, stamp = subject.settings.stale_after * 1e9, last.state.stamp
        elsewhere = (name for name, one in boxes.items() if abs(one.arrival.stamp - stamp) > longest)
        return BoxWrenches(measured, self._gravity(last.state), subject.loads, frozenset(elsewhere))

    def applied(self, given: GivenWrenches, state: State) -> AppliedWrenches:
        """Return the given wrenches as applied at a state.

        Raises:
            BadMessage: gravity points elsewhere at a black box than where its wrench was measured, and its
                load is not known.
        """
        boxes = None if given.boxes is None else given.boxes.at(self._gravity(state))
        return AppliedWrenches(given.external, boxes)

    def _gravity(self, state: State) -> dict[str, Array]:
        """Return gravity (3,) [m/s^2] by black box, in the frame of its connection point."""
        motions = self._motions(self.robot, state)
        return {name: motion.gravity_at_point for name, motion in motions.items()}

    @cached_property
    def _motions(self) -> BlackBoxMotions:
        return BlackBoxMotions(self.robot)

    def rates(self, joints: Array, of_base: Array | None) -> Array:
        """Return a vector of the solver, such as velocities, from values of the joints (n,) and the base."""
        if self.robot.base is not None:
            return self.robot.base.rates(joints, of_base)
        every = np.zeros(self._count)
        every[self.joints] = joints
        return every

    def velocities(self, configuration: Configuration, state: State) -> Array:
        """Return velocities of all joints (nv,); with closed loops, those that keep them closed.

        Raises:
            ModularDynamicsError: a dead point.
        """
        v = self.rates(state.v, None if state.base is None else state.base.twist)
        return v if (W := self.projection(configuration)) is None else W @ v

    def projection(self, configuration: Configuration) -> Array | None:
        """Return W (nv, p), all joints' velocities from the solver's; None if they are the same.

        Raises:
            ModularDynamicsError: a dead point.
        """
        if isinstance(self.solver, ClosedLoop):
            return self.solver.solver.projection(configuration.coordinates)
        return None

    @cached_property
    def coordinates(self) -> tuple[NDArray[np.intp], list[str]]:
        """Return indices and names of the velocities in equations of motion and Jacobians.

        Their indices in the solver's vectors, rising, and their names: those of joints; of a floating base
        six, such as "base.linear.x".
        """
        named = dict(zip(self.joints.tolist(), self.robot.state_names, strict=True))
        base = self.robot.base
        if base is not None and base.source != "imu":
            of_base = (f"base.{name}" for name in TWIST_NAMES)
            named |= dict(zip(range(base.velocities.start, base.velocities.stop), of_base, strict=True))
        indices = sorted(named)
        return np.array(indices, dtype=np.intp), [named[index] for index in indices]

    @property
    def joints(self) -> NDArray[np.intp]:
        """Return the indices of the state's joints in the solver's vectors."""
        robot = self.robot
        if robot.base is not None:
            return robot.base.rate_indices
        return np.arange(len(robot.state_names)) if robot.closed else robot.indices

    @property
    def _count(self) -> int:
        return len(self.robot.state_names) if self.robot.closed else self.robot.graph.nv
