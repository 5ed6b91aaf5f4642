"""Derivatives of inverse and of forward dynamics with respect to their arguments."""

from typing import NamedTuple

from numpy.typing import ArrayLike

from ..model import SubsystemGraph
from .arguments import Array, has_loops, of_loops
from .core_robot import loads_on_bodies
from .inverse_dynamics import Wrenches
from .quantity import Quantity, evaluate, only_trees, terms_of


class InverseDynamicsDerivatives(NamedTuple):
    """d tau/dq, d tau/dv and d tau/da, (nv, nv) each, or (n, nv, nv) of many states; views of one array."""

    dq: Array
    dv: Array
    da: Array


class ForwardDynamicsDerivatives(NamedTuple):
    """da/dq, da/dv and da/dtau, (nv, nv) each, and a (nv,); of many states (n, nv, nv) and (n, nv)."""

    dq: Array
    dv: Array
    dtau: Array
    a: Array


_OF_TORQUES = Quantity(
    "inverse_dynamics_derivatives",
    ("q", "v", "a"),
    lambda graph: (3, graph.nv, graph.nv),
    "derivatives",
    only_trees("derivatives of inverse dynamics"),
)
_OF_ACCELERATIONS = Quantity(
    "forward_dynamics_derivatives",
    ("q", "v", "tau"),
    lambda graph: (3 * graph.nv + 1, graph.nv),
    "derivatives",
    only_trees("derivatives of forward dynamics"),
)


def inverse_dynamics_derivatives(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    external_wrenches: Wrenches = None,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: Array | None = None,
) -> InverseDynamicsDerivatives:
    """Return the derivatives of the torques of ``inverse_dynamics`` with respect to q, v and a.

    Analytic, in one sweep, by the closed forms of Singh, Russell & Wensing (2022). Row i is the change of
    torque i [N m or N per rad or m, per rad/s ...]. d tau/da is the mass matrix. Of a floating joint, dq is a
    small displacement in the child's axes, linear then angular, as its velocity is; its pose's seven numbers
    have no columns. Of a spherical joint dq is a small rotation in the child's axes.

    Args:
        q, v, a: positions (nq,), velocities and accelerations (nv,); of many states (n, nq) and (n, nv).
        external_wrenches: {link: [force N, moment N m]}, held fixed at and in the link's frame; the same for
            every state.
        friction: as of ``inverse_dynamics``. Dry friction has no derivative: it is constant except at v = 0.
        guess, threads: as of ``inverse_dynamics``.
        out: float64 array (3, nv, nv), or (n, 3, nv, nv), of which the result is views.

    Raises:
        StateError: a wrong shape, a number that is not finite, an unknown link, or a black box in the graph;
            of many states with the row.
        ClosureError, SingularityError: as of ``inverse_dynamics``. UnsupportedModelError: also where loops
            leave passive joints free.
    """
    if has_loops(graph):
        result: InverseDynamicsDerivatives = of_loops("inverse_dynamics_derivatives")(**locals())
        return result
    after = terms_of(friction), loads_on_bodies(graph, external_wrenches)
    array = evaluate(graph, _OF_TORQUES, (q, v, a), out, threads, after=after)
    return InverseDynamicsDerivatives(array[..., 0, :, :], array[..., 1, :, :], array[..., 2, :, :])


def forward_dynamics_derivatives(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    external_wrenches: Wrenches = None,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
) -> ForwardDynamicsDerivatives:
    """Return derivatives of the accelerations of ``forward_dynamics`` with respect to q, v and tau.

    They are -M^-1 dID/dq, -M^-1 dID/dv and M^-1; ID are the torques of ``inverse_dynamics`` at the
    accelerations of q, v, tau (Carpentier & Mansard, Analytical derivatives of rigid body dynamics
    algorithms, 2018). Of floating and spherical joints dq is a small displacement in the child's axes, as of
    ``inverse_dynamics_derivatives``.

    Args:
        q, v, tau, external_wrenches, guess, threads: as of ``forward_dynamics``; wrenches are held
            fixed at and in their link.
        friction: as of ``inverse_dynamics``. Dry friction has no derivative: it is constant except at v = 0.

    Raises:
        StateError, UnsupportedModelError: as of ``forward_dynamics``; StateError also where M is singular up
            to rounding, though articulated bodies give accelerations: a very light link that carries a heavy
            one along the same axis. With closed loops as of ``inverse_dynamics_derivatives``.
    """
    if has_loops(graph):
        result: ForwardDynamicsDerivatives = of_loops("forward_dynamics_derivatives")(**locals())
        return result
    after = terms_of(friction), loads_on_bodies(graph, external_wrenches)
    array = evaluate(graph, _OF_ACCELERATIONS, (q, v, tau), None, threads, after=after)
    nv = graph.nv
    dq, dv, dtau = (array[..., k * nv : (k + 1) * nv, :] for k in range(3))
    return ForwardDynamicsDerivatives(dq, dv, dtau, array[..., 3 * nv, :])
