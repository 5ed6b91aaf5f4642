"""Inverse dynamics with closed loops: torques, multipliers, wrenches at the cuts."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from ...model import SubsystemGraph
from .closed_loop_dynamics import ClosedLoopDynamics
from .solver import solver_of

__all__ = ["closed_loop_inverse_dynamics"]


def closed_loop_inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    external_wrenches: Mapping[str, ArrayLike] | None = None,
) -> ClosedLoopDynamics:
    """Torques of the independent joints of a robot with closed loops, springs and gears.

    The loops are cut at the loop joints, and the tree's torques tau computed with all joints moving as the
    loops require. Passive joints are unactuated: J_d^T lambda = tau_d gives the wrenches lambda at the
    cuts, and tau_1 = tau_i - J_i^T lambda = W^T tau, W = [1; -J_d^+ J_i] (Schappler et al., section 3.4).
    Springs pull with F = F0 + k (L - L0) + d dL/dt.

    Args:
        q, v, vdot: of the independent joints, in the order of ``graph.independent_joint_names``.
        guess: coordinates of all joints. The assembly mode is the one nearest to them (sum of squares of the
            joints that loops determine, angles modulo whole turns) at their own independent coordinates,
            followed to q without a jump; where loops do not close there, the one nearest at q. Of loops that
            are not planar, the nearest that Newton's method finds. Limits are ignored.
            Without a guess, the mode reached from the zero pose, or, where zero is beyond a joint's limits,
            from their middle; of several modes one in which passive joints are within their limits.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.

    Raises:
        ClosureError: the loops do not close there; it has the residual and the closest configuration. Or the
            independent joints are too many: their motion would open loops. Or there is no guess, and passive
            joints would be beyond their limits by more than 2e-3 rad or m.
        SingularityError: a dead point, or too few independent joints; it has the condition number.
        StateError: a wrong shape, a number that is not finite, or a link that the graph does not have.
        UnsupportedModelError: a black box in the graph.
    """
    return solver_of(graph).inverse_dynamics_at(q, v, vdot, guess, external_wrenches)
