"""The terms that add up to the torques of one state, and external torques from measured efforts.

total = inertia + coriolis + gravity + springs + friction - external. Inverse dynamics is affine in
accelerations, gravity and wrenches, so each term is the difference of two of its solutions (Featherstone,
Rigid Body Dynamics Algorithms, section 6.1). Of what depends on velocities, Coriolis terms are even in
them, and dampers are odd.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics_ros.computation.closed_loop import ClosedLoop, ClosedLoopSolution
from modular_dynamics_ros.computation.computation import Dynamics, OpenChain
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import (
    AppliedWrenches,
    Array,
    BaseState,
    Configuration,
    State,
    values_at,
)

NEVER = -(1 << 62)  # [ns]


@dataclass(frozen=True, eq=False)
class TorqueTerms:
    """Terms of the torques of a robot's `joint_names` (m,) [N m or N], before limits.

    Attributes:
        total: inertia + coriolis + gravity + springs + friction - external.
        inertia: M(q) a. coriolis: C(q, v) v, centrifugal too. gravity: holds the robot's weight.
        springs: springs and dampers of the description. friction: overcomes friction; zero where it is left
        out. external: what external wrenches and black boxes exert along the joints, J^T F.
    """

    total: Array
    inertia: Array
    coriolis: Array
    gravity: Array
    springs: Array
    friction: Array
    external: Array


class TermsSolver:
    """Splits the inverse dynamics of one robot; a workspace of one thread.

    Args:
        solver: of the same robot, for the same thread.
    """

    def __init__(self, robot: Robot, solver: OpenChain | ClosedLoop) -> None:
        self._robot, self._solver = robot, solver
        self._unloaded = AppliedWrenches(None, {name: np.zeros(6) for name in robot.black_boxes} or None)
        graph = replace(robot.graph, gravity=np.zeros(3))
        # with closed loops the weight is known by itself
        self._weightless = None if robot.closed else OpenChain(replace(robot, graph=graph))

    def split(
        self, configuration: Configuration, state: State, dynamics: Dynamics, *, friction: bool
    ) -> TorqueTerms:
        """Return the terms of `dynamics`, the solution at a state.

        Raises:
            BadMessage: a singular configuration, or numbers that overflow.
        """
        rest = state.at_rest()
        static = self._solve(configuration, rest)
        inertia = self._solve(configuration, _with_rates(rest, a=state)).tau - static.tau
        springs, dampers = self.springs(configuration, state)
        coriolis = self._solve(configuration, _with_rates(rest, v=state)).tau - static.tau - dampers
        gravity, springs = static.tau - springs, springs + dampers
        losses = dynamics.friction if friction else np.zeros_like(inertia)
        external = self._solve(configuration, state).tau - dynamics.tau
        terms = dynamics.tau + losses, inertia, coriolis, gravity, springs, losses, external
        return TorqueTerms(*(term[self._robot.published] for term in terms))

    def springs(self, configuration: Configuration, state: State) -> tuple[Array, Array]:
        """Return torques (n,) against springs at rest, and the damping torques at the state's velocities.

        Raises:
            BadMessage: as of `split`.
        """
        rest = state.at_rest()
        springs = self._springs(configuration, rest, self._solve(configuration, rest))
        if not self._robot.graph.springs:
            return springs, np.zeros_like(springs)
        ahead, back = (
            self._solve(configuration, _with_rates(rest, v=state, sign=sign)).tau for sign in (1.0, -1.0)
        )
        return springs, 0.5 * (ahead - back)

    def _solve(self, configuration: Configuration, state: State) -> Dynamics:
        return self._solver.solve(configuration, state, self._unloaded)

    def _springs(self, configuration: Configuration, rest: State, static: Dynamics) -> Array:
        """Return torques (n,) against springs at rest; `static`: against springs and weight."""
        if self._weightless is not None:
            return self._weightless.solve(configuration, rest, self._unloaded).tau
        assert isinstance(static, ClosedLoopSolution)
        weight = md.gravity_torque(self._robot.graph.tree, static.result.coordinates)
        return static.tau - static.along(weight)


def _with_rates(rest: State, v: State | None = None, a: State | None = None, sign: float = 1.0) -> State:
    """Return a state at rest with the velocities, times a sign, and accelerations of others."""
    state = rest._replace(v=rest.v if v is None else sign * v.v, a=rest.a if a is None else a.a)
    if rest.base is None:
        return state
    twist = np.zeros(6) if v is None or v.base is None else sign * v.base.twist
    acceleration = np.zeros(6) if a is None or a.base is None else a.base.acceleration
    return state._replace(base=BaseState(rest.base.orientation, twist, acceleration))


class ExternalTorques:
    """Filters what the world exerts along the joints, by the difference of the model from measured efforts.

    M(q) a + h(q, v) = tau_measured + tau_external. The model computes the left side, so tau_external is the
    model's torque less the measured one. It passes a low-pass filter of first order, y' = (x - y) 2 pi f_c,
    which is exact for an input that is constant from one stamp to the next, whatever their distances are.
    Of values with the same stamp the last one is used: with each publisher that reports some of the joints
    the model's state becomes more complete.

    Args:
        count: of joints.
    """

    def __init__(self, count: int) -> None:
        self._filtered = np.zeros(count)
        self._stamps = np.full(count, NEVER)  # [ns] of the last value of each joint
        # states before the last stamp, from which another value of that stamp starts
        self._filtered_before, self._stamps_before = self._filtered.copy(), self._stamps.copy()

    def continue_from(self, other: "ExternalTorques", where: NDArray[np.intp]) -> None:
        """Take over the filters of another robot; `where` (n,): index of each joint in it, -1 if new."""
        self._filtered = values_at(where, other._filtered)
        self._stamps = values_at(where, other._stamps, NEVER).astype(np.int64)
        self._filtered_before = values_at(where, other._filtered_before)
        self._stamps_before = values_at(where, other._stamps_before, NEVER).astype(np.int64)

    def update(self, stamp: int, model: Array, measured: Array, cutoff: float, longest_gap: float) -> Array:
        """Return filtered torques (n,) [N m or N] at a stamp [ns]; NaN if no effort was measured.

        The filter of a joint restarts with the next value after `longest_gap` [s] without one, and where
        stamps go back.

        Args:
            model: torques (n,) that the model computes, friction included, of the same state.
            measured: efforts (n,), NaN where missing.
            cutoff: f_c [Hz]; 0: no filter.
        """
        raw = model - measured
        known = np.isfinite(raw)
        new = known & (self._stamps != stamp)
        self._filtered_before[new], self._stamps_before[new] = self._filtered[new], self._stamps[new]
        gaps = (stamp - self._stamps_before) * 1e-9
        begins = known & ((gaps < 0.0) | (gaps > longest_gap))
        kept = np.exp(-2.0 * np.pi * cutoff * np.maximum(gaps, 0.0)) if cutoff > 0.0 else 0.0
        filtered = raw + kept * (self._filtered_before - raw)
        filtered[begins] = raw[begins]
        self._filtered[known], self._stamps[known] = filtered[known], stamp
        return np.where(known, filtered, np.nan)
