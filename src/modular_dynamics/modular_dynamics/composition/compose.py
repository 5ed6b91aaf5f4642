"""The composition: every subsystem by itself, put together by what crosses their connection points.

Silva & Adorno, sections II and III. This is the specification that the kernels are tested against.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra import DualQuaternion, adjoint
from ..exceptions import StateError, UnsupportedModelError
from ..model import SubsystemGraph
from .algebras import Algebra, DualQuaternions
from .motion import Motion, at_connection, own_motion, with_predecessor
from .torques import joint_torques
from .wrenches import at_joints, connection_wrench, own_wrenches

__all__ = ["Composition", "compose"]

Matrix = NDArray[np.object_]


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
        """A_ij (n_i,): the wrenches that subsystem j puts on the joints of subsystem i."""
        rows = self.graph.subsystems[i].indices
        return self.interconnection_matrix[rows.start : rows.stop, j]


def compose(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    external_wrenches: Mapping[str, ArrayLike] | None = None,
    black_box_wrenches: Mapping[str, ArrayLike] | None = None,
    algebra: Algebra | None = None,
) -> Composition:
    """Inverse dynamics by composition of subsystems, with every quantity on the way.

    Silva & Adorno, eqs. 1 and 3-9: twists forward from the ground, wrenches backward from the leaves.

    Arguments and errors are those of :func:`modular_dynamics.inverse_dynamics`; ``algebra`` defaults to
    dual quaternions.
    """
    if graph.loop_joints or graph.passive_joints or graph.gears or graph.springs:
        raise UnsupportedModelError(
            f"composition of '{graph.name}' is not supported: its closed loops are not solved yet"
        )
    algebra = DualQuaternions() if algebra is None else algebra
    q, v, vdot = graph.checked(q=q, v=v, vdot=vdot)
    given = _given(graph, black_box_wrenches or {}, algebra)
    loads = _loads(graph, external_wrenches or {})
    motions: list[Motion] = []
    for subsystem in graph.subsystems:  # forward: twists
        motion = own_motion(graph, subsystem, q, v, vdot, algebra)
        with_predecessor(motion, *at_connection(subsystem, graph, motions, algebra), algebra)
        motions.append(motion)
    zero = algebra.wrench(np.zeros(3), np.zeros(3))
    unknown = algebra.wrench(np.full(3, np.nan), np.full(3, np.nan))
    A: Matrix = np.empty((len(graph.joints), len(graph.subsystems)), dtype=object)
    A.fill(zero)
    crossing: list[Any] = [zero] * len(graph.subsystems)
    for i in reversed(range(len(graph.subsystems))):  # backward: wrenches
        subsystem = graph.subsystems[i]
        rows = subsystem.indices
        if subsystem.name in given:
            A[rows.start : rows.stop, i] = _column([unknown] * len(rows))
            crossing[i] = given[subsystem.name]
            continue
        A[rows.start : rows.stop, i] = _column(own_wrenches(graph, subsystem, motions[i], loads, algebra))
        for j, successor in enumerate(graph.subsystems):
            if successor.predecessor == i:
                gamma = at_joints(graph, subsystem, motions[i], successor, crossing[j], algebra)
                A[rows.start : rows.stop, j] = _column(gamma)
        crossing[i] = connection_wrench(
            graph, subsystem, motions[i], list(A[rows.start : rows.stop].sum(axis=1)), algebra
        )
    wrenches = A @ _column([1] * len(graph.subsystems))  # Gamma_total = A 1_s (eq. 4)
    tau = joint_torques(graph, motions, wrenches, algebra)
    twists = _column([xi for motion in motions for xi in motion.total])
    return Composition(graph, algebra, tau, tuple(motions), tuple(crossing), A, wrenches, twists)


def _column(items: list[Any]) -> Matrix:
    """A 1-D object array, whatever the items are (NumPy would unpack 6-vectors)."""
    column: Matrix = np.empty(len(items), dtype=object)
    for k, item in enumerate(items):
        column[k] = item
    return column


def _wrench(what: str, wrench: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(wrench, dtype=np.float64)
    if values.shape != (6,) or not np.isfinite(values).all():
        raise StateError(f"{what} is {wrench!r}; six finite numbers are needed: force [N], moment [N m]")
    return values


def _given(graph: SubsystemGraph, boxes: Mapping[str, ArrayLike], algebra: Algebra) -> dict[str, Any]:
    """Wrenches of black boxes as elements of W."""
    known = {subsystem.name: subsystem for subsystem in graph.subsystems}
    for name in boxes:
        if name not in known:
            raise StateError(f"no subsystem '{name}' in '{graph.name}'; its subsystems: {', '.join(known)}")
    for name, subsystem in known.items():
        if subsystem.black_box and name not in boxes:
            raise StateError(f"subsystem '{name}' is a black box: its wrench is needed in black_box_wrenches")
    checked = {name: _wrench(f"wrench of black box '{name}'", wrench) for name, wrench in boxes.items()}
    return {name: algebra.wrench(wrench[:3], wrench[3:]) for name, wrench in checked.items()}


def _loads(graph: SubsystemGraph, external: Mapping[str, ArrayLike]) -> dict[int, DualQuaternion]:
    """External wrenches on bodies, in the body's frame."""
    loads: dict[int, DualQuaternion] = {}
    for link, wrench in external.items():
        try:
            body = graph.link_body(link)
        except KeyError as error:
            raise StateError(str(error.args[0])) from None
        if body is not None:
            values = _wrench(f"external wrench on link '{link}'", wrench)
            moved = adjoint(graph.bodies[body].links[link], DualQuaternion.pure(values[:3], values[3:]))
            loads[body] = loads.get(body, DualQuaternion.zero) + moved
    return loads
