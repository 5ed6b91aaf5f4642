"""Answers to joint states of all joints where nothing but positions and velocities counts: in fewer steps."""

import numpy as np

from modular_dynamics_ros.computation.accelerations.filtered_acceleration import FilteredAcceleration, Moment
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.open_chain import UNLOADED, OpenChain
from modular_dynamics_ros.computation.values import Array, Configuration, State
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["UsualAnswers"]


class UsualAnswers:
    """The answers of a `Computation`, as it would give them itself.

    Attributes:
        possible: whether robot and settings allowed them when `look` was called last.
    """

    def __init__(self, computation: Computation) -> None:
        robot, joints = computation.robot, len(computation.robot.state_names)
        self._computation, self.possible = computation, False
        self._tree = robot.all_known and not (robot.closed or robot.base or robot.black_boxes)
        self._rest, self._no_passive = np.zeros(joints), np.zeros(0)
        self._none_exceeded = np.zeros(joints, dtype=bool)
        self._external = computation.wrenches.external
        self._filter: FilteredAcceleration | None
        self._solver: OpenChain

    def look(self) -> None:
        """Look at the settings, after an answer of the computation; again when they change."""
        computation, settings = self._computation, self._computation.settings
        source, solver = settings.acceleration_source, computation.solver
        plain = settings.output == "full" and settings.friction == "none" and settings.effort_limits == "off"
        self.possible = self._tree and plain and source != "reference" and isinstance(solver, OpenChain)
        if self.possible:
            assert isinstance(solver, OpenChain)  # see above
            self._solver = solver
            self._filter = computation.accelerations.filter if source == "filtered" else None

    def at(self, stamp: int, q: Array, v: Array) -> Answer | None:
        """The answer at a stamp [ns], positions and velocities (n,) of all joints, which must not change.

        None where a wrench acts, the sample is none that the filter expects next, or a number is not finite.
        Then nothing has changed.
        """
        moment, filtered = None, self._filter
        if filtered is not None and (moment := filtered.after(stamp, v)) is None:
            return None
        answer = self._answer(stamp, q, v, moment)
        if answer is None or not self._external.none:
            return None
        if filtered is not None and moment is not None:
            filtered.take(moment)
        self._computation.measured(stamp, q, self._no_passive)
        return answer

    def rehearse(self, last: Answer) -> None:
        """Compute as for the joint state after the last answer, and change nothing."""
        (stamp, q, v, *_), filtered = last.state, self._filter
        moment = None if filtered is None else filtered.after(stamp + round(filtered.period * 1e9), v)
        self._answer(stamp, q, v, moment)

    def _answer(self, stamp: int, q: Array, v: Array, moment: Moment | None) -> Answer | None:
        """At a moment of the filter; None: at accelerations of zero."""
        a = self._rest if moment is None else moment.states[: len(v)]
        state = State(stamp, q, v, a, self._no_passive)
        try:
            dynamics = self._solver.solve_unloaded(state)
        except BadMessage:
            return None  # `Computation` says why
        configuration, tau = Configuration(state, q), dynamics.result.tau
        return Answer(state, configuration, UNLOADED, tau, self._none_exceeded, dynamics)
