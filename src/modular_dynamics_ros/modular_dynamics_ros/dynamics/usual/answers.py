"""Answers to joint states of all joints where nothing but positions and velocities counts: in fewer steps."""

import numpy as np

from modular_dynamics_ros.computation.accelerations.filtered_acceleration import FilteredAcceleration, Moment
from modular_dynamics_ros.computation.closed_loop import ClosedLoop
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.open_chain import UNLOADED, OpenChain, OpenChainDynamics
from modular_dynamics_ros.computation.values import Array, Configuration, State

__all__ = ["UsualAnswers"]


class UsualAnswers:
    """The answers of a `Computation`, as it would give them itself, while `are_possible`."""

    def __init__(self, computation: Computation) -> None:
        self._computation, self._external = computation, computation.wrenches.external
        joints = len(computation.robot.state_names)
        self._rest, self._no_passive = np.zeros(joints), np.zeros(0)
        self._none_exceeded = np.zeros(joints, dtype=bool)
        self._none_exceeded.flags.writeable = False
        # set by `are_possible`, where they are
        self._chain: OpenChain
        self._filter: FilteredAcceleration | None

    def are_possible(self) -> bool:
        """Whether robot, settings and wrenches allow them now.

        Ask before the first answer, and again whenever the settings change.
        """
        computation, settings = self._computation, self._computation.settings
        robot, solver, source = computation.robot, computation.solver, settings.acceleration_source
        plain = settings.output == "full" and settings.friction == "none" and settings.effort_limits == "off"
        if not (plain and robot.all_known and source != "reference" and self._external.none):
            return False
        if isinstance(solver, ClosedLoop) or robot.black_boxes:
            return False
        self._chain = solver
        self._filter = computation.accelerations.filter if source == "filtered" else None
        return True

    def at(self, stamp: int, q: Array, v: Array) -> Answer | None:
        """The answer at a stamp [ns], positions and velocities (n,) of all joints, which must not change.

        None where an external wrench acts or has stopped, the sample is none that the filter expects next, or
        a number is not finite. Then nothing has changed.
        """
        moment, filtered = None, self._filter
        if not self._external.none:
            return None
        if filtered is not None and (moment := filtered.after(stamp, v)) is None:
            return None
        if (answer := self._answer(stamp, q, v, moment)) is None:
            return None
        if filtered is not None and moment is not None:
            filtered.take(moment)
        self._computation.note_state(stamp, q, self._no_passive)
        return answer

    def rehearse(self, last: Answer) -> None:
        """Compute as for the joint state after the last answer, and change nothing."""
        (stamp, q, v, *_), filtered = last.state, self._filter
        moment = None if filtered is None else filtered.after(stamp + round(filtered.period * 1e9), v)
        self._answer(stamp, q, v, moment)

    def _answer(self, stamp: int, q: Array, v: Array, moment: Moment | None) -> Answer | None:
        """At a moment of the filter; None: at accelerations of zero."""
        a = self._rest if moment is None else moment.acceleration
        torques = np.empty(len(q))
        if self._chain.call(q, v, a, torques) != 0:
            return None  # `Computation` says why
        state = State(stamp, q, v, a, self._no_passive)
        dynamics = OpenChainDynamics(self._chain, (q, v, a), UNLOADED, torques)
        return Answer(state, Configuration(state, q), UNLOADED, torques, self._none_exceeded, dynamics)
