"""The matrices of tau = M(q) a + C(q, v) v + g(q)."""

from numpy.typing import ArrayLike

from ..model import SubsystemGraph
from .arguments import Array, has_loops, of_loops
from .quantity import Quantity, evaluate, only_trees


def _square(graph: SubsystemGraph) -> tuple[int, ...]:
    return graph.nv, graph.nv


_MASS_MATRIX = Quantity(
    "mass_matrix", ("q",), _square, "elements of the mass matrix", only_trees("the mass matrix")
)
_CORIOLIS = Quantity(
    "coriolis_matrix",
    ("q", "v"),
    _square,
    "elements of the Coriolis matrix",
    only_trees("the Coriolis matrix"),
)


def mass_matrix(
    graph: SubsystemGraph,
    q: ArrayLike,
    *,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return the mass matrix M (nv, nv) of tau = M a + h; symmetric, positive definite. [kg m^2, kg m, kg]

    By composite bodies (CRBA; Featherstone, Rigid Body Dynamics Algorithms, chapter 6). A mimic joint's
    inertia counts to its driver. The joints' armatures stand on the diagonal. With closed loops
    M1 = W^T M W (p, p) of the independent joints.

    Args:
        q: positions (nq,); of many states (n, nq), which give (n, nv, nv).
        guess, threads, out: as of ``inverse_dynamics``; ``out`` shares no memory with q.

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
        ClosureError, SingularityError, UnsupportedModelError: as of ``inverse_dynamics``.
    """
    if has_loops(graph):
        M: Array = of_loops("mass_matrix")(**locals())
        return M
    return evaluate(graph, _MASS_MATRIX, (q,), out, threads)


def coriolis_matrix(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, *, threads: int | None = None, out: Array | None = None
) -> Array:
    """Return C (nv, nv) with C v = h(q, v) - h(q, 0), h nonlinear_effects, and Mdot = C + C^T.

    So Mdot - 2 C is skew-symmetric. C_ij = sum_k Gamma_ijk v_k with Christoffel's symbols: since h is
    quadratic in v, that is half of its derivative with respect to v (``inverse_dynamics_derivatives``). Where
    velocities are no derivatives of coordinates (floating and spherical joints), half of M ad(v_j) is added,
    M without armatures, ad(v_j) the matrix of the Lie bracket with the joint's own velocity; then it is the
    matrix of Echeandia & Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols
    for rigid-body systems, 2021. Armatures, which are constant, have no part in C.

    Args:
        q: positions (nq,). v: velocities (nv,). Of many states (n, nq) and (n, nv), which give (n, nv, nv).
        threads, out: as of ``mass_matrix``.

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    return evaluate(graph, _CORIOLIS, (q, v), out, threads)
