"""The composition: subsystems, each by itself, joined by twists and wrenches at connection points.

Silva & Adorno, sections II and III. The core is tested against it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import model
from ..algebra import DualQuaternion
from ..exceptions import StateError
from ..model import SubsystemGraph, checked_vectors
from .algebras import Algebra, DualQuaternionAlgebra
from .motion import ConnectionMotion, Motion, at_connection, given_motions, own_motion, with_predecessor
from .wrenches import at_joints, connection_poses, connection_wrench, joint_torques, own_wrenches

Matrix = NDArray[np.object_]
Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Composition:
    """Every quantity of a composition. Elements of T and W are those of ``algebra``.

    Attributes:
        tau: joint torques (nv,); NaN inside black boxes.
        motions: for each subsystem its poses, Xi_{i,i} and Xi_{p_i,i} with derivatives (eqs. 1, 5, 6).
        connection_wrenches: for each subsystem the wrench of its predecessor on it, in its connection frame.
        interconnection_matrix: A (n, s): column j of row block i is W_i (i = j) or Gamma_{j,i} (eq. 3).
        wrenches: Gamma_total = A 1_s (n,), each in its joint's frame (eq. 4).
        twists: Xi (n,), each in its body's CoM frame.
    """

    graph: SubsystemGraph
    algebra: Algebra
    tau: NDArray[np.float64]
    motions: tuple[Motion, ...]
    connection_wrenches: tuple[Any, ...]
    interconnection_matrix: Matrix
    wrenches: Matrix
    twists: Matrix

    def block(self, i: int, j: int) -> Matrix:
        """Return A_ij (n_i,): the wrenches of subsystem j on the joints of subsystem i."""
        rows = self.graph.subsystems[i].indices
        return self.interconnection_matrix[rows.start : rows.stop, j]

    def connection_poses(self, j: int) -> Matrix:
        """Return X_{j,i} (n_i,): where subsystem j is connected, seen from the joints of its predecessor i.

        Gamma_{j,i} = Ad(X_{j,i}) zeta_b (eq. 7). For each of the eta joints before the connection point b_ij,
        the unit dual quaternion that takes coordinates of the connection frame to those of the joint's frame
        [m], which is fixed in the link before the joint; zero for the other joints. In Example 4 eta is 2:
        X_{2,1} has two poses and four zeros. X_{p_i,i} of eq. 5 is ``motions[i].x_c_a``.

        Raises:
            StateError: the ground carries subsystem j.
        """
        successor = self.graph.subsystems[j]
        if (i := successor.predecessor) is None:
            raise StateError(f"the ground carries '{successor.name}', and has no joints for its X_j,i")
        return _column(connection_poses(self.graph, self.graph.subsystems[i], self.motions[i], successor))


def compose(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    external_wrenches: Mapping[str, ArrayLike] | None = None,
    black_box_wrenches: Mapping[str, ArrayLike] | None = None,
    algebra: Algebra | None = None,
    connection_motions: Mapping[str, ConnectionMotion] | None = None,
) -> Composition:
    """Return the inverse dynamics, composed of subsystems, with every intermediate quantity.

    Silva & Adorno, eqs. 1 and 3-9: twists forward from the ground, wrenches backward from the leaves.

    Arguments and errors are those of :func:`modular_dynamics.inverse_dynamics`, and:

    Args:
        algebra: dual quaternions by default.
        connection_motions: {subsystem: motion of its connection point}, in place of what follows from its
            predecessor: all that a subsystem needs of a black box which carries it. Joints of the box that
            are not known are fixed joints in the URDF.
    """
    model.refuse_closures(graph, "composition")
    algebra = DualQuaternionAlgebra() if algebra is None else algebra
    q, v, a = checked_vectors(graph, q=q, v=v, a=a)
    boxes = model.black_box_wrenches(graph, black_box_wrenches or {})
    box_wrenches = {
        name: algebra.wrench(zeta.primary.vector, zeta.dual.vector) for name, zeta in boxes.items()
    }
    loads = model.body_loads(graph, external_wrenches or {})
    given = given_motions(graph, {} if connection_motions is None else connection_motions, algebra)
    motions = _twists(graph, q, v, a, algebra, given)
    A, connection_wrenches = _interconnection(graph, motions, loads, box_wrenches, algebra)
    wrenches = A @ _column([algebra.one] * len(graph.subsystems))  # Gamma_total = A 1_s (eq. 4)
    tau = joint_torques(graph, q, a, motions, wrenches, algebra)
    twists = _column([xi for motion in motions for xi in motion.total])
    return Composition(graph, algebra, tau, tuple(motions), tuple(connection_wrenches), A, wrenches, twists)


def _twists(
    graph: SubsystemGraph,
    q: Vector,
    v: Vector,
    a: Vector,
    algebra: Algebra,
    given: Mapping[str, tuple[Any, Any, DualQuaternion]],
) -> list[Motion]:
    """Return Xi_i = Xi_{p_i,i} + Xi_{i,i} of every subsystem, forward from ground to leaves."""
    motions: list[Motion] = []
    for subsystem in graph.subsystems:
        motion = own_motion(graph, subsystem, q, v, a, algebra)
        at_a = given.get(subsystem.name) or at_connection(subsystem, graph, motions, algebra)
        with_predecessor(motion, *at_a, algebra)
        motions.append(motion)
    return motions


def _interconnection(
    graph: SubsystemGraph,
    motions: list[Motion],
    loads: Mapping[int, DualQuaternion],
    box_wrenches: Mapping[str, Any],
    algebra: Algebra,
) -> tuple[Matrix, list[Any]]:
    """Return A (n, s), and the wrench at every connection point, backward from leaves to ground."""
    zero = algebra.wrench(np.zeros(3), np.zeros(3))
    unknown = algebra.wrench(np.full(3, np.nan), np.full(3, np.nan))
    A: Matrix = np.empty((len(graph.joints), len(graph.subsystems)), dtype=object)
    A.fill(zero)
    at_connections: list[Any] = [zero] * len(graph.subsystems)
    for i, subsystem in reversed(list(enumerate(graph.subsystems))):
        rows = slice(subsystem.indices.start, subsystem.indices.stop)
        if subsystem.name in box_wrenches:
            A[rows, i] = _column([unknown] * len(subsystem.joints))
            at_connections[i] = box_wrenches[subsystem.name]
            continue
        A[rows, i] = _column(own_wrenches(graph, subsystem, motions[i], loads, algebra))  # W_i
        for j, successor in enumerate(graph.subsystems):
            if successor.predecessor == i:
                X = connection_poses(graph, subsystem, motions[i], successor)
                A[rows, j] = _column(at_joints(X, at_connections[j], algebra))
        gamma = list(A[rows].sum(axis=1))  # eq. 1
        at_connections[i] = connection_wrench(graph, subsystem, motions[i], gamma, algebra)
    return A, at_connections


def _column(items: list[Any]) -> Matrix:
    """Return the items as an object array (n,). np.array would unpack 6-vectors."""
    column: Matrix = np.empty(len(items), dtype=object)
    for k, item in enumerate(items):
        column[k] = item
    return column
