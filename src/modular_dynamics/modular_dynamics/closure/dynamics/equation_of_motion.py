"""The equation of motion in independent coordinates, M1 vdot + c1 + g1 + s1 = tau1, and each of its terms."""

from collections.abc import Mapping
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import gravity_torque
from ...dynamics.arrays.arguments import Array
from ...dynamics.workspaces import direct_calls, workspace_of
from ...model import SubsystemGraph
from .inverse_dynamics import NAME, ClosedLoopInverseDynamics
from .prepared_equation import ClosedLoopEquationOfMotion
from .solver import ClosedLoopDynamics, solver_of

__all__ = [
    "close_loops",
    "closed_loop_bias",
    "closed_loop_gravity_torque",
    "closed_loop_inverse_dynamics",
    "closed_loop_mass_matrix",
    "closed_loop_spring_torque",
    "constraint_projection",
]

_direct_calls = direct_calls(NAME)


@overload
def closed_loop_inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    external_wrenches: Mapping[str, ArrayLike] | None = None,
    *,
    friction: str = "none",
) -> ClosedLoopDynamics: ...


@overload
def closed_loop_inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    external_wrenches: Mapping[str, ArrayLike] | None = None,
    *,
    out: Array,
    friction: str = "none",
) -> Array: ...


def closed_loop_inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    external_wrenches: Mapping[str, ArrayLike] | None = None,
    *,
    out: Array | None = None,
    friction: str = "none",
) -> ClosedLoopDynamics | Array:
    """Torques of the independent joints of a robot with closed loops, springs and gears.

    The loops are cut at the loop joints, and the tree's torques tau computed with all joints moving as the
    loops require. Passive joints are unactuated: J_d^T lambda = tau_d gives the wrenches lambda at the
    cuts, and tau_1 = tau_i - J_i^T lambda = W^T tau, W = [1; -J_d^+ J_i] (Schappler et al., section 3.4).
    Springs pull with F = F0 + k (L - L0) + d dL/dt. Armatures and springs at joints count as in
    ``inverse_dynamics``. Passive joints that loops do not determine are free: unactuated, at the guess's
    position, with velocity zero; their accelerations follow from the dynamics.

    Args:
        q, v, vdot: of the independent joints, in the order of ``graph.independent_joint_names``.
        guess: coordinates of all joints. The assembly mode is the one nearest to them (sum of squares of the
            joints that loops determine, angles modulo whole turns) at their own independent coordinates,
            followed to q without a jump; where loops do not close there, the one nearest at q. Of loops that
            are not planar, the nearest that Newton's method finds. Limits are ignored.
            Without a guess, the mode reached from the zero pose, or, where zero is beyond a joint's limits,
            from their middle; of several modes one in which passive joints are within their limits. Where
            loops do not close so, from what `assemble` finds.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.
        out: float64 array for tau. With it tau alone is computed, and returned: see
            :class:`.ClosedLoopInverseDynamics`, which also gives the next guess.
        friction: as of ``inverse_dynamics``; of passive joints it counts, too.

    Raises:
        ClosureError: the loops do not close there; it has the residual and the closest configuration. Or the
            independent joints are too many: their motion would open loops. Or there is no guess, and passive
            joints would be beyond their limits by more than 2e-3 rad or m.
        SingularityError: a dead point, or too few independent joints; it has the condition number.
        StateError: a wrong shape, a number that is not finite, or a link that the graph does not have.
        UnsupportedModelError: a black box in the graph.
    """
    if out is None:
        return solver_of(graph).inverse_dynamics_at(q, v, vdot, guess, external_wrenches, friction)
    if not external_wrenches and friction == "none":
        try:  # what a robot's controller does a thousand times a second
            if _direct_calls[id(graph)](q, v, vdot, guess, out) == 0:
                return out
        except KeyError:
            pass  # the first call, or there is none
    return ClosedLoopInverseDynamics.of(graph, friction)(q, v, vdot, guess, external_wrenches, out)


def close_loops(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """Coordinates of all joints (nq,) in the order of ``graph.joint_names``, loops closed, at independent q.

    In the assembly mode nearest to ``guess``, followed in closed form or in strides, so that it never jumps.
    Arguments and errors as of ``closed_loop_inverse_dynamics``.
    """
    return solver_of(graph).close(q, guess)


def constraint_projection(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """W (nv, independent): velocities of all joints from those of the independent ones, v = W v1.

    W = [1; -J_d^+ J_i] (Schappler et al., section 3.4), rows in the order of ``graph.joint_names``. Arguments
    and errors as of ``closed_loop_inverse_dynamics``.
    """
    solver = solver_of(graph)
    return solver.projection(solver.close(q, guess))


def closed_loop_mass_matrix(
    graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None, *, out: Array | None = None
) -> Array:
    """M1 = W^T M W (p, p) of the p independent velocities [kg m^2, kg m, kg].

    Free coordinates (docs/closed_loops.md) accelerate with the independent ones, without torques: W includes
    that here and in the functions below. Arguments and errors as of ``closed_loop_inverse_dynamics``.

    Args:
        out: float64 array for the result. With it and a guess, nothing is allocated where all loops are
            planar; here and in the functions below. See :class:`.ClosedLoopEquationOfMotion`.
    """
    return workspace_of(graph, ClosedLoopEquationOfMotion).mass_matrix(q, guess, out)


def closed_loop_gravity_torque(
    graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None, *, out: Array | None = None
) -> Array:
    """g1 = W^T g (p,) [N m or N]: torques along the p independent velocities against gravity, at rest.

    Without springs, also those at joints. Arguments and errors as of ``closed_loop_inverse_dynamics``.
    """
    return workspace_of(graph, ClosedLoopEquationOfMotion).gravity_torque(q, guess, out)


def closed_loop_spring_torque(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """s1 (p,) [N m or N]: torques along the p independent velocities against the springs alone, at rest.

    Those at joints included. Arguments and errors as of ``closed_loop_inverse_dynamics``.
    """
    solver = solver_of(graph)
    rest = np.zeros(len(solver.independent_v))
    static = solver.inverse_dynamics(solver.close(q, guess), rest, rest)
    weight: Array = gravity_torque(graph.tree, static.coordinates)
    return static.tau - solver.dynamic_projection(static.coordinates).T @ weight


def closed_loop_bias(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    guess: ArrayLike | None = None,
    *,
    friction: str = "none",
    out: Array | None = None,
) -> Array:
    """h1 = c1 + g1 + s1 (p,) [N m or N]: torques along the p independent velocities at zero acceleration.

    Gravity and springs included, also their damping; friction where it is "urdf". Arguments and errors as of
    ``closed_loop_inverse_dynamics``.
    """
    return workspace_of(graph, ClosedLoopEquationOfMotion, friction).bias(q, v, guess, out)
