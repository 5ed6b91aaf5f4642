"""Inverse dynamics of a tree whose loops are all planar, in closed form: positions, rates, torques.

Only where all is plain: a way to the target without a dead point, two slopes of each step that are not nearly
parallel. Elsewhere the status says so, and :mod:`..inverse_dynamics` decides.
"""

from typing import NamedTuple

from numpy import float64, int64
from numpy.typing import NDArray

from ...math.assignment import assign
from ...numba_support.compilation import inlined_strictly, kernel
from ...recursions.newton_euler import inverse_dynamics
from ...states import all_finite
from ..inverse_dynamics import STILL
from ..springs import add_springs
from ..structures import SpringArrays, Tree
from .rates import StepRates, complete_rates, place, transmit
from .steps import GEAR, PlanarSteps
from .walk import WalkWorkspace, walk

__all__ = [
    "ELSEWHERE",
    "PlanarMechanism",
    "PlanarWorkspace",
    "close_loops",
    "planar_inverse_dynamics",
    "torques_at",
]

#: Status where another method is needed: a dead point is near or in the way, or the guess is far from closed.
ELSEWHERE = 3
#: Sine between the two slopes of a step; below, a dead point is near.
SINE = 1e-3
#: Largest coordinate of a guess, and the longest way from it [rad or m]; beyond, the checks are elsewhere.
LARGEST, FARTHEST = 1e6, 10.0
#: A correction of coordinates [rad or m] that changes nothing, and the largest that is rounding.
NEGLIGIBLE, ROUNDING = 1e-14, 1e-9


class PlanarMechanism(NamedTuple):
    """A graph whose loops are all planar, for the kernels.

    Attributes:
        tree, springs, steps: see there.
        independent_q, independent_v: indices of the independent coordinates and velocities.
        moving (k,): of the independent coordinates in q, those with one coordinate, which move loops.
        dependent (d,): indices in q of the dependent coordinates; units (d,): of their velocities.
        index_in_v (nq,): of the velocity of each coordinate.
    """

    tree: Tree
    springs: SpringArrays
    steps: PlanarSteps
    independent_q: NDArray[int64]
    independent_v: NDArray[int64]
    moving: NDArray[int64]
    dependent: NDArray[int64]
    units: NDArray[float64]
    index_in_v: NDArray[int64]


class PlanarWorkspace(NamedTuple):
    """Arrays that are overwritten: of the way, the steps, the springs (s,), the tree, and all joints.

    Attributes:
        full (nq,): coordinates of all joints. target (nq,): where the moving ones go, at its front.
    """

    walk: WalkWorkspace
    rates: StepRates
    tensions: NDArray[float64]
    newton_euler: NDArray[float64]
    full: NDArray[float64]
    target: NDArray[float64]
    v: NDArray[float64]
    vdot: NDArray[float64]
    tau: NDArray[float64]


@inlined_strictly
def close_loops(mechanism, workspace, q, guess):
    """``workspace.full`` from a closed guess to independent coordinates q. Whether that was plain."""
    table, full, target, rates = mechanism.steps, workspace.full, workspace.target, workspace.rates
    assign(full, guess)
    moving, independent = mechanism.moving, mechanism.independent_q
    for k in range(moving.shape[0]):
        target[k] = full[moving[k]]
    for k in range(independent.shape[0]):
        full[independent[k]] = q[k]
    for k in range(moving.shape[0]):
        target[k], full[moving[k]] = full[moving[k]], target[k]
        if not abs(target[k] - full[moving[k]]) < FARTHEST:
            return False
    for j in range(mechanism.dependent.shape[0]):
        if not abs(full[mechanism.dependent[j]]) < LARGEST:
            return False
    done, _ = walk(table, full, target, moving, mechanism.dependent, workspace.walk)
    if done < 1.0:
        return False
    for t in range(table.steps.shape[0]):
        row = table.steps[t]
        if row[0] == GEAR:
            continue
        rates.sines[t] = place(t, table, full, rates)
        if not rates.sines[t] > SINE:
            return False
        inverse, x, y = rates.inverses[t], rates.gaps[t, 0], rates.gaps[t, 1]
        first, second = inverse[0] * x + inverse[1] * y, inverse[2] * x + inverse[3] * y
        if not (abs(first) < ROUNDING and abs(second) < ROUNDING):
            return False
        if abs(first) > NEGLIGIBLE or abs(second) > NEGLIGIBLE:
            full[table.joints[row[3], 1]] -= first
            full[table.joints[row[4], 1]] -= second
            place(t, table, full, rates)
    return True


@inlined_strictly
def _stop_rounding(mechanism, v):
    """Zero for velocities of dependent coordinates that are rounding, to which friction would give a sign."""
    dependent, independent, units = mechanism.dependent, mechanism.independent_v, mechanism.units
    largest = 0.0
    for k in range(independent.shape[0]):
        largest = max(largest, abs(v[independent[k]]))
    for j in range(dependent.shape[0]):
        largest = max(largest, abs(v[mechanism.index_in_v[dependent[j]]]) / units[j])
    for j in range(dependent.shape[0]):
        index = mechanism.index_in_v[dependent[j]]
        if abs(v[index]) <= STILL * units[j] * largest:
            v[index] = 0.0


@inlined_strictly
def torques_at(mechanism, workspace):
    """``workspace.tau`` where loops are closed, from v and vdot of the independent joints in the workspace.

    Returns 0; or 1 or 2 where the tree's inverse dynamics is not finite.
    """
    full, index_in_v = workspace.full, mechanism.index_in_v
    rates, tau, tree = workspace.rates, workspace.tau, mechanism.tree
    complete_rates(mechanism.steps, index_in_v, workspace.v, workspace.vdot, rates)
    _stop_rounding(mechanism, workspace.v)
    status = inverse_dynamics(
        tree.topology, tree.constants, workspace.newton_euler, full, workspace.v, workspace.vdot, tau
    )
    if status != 0:
        return status
    if workspace.tensions.shape[0] > 0:
        add_springs(tree, mechanism.springs, full, workspace.v, tau, workspace.tensions)
    transmit(mechanism.steps, index_in_v, tau, rates)
    return 0


@kernel(fastmath=False, forceinline=True)
def planar_inverse_dynamics(mechanism, workspace, q, v, vdot, guess, coordinates, out):
    """Torques of the independent joints at their q, v and vdot.

    Args:
        guess: a closed configuration (nq,) near. coordinates: for that at q; may be the guess, or be empty.
        out: for the torques.

    Returns 0; 1 where a number is not finite; 2 where a torque is not; or ELSEWHERE. Where it is not 0,
    nothing is written.
    """
    if not (all_finite(q) and all_finite(v) and all_finite(vdot) and all_finite(guess)):
        return 1
    if not close_loops(mechanism, workspace, q, guess):
        return ELSEWHERE
    independent, tau = mechanism.independent_v, workspace.tau
    for k in range(independent.shape[0]):
        workspace.v[independent[k]], workspace.vdot[independent[k]] = v[k], vdot[k]
    status = torques_at(mechanism, workspace)
    if status != 0:
        return status
    for k in range(independent.shape[0]):
        if not abs(tau[independent[k]]) < 1e308:
            return 2
    for k in range(independent.shape[0]):
        out[k] = tau[independent[k]]
    for k in range(coordinates.shape[0]):
        coordinates[k] = workspace.full[k]
    return 0
