"""Loop joints, gears and springs as rows for the kernels (kernels/loops/constraint_rows.py)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...dynamics.arrays.arguments import Array
from ...dynamics.arrays.model_arrays import alignment, perpendicular_axes
from ...exceptions import UnsupportedModelError
from ...kernels import layout
from ...kernels.loops.body_motions import MOTION_COLUMNS
from ...kernels.loops.constraint_rows import evaluate_rows
from ...kernels.loops.row_kinds import ABOUT, ACROSS, ALIGNED, ALONG, COUPLING, DISTANCE
from ...kernels.loops.structures import RowArrays, RowValues, SpringArrays, Tree
from ...model import Anchor, Gear, LoopJoint, SubsystemGraph

__all__ = ["Rows", "Springs", "loop_rows", "row_values", "spring_laws", "spring_rows"]

#: Name, and an entry of indices and of vectors in RowArrays.
Row = tuple[str, list[int], Array]


@dataclass(frozen=True, eq=False)
class Rows:
    """Constraint rows, or lengths of springs.

    Attributes:
        arrays: as the kernels take them. names: of each row, its loop joint, gear or spring.
    """

    arrays: RowArrays
    names: tuple[str, ...]

    @cached_property
    def _first_rows(self) -> dict[str, int]:
        """By name its first row, in order; rows of one name are neighbours."""
        return {name: self.names.index(name) for name in dict.fromkeys(self.names)}

    def by_name(self, values: Array) -> dict[str, float]:
        """The largest of values (m,) that belong to one name."""
        if not self.names:
            return {}
        largest = np.maximum.reduceat(values, list(self._first_rows.values()))
        return dict(zip(self._first_rows, largest.tolist(), strict=True))


def loop_rows(graph: SubsystemGraph) -> Rows:
    """The rows of all loop joints, then of all gears."""
    rows: list[Row] = [
        (loop.name, [kind, k, 0, 0, 0], vector)
        for k, loop in enumerate(graph.loop_joints)
        for kind, vector in _conditions(loop)
    ]
    for gear in graph.gears:
        drivers = [index for name, _ in gear.drivers for index in _indices(graph, gear, name)]
        indices = [COUPLING, *_indices(graph, gear, gear.joint), *drivers]
        ratios = np.array([gear.ratio, gear.offset, *(ratio for _, ratio in gear.further)])
        rows.append((f"gear of {gear.joint}", indices, ratios))
    return _rows(graph, [loop.anchors for loop in graph.loop_joints], rows)


def spring_rows(graph: SubsystemGraph) -> Rows:
    """A row for the length of each spring."""
    rows = [(spring.name, [DISTANCE, k, 0, 0, 0], np.zeros(6)) for k, spring in enumerate(graph.springs)]
    return _rows(graph, [spring.anchors for spring in graph.springs], rows)


def spring_laws(graph: SubsystemGraph) -> Array:
    """(s, 4): stiffness, free length, initial force and damping of each spring."""
    laws = [[s.stiffness, s.free_length, s.initial_force, s.damping] for s in graph.springs]
    return np.array(laws).reshape(-1, 4)


def row_values(graph: SubsystemGraph, rows: int) -> RowValues:
    """For constraint rows, or lengths of springs, evaluated at one state."""
    n = len(graph.joints)
    return RowValues(
        joint_states=np.zeros(layout.STATE_BLOCKS * layout.padded(n)),
        body_motions=np.zeros(n * MOTION_COLUMNS),
        phi=np.zeros(rows),
        J=np.zeros((rows, graph.nv)),
        gamma=np.zeros(rows),
    )


class SpringForces(NamedTuple):
    """Lengths (s,) [m], their Jacobian J (s, nv), both overwritten by later calls, and tensions (s,) [N]."""

    J: Array
    lengths: Array
    tensions: Array


class Springs:
    """The springs of one graph. For one thread only.

    Attributes:
        arrays: as the kernels take them.
    """

    def __init__(self, graph: SubsystemGraph, tree: Tree) -> None:
        values = row_values(graph, len(graph.springs))
        self.arrays = SpringArrays(spring_rows(graph).arrays, values, spring_laws(graph))
        self._tree, self._rest = tree, np.zeros(graph.nv)

    def forces(self, q: Array, v: Array) -> SpringForces:
        """Lengths of the springs and their tensions F_0 + k (L - L_0) + d dL/dt, at q (nq,) and v (nv,)."""
        rows, values, laws = self.arrays
        if not len(laws):
            return SpringForces(values.J, values.phi, np.zeros(0))
        evaluate_rows(self._tree, rows, q, v, values)
        stiffness, free_length, initial, damping = laws.T
        tensions: Array = initial + stiffness * (values.phi - free_length) + damping * (values.J @ v)
        return SpringForces(values.J, values.phi, tensions)

    def energy(self, q: Array) -> float:
        """Elastic energy at coordinates of all joints [J]; zero at the free lengths."""
        forces, (_, free_length, initial, _) = self.forces(q, self._rest), self.arrays.laws.T
        return 0.5 * float((initial + forces.tensions) @ (forces.lengths - free_length))


def _rows(graph: SubsystemGraph, ends: list[tuple[Anchor, Anchor]], rows: list[Row]) -> Rows:
    bodies = np.zeros((len(ends), 2), np.int64)
    frames = np.zeros((len(ends), 2, 12))
    for k, pair in enumerate(ends):
        for side, anchor in enumerate(pair):
            bodies[k, side], frames[k, side] = _anchor_frame(graph, anchor)
    indices = _filled([indices for _, indices, _ in rows], 5, np.int64)
    vectors = _filled([vector for _, _, vector in rows], 6, np.float64)
    return Rows(RowArrays(bodies, frames, indices, vectors), tuple(name for name, _, _ in rows))


def _filled(entries: Sequence[Sequence[Any] | NDArray[Any]], least: int, dtype: type) -> NDArray[Any]:
    """Rows of different lengths as an array, zeros behind the shorter ones."""
    filled: NDArray[Any] = np.zeros((len(entries), max([least, *map(len, entries)])), dtype)
    for row, entry in zip(filled, entries, strict=True):
        row[: len(entry)] = entry
    return filled


def _anchor_frame(graph: SubsystemGraph, anchor: Anchor) -> tuple[int, Array]:
    """The body that an anchor is fixed in (the number of joints: ground), and R, P in its aligned frame."""
    body, x_body_link = graph.link_pose(anchor.link)
    rotation, position = to_rotation_translation(x_body_link * anchor.x_link_anchor)
    aligned = np.eye(3) if body is None else alignment(graph.joints[body])
    frame = np.concatenate([(aligned.T @ rotation).ravel(), aligned.T @ position])
    return (len(graph.joints) if body is None else body), frame


def _conditions(loop: LoopJoint) -> list[tuple[int, Array]]:
    """The conditions of a loop joint: (kind, vectors) of each row."""
    along, (first, second) = loop.axis, perpendicular_axes(loop.axis)

    def shift(direction: Array) -> tuple[int, Array]:
        return ALONG, np.concatenate([direction, np.zeros(3)])

    def turn(direction: Array) -> tuple[int, Array]:
        return ABOUT, np.concatenate([direction, np.zeros(3)])

    point = [shift(axis) for axis in (along, first, second)]
    parallel = [(ALIGNED, np.concatenate([normal, along])) for normal in (first, second)]
    locked = [turn(axis) for axis in (first, second, along)]
    conditions = {
        "revolute": point + parallel,
        "spherical": point,
        # ``first`` is its second axis, fixed in the successor
        "universal": [*point, (ACROSS, np.concatenate([along, first]))],
        "fixed": point + locked,
        "prismatic": point[1:] + locked,
        "planar": point[1:],
    }
    if loop.type not in conditions:
        raise UnsupportedModelError(f"loop joint '{loop.name}' has the unknown type '{loop.type}'")
    return conditions[loop.type]


def _indices(graph: SubsystemGraph, gear: Gear, name: str) -> tuple[int, int]:
    if name not in graph.joint_names or graph.joint(name).type.nv != 1:
        raise UnsupportedModelError(
            f"gear of joint '{gear.joint}': '{name}' has no coordinate of its own, or several; couple "
            "joints that have one and mimic no other"
        )
    return graph.q_slice(name).start, graph.v_slice(name).start
