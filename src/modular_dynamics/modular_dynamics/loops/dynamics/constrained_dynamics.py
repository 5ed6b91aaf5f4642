"""Dynamics in the coordinates of all joints: accelerations and multipliers from one symmetric system."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics import frame_poses, inverse_dynamics, mass_matrix
from ...dynamics.arguments import Array, errors_begin_with
from ...dynamics.forward_dynamics import HybridDynamics, completed_by_zeros, prescribed_in
from ...dynamics.inverse_dynamics import Wrenches
from ...exceptions import ClosureError, SingularityError, StateError
from ...model import SubsystemGraph, checked_vectors, require_graph
from ..assembly.branch import SMOOTH, Branch, BranchLostError, BranchPoint
from ..constraints.constraint_system import ConstraintSystem
from .rows import are_many, closed_rows, rows_of_states
from .solver import reduced_accelerations, separate_motions, solver_of, without_rounding

#: Largest residual [m or 1] of given coordinates, and its rate per unit velocity, that count as closed.
CLOSED_TOLERANCE = 1e-6
#: Singular values of the constraints relative to the largest: below the first rows are redundant, from there
#: to the second branches cross nearby.
REDUNDANT, NEAR_CROSSING = 1e-9, 1e-6
#: Least second derivative of redundant rows along a free motion at a crossing, relative to the largest
#: singular value.
CURVED = 1e-6
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


def constrained_dynamics(
    graph: SubsystemGraph,
    coordinates: ArrayLike,
    velocities: ArrayLike,
    tau: ArrayLike,
    *,
    prescribed: Iterable[str] = (),
    a: ArrayLike | None = None,
    external_wrenches: Wrenches = None,
    friction: str = "none",
) -> ConstrainedDynamics:
    """Return accelerations of all joints of a robot with closed loops, at a state of all joints.

    [M J^T; J 0] [a; -lambda] = [tau - h - J_L^T F; -gamma] (Kumar et al., eq. 22): symmetric, but indefinite,
    a saddle point, and not positive definite as the paper says; singular where rows are redundant. It is
    split by the singular vectors of J: those of its row space give a part of a, and M on its null space,
    which is positive definite, the rest. Dead points of the independent joints do not matter. Passive joints
    are unactuated, those included that loops do not determine; velocities of these are part of the state.
    Where accelerations are prescribed, rows that select them stand beside J (Featherstone, Rigid Body
    Dynamics Algorithms, section 9.2, with the loops' rows of chapter 8), and their torques are found.
    It raises where branches of the motion cross (rods in line), because the accelerations depend on which of
    them is followed; ``simulate`` knows that from the motion before, and continues.

    Args:
        coordinates (nq,), velocities (nv,): of all joints, loops closed (``close_loops``,
            ``explicit_constraint_jacobian``).
        tau: of the independent joints, in the order of ``graph.independent_joint_names``; not read for
            prescribed ones: NaN will do.
        prescribed: names of independent joints whose accelerations are known.
        a: accelerations of the independent joints, read for the prescribed ones.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.
        friction: as of ``inverse_dynamics``; of passive joints it counts, too.

    Raises:
        ClosureError: the loops are open at these coordinates, or the velocities open them; or loops couple
            the prescribed joints, so that their accelerations cannot all be chosen.
        SingularityError: branches cross here, or within about 1e-6 rad; it has the condition number of J.
        StateError: a wrong shape, a number that is read and not finite, or so large that a result is not; an
            unknown joint or link, a joint that is not independent; or torques on a motion that moves no
            inertia, with the names of the joints that move. Without torque such a motion has no acceleration.
        UnsupportedModelError: a black box in the graph.
    """
    require_graph(graph)
    system = solver_of(graph).system
    q, v = checked_vectors(graph, q=coordinates, v=velocities)
    is_known = prescribed_in(graph, prescribed, graph.independent_joint_names)
    torques = completed_by_zeros(tau, ~is_known[system.independent_v])
    torques = system.independent.checked("tau", torques).copy()
    if is_known.any():
        if a is None:
            raise StateError("a is None; the accelerations of the prescribed joints are needed")
        return _prescribed(system, (q, v, torques), a, is_known, external_wrenches, friction)
    raise_if_open(system, q, v)
    branch = Branch(system, constraint_rank(system, q), q)
    try:
        points = branch.points(q, v)
    except BranchLostError as error:
        raise _branches_cross(system, q, error.condition) from None
    if len(points) == 1:
        return _motion(system, points[0], torques, friction, external_wrenches)[0]
    mean = mean_accelerations(branch, points, (q, v), torques, friction, external_wrenches)
    return _motion(system, branch.point(q, v), torques, friction, external_wrenches, mean)[0]


def mean_accelerations(
    branch: Branch,
    points: list[BranchPoint],
    state: tuple[Array, Array],
    tau: Array,
    friction: str = "none",
    external_wrenches: Wrenches = None,
) -> Array:
    """Return the weighted mean of the accelerations at points of a branch: see :mod:`..assembly.branch`.

    Where that is not accurate, since accelerations are less smooth than coordinates and velocities, the
    accelerations at ``state`` (q, v) itself, unless it is at the crossing.
    """
    system = branch.system
    each = [_motion(system, point, tau, friction, external_wrenches)[0].a for point in points]
    mean: Array = sum((one.weight * a for one, a in zip(points, each, strict=True)), np.zeros(len(each[0])))
    if len(points) == 1:
        return mean
    lower = sum(one.lower * a for one, a in zip(points, each, strict=True))
    error, size = (float(np.abs(x / system.units).max()) for x in (mean - lower, mean))
    itself = branch.direct(*state) if error > SMOOTH * size else None
    return mean if itself is None else _motion(system, itself, tau, friction, external_wrenches)[0].a


def energy(graph: SubsystemGraph, coordinates: ArrayLike, velocities: ArrayLike) -> float:
    """Return kinetic, gravitational and elastic energy [J] of all joints' coordinates and velocities.

    Armatures and springs at joints included. It is zero at rest, with all bodies' masses at the root's origin
    and springs at their free lengths.

    Raises:
        StateError: a wrong shape, or a number that is not finite.
        UnsupportedModelError: a black box in the graph.
    """
    require_graph(graph)
    q, v = checked_vectors(graph, q=coordinates, v=velocities)
    poses = frame_poses(graph.tree, q, [body.name for body in graph.bodies])
    masses = np.array([body.mass for body in graph.bodies])
    centres = poses @ np.array([[*body.com, 1.0] for body in graph.bodies])[..., None]
    gravitational = -float(masses @ centres[:, :3, 0] @ graph.gravity)
    kinetic = 0.5 * float(v @ mass_matrix(graph.tree, q) @ v)
    stretched = [
        joint.stiffness * float(graph.joint_position(joint, q)[0] - joint.rest_position) ** 2
        for joint in graph.joints
        if joint.stiffness != 0.0
    ]
    return gravitational + solver_of(graph).system.spring_energy(q) + 0.5 * sum(stretched) + kinetic


def constraint_rank(system: ConstraintSystem, q: Array) -> int:
    """Return the rank of the constraints at closed coordinates. Raises SingularityError: it is higher nearby.

    It is higher nearby where J has a singular value that is small but not zero; or where u^T (d^2 phi / dn^2)
    is not zero, with u^T J = 0 and J n = 0: it is zero where rows are redundant all along the motion.
    """
    scale, units = system.row_scale, system.units
    left, sizes, right = np.linalg.svd(scale[:, None] * system.evaluate(q).J * units)
    if not sizes.any():
        return 0
    rank = int((sizes > REDUNDANT * sizes[0]).sum())
    least = sizes[rank - 1] / sizes[0]
    if least > NEAR_CROSSING and rank < min(len(left), len(right)):
        free = right[rank:].T
        # a nonzero quadratic form is nonzero in a random direction, too
        along = units * (free @ np.cos(np.arange(free.shape[1]) ** 2))
        curved = left[:, rank:].T @ (scale * system.evaluate(q, along).gamma)
        if np.abs(curved).max() > CURVED * sizes[0]:
            least = sizes[rank] / sizes[0]
    if least > NEAR_CROSSING or rank == 0:
        return rank
    raise _branches_cross(system, q, 1.0 / least if least > 0.0 else np.inf)


def _branches_cross(system: ConstraintSystem, q: Array, condition: float) -> SingularityError:
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


def _motion(
    system: ConstraintSystem,
    point: BranchPoint,
    tau: Array,
    friction: str,
    external_wrenches: Wrenches,
    a: Array | None = None,
    known: Array = NOTHING,
) -> tuple[ConstrainedDynamics, Array]:
    """Return the solution at a point of a branch; only the multipliers are computed where a is given.

    Args:
        known: rates of further rows of the point's decomposition, behind those of the constraints.

    Returns:
        The solution, and the forces along the further rows.
    """
    v = point.v if friction == "none" else without_rounding(system, point.v)
    units, M, right, tensions = _equation(system, point.q, v, tau, friction, external_wrenches)
    constrained, scale = point.constrained, system.row_scale
    with np.errstate(over="ignore", invalid="ignore"):  # checked at the end
        if a is None:
            free = separate_motions(point.free)
            rates = np.concatenate([-scale * system.evaluate(point.q, v).gamma, known])
            along = point.shortest(rates)
            torques = free @ (right - M @ along)
            a = units * (along + free.T @ reduced_accelerations(system.graph, free.T, M, torques))
        forces = constrained @ (M @ (a / units) - right) / point.sizes[: point.rank]
        forces = point.left[:, : point.rank] @ forces
        multipliers = scale * forces[: len(scale)]
    raise_if_not_finite(a, forces)
    return ConstrainedDynamics(a, tau, multipliers, point.rank, tensions), forces[len(scale) :]


def _equation(
    system: ConstraintSystem, q: Array, v: Array, tau: Array, friction: str, external_wrenches: Wrenches
) -> tuple[Array, Array, Array, Array]:
    """Return units (nv,) of velocities, M and tau - h - J_L^T F in these, and tensions."""
    graph, units = system.graph, system.units
    rest = np.zeros(graph.nv)
    right = -inverse_dynamics(graph.tree, q, v, rest, external_wrenches=external_wrenches, friction=friction)
    right[system.independent_v] += tau
    J_springs, _, tensions = system.spring_forces(q, v)
    M = units[:, None] * mass_matrix(graph.tree, q) * units
    return units, M, units * (right - J_springs.T @ tensions), tensions


def _prescribed(
    system: ConstraintSystem,
    state: tuple[Array, Array, Array],
    a: ArrayLike,
    is_known: NDArray[np.bool_],
    external_wrenches: Wrenches,
    friction: str,
) -> ConstrainedDynamics:
    """Return the solution with known accelerations of the velocities flagged in ``is_known`` (nv,)."""
    (q, v, tau), own, units = state, system.independent_v, system.units
    is_known = is_known[own]
    known = system.independent.checked("a", completed_by_zeros(a, is_known))[is_known]
    raise_if_open(system, q, v)
    J = system.row_scale[:, None] * system.evaluate(q, v).J * units
    rank = constraint_rank(system, q)
    point = BranchPoint(q, v, *np.linalg.svd(np.vstack([J, np.eye(len(units))[own[is_known]]])), rank)
    point = replace(point, rank=rank + len(known))
    if int((point.sizes > REDUNDANT * point.sizes.max(initial=0.0)).sum()) < point.rank:
        _raise_coupled(system, q, own[is_known])
    of_known = units[own[is_known]]
    solution, forces = _motion(system, point, tau, friction, external_wrenches, known=known / of_known)
    tau[is_known] = forces / of_known
    raise_if_not_finite(tau)
    return replace(solution, rank=rank)


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


# Hybrid dynamics with closed loops: some independent joints' torques are known, others' accelerations.


def hybrid_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    prescribed: Iterable[str],
    *,
    external_wrenches: Wrenches = None,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
) -> HybridDynamics:
    """Return accelerations and torques (p,) of independent joints: see `modular_dynamics.hybrid_dynamics`.

    By `constrained_dynamics` where the loops are closed, free joints at rest; many states one by one.
    """
    solver = solver_of(graph)
    names = prescribed if isinstance(prescribed, str) else [*prescribed]

    def at(coordinates: Array, v: ArrayLike, a: ArrayLike, tau: ArrayLike) -> tuple[Array, Array]:
        velocities = solver.projection(coordinates) @ solver.system.independent.checked("v", v)
        solution = constrained_dynamics(
            graph,
            coordinates,
            velocities,
            tau,
            prescribed=names,
            a=a,
            external_wrenches=external_wrenches,
            friction=friction,
        )
        return solution.a[solver.independent_v], solution.tau

    if not are_many(q):
        return HybridDynamics(*at(solver.close(q, guess), v, a, tau))
    states = rows_of_states(graph, q=q, v=v, a=a, tau=tau)[1:]
    result = np.empty((2, *states[0].shape))
    for k, coordinates in enumerate(closed_rows(graph, q, guess, threads)):
        with errors_begin_with(f"row {k}"):
            result[:, k] = at(coordinates, *(x[k] for x in states))
    return HybridDynamics(*result)
