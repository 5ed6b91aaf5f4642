"""Inverse dynamics in two recursions: Meister & Gutenkunst, eqs. 22-28, with their slips corrected.

Forward, from the base: V_i = Ad_{H_{p,i}^-1} V_p + S_i v_i (25) and
Vdot_i = Ad_{H_{p,i}^-1} Vdot_p + ad_{V_i}(S_i v_i) + S_i a_i, as (26) must read.
Backward: F_i = sum over children c of Ad*_{H_{i,c}^-1} F_c - F^e_i + M_i Vdot_i - ad*_{V_i}(M_i V_i), as
(27) must read, Ad* and ad* the transposes, F^e what acts on the body from outside; tau_i = S_i^T F_i (28).
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from modular_dynamics.algebra.matrix_forms import Array, ad, inverse
from modular_dynamics.algebra.matrix_forms import adjoint_matrix as adjoint
from modular_dynamics.exceptions import StateError
from modular_dynamics.model import SubsystemGraph, checked_vectors
from modular_dynamics.model.number_arrays import number_array
from modular_dynamics.modular.equations.numeric import HasGraph, body_wrenches, dyads, graph_of, tree_data


class RecursionResult(NamedTuple):
    """What the recursions computed.

    Attributes:
        V, Vdot: (n, 6) twists (v, w) of the bodies and their rates, each in its body's frame. Vdot contains
            the base's acceleration against gravity.
        F: (n, 6) wrenches (force, moment) that the bodies get from their parents, in the bodies' frames.
        tau: (nv,) joint torques [N m or N], in joint_names' order.
    """

    V: Array
    Vdot: Array
    F: Array
    tau: Array


def recursion(
    robot: SubsystemGraph | HasGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Mapping[str, ArrayLike] | None = None,
    base_twist: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
) -> RecursionResult:
    """Return the torques of accelerations a, with all twists and wrenches (eqs. 22-28), without friction.

    Args:
        q, v, a: (nv,) in joint_names' order.
        wrenches: on links, see :func:`.body_wrenches`.
        base_twist: V_0 (6,) (v, w) in the base's frame (eq. 22); zero by default.
        base_acceleration: Vdot_0 (6,), its rate, which includes minus gravity: (0 0 g 0 0 0) by default
            (eq. 23), which is minus the graph's gravity.

    Raises:
        StateError: a wrong shape, a number that is not finite, an unknown link.
        UnsupportedModelError: see :func:`.tree_data`.
    """
    graph = graph_of(robot)
    tree = tree_data(graph)
    q, v, a = checked_vectors(graph, q=q, v=v, a=a)
    n, at, H, places = len(tree.bodies), tree.columns, dyads(tree, q), tree.positions
    V0 = _twist("base_twist", base_twist, np.zeros(6))
    V0dot = _twist("base_acceleration", base_acceleration, tree.Vdot0)
    V, Vdot, F = np.zeros((n, 6)), np.zeros((n, 6)), -body_wrenches(tree, wrenches)
    back = [adjoint(inverse(own)) for own in H]
    for k, parent in enumerate(tree.parents):
        before, before_dot = (V0, V0dot) if parent is None else (V[parent], Vdot[parent])
        own = tree.S[k] * v[at[k]]
        V[k] = back[k] @ before + own
        turning = 0.0 if tree.is_floating(k) else ad(V[k]) @ own  # together these six have no such term
        Vdot[k] = back[k] @ before_dot + turning + tree.S[k] * a[at[k]]
    tau = np.zeros(len(at))
    tau[at] = tree.armature * a[at] + tree.stiffness * (q[places] - tree.rest_position)
    for k in reversed(range(n)):
        F[k] += tree.M[k] @ Vdot[k] - ad(V[k]).T @ (tree.M[k] @ V[k])
        parent = tree.parents[k]
        if parent is not None:
            F[parent] += back[k].T @ F[k]
        tau[at[k]] += tree.S[k] @ F[k]
    return RecursionResult(V, Vdot, F, tau)


def _twist(name: str, value: ArrayLike | None, default: Array) -> Array:
    twist = number_array(name, default if value is None else value)
    if twist.shape != (6,) or not np.isfinite(twist).all():
        raise StateError(f"{name} is {value!r:.80}; (v, w), six finite numbers, is needed")
    return twist
