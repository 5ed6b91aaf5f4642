"""The constraints of a graph with closed loops, as the kernels take them, and a workspace for these."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arrays.arguments import Array
from ...dynamics.arrays.model_arrays import alignments_of, constants_of, topology_of, work_of
from ...exceptions import UnsupportedModelError
from ...kernels.loops import newton
from ...kernels.loops.blocks import Triangles
from ...kernels.loops.constraint_rows import evaluate_rows
from ...kernels.loops.projection import projection
from ...kernels.loops.row_kinds import COUPLING
from ...kernels.loops.structures import CoordinateSplit, LoopWorkspace, RowArrays, RowValues, Tree
from ...model import SubsystemGraph
from .blocks import blocks_of
from .coordinates import (
    Coordinates,
    IndependentCoordinates,
    PassiveJoints,
    eliminated,
    indices_in_q,
    indices_in_v,
)
from .rows import Springs, loop_rows, row_values

__all__ = ["ConstraintSystem"]


class ConstraintSystem:
    """The constraints of one graph, with its coordinates split into independent and dependent ones.

    For one thread only.

    Attributes:
        rows: the constraint rows. tree, split, workspace: see kernels/loops/structures.py.
        springs: of the graph. gearing: the dependent coordinates with gears kept closed.
        passive: the joints with one coordinate that loops determine.
        dependent: names of all dependent joints. dependent_names: the joint of each dependent velocity.
        independent: the independent joints. independent_q, independent_v: their indices in q and in v.
        free: indices in v of passive coordinates that loops do not determine. Their values are given, like
            those of independent joints, but they are unactuated. free_joints: names of their joints.
        given_names: the joint of each of independent_v, then of each of ``free``.
        reach: by how much one unit of each of independent_q moves loops.
        is_free: by independent_q, whether the coordinate is in no loop and no gear.
        floating_in_loops: whether a floating base moves loops.
        units (nv,), row_scale (m,): units of velocities and factors of rows, see `_scales`.
        is_coupled (m, nv): whether a velocity moves a row anywhere.
        is_regular_nearby: whether the independent joints determine all others at some configuration beside
            one at which they do not; None: not looked for yet.
        alignments: of the joints, see dynamics/arrays.

    Raises:
        UnsupportedModelError: a black box, or a geared joint that has several coordinates.
        StateError: independent joints that do not exist.
    """

    def __init__(self, graph: SubsystemGraph, free: Sequence[int] = ()) -> None:
        self.graph, self.free = graph, np.array(free, np.int64)
        self.independent = IndependentCoordinates(graph)
        self.independent_q, self.independent_v = self.independent.q, self.independent.v
        _raise_if_unsupported(graph)
        owners = np.repeat(graph.joint_names, [graph.joint(name).type.nv for name in graph.joint_names])
        self.given_names = np.concatenate([self.independent.v_names, owners[self.free]])
        self.free_joints = tuple(dict.fromkeys(owners[self.free].tolist()))
        dependent_v = np.setdiff1d(np.arange(graph.nv), [*self.independent_v, *self.free])
        self.dependent_names = owners[dependent_v].tolist()
        self.dependent = tuple(dict.fromkeys(self.dependent_names))
        self._coordinates = Coordinates(graph)
        self.tree = Tree(topology_of(graph, frozenset()), constants_of(graph))
        self.alignments = alignments_of(graph)
        self.rows, self.springs = loop_rows(graph), Springs(graph, self.tree)
        self.is_gear = np.asarray(self.rows.arrays.indices[:, 0] == COUPLING)
        J, reach = self._reach()
        self.units, self.row_scale = self._scales(J, reach > 0.0)
        self.is_coupled = J != 0.0
        self.is_regular_nearby: bool | None = None
        names = [
            self.dependent_names.index(gear.joint) if gear.joint in self.dependent else None
            for gear in graph.gears
        ]
        self.gearing = eliminated(J[self.is_gear][:, dependent_v], names, reach[dependent_v] > 0.0)
        left = [self.dependent_names[k] for k in self.gearing.left]
        self.passive = PassiveJoints(graph, [name for name in left if graph.joint(name).type.nv == 1])
        self.split = self._split(reach, dependent_v)
        self._is_single = self.split.dependent_q >= 0
        self.floating_in_loops = any(reach[graph.v_slice(name)].any() for name in self.independent.floating)
        self._reach_of_independent(J, reach)
        self.workspace = self.new_workspace()

    @property
    def arrays(self) -> tuple[Tree, RowArrays, CoordinateSplit]:
        """The first arguments of the kernels."""
        return self.tree, self.rows.arrays, self.split

    def new_workspace(self) -> LoopWorkspace:
        """Work arrays for another thread."""
        return _workspace(self.graph, self.split)

    def evaluate(self, q: Array, v: Array | None = None) -> RowValues:
        """All rows at q (nq,) and v (nv,), at rest by default; overwritten by later calls."""
        values, rest = self.workspace.rows, self.workspace.rest
        evaluate_rows(self.tree, self.rows.arrays, q, rest if v is None else v, values)
        return values

    def residual(self, q: Array) -> dict[str, float]:
        """By loop joint and gear, the largest violation of its rows [m or 1] at coordinates (nq,)."""
        return self.rows.by_name(np.abs(self.evaluate(q).phi))

    def largest_residual(self, q: Array) -> float:
        """The largest violation of all rows [m or 1]."""
        return float(np.abs(self.evaluate(q).phi).max(initial=0.0))

    def settle(self, q: Array) -> float:
        """Newton's method from far away, in place, after closing the gears. Returns the residual."""
        self.close_gears(q)
        return float(newton.settle(*self.arrays, q, self.workspace))

    def correct(self, q: Array, largest_step: float, enough: float = 0.0) -> bool:
        """Newton's method from nearby, in place, unless q is closed to less than ``enough`` [m or 1].

        False: it stepped farther, or did not converge.
        """
        return bool(newton.correct(*self.arrays, q, self.workspace, largest_step, enough))

    def projection(self, q: Array) -> tuple[Array, float]:
        """W (nv, given), v = W v1, and the condition number of the dependent part of J there.

        The last columns, as many as ``free``, are of the free coordinates.
        """
        W = np.zeros((self.graph.nv, len(self.split.independent_v)))
        return W, float(projection(*self.arrays, q, self.workspace, W))

    def close_gears(self, q: Array) -> None:
        """Move dependent coordinates so that gears are closed exactly, in place."""
        if self.is_gear.any():
            phi = self.evaluate(q).phi
            self.move(q, -self.gearing.correction @ phi[self.is_gear])

    def move(self, q: Array, x: Array) -> None:
        """Move the dependent coordinates by x (d,), in place; those with a quaternion along a twist."""
        split, is_single = self.split, self._is_single
        q[split.dependent_q[is_single]] += x[is_single]
        if len(split.posed):
            step = np.zeros(self.graph.nv)
            step[split.dependent_v] = np.where(is_single, 0.0, x)
            moved = self._coordinates.moved(q, step)
            for name in set(self.dependent) - set(self.passive.names):
                q[self.graph.q_slice(name)] = moved[self.graph.q_slice(name)]

    def rank(self, J: Array) -> int:
        """Of constraint rows (m, k), by singular values."""
        size = np.linalg.svd(self.row_scale[:, None] * J, compute_uv=False) if J.size else np.zeros(0)
        return int((size > 1e-9 * size.max(initial=0.0)).sum())

    def _reach(self) -> tuple[Array, Array]:
        """J at a generic configuration, and by how much each coordinate (nv,) moves loops."""
        graph, q = self.graph, self.graph.neutral()
        first = [graph.q_slice(name).start for name in graph.joint_names]
        q[first] = 0.7 + 0.1 * np.arange(len(first))
        values = row_values(graph, len(self.rows.names))
        evaluate_rows(self.tree, self.rows.arrays, q, np.zeros(graph.nv), values)
        reach = (values.J[~self.is_gear] != 0.0).any(axis=0).astype(float)
        for joint in graph.joints:
            if joint.mimic is not None:
                reach[graph.v_slice(joint.mimic.joint)] *= max(1.0, abs(joint.mimic.multiplier))
        return values.J, reach

    def _scales(self, J: Array, in_loops: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Units of velocities (nv,) and factors of rows (m,): one, except for gears and what they drive.

        The unit of a coordinate that moves no loop is its motion for one unit of the joints that it is geared
        to; a gear's largest entry is one. Otherwise a large ratio makes all else look small.
        """
        gears, units = J[self.is_gear], np.ones(self.graph.nv)
        geared = [self.graph.v_slice(gear.joint).start for gear in self.graph.gears]
        largest = np.abs(eliminated(gears, geared, in_loops).T).max(axis=1, initial=0.0)
        units[~in_loops & (largest > 0.0)] = largest[~in_loops & (largest > 0.0)]
        factors = np.ones(len(J))
        factors[self.is_gear] = 1.0 / np.abs(gears * units).max(axis=1, initial=0.0)
        return units, factors

    def _split(self, reach: Array, dependent_v: NDArray[np.int64]) -> CoordinateSplit:
        graph = self.graph
        single_v = indices_in_v(graph, self.independent.single)
        is_left = np.isin(range(len(dependent_v)), self.gearing.left)
        independent_v = np.concatenate([self.independent_v, self.free])
        return CoordinateSplit(
            single_q=indices_in_q(graph, self.independent.single),
            single_v=single_v,
            dependent_q=np.array(
                [graph.q_slice(n).start if graph.joint(n).type.nv == 1 else -1 for n in self.dependent_names],
                np.int64,
            ),
            posed=_posed(graph, self.dependent, dependent_v.tolist()),
            dependent_v=dependent_v,
            independent_v=independent_v,
            single_reach=reach[single_v],
            dependent_reach=np.maximum(reach[dependent_v], is_left),
            T=self.gearing.T,
            blocks=blocks_of(graph, self.rows, dependent_v, self.gearing.T, (single_v, independent_v)),
            gear_correction=self.gearing.correction,
            row_scale=self.row_scale,
            column_scale=self.units[dependent_v],
        )

    def _reach_of_independent(self, J: Array, reach: Array) -> None:
        """Set ``reach`` and ``is_free``: also by way of gears; of floating joints all coordinates alike."""
        split = self.split
        is_single = np.isin(self.independent_q, split.single_q)
        geared = abs(split.gear_correction @ J[self.is_gear][:, split.single_v])
        by_gears = (reach[split.dependent_v, None] * geared).max(axis=0, initial=0.0)
        self.reach = np.full(len(self.independent_q), float(self.floating_in_loops))
        self.reach[is_single] = np.maximum(split.single_reach, by_gears)
        self.is_free = np.zeros(len(self.independent_q), np.bool_)
        self.is_free[is_single] = ~(J[:, split.single_v] != 0.0).any(axis=0)


def _workspace(graph: SubsystemGraph, split: CoordinateSplit) -> LoopWorkspace:
    rows, (dependent, left), blocks = len(split.row_scale), split.T.shape, len(split.blocks.bounds) - 1
    return LoopWorkspace(
        rows=row_values(graph, rows),
        rest=np.zeros(graph.nv),
        A=_triangles(rows, dependent, blocks),
        AT=_triangles(rows, left, blocks),
        b=np.zeros(rows),
        x=np.zeros(dependent),
        y=np.zeros(left),
        saved=np.zeros(graph.nq),
        start=np.zeros(graph.nq),
        J_saved=np.zeros((rows, dependent)),
        pivots=np.zeros(blocks),
        newton_euler=work_of(graph),
    )


def _triangles(rows: int, columns: int, blocks: int) -> Triangles:
    # worked on column by column; with one row or column it would be of another type, and all be compiled anew
    matrix = np.zeros((max(rows, 2), max(columns, 2)), order="F")
    return Triangles(matrix, np.zeros(columns), np.zeros(columns, np.int64), np.zeros(blocks, np.int64))


def _posed(graph: SubsystemGraph, names: Sequence[str], dependent_v: list[int]) -> NDArray[np.int64]:
    """``CoordinateSplit.posed`` of the joints among these that have a quaternion."""
    rows = []
    for name in names:
        q, v, kind = graph.q_slice(name), graph.v_slice(name), graph.joint(name).type
        if kind.nv > 1:
            twist = [dependent_v.index(k) if k in dependent_v else -1 for k in range(v.start, v.stop)]
            rows.append([q.start if kind.nq == 7 else -1, q.stop - 4, *[-1] * (6 - kind.nv), *twist])
    return np.array(rows, np.int64).reshape(-1, 8)


def _raise_if_unsupported(graph: SubsystemGraph) -> None:
    """Raise UnsupportedModelError for black boxes."""
    if boxes := [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]:
        raise UnsupportedModelError(
            f"closed loops of '{graph.name}' are not solved: its black boxes are {', '.join(boxes)}"
        )
