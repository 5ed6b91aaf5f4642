"""The constraints of a graph with closed loops: rows of loop joints and gears, and its springs.

Rows are conditions phi(q) = 0 with d phi/dt = J v and d^2 phi/dt^2 = J a + gamma (constraint_rows.hpp).
Coordinates are independent, whose values are given, or dependent, which the rows determine.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arguments import Array
from ...exceptions import StateError, UnsupportedModelError
from ...model import SubsystemGraph
from ..core_loops import core_loops
from .coordinates import (
    Coordinates,
    IndependentCoordinates,
    PassiveJoints,
    eliminated,
    indices_in_q,
    indices_in_v,
)

#: Rows of each type of loop joint, as the core has them; gears follow, "coupling", one row each.
_ROWS = {
    "revolute": ("along",) * 3 + ("aligned",) * 2,
    "spherical": ("along",) * 3,
    "universal": ("along",) * 3 + ("across",),
    "fixed": ("along",) * 3 + ("about",) * 3,
    "prismatic": ("along",) * 2 + ("about",) * 3,
    "planar": ("along",) * 2,
}
#: Largest singular value of J_d, relative to its largest column, that counts as zero.
RANK_TOLERANCE = 1e-11


class RowValues(NamedTuple):
    """phi (m,), J (m, nv) and gamma (m,); wrenches (m, 6): of each row on its loop joint's successor.

    Wrenches are [force, moment] at and in the anchor, per unit of the row's multiplier.
    """

    phi: Array
    J: Array
    gamma: Array
    wrenches: Array


class SpringForces(NamedTuple):
    """Lengths (s,) [m] of springs, their Jacobian J (s, nv), and tensions (s,) [N]."""

    J: Array
    lengths: Array
    tensions: Array


class Projection(NamedTuple):
    """How all velocities follow from the given ones where loops are closed (Schappler et al., section 3.4).

    Attributes:
        W (nv, g): v = W v_given, [1; -J_d^+ J_i]; the last columns are of free coordinates.
        inverse (d, m): J_d^+; of rows b the shortest motion of the dependent coordinates with J_d x = b.
        condition: condition number of J_d, in units of the mechanism; infinite where its rank is short.
        rank: of J_d.
    """

    W: Array
    inverse: Array
    condition: float
    rank: int


class Block(NamedTuple):
    """Loops and gears that share dependent coordinates with each other, but with no other block.

    Attributes:
        rows: indices of its rows. places: of its coordinates in the dependent ones. columns: of these in J.
        T: motions (places, r) of its coordinates that keep gears closed. in_J, in_inverse: indices of its
            part of J, and of the inverse of J_d.
    """

    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    columns: NDArray[np.int64]
    T: Array
    in_J: tuple[NDArray[np.int64], ...]
    in_inverse: tuple[NDArray[np.int64], ...]


class ConstraintSystem:
    """The constraints of one graph, with its coordinates split into independent and dependent ones. Constant.

    Attributes:
        names: of each row, its loop joint, or "gear of" its joint. kinds: of each row "along", "across",
            "aligned", "about" or "coupling", see constraint_rows.hpp. is_gear (m,): whether it is "coupling".
        passive: the joints with one coordinate that loops determine.
        dependent: names of all dependent joints. dependent_names: the joint of each dependent velocity.
        dependent_v (d,): indices of the dependent velocities in v; dependent_q (d,): in q, -1 of those of a
            quaternion.
        independent: the independent joints. independent_q, independent_v: their indices in q and in v.
        single_q, single_v: of the independent joints with one coordinate.
        free: indices in v of passive coordinates that loops do not determine. Their values are given, like
            those of independent joints, but they are unactuated. free_joints: names of their joints.
        given_v, given_names: indices of independent_v, then of ``free``; and the joint of each.
        reach: by how much one unit of each of independent_q moves loops [m or rad per unit], at most.
            single_reach, dependent_reach: the same of single_v and of dependent_v.
        is_free: by independent_q, whether the coordinate is in no loop and no gear.
        floating_in_loops: whether a floating base moves loops.
        units (nv,), row_scale (m,): units of velocities and factors of rows, see `_scales`.
        gearing: the dependent coordinates with gears kept closed.
        is_coupled (m, nv): whether a velocity moves a row anywhere.

    Raises:
        UnsupportedModelError: a black box, or a geared joint that has several coordinates.
        StateError: independent joints that do not exist.
    """

    def __init__(self, graph: SubsystemGraph, free: Sequence[int] = ()) -> None:
        self.graph, self.free = graph, np.array(free, np.int64)
        self.independent = IndependentCoordinates(graph)
        self.independent_q, self.independent_v = self.independent.q, self.independent.v
        if boxes := [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]:
            raise UnsupportedModelError(
                f"closed loops of '{graph.name}' are not solved: its black boxes are {', '.join(boxes)}"
            )
        self.loops = graph.once(core_loops)
        rows = [(loop.name, kind) for loop in graph.loop_joints for kind in _ROWS[loop.type]]
        rows += [(f"gear of {gear.joint}", "coupling") for gear in graph.gears]
        self.names, self.kinds = tuple(name for name, _ in rows), np.array([kind for _, kind in rows], str)
        self.is_gear = self.kinds == "coupling"
        owners = np.repeat(graph.joint_names, [graph.joint(name).type.nv for name in graph.joint_names])
        self.given_v = np.concatenate([self.independent_v, self.free])
        self.given_names = np.concatenate([self.independent.v_names, owners[self.free]])
        self.free_joints = tuple(dict.fromkeys(owners[self.free].tolist()))
        self.dependent_v = np.setdiff1d(np.arange(graph.nv), self.given_v)
        self.dependent_names = owners[self.dependent_v].tolist()
        self.dependent = tuple(dict.fromkeys(self.dependent_names))
        self.dependent_q = np.array(
            [graph.q_slice(n).start if graph.joint(n).type.nv == 1 else -1 for n in self.dependent_names],
            np.int64,
        )
        self.single_q = indices_in_q(graph, self.independent.single)
        self.single_v = indices_in_v(graph, self.independent.single)
        self._coordinates, self._rest = Coordinates(graph), np.zeros(graph.nv)
        J, reach = self._reach()
        self.units, self.row_scale = self._scales(J, reach > 0.0)
        self.is_coupled = J != 0.0
        names = [
            self.dependent_names.index(gear.joint) if gear.joint in self.dependent else None
            for gear in graph.gears
        ]
        gear_rows = J[self.is_gear]
        self.gearing = eliminated(gear_rows[:, self.dependent_v], names, reach[self.dependent_v] > 0.0)
        left = [self.dependent_names[k] for k in self.gearing.left]
        self.passive = PassiveJoints(graph, [name for name in left if graph.joint(name).type.nv == 1])
        self._is_single = self.dependent_q >= 0
        self._posed = [name for name in self.dependent if graph.joint(name).type.nv > 1]
        self.floating_in_loops = any(reach[graph.v_slice(name)].any() for name in self.independent.floating)
        is_left = np.isin(range(len(self.dependent_v)), self.gearing.left)
        self.single_reach = reach[self.single_v]
        self.dependent_reach = np.maximum(reach[self.dependent_v], is_left)
        self.reach, self.is_free = self._reach_of_independent(gear_rows, reach)
        self.blocks = self._blocks()

    def evaluate(self, q: Array, v: Array | None = None) -> RowValues:
        """Return all rows at q (nq,) and v (nv,), at rest by default. Raises StateError: J is not finite."""
        m, nv = len(self.names), self.graph.nv
        values = RowValues(np.empty(m), np.empty((m, nv)), np.empty(m), np.empty((m, 6)))
        self.loops.constraints(q, self._rest if v is None else v, *values)
        if not np.isfinite(values.J).all():
            raise StateError(
                f"coordinates of '{self.graph.name}' are so large that its loops' J is not finite"
            )
        return values

    def spring_forces(self, q: Array, v: Array) -> SpringForces:
        """Return tensions F_0 + k (L - L_0) + d dL/dt of the springs between links, at q (nq,), v (nv,)."""
        s, nv = len(self.graph.springs), self.graph.nv
        lengths, J = np.empty(s), np.empty((s, nv))
        if s:
            self.loops.spring_lengths(q, v, lengths, J, np.empty(s))
        stiffness, free_length, initial, damping = self._spring_laws.T
        return SpringForces(J, lengths, initial + stiffness * (lengths - free_length) + damping * (J @ v))

    def spring_energy(self, q: Array) -> float:
        """Return the springs' elastic energy at coordinates of all joints [J]; zero at the free lengths."""
        forces, (_, free_length, initial, _) = self.spring_forces(q, self._rest), self._spring_laws.T
        return 0.5 * float((initial + forces.tensions) @ (forces.lengths - free_length))

    def residual(self, q: Array) -> dict[str, float]:
        """Return by loop joint and gear the largest violation of its rows [m or 1] at coordinates (nq,)."""
        return self.by_name(np.abs(self.evaluate(q).phi))

    def by_name(self, values: Array) -> dict[str, float]:
        """Return the largest of values (m,) of rows that belong to one name."""
        if not self.names:
            return {}
        first = {name: self.names.index(name) for name in dict.fromkeys(self.names)}
        largest = np.maximum.reduceat(values, list(first.values()))
        return dict(zip(first, largest.tolist(), strict=True))

    def largest_residual(self, q: Array) -> float:
        """Return the largest violation of all rows [m or 1]."""
        return float(np.abs(self.evaluate(q).phi).max(initial=0.0))

    def projection(self, q: Array, J: Array | None = None) -> Projection:
        """Return how velocities of all joints follow from the given ones at q (nq,).

        Args:
            J: that of `evaluate` there, if it is known.
        """
        J = self.evaluate(q).J if J is None else J
        W, inverse = np.zeros((self.graph.nv, len(self.given_v))), np.zeros((len(self.dependent_v), len(J)))
        W[self.given_v, range(len(self.given_v))] = 1.0
        scale, units = self.row_scale, self.units
        scaled_J = scale[:, None] * J * units
        scaled = [scaled_J[block.in_J] for block in self.blocks]
        least = RANK_TOLERANCE * largest_column(scaled)
        largest, smallest, rank = 0.0, np.inf, 0
        for block, A in zip(self.blocks, scaled, strict=True):
            left, sizes, right = np.linalg.svd(A, full_matrices=False)
            count = int((sizes > least).sum())
            rank += count
            if count < A.shape[1]:
                smallest = 0.0
            if count:
                largest, smallest = max(largest, sizes[0]), min(smallest, sizes[count - 1])
            pseudo_inverse = right[:count].T @ (left[:, :count] / sizes[:count]).T
            inverse[block.in_inverse] = units[block.columns, None] * pseudo_inverse * scale[block.rows]
        W[self.dependent_v] = -inverse @ J[:, self.given_v]
        condition = 1.0 if largest == 0.0 < smallest else largest / smallest if smallest > 0.0 else np.inf
        return Projection(W, inverse, condition, rank)

    def close_gears(self, q: Array) -> None:
        """Move dependent coordinates so that gears are closed exactly, in place."""
        if self.is_gear.any():
            self.move(q, -self.gearing.correction @ self.evaluate(q).phi[self.is_gear])

    def move(self, q: Array, x: Array) -> None:
        """Move the dependent coordinates by x (d,), in place; those with a quaternion along a twist."""
        is_single = self._is_single
        q[self.dependent_q[is_single]] += x[is_single]
        if self._posed:
            step = np.zeros(self.graph.nv)
            step[self.dependent_v] = np.where(is_single, 0.0, x)
            moved = self._coordinates.moved(q, step)
            for name in self._posed:
                q[self.graph.q_slice(name)] = moved[self.graph.q_slice(name)]

    def rank(self, J: Array) -> int:
        """Return the rank of constraint rows (m, k), by singular values."""
        size = np.linalg.svd(self.row_scale[:, None] * J, compute_uv=False) if J.size else np.zeros(0)
        return int((size > 1e-9 * size.max(initial=0.0)).sum())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the graph, from which the constraints are rebuilt."""
        return type(self), (self.graph, self.free.tolist())

    @cached_property
    def _spring_laws(self) -> Array:
        """Return (s, 4): stiffness, free length, initial force and damping of each spring."""
        laws = [[s.stiffness, s.free_length, s.initial_force, s.damping] for s in self.graph.springs]
        return np.array(laws, np.float64).reshape(-1, 4)

    def _reach(self) -> tuple[Array, Array]:
        """Return J at a generic configuration, and `reach` (nv,): 0 of coordinates that move no loop.

        Else 1, or the largest multiplier of the joints that mimic it.
        """
        graph, q = self.graph, self.graph.neutral()
        first = [graph.q_slice(name).start for name in graph.joint_names]
        q[first] = 0.7 + 0.1 * np.arange(len(first))
        J = self.evaluate(q).J
        reach = (J[~self.is_gear] != 0.0).any(axis=0).astype(float)
        for joint in graph.joints:
            if joint.mimic is not None:
                reach[graph.v_slice(joint.mimic.joint)] *= max(1.0, abs(joint.mimic.multiplier))
        return J, reach

    def _scales(self, J: Array, in_loops: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Return units of velocities (nv,) and factors of rows (m,): 1 except for gears and geared joints.

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

    def _reach_of_independent(self, gear_rows: Array, reach: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return ``reach`` with gears, and ``is_free``; equal for all coordinates of a floating joint."""
        is_single = np.isin(self.independent_q, self.single_q)
        geared = abs(self.gearing.correction @ gear_rows[:, self.single_v])
        by_gears = (reach[self.dependent_v, None] * geared).max(axis=0, initial=0.0)
        all_reach = np.full(len(self.independent_q), float(self.floating_in_loops))
        all_reach[is_single] = np.maximum(self.single_reach, by_gears)
        is_free = np.zeros(len(self.independent_q), np.bool_)
        is_free[is_single] = ~self.is_coupled[:, self.single_v].any(axis=0)
        return all_reach, is_free

    def _blocks(self) -> list[Block]:
        """Return the blocks, ordered by their first coordinates; rows that no coordinate moves come last."""
        moves, T = self.is_coupled[:, self.dependent_v], self.gearing.T
        labels = np.arange(moves.shape[1])  # labels of coordinates: equal within one block
        for row in moves:
            met = labels[row]
            labels[np.isin(labels, met)] = met.min(initial=len(labels))
        blocks, idle = [], ~moves.any(axis=1)
        for label in np.unique(labels):
            places = np.flatnonzero(labels == label)
            own = T[places]
            motions = own[:, (own != 0.0).any(axis=0)]
            rows = np.flatnonzero(moves[:, places].any(axis=1))
            blocks.append(self._block(rows, places, motions))
        if idle.any():
            blocks.append(self._block(np.flatnonzero(idle), np.zeros(0, np.int64), np.zeros((0, 0))))
        return blocks

    def _block(self, rows: NDArray[np.int64], places: NDArray[np.int64], T: Array) -> Block:
        """Return a `Block` with the indices of its parts of J and of the inverse of J_d."""
        columns = self.dependent_v[places]
        return Block(rows, places, columns, T, np.ix_(rows, columns), np.ix_(places, rows))


def largest_column(matrices: Iterable[Array]) -> float:
    """Return the largest norm of a column of several matrices."""
    return max((float(np.sqrt((A * A).sum(axis=0)).max(initial=0.0)) for A in matrices), default=0.0)
