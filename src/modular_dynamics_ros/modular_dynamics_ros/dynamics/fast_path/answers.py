"""Answers to joint states of all joints where nothing but positions and velocities counts: in fewer steps."""

from math import isnan

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.accelerations.filtered_acceleration import FilteredAcceleration
from modular_dynamics_ros.computation.closed_loop import ClosedLoop
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.open_chain import UNLOADED, OpenChain, OpenChainDynamics
from modular_dynamics_ros.computation.values import AppliedWrenches, Array, Configuration, State

__all__ = ["FastAnswer", "FastAnswers"]


class FastAnswer:
    """An `Answer` whose configuration and dynamics are made on access, which is rare."""

    __slots__ = ("_chain", "_dynamics", "effort", "exceeded", "state")

    def __init__(self, state: State, effort: Array, exceeded: NDArray[np.bool_], chain: OpenChain) -> None:
        self.state, self.effort, self.exceeded, self._chain = state, effort, exceeded, chain
        self._dynamics: OpenChainDynamics | None = None

    @property
    def configuration(self) -> Configuration:
        """The configuration of the answer, made at each access."""
        return Configuration(self.state, self.state.q)

    @property
    def wrenches(self) -> AppliedWrenches:
        """The applied wrenches: none."""
        return UNLOADED

    @property
    def dynamics(self) -> OpenChainDynamics:
        """The dynamics, made once."""
        if self._dynamics is None:
            _, q, v, a, *_ = self.state
            self._dynamics = OpenChainDynamics(self._chain, (q, v, a), UNLOADED, self.effort)
        return self._dynamics


class FastAnswers:
    """The answers of a `Computation`, as it would give them itself, while `are_possible`."""

    def __init__(self, computation: Computation) -> None:
        self._computation, self._external = computation, computation.wrenches.external
        joints = len(computation.robot.state_names)
        self._rest, self._no_passive = np.zeros(joints), np.zeros(0)
        self._none_exceeded = np.zeros(joints, dtype=bool)
        self._none_exceeded.flags.writeable = False
        # set by `are_possible` if it returns true
        self._chain: OpenChain
        self._filter: FilteredAcceleration | None

    def are_possible(self) -> bool:
        """Return whether robot, settings and wrenches allow fast answers now.

        Ask before the first answer, and again whenever the settings change.
        """
        computation, settings = self._computation, self._computation.settings
        robot, solver, source = computation.robot, computation.solver, settings.acceleration_source
        plain = settings.output == "full" and settings.friction == "none" and settings.effort_limits == "off"
        if not (plain and robot.all_known and source != "reference" and not self._external.newest):
            return False
        if isinstance(solver, ClosedLoop) or robot.black_boxes:
            return False
        self._chain = solver
        self._filter = computation.accelerations.filter if source == "filtered" else None
        return True

    def at(self, stamp: int, q: Array, v: Array, *, rehearsal: bool = False) -> FastAnswer | None:
        """Return the answer at a stamp [ns], positions and velocities (n,), arrays that must not change.

        None where an external wrench acts or has stopped, the sample is none that the filter expects next, or
        a number is not finite. Then nothing has changed.

        Args:
            rehearsal: change nothing in any case.
        """
        a, torques, filtered, moment = self._rest, np.empty(len(q)), self._filter, None
        if self._external.newest:
            return None
        if filtered is not None:
            if (moment := filtered.after(stamp, v)) is None:
                return None
            a = moment.acceleration
        if not self._chain.write_torques(q, v, a, torques):
            return None  # `Computation` reports the reason
        state = State(stamp, q, v, a, self._no_passive)
        answer = FastAnswer(state, torques, self._none_exceeded, self._chain)
        if not rehearsal:
            self._computation.position = stamp, q, self._no_passive
            if filtered is not None and moment is not None:
                filtered.take(moment)
        return answer

    @property
    def period(self) -> int:
        """Return the time [ns] between joint states if the filter knows it; else 1."""
        filtered = self._filter
        return 1 if filtered is None or isnan(filtered.period) else round(filtered.period * 1e9)
