"""Motion of a mechanism over time: scipy's integrators, loops that stay closed, and crossings of branches."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import forward_dynamics, hybrid_dynamics, kinetic_energy, potential_energy
from ..dynamics.arguments import Array
from ..dynamics.forward_dynamics import prescribed_in
from ..exceptions import SingularityError, StateError
from ..model import SubsystemGraph
from ..model.number_arrays import number_array
from .constraints.constraint_system import ConstraintSystem
from .constraints.coordinates import Coordinates
from .dynamics.saddle_point import (
    NOTHING,
    ConstrainedDynamics,
    ConstrainedState,
    branch_motion,
    constrained_motion,
    decomposed,
    mean_state,
    mean_tangent,
    prescribed_motion,
    projected,
    ranked,
    states_around,
)
from .dynamics.solver import solver_of

#: Torques of the independent joints: constant, or (t, coordinates, velocities) -> torques; None: zero.
Torques = ArrayLike | Callable[[float, Array, Array], ArrayLike] | None
#: Time and state at the end of a step, and the wanted times and states within it.
Step = tuple[float, Array, list[tuple[float, Array]]]
#: The shortest step, relative to the time that is left.
SHORTEST_STEP = 1e-9
#: Number of consecutive shorter steps that is an error; implicit methods begin stiff motions with some.
MOST_SHORT_STEPS = 20
#: Largest correction of a step's end to the branch, relative to the change of state in the step.
LARGEST_CORRECTION = 0.01
#: Least cosine of the angle between the branch's tangents before and after a step across a crossing.
LEAST_TANGENT_COSINE = 0.9
#: Distance [m or 1] up to which branches count as crossing: so small that motions enter these smoothly.
CROSSING = 1e-12
#: Correction that is always allowed, relative to the state.
ROUNDING = 1e-8
EXPLICIT, IMPLICIT = ("DOP853", "RK45", "RK23"), ("Radau", "BDF")
METHODS = (*EXPLICIT, *IMPLICIT, "LSODA")  # LSODA differentiates by itself
#: Step of the differences for the implicit methods, relative to coordinates and velocities of at least 1.
DIFFERENCE = 1e-6


class Motion(Protocol):
    """A motion of some joints, such as a :class:`.Gait`."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The order of the arrays."""

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """Return positions, velocities and accelerations at a time [s]."""


@dataclass(frozen=True, eq=False)
class Simulation:
    """A motion: at each of k times coordinates (k, nq), velocities and accelerations (k, nv) of all joints.

    Attributes:
        tau: torques of the independent joints (k, independent) [N m or N].
        multipliers: of the loops' constraint rows (k, rows) [N or N m].
        energy: kinetic, gravitational and elastic [J]. residual: of the loops, the largest [m or 1].
    """

    t: Array
    coordinates: Array
    velocities: Array
    accelerations: Array
    tau: Array
    multipliers: Array
    energy: Array
    residual: Array


def simulate(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: Torques,
    t_end: float,
    method: str = "DOP853",
    *,
    times: ArrayLike | None = None,
    guess: ArrayLike | None = None,
    rtol: float = 1e-10,
    atol: float = 1e-10,
    progress: Callable[[float, float], None] | None = None,
    friction: str = "none",
    gait: Motion | None = None,
) -> Simulation:
    """Integrate the mechanism's motion from independent q, v to t_end [s].

    All joints' accelerations come from the symmetric indefinite system of ``constrained_dynamics``,
    so that it passes singular configurations of the independent joints. Every state that the integrator tries
    is first moved the shortest way onto the constraints. Where branches of the motion cross (rods in line),
    the motion continues smoothly, by interpolation across the crossing; where that is not certain it ends
    with an error. Branches that come closer to each other than 1e-12 m count as crossing.

    Args:
        q, v: of the independent joints at t = 0, in the order of ``graph.independent_joint_names``.
        tau: torques of the independent joints: an array, a function (t, coordinates, velocities) of all
            joints' state, or None for none.
        method: of scipy.integrate. DOP853, RK45 and RK23 are explicit: the first is the best for smooth
            motions and tight tolerances, the others for coarse ones and torques that jump. Radau, BDF and
            LSODA are for stiff motions (strong damping, hard springs or feedback on light links), where
            stability shortens the steps of the explicit ones. Radau starts each step from the state on the
            constraints, as they do; BDF and LSODA continue from their earlier steps, of which only what is
            returned is moved onto the constraints: less accurate for the same tolerance.
        times: at which the motion is wanted (k,); every step by default. It is interpolated within the
            integrator's steps, which is less accurate than these.
        guess: as of ``close_loops``.
        rtol, atol: relative and absolute error of a step that scipy.integrate allows.
        progress: called after every step with (t, t_end).
        friction: as of ``inverse_dynamics``. Dry friction jumps where a joint turns back: the steps become
            short there, and where it holds the joint the simulation ends with an error.
        gait: of independent joints with one coordinate, which follow it from its own start, whatever q, v and
            tau say of them; the others, such as a floating base, move freely under tau (hybrid dynamics).

    Raises:
        ClosureError: as of ``inverse_dynamics``, at the start.
        SingularityError: branches cross at the start, or meet later so that they are indistinguishable, or
            loops stay open there; it names time, condition number, and the open loop.
        StateError: a wrong shape or number, or the integrator fails.
    """
    import scipy.integrate  # noqa: PLC0415  (a fifth of the library's import, which only this needs)

    solver = solver_of(graph)
    system = solver.system
    if method not in METHODS:
        raise StateError(f"method is {method!r}; {', '.join(METHODS)} are known")
    if not (_is_number(t_end) and t_end > 0.0):
        raise StateError(f"t_end is {t_end}; a time above zero is needed")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not (_is_number(tolerance) and tolerance >= 0.0):
            raise StateError(f"{name} is {tolerance!r}; a number from 0 on is needed")
    wanted = None if times is None else number_array("times", times)
    if wanted is not None and (
        wanted.ndim != 1
        or len(wanted) == 0
        or not ((np.diff(wanted) > 0.0).all() and wanted[0] >= 0.0 and wanted[-1] <= t_end)
    ):
        raise StateError(f"times must rise from 0 or later to {t_end} at most")
    if progress is not None and not callable(progress):
        raise StateError(f"progress is {progress!r}; a function of (t, t_end) is needed")
    q, v = (system.independent.checked(name, x).copy() for name, x in (("q", q), ("v", v)))
    if gait is not None:
        if not (hasattr(gait, "joint_names") and callable(getattr(gait, "at", None))):
            raise StateError(
                f"gait is {gait!r:.80}; a motion with joint_names and at(t) is needed, as gaits.load's"
            )
        prescribed_in(graph, gait.joint_names, system.independent.single)  # an error names others
        for name, position, rate in zip(gait.joint_names, *gait.at(0.0)[:2], strict=True):
            q[system.independent.q_names == name] = position
            v[system.independent.v_names == name] = rate
    coordinates = Coordinates(graph).unit(solver.close(q, guess))
    start = np.concatenate([coordinates, solver.projection(coordinates) @ v])
    integrator = partial(getattr(scipy.integrate, method), t_bound=t_end, rtol=rtol, atol=atol)
    motion = [(0.0, start)] if wanted is None or wanted[0] == 0.0 else []
    branch_motion = _BranchMotion(system, tau, coordinates, friction, gait)
    if method in IMPLICIT:
        integrator = partial(integrator, jac=branch_motion.jacobian)
    for t, y, within in branch_motion.steps(start, t_end, integrator, wanted):
        motion += [(t, y)] if wanted is None else within
        if progress is not None:
            progress(t, t_end)
    states = np.array([y for _, y in motion])
    positions, speeds = states[:, : graph.nq], states[:, graph.nq :]
    solutions = [branch_motion.solution(t, y) for t, y in motion]
    return Simulation(
        np.array([t for t, _ in motion]),
        positions,
        speeds,
        np.array([one.a for one in solutions]),
        np.array([one.tau for one in solutions]),
        np.array([one.multipliers for one in solutions]),
        kinetic_energy(graph.tree, positions, speeds)
        + potential_energy(graph.tree, positions)
        + np.array([system.spring_energy(a) for a in positions]),
        np.array([system.largest_residual(a) for a in positions]),
    )


def _is_number(value: object) -> bool:
    """Return whether a value is a finite real number."""
    return isinstance(value, int | float | np.integer | np.floating) and bool(np.isfinite(value))


class _BranchMotion:
    """The motion on one branch from closed coordinates, under torques of the independent joints."""

    def __init__(
        self, system: ConstraintSystem, tau: Torques, coordinates: Array, friction: str, gait: Motion | None
    ) -> None:
        self._friction, self._gait = friction, gait
        self.system, self.nq, self._coordinates = system, system.graph.nq, Coordinates(system.graph)
        start = ranked(system, coordinates, np.zeros(system.graph.nv))
        self._rank = start.rank
        self._tangent = start.free.T  # of the branch, at the last step's end
        self._is_crossing = False  # whether states of the present step are near a crossing
        self._tau = tau if callable(tau) else None
        constant = np.zeros(len(system.independent_v)) if tau is None or callable(tau) else tau
        self._constant_tau = system.independent.checked("tau", constant)
        self._cached: tuple[Array, list[ConstrainedState]] = np.empty(0), []
        #: without loops, springs and passive joints the core's accelerations are all
        self._is_tree = not system.graph.has_loops

    def steps(self, y: Array, t_end: float, integrator: Any, wanted: Array | None) -> Iterator[Step]:
        """Yield time and state after each step, and before it the wanted times and states within it.

        A step on which the branch is lost is repeated at a quarter of its length.
        """
        t, stepper, first, short = 0.0, None, None, 0
        while t < t_end:
            try:
                if stepper is None:
                    stepper = integrator(self._derivative, t, y, first_step=first)
                self._is_crossing = False
                message = stepper.step()
                short = short + 1 if stepper.t - t < SHORTEST_STEP * (t_end - t) else 0
                if stepper.status == "failed" or short > MOST_SHORT_STEPS:
                    raise self._error(t, y, message or "its steps become too short")
                after, tangent = self._step_end(y, stepper.y)
                inside = () if wanted is None else wanted[(wanted > t) & (wanted <= stepper.t)]
                within = []
                if len(inside):
                    dense = stepper.dense_output()
                    within = [(float(time), self._closed(dense(time))) for time in inside]
            except SingularityError as error:
                attempted = first or t_end - t
                if stepper is not None:  # the integrator may have completed the step, and proposes the next
                    proposed = min(getattr(stepper, "h_abs", attempted), t_end - t)
                    attempted = stepper.t - t if stepper.t > t else proposed
                if 0.25 * attempted < SHORTEST_STEP * (t_end - t):
                    raise self._error(t, y, str(error), error.condition) from None
                first, stepper = 0.25 * attempted, None
                continue
            t, y, self._tangent = stepper.t, after, tangent
            stepper.y = y
            yield t, y, within

    def _states(self, y: Array) -> list[ConstrainedState]:
        """Return a state moved onto the branch, or those around it; the last if the integrator repeats it."""
        if not np.array_equal(y, self._cached[0]):
            if not np.isfinite(y).all():
                raise SingularityError("its coordinates and velocities are no longer finite", np.inf)
            state = decomposed(self.system, y[: self.nq], y[self.nq :], self._rank)
            around = states_around(self.system, state, self._tangent, CROSSING)
            self._cached = y.copy(), around or [projected(self.system, state)]
            self._is_crossing |= len(around) > 0
        return self._cached[1]

    def _closed(self, y: Array) -> Array:
        """Return a state projected onto the constraints."""
        if self._is_tree:
            closed = y.copy()
            self._coordinates.unit(closed[: self.nq])
            return closed
        return np.concatenate(mean_state(self.system, self._states(y)))

    def _derivative(self, t: float, y: Array) -> Array:
        """Return the derivative of a state: coordinate rates, then accelerations."""
        closed = self._closed(y)
        rates = self._coordinates.rates(closed[: self.nq], closed[self.nq :])
        return np.concatenate([rates, self.solution(t, y).a])

    def solution(self, t: float, y: Array) -> ConstrainedDynamics:
        """Return accelerations, torques and multipliers at a state."""
        if self._is_tree:
            if not np.isfinite(y).all():
                raise SingularityError("its coordinates and velocities are no longer finite", np.inf)
            q, v = self._coordinates.unit(y[: self.nq].copy()), y[self.nq :]
            tau, friction = self._tau_at(t, q, v), self._friction
            with suppress(StateError):  # of a motion without inertia, which below may go without torque
                graph, gait = self.system.graph, self._gait
                if gait is None:
                    a = forward_dynamics(graph, q, v, tau, friction=friction)
                    return ConstrainedDynamics(a, tau, NOTHING, 0, NOTHING)
                known = self._prescribed(t, gait)
                both = hybrid_dynamics(graph, q, v, known, tau, gait.joint_names, friction=friction)
                return ConstrainedDynamics(both.a, both.tau, NOTHING, 0, NOTHING)
        states = self._states(y)
        q, v = mean_state(self.system, states)
        tau = self._tau_at(t, q, v)
        if self._gait is not None:
            is_known = np.isin(self.system.independent.v_names, self._gait.joint_names)
            known = self._prescribed(t, self._gait)
            return prescribed_motion(self.system, q, v, tau, known, is_known, self._friction)
        return branch_motion(
            self.system,
            states,
            lambda at, a: constrained_motion(self.system, at, tau, self._friction, a=a)[0],
        )

    def _prescribed(self, t: float, gait: Motion) -> Array:
        """Return the gait's accelerations, zero of the other independent joints."""
        names = list(self.system.independent.v_names)
        a = np.zeros(len(names))
        a[[names.index(name) for name in gait.joint_names]] = gait.at(t)[2]
        return a

    def _tau_at(self, t: float, q: Array, v: Array) -> Array:
        """Return the torques of the independent joints. Raises StateError: a function gives others."""
        if self._tau is None:
            return self._constant_tau
        return self.system.independent.checked("tau", self._tau(t, q.copy(), v.copy()))

    def jacobian(self, t: float, y: Array) -> Array:
        """Return the derivatives of ``_derivative`` by the state, by central differences.

        scipy's own differences would be relative to velocities, and with zeros below the rounding of loops.
        """
        columns = []
        for k, size in enumerate(DIFFERENCE * np.maximum(np.abs(y), 1.0)):
            step = np.zeros(len(y))
            step[k] = size
            columns.append((self._derivative(t, y + step) - self._derivative(t, y - step)) / (2.0 * size))
        return np.array(columns).T

    def _step_end(self, before: Array, y: Array) -> tuple[Array, Array]:
        """Return a step's end, projected onto the branch, and the tangent there. Raises SingularityError."""
        if self._is_tree:
            return self._closed(y), self._tangent
        states, after = self._states(y), self._closed(y)
        tangent, condition = mean_tangent(states), 1.0 / states[0].width
        change, correction = float(np.linalg.norm(after - before)), float(np.linalg.norm(after - y))
        if correction > LARGEST_CORRECTION * change + ROUNDING * (1.0 + float(np.linalg.norm(y))):
            raise SingularityError(f"a step ends {correction:.2g} off its branch", condition)
        if self._is_crossing:
            cosines = np.linalg.svd(self._tangent.T @ tangent, compute_uv=False)
            if cosines.min() < LEAST_TANGENT_COSINE:
                raise SingularityError("it turns sharply at a crossing", condition)
        return after, tangent

    def _error(self, t: float, y: Array, why: str, condition: float | None = None) -> Exception:
        """Return a SingularityError with the condition number, or without one a StateError."""
        message = f"the motion of '{self.system.graph.name}' cannot be followed beyond {t:.6g} s: {why}"
        if self._friction != "none":
            message += ", perhaps because dry friction holds a joint"
        if condition is None:
            return StateError(message)
        if "condition number" not in why:
            message += f" (condition number {condition:.2g})"
        return SingularityError(message, condition, y[: self.nq].copy())
