"""The arguments of the kernels for closed loops: arrays that belong together, with names.

Sizes: n joints of the tree, nq coordinates and nv velocities of all joints, m constraint rows, d dependent
coordinates, r of them left where gears determine the others, p independent velocities, s springs.
"""

from typing import NamedTuple

from numpy import float64, int64
from numpy.typing import NDArray

from .blocks import Blocks, Triangles

__all__ = [
    "CoordinateSplit",
    "DynamicsArrays",
    "LoopWorkspace",
    "RowArrays",
    "RowValues",
    "SpringArrays",
    "Tree",
]


class Tree(NamedTuple):
    """The open tree, see :mod:`..layout`."""

    topology: NDArray[int64]
    constants: NDArray[float64]


class RowArrays(NamedTuple):
    """Constraint rows of loop joints and gears, or one row for the length of each spring.

    Attributes:
        ends (loops, 2): bodies of predecessor and successor; n is the ground.
        anchors (loops, 2, 12): rotation and position of their anchors in the bodies' aligned frames.
        indices (m, 5 or more): kind and loop; of a gear the kind, its joint's index in q and in v, then the
            same of its driver and of further drivers.
        vectors (m, 6 or more): d, and zeros; or n and a; or a gear's ratio, offset and further ratios, zero
            where it has fewer. See :mod:`.constraint_rows`.
    """

    ends: NDArray[int64]
    anchors: NDArray[float64]
    indices: NDArray[int64]
    vectors: NDArray[float64]


class RowValues(NamedTuple):
    """Rows evaluated at one state, with the poses and motions of all bodies that they come from.

    Attributes:
        joint_states, body_motions: as :func:`.body_motions.body_motions` leaves them.
        phi (m,), J (m, nv), gamma (m,): values of the rows; d phi/dt = J v, d^2 phi/dt^2 = J vdot + gamma.
            Zeros of J that no configuration changes are never written: J is zero at first.
    """

    joint_states: NDArray[float64]
    body_motions: NDArray[float64]
    phi: NDArray[float64]
    J: NDArray[float64]
    gamma: NDArray[float64]


class CoordinateSplit(NamedTuple):
    """Which coordinates are independent; how the others, the dependent ones, follow gears and move loops.

    Attributes:
        single_q, single_v: indices in q and in v of the independent joints with one coordinate.
        dependent_q, dependent_v (d,): of the dependent ones; -1 in q for those of joints with a quaternion.
        posed (joints, 8): these joints, see :mod:`.steps`. independent_v (p,): of all independent ones.
        single_reach, dependent_reach (d,): by how much one unit of a coordinate moves loops; 0: only gears.
        T (d, r): motions of the dependent coordinates that keep gears closed. blocks: of J_d and J_d T.
        gear_correction (d, gears): -gear_correction phi closes gears; their rows are the last ones.
        row_scale (m,), column_scale (d,): factors of J_d before its rank and condition number are computed:
            one except for gears, so that a large ratio is no dead point.
    """

    single_q: NDArray[int64]
    single_v: NDArray[int64]
    dependent_q: NDArray[int64]
    posed: NDArray[int64]
    dependent_v: NDArray[int64]
    independent_v: NDArray[int64]
    single_reach: NDArray[float64]
    dependent_reach: NDArray[float64]
    T: NDArray[float64]
    blocks: Blocks
    gear_correction: NDArray[float64]
    row_scale: NDArray[float64]
    column_scale: NDArray[float64]


class LoopWorkspace(NamedTuple):
    """Arrays that kernels overwrite.

    Attributes:
        rows: of the loops. rest (nv,): zeros, the velocities at rest.
        A: scaled J_d (m, d), triangularized. AT: the same of J_d T (m, r).
        b (m,), x (d,), y (r,): right-hand side and solutions.
        saved, start (nq,): coordinates before a step, and at the start.
        J_saved (m, d), pivots (blocks,): before a step, J_d in the order of its blocks, and the smallest
            pivot of each block of J_d T; infinite where its rank is short.
        newton_euler: work array of the tree's inverse dynamics.
    """

    rows: RowValues
    rest: NDArray[float64]
    A: Triangles
    AT: Triangles
    b: NDArray[float64]
    x: NDArray[float64]
    y: NDArray[float64]
    saved: NDArray[float64]
    start: NDArray[float64]
    J_saved: NDArray[float64]
    pivots: NDArray[float64]
    newton_euler: NDArray[float64]


class SpringArrays(NamedTuple):
    """Springs between links: tension F = F_0 + k (L - L_0) + d dL/dt.

    Attributes:
        rows: a row for the length of each. values: these rows evaluated, overwritten.
        laws (s, 4): stiffness k, free length L_0, initial force F_0, damping d.
    """

    rows: RowArrays
    values: RowValues
    laws: NDArray[float64]


class DynamicsArrays(NamedTuple):
    """What inverse dynamics with closed loops writes.

    Attributes:
        v, vdot (nv,): of all joints; their independent entries are given.
        tau (nv,): of the independent joints, zero elsewhere. tensions (s,).
        multipliers (m,), residual (m,): of the rows; the latter is |phi|.
        cut_wrenches (loops, 6): force and moment of each predecessor on its successor, at and in the latter's
            anchor.
        projection (nv, p): W.
    """

    v: NDArray[float64]
    vdot: NDArray[float64]
    tau: NDArray[float64]
    multipliers: NDArray[float64]
    residual: NDArray[float64]
    tensions: NDArray[float64]
    cut_wrenches: NDArray[float64]
    projection: NDArray[float64]
