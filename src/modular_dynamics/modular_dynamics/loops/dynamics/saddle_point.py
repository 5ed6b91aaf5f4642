"""Dynamics of all joints at one state, from the equations of motion and the constraints at once.

[M J^T; J 0] [a; -lambda] = [tau - h - J_L^T F; -gamma] (Kumar et al., eq. 22) is split by the singular
vectors of J: those of its row space give a part of a, and M on its null space, which is positive definite,
the rest. Directions, steps and J are in the mechanism's units (`ConstraintSystem.units`, ``row_scale``).

Where rods come in line, branches of the motion may cross. d rad from there the smallest singular value is
about d: rounding of phi, 1e-16, leaves coordinates 1e-16 / d beside the branch, which turns the null space by
1e-16 / d^2 and changes gamma over the singular value by 1e-16 / d^3. But a branch is smooth, and so is the
motion on it: close to a crossing both are interpolated between states around that are farther from it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ...dynamics import inverse_dynamics, mass_matrix
from ...dynamics.arguments import Array
from ...dynamics.inverse_dynamics import Wrenches
from ...exceptions import ClosureError, SingularityError, StateError
from ...model import SubsystemGraph
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import Coordinates

#: Largest residual [m or 1] of given coordinates, and its rate per unit velocity, that count as closed.
CLOSED_TOLERANCE = 1e-6
#: Singular values of the constraints relative to the largest: below the first rows are redundant, from there
#: to the second branches cross at a state.
REDUNDANT, NEAR_CROSSING = 1e-9, 1e-6
#: Least second derivative of redundant rows along a free motion at a crossing, relative to the largest
#: singular value.
CURVED = 1e-6
#: Newton's last step [rad or m], so short that J of the point before it serves; largest number of steps.
LAST_STEP, STEPS = 1e-12, 8
#: Residual [m or 1] that rounding leaves.
ROUNDING_OF_CLOSED = 1e-12
#: Smallest singular value relative to the largest: below the first a crossing may be near; below the second a
#: state is not used itself, only interpolated; below the third it is rounding.
NARROW, SHARP, RANK_LOSS = 7e-3, 2e-4, 1e-5
#: Weights of the states at 1 to 4 spacings on both sides: of the polynomial through all, and through six.
WEIGHTS = (56 / 70, 15 / 20), (-28 / 70, -6 / 20), (8 / 70, 1 / 20), (-1 / 70, 0.0)
#: Relative change of J between neighbouring states; their largest distance [rad or m], since inertias and
#: gravity change too; how often the distance is halved.
SPACING, LONGEST_SPACING, HALVINGS = 0.02, 0.05, 2
#: Largest difference of both polynomials, relative to the distance that changes J by its size, and to the
#: velocities or accelerations.
SMOOTH = 1e-7
#: Residual [m or 1] that rounding leaves of interpolated coordinates: larger ones are distances of branches
#: that come close without crossing, and accelerations d rad from there differ by these over d^3.
ROUNDED = 1e-14
NOTHING = np.zeros(0)


@dataclass(frozen=True, eq=False)
class ConstrainedDynamics:
    """What `constrained_dynamics` computes.

    Attributes:
        a: accelerations of all joints (nv,), in the order of ``graph.joint_names`` [rad/s^2 or m/s^2].
        tau: torques of the independent joints, in the order of ``graph.independent_joint_names`` [N m or N].
        multipliers: of the constraint rows [N or N m]; of the least norm where rows are redundant.
        rank: of the constraint rows. tensions: of the springs [N].
    """

    a: Array
    tau: Array
    multipliers: Array
    rank: int
    tensions: Array


@dataclass(frozen=True, eq=False)
class ConstrainedState:
    """Coordinates and velocities of all joints, with the singular value decomposition of the scaled J there.

    Attributes:
        q, v: coordinates (nq,) and velocities (nv,).
        left (m, m), sizes, right (nv, nv): the decomposition. rank: number of sizes that are not zero.
        weights: in the interpolation of its branch, and in one of two degrees less, which tells the error.
    """

    q: Array
    v: Array
    left: Array
    sizes: Array
    right: Array
    rank: int
    weights: tuple[float, float] = (1.0, 1.0)

    @property
    def constrained(self) -> Array:
        """Orthonormal directions in which loops hold the joints, as rows (rank, nv)."""
        return self.right[: self.rank]

    @property
    def free(self) -> Array:
        """Orthonormal directions that loops allow, as rows (nv - rank, nv)."""
        return self.right[self.rank :]

    @property
    def width(self) -> float:
        """Smallest singular value relative to the largest: small near a crossing of branches."""
        return float(self.sizes[self.rank - 1] / self.sizes[0]) if self.rank else 1.0

    def shortest(self, b: Array) -> Array:
        """Return the shortest x with J x = b, both scaled."""
        x: Array = self.constrained.T @ (self.left[:, : self.rank].T @ b / self.sizes[: self.rank])
        return x


def decomposed(system: ConstraintSystem, q: Array, v: Array, rank: int) -> ConstrainedState:
    """Return q and v, unchanged, with the decomposition of J at q."""
    J = system.row_scale[:, None] * system.evaluate(q).J * system.units
    return ConstrainedState(q, v, *np.linalg.svd(J), rank)


def ranked(system: ConstraintSystem, q: Array, v: Array) -> ConstrainedState:
    """Return closed q and v, unchanged, with the rank of J. Raises SingularityError: it is higher nearby.

    It is higher nearby where J has a singular value that is small but not zero; or where u^T (d^2 phi / dn^2)
    is not zero, with u^T J = 0 and J n = 0: it is zero where rows are redundant all along the motion.
    """
    state, units = decomposed(system, q, v, 0), system.units
    left, sizes, right = state.left, state.sizes, state.right
    if not sizes.any():
        return state
    rank = int((sizes > REDUNDANT * sizes[0]).sum())
    least = sizes[rank - 1] / sizes[0]
    if least > NEAR_CROSSING and rank < min(len(left), len(right)):
        free = right[rank:].T
        # a nonzero quadratic form is nonzero in a random direction, too
        along = units * (free @ np.cos(np.arange(free.shape[1]) ** 2))
        curved = left[:, rank:].T @ (system.row_scale * system.evaluate(q, along).gamma)
        if np.abs(curved).max() > CURVED * sizes[0]:
            least = sizes[rank] / sizes[0]
    if least > NEAR_CROSSING or rank == 0:
        return replace(state, rank=rank)
    raise branches_cross(system, q, 1.0 / least if least > 0.0 else np.inf)


def projected(
    system: ConstraintSystem, state: ConstrainedState, tangent: Array | None = None
) -> ConstrainedState:
    """Return the nearest state with closed loops, by Newton's method with shortest steps.

    Its velocity is v without the part that opens the loops.

    Args:
        tangent: steps are perpendicular to these directions (nv, f), if given: the result is then a smooth
            function of q, even where another branch is near.

    Raises:
        SingularityError: branches of the motion meet there, or the loops stay open.
    """
    coordinates, units, q = Coordinates(system.graph), system.units, state.q
    units_q = coordinates.spread(units)
    for _ in range(STEPS):
        if not state.width > RANK_LOSS:
            raise branches_cross(system, q, 1.0 / max(state.width, 1e-300))
        step = -state.shortest(system.row_scale * system.evaluate(state.q).phi)
        if tangent is not None:
            step -= state.free.T @ np.linalg.lstsq(tangent.T @ state.free.T, tangent.T @ step)[0]
        q = coordinates.moved(state.q, units * step)
        if np.abs(step).max(initial=0.0) < LAST_STEP * max(1.0, np.abs(q / units_q).max(initial=0.0)):
            opening = state.constrained.T @ (state.constrained @ (state.v / units))
            return replace(state, q=q, v=state.v - units * opening)
        state = decomposed(system, q, state.v, state.rank)
    residual, condition = system.residual(q), 1.0 / state.width
    worst = max(residual, key=lambda name: residual[name])
    if residual[worst] < ROUNDING_OF_CLOSED:  # rounding of phi over the smallest singular value
        raise branches_cross(system, q, condition)
    message = f"'{worst}' of '{system.graph.name}' stays open by {residual[worst]:.2g} [m or 1]"
    raise SingularityError(f"{message}, condition number {condition:.2g}", condition, q.copy())


def states_around(
    system: ConstraintSystem,
    state: ConstrainedState,
    tangent: Array | None = None,
    crossing: float = ROUNDED,
) -> list[ConstrainedState]:
    """Return eight weighted states of a branch around one that is near a crossing; none of another state.

    Args:
        tangent: of the branch (nv, f), where the state is so near that J does not determine it.
        crossing: distance [m or 1] up to which branches count as crossing.

    Raises:
        SingularityError: branches come too close there to be distinguished.
    """
    if not state.width < NARROW:
        return []
    try:
        return _interpolated(system, state, state.free.T if tangent is None else tangent, crossing)
    except SingularityError:
        if state.width < SHARP:
            raise
        return []  # at a sharp corner: branches come close without crossing


def _interpolated(
    system: ConstraintSystem, state: ConstrainedState, tangent: Array, crossing: float
) -> list[ConstrainedState]:
    """Return `states_around` one; none if one of them is nearer to a crossing. Raises SingularityError."""
    coordinates, units, spacing = Coordinates(system.graph), system.units, _spacing(system, state, tangent)
    weak = state.left[:, : state.rank][:, state.sizes[: state.rank] < NARROW * state.sizes[0]]
    for _ in range(HALVINGS + 1):
        around = []
        for (k, weights), sign in product(enumerate(WEIGHTS, 1), (1, -1)):
            q = coordinates.moved(state.q, sign * k * units * spacing)
            one = projected(system, decomposed(system, q, state.v, state.rank), tangent)
            around.append(replace(one, weights=weights))
        if min(one.width for one in around) <= state.width:
            return []
        (q, v), (lower_q, lower_v) = (mean_state(system, around, degree) for degree in (0, 1))
        error_q = np.abs((q - lower_q) / coordinates.spread(units)).max() * SPACING / np.abs(spacing).max()
        error_v = np.abs((v - lower_v) / units).max() / (np.abs(v / units).max() or 1.0)
        distance = np.abs(weak.T @ (system.row_scale * system.evaluate(q).phi)).max()
        if max(error_q, error_v) < SMOOTH and distance < crossing:
            return around
        spacing = 0.5 * spacing
    condition = 1.0 / state.width
    message = f"branches of the motion of '{system.graph.name}' come close there, or turn sharply"
    raise SingularityError(f"{message}, condition number {condition:.2g}", condition, state.q.copy())


def _spacing(system: ConstraintSystem, state: ConstrainedState, tangent: Array) -> Array:
    """Return the step (nv,) along a branch by which J changes by SPACING, its small singular values most."""
    coordinates, units, scale = Coordinates(system.graph), system.units, system.row_scale[:, None]

    def change_of_J(along: Array) -> Array:
        ahead, behind = (
            system.evaluate(coordinates.moved(state.q, step * units * along)).J for step in (1e-3, -1e-3)
        )
        change: Array = scale * (ahead - behind) * units / 2e-3
        return change

    along = tangent[:, 0]
    if tangent.shape[1] > 1:
        strong = int((state.sizes > NARROW * state.sizes[0]).sum())
        left, right = state.left[:, strong:].T, state.right[strong:].T
        weak = np.array([(left @ change_of_J(t) @ right).ravel() for t in tangent.T])
        changes, ways = np.linalg.eigh(weak @ weak.T)
        largest = changes >= min(0.1 * changes[-1], changes[-1])  # at least one, even if all are zero
        along = tangent @ ways[:, largest].sum(axis=1)
        along = along / np.linalg.norm(along)
    bend = np.linalg.norm(change_of_J(along), 2)
    spacing: Array = (min(SPACING * state.sizes[0] / bend, LONGEST_SPACING) if bend > 0.0 else 0.0) * along
    return spacing


def mean_state(
    system: ConstraintSystem, states: list[ConstrainedState], which: int = 0
) -> tuple[Array, Array]:
    """Return the mean of coordinates and velocities, with one of both weights."""
    weights = np.array([one.weights[which] for one in states])
    q, v = weights @ [one.q for one in states], weights @ [one.v for one in states]
    return Coordinates(system.graph).unit(q), v


def mean_tangent(states: list[ConstrainedState]) -> Array:
    """Return the tangent (nv, f) of a branch at the mean of its states."""
    projector = np.sum([one.weights[0] * one.constrained.T @ one.constrained for one in states], axis=0)
    tangent: Array = np.linalg.eigh(projector)[1][:, : len(states[0].free)]
    return tangent


def branches_cross(system: ConstraintSystem, q: Array, condition: float) -> SingularityError:
    """Return the error for coordinates q at which the accelerations are not unique."""
    return SingularityError(
        f"branches of the motion of '{system.graph.name}' cross at these coordinates, condition number "
        f"{condition:.2g} of its constraints: the accelerations depend on which of them is followed",
        condition,
        q.copy(),
    )


def raise_if_open(system: ConstraintSystem, q: Array, v: Array) -> None:
    """Raise ClosureError where loops are open at q (nq,), or opened by v (nv,)."""
    values = system.evaluate(q)
    residual, rates = (system.by_name(np.abs(part)) for part in (values.phi, values.J @ v))
    largest_speed = max(1.0, float(np.abs(v).max(initial=0.0)))
    for what, violations, allowed in (
        ("is open by", residual, CLOSED_TOLERANCE),
        ("opens at a rate of", rates, CLOSED_TOLERANCE * largest_speed),
    ):
        worst = max(violations, key=lambda name: violations[name], default="")
        if worst and violations[worst] > allowed:
            raise ClosureError(
                f"'{worst}' of '{system.graph.name}' {what} {violations[worst]:.3g} at these coordinates and "
                "velocities; close_loops and explicit_constraint_jacobian make closed ones",
                residual,
                q.copy(),
            )


def constrained_motion(
    system: ConstraintSystem,
    state: ConstrainedState,
    tau: Array,
    friction: str = "none",
    external_wrenches: Wrenches = None,
    known: Array = NOTHING,
    a: Array | None = None,
) -> tuple[ConstrainedDynamics, Array]:
    """Return accelerations and multipliers at a state, under torques of the independent joints.

    Args:
        known: rates of further rows of the state's decomposition, behind those of the constraints.
        a: the accelerations, if they are known: then multipliers alone are computed.

    Returns:
        The solution, and the forces along the further rows.
    """
    graph, q, units, scale = system.graph, state.q, system.units, system.row_scale
    v, rest = state.v if friction == "none" else without_rounding(system, state.v), np.zeros(graph.nv)
    right = -inverse_dynamics(graph.tree, q, v, rest, external_wrenches=external_wrenches, friction=friction)
    right[system.independent_v] += tau
    springs = system.spring_forces(q, v)
    M = units[:, None] * mass_matrix(graph.tree, q) * units
    with np.errstate(over="ignore", invalid="ignore"):  # checked at the end
        right = units * (right - springs.J.T @ springs.tensions)
        if a is None:
            free = separate_motions(state.free)
            along = state.shortest(np.concatenate([-scale * system.evaluate(q, v).gamma, known]))
            torques = free @ (right - M @ along)
            a = units * (along + free.T @ reduced_accelerations(graph, free.T, M, torques))
        forces = state.constrained @ (M @ (a / units) - right) / state.sizes[: state.rank]
        forces = state.left[:, : state.rank] @ forces
        multipliers = scale * forces[: len(scale)]
    raise_if_not_finite(a, forces)
    solution = ConstrainedDynamics(a, tau, multipliers, state.rank, springs.tensions)
    return solution, forces[len(scale) :]


def branch_motion(
    system: ConstraintSystem,
    states: list[ConstrainedState],
    solve: Callable[[ConstrainedState, Array | None], ConstrainedDynamics],
) -> ConstrainedDynamics:
    """Return the solution at a state, or with the mean accelerations and torques of `states_around` it.

    Args:
        solve: (state, accelerations if they are known) -> the solution there.

    Raises:
        SingularityError: the accelerations are not smooth there.
    """
    each = [solve(one, None) for one in states]
    if len(states) == 1:
        return each[0]
    weights = np.array([one.weights for one in states]).T
    a, lower = weights @ [one.a for one in each]
    state = decomposed(system, *mean_state(system, states), states[0].rank)
    # a turn of 1 rad or a motion of 1 m changes velocities by their size
    sizes = [np.abs(state.v / system.units) ** 2, *(np.abs(one.a / system.units) for one in each)]
    size = np.max(sizes)
    if np.abs((a - lower) / system.units).max() <= SMOOTH * size:
        return replace(solve(state, a), tau=weights[0] @ [one.tau for one in each])
    if state.width < SHARP:
        raise branches_cross(system, state.q, 1.0 / max(state.width, 1e-300))
    return solve(projected(system, state), None)


def prescribed_motion(
    system: ConstraintSystem,
    q: Array,
    v: Array,
    tau: Array,
    a: Array,
    is_known: NDArray[np.bool_],
    friction: str = "none",
    external_wrenches: Wrenches = None,
) -> ConstrainedDynamics:
    """Return the solution at which some independent velocities have given accelerations.

    Args:
        tau, a: of the independent joints. is_known: where a is read, and tau is found.
    """
    own, units, scale = system.independent_v[is_known], system.units, system.row_scale[:, None]
    known, selected = a[is_known] / units[own], np.eye(len(units))[own]

    def solve(state: ConstrainedState, a: Array | None) -> ConstrainedDynamics:
        rows = np.vstack([scale * system.evaluate(state.q).J * units, selected])
        held = ConstrainedState(state.q, state.v, *np.linalg.svd(rows), state.rank + len(own))
        if int((held.sizes > REDUNDANT * held.sizes.max(initial=0.0)).sum()) < held.rank:
            _raise_coupled(system, q, own)
        solution, forces = constrained_motion(system, held, tau, friction, external_wrenches, known, a)
        torques = tau.copy()
        torques[is_known] = forces / units[own]
        raise_if_not_finite(torques)
        return replace(solution, rank=state.rank, tau=torques)

    raise_if_open(system, q, v)
    state = ranked(system, q, v)
    return branch_motion(system, states_around(system, state) or [state], solve)


def _raise_coupled(system: ConstraintSystem, q: Array, prescribed: NDArray[np.int64]) -> None:
    """Raise ClosureError: loops couple these velocities (indices in v), which cannot all be prescribed."""
    graph = system.graph
    names = [name for name in graph.independent_joint_names if graph.v_slice(name).start in prescribed]
    freedoms = graph.nv - system.rank(system.evaluate(q).J)
    raise ClosureError(
        f"the accelerations of {', '.join(names)} of '{graph.name}' cannot all be prescribed: its loops "
        f"couple them. The mechanism has {freedoms} degrees of freedom here; prescribe fewer, or others",
        None,
        q.copy(),
    )


def raise_if_not_finite(*results: Array) -> None:
    """Raise StateError where finite arguments were so large that results are not."""
    if not all(np.isfinite(result).all() for result in results):
        raise StateError("all arguments are finite, but so large that accelerations or forces are not")


# Accelerations along the motions that loops leave open, by the mass matrix of these.

#: Largest inertia that may be rounding, relative to the terms that add up to it.
ROUNDING = 1e-13
#: Largest velocity of a joint that may be rounding, relative to the largest one in a motion that loops allow.
SMALLEST_RATE = 1e-9
#: Velocities below this are rounding errors of an exact zero.
EXACT_ZERO = 1e-14
#: Largest torque along a motion that is rounding, relative to the largest one or to that for 1 rad/s^2.
TORQUE_ROUNDING = 1e-9
#: Least velocity of a joint that an error names, relative to the largest one in the motion without inertia.
LEAST_PART = 1e-3


def exact_zeros(motions: Array) -> Array:
    """Return motions with zeros in place of rounding errors, which would seem to need torques."""
    return np.where(np.abs(motions) < EXACT_ZERO, 0.0, motions)


def separate_motions(free: Array) -> Array:
    """Return motions (f, nv) that span the rows of ``free`` (f, nv), each the only one that moves some joint.

    Orthonormal motions mix joints that have nothing to do with each other: heavy ones would hide light ones.
    """
    from scipy import linalg  # noqa: PLC0415  # inverse dynamics must not wait for it at import

    if not len(free):
        return free
    own = linalg.qr(free, mode="r", pivoting=True)[1][: len(free)]
    separate = np.asarray(np.linalg.solve(free[:, own], free), np.float64)
    separate = exact_zeros(separate)
    separate[:, own] = np.eye(len(free))
    return separate


def reduced_accelerations(graph: SubsystemGraph, N: Array, M: Array, torques: Array) -> Array:
    """Solve N^T M N x = torques for x (f,); columns of N (nv, f) are motions, M (nv, nv) is the tree's.

    Zero along motions that move no inertia, as of a thin rod that spins, where no torque acts on these. NaN
    where a torque is not finite.

    Raises:
        StateError: torques act on a motion that moves no inertia; it names the joints that move.
    """
    if not np.isfinite(torques).all():
        return np.full(N.shape[1], np.nan)
    # sum of the sizes of terms that make each motion's inertia
    joints, rates = np.abs(N), np.abs(N).max(axis=0, initial=0.0)
    largest = np.where(joints > 0.0, np.diagonal(M)[:, None], 0.0).max(axis=0, initial=0.0) * rates**2
    terms = np.einsum("if,ij,jf->f", joints, np.abs(M), joints)
    size = np.maximum(terms, SMALLEST_RATE**2 / ROUNDING * largest)
    scale = 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0))
    reduced, scaled = scale[:, None] * (N.T @ M @ N) * scale, scale * torques
    try:
        factor = np.linalg.cholesky(reduced)
    except np.linalg.LinAlgError:
        pass
    else:
        if (np.diagonal(factor) ** 2 > ROUNDING).all():
            return np.asarray(scale * np.linalg.solve(reduced, scaled), np.float64)
    sizes, motions = np.linalg.eigh(reduced)
    along, counts = motions.T @ scaled, sizes > ROUNDING
    units = np.abs(motions).T @ np.sqrt(np.where(size > 0.0, size, 1.0))
    allowed = TORQUE_ROUNDING * np.maximum(np.abs(scaled).max(initial=0.0), units)
    if (acting := ~counts & (np.abs(along) > allowed)).any():
        names = ", ".join(_moving(graph, N, scale[:, None] * motions[:, acting]))
        raise StateError(
            f"{names} of '{graph.name}' have a motion that moves no inertia, on which torques act: M is "
            "singular, and they would accelerate infinitely"
        )
    return np.asarray(scale * (motions[:, counts] @ (along[counts] / sizes[counts])), np.float64)


def _moving(graph: SubsystemGraph, N: Array, lost: Array) -> list[str]:
    """Return names of the joints that move in any of the motions N @ lost (nv, k), for an error."""
    motions = np.abs(N @ lost)
    parts = (motions > LEAST_PART * motions.max(axis=0, initial=0.0)).any(axis=1)
    return [name for name in graph.joint_names if parts[graph.v_slice(name)].any()]


#: Velocities up to this part of the largest are rounding, to which dry friction would give a sign.
VELOCITY_ROUNDING = 1e-12


def without_rounding(system: ConstraintSystem, v: Array) -> Array:
    """Return velocities (nv,) with zeros in place of rounding, which dry friction would give a sign."""
    speeds = np.abs(v / system.units)
    return np.where(speeds <= VELOCITY_ROUNDING * speeds.max(initial=0.0), 0.0, v)
