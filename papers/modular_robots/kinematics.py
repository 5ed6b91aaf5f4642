"""Forward kinematics by products of exponentials along paths: Meister & Gutenkunst, eqs. 18-20."""

import numpy as np
from numpy.typing import ArrayLike

from modular_dynamics.algebra.matrix_forms import Array, inverse
from modular_dynamics.algebra.matrix_forms import adjoint_matrix as adjoint
from modular_dynamics.exceptions import StateError
from modular_dynamics.model import SubsystemGraph, checked_vectors
from modular_dynamics.modular.equations.numeric import HasGraph, TreeData, dyads, exp, graph_of, tree_data


def paths(robot: SubsystemGraph | HasGraph) -> tuple[tuple[str, ...], ...]:
    """Return the bodies from the base to each pendant end link, in the order of the end links."""
    tree = tree_data(robot)
    carriers = set(tree.parents)
    ends = (k for k in range(len(tree.parents)) if k not in carriers)
    return tuple(tuple(tree.bodies[k] for k in _path(tree, end)) for end in ends)


def path_poses(robot: SubsystemGraph | HasGraph, q: ArrayLike, form: str = "local") -> dict[str, Array]:
    """Return H (4, 4) of each pendant end link in the base's frame, by its name: eq. 20's column.

    Args:
        q: positions (nq,) [rad or m], in joint_names' order.
        form: "local", products of H_i(0) exp(s_i q_i), s_i in body i's frame (eqs. 18, 20); or "global",
            exp(s_1 q_1) ... exp(s_n q_n) H(0), s_i in the base's frame at q = 0 (eq. 19).

    Raises:
        StateError: q of the wrong shape or not finite, or another form.
        UnsupportedModelError: see :func:`.tree_data`.
    """
    everything = body_poses(robot, q, form)
    return {path[-1]: everything[path[-1]] for path in paths(robot)}


def body_poses(robot: SubsystemGraph | HasGraph, q: ArrayLike, form: str = "local") -> dict[str, Array]:
    """Return H (4, 4) of every body in the base's frame, by the name of its moving link.

    Arguments and errors as of :func:`path_poses`.
    """
    graph = graph_of(robot)
    tree = tree_data(graph)
    (q_checked,) = checked_vectors(graph, q=q)
    if form not in ("local", "global"):
        raise StateError(f"form is {form!r}; 'local' (eqs. 18, 20) or 'global' (eq. 19) is needed")
    own = poses(tree, q_checked) if form == "local" else _global_poses(tree, q_checked)
    return dict(zip(tree.bodies, own, strict=True))


def poses(tree: TreeData, q: Array) -> Array:
    """Return H_{0,i} (n, 4, 4) of every body in the base's frame, or a floating base's world (eq. 20)."""
    return _products(tree, dyads(tree, q))


def _products(tree: TreeData, H: Array) -> Array:
    for k, parent in enumerate(tree.parents):
        if parent is not None:
            H[k] = H[parent] @ H[k]
    return H


def _global_poses(tree: TreeData, q: Array) -> Array:
    """Return eq. 19's products: of a floating base, its pose, then exponentials in its frame at q = 0."""
    at_zero = _products(tree, tree.H0.copy())
    moved: list[Array] = []
    for k, parent in enumerate(tree.parents):
        before = np.eye(4) if parent is None else moved[parent]
        if tree.is_floating(k):
            moved.append(before @ dyads(tree, q)[k] @ inverse(tree.H0[k]))
        else:
            screw = adjoint(at_zero[k]) @ tree.S[k]
            moved.append(before @ exp(screw, float(q[tree.positions[k]])))
    return np.array([motion @ H for motion, H in zip(moved, at_zero, strict=True)]).reshape(-1, 4, 4)


def _path(tree: TreeData, end: int) -> list[int]:
    path, body = [], end
    while True:
        path.append(body)
        parent = tree.parents[body]
        if parent is None:
            return path[::-1]
        body = parent
