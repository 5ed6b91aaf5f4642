"""Loop joints, gears and springs as rows for the kernels (kernels/loops/constraint_rows.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...dynamics.arrays.model_arrays import alignment
from ...exceptions import UnsupportedModelError
from ...kernels.loops.constraint_rows import ACROSS, ALONG, COUPLING, DISTANCE
from ...kernels.loops.structures import RowArrays
from ...model import Anchor, Gear, LoopJoint, SubsystemGraph

__all__ = ["Rows", "loop_rows", "spring_rows"]


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
        """By name its first row; rows of one name are neighbours."""
        return {name: row for row, name in reversed([*enumerate(self.names)])}

    def by_name(self, values: NDArray[np.float64]) -> dict[str, float]:
        """The largest of values (m,) that belong to one name."""
        names = dict.fromkeys(self.names)
        if not names:
            return {}
        largest = np.maximum.reduceat(values, [self._first_rows[name] for name in names])
        return dict(zip(names, largest.tolist(), strict=True))


def loop_rows(graph: SubsystemGraph) -> Rows:
    """The rows of all loop joints, then of all gears."""
    ends = [(loop.predecessor, loop.successor) for loop in graph.loop_joints]
    rows: list[list[int]] = []
    vectors: list[NDArray[np.float64]] = []
    names: list[str] = []
    for k, loop in enumerate(graph.loop_joints):
        for kind, vector in _conditions(loop):
            rows.append([kind, k, 0, 0, 0])
            vectors.append(vector)
            names.append(loop.name)
    for gear in graph.gears:
        drivers = [index for name, _ in gear.drivers for index in _indices(graph, gear, name)]
        rows.append([COUPLING, *_indices(graph, gear, gear.joint), *drivers])
        vectors.append(np.array([gear.ratio, gear.offset, *(ratio for _, ratio in gear.further)]))
        names.append(f"gear of {gear.joint}")
    return _rows(graph, ends, rows, vectors, names)


def spring_rows(graph: SubsystemGraph) -> Rows:
    """A row for the length of each spring."""
    rows = [[DISTANCE, k, 0, 0, 0] for k in range(len(graph.springs))]
    ends = [spring.anchors for spring in graph.springs]
    return _rows(graph, ends, rows, [np.zeros(6)] * len(rows), [spring.name for spring in graph.springs])


def _rows(
    graph: SubsystemGraph,
    ends: list[tuple[Anchor, Anchor]],
    rows: list[list[int]],
    vectors: list[NDArray[np.float64]],
    names: list[str],
) -> Rows:
    bodies = np.zeros((len(ends), 2), np.int64)
    frames = np.zeros((len(ends), 2, 12))
    for k, pair in enumerate(ends):
        for side, anchor in enumerate(pair):
            bodies[k, side], frames[k, side] = _anchor_frame(graph, anchor)
    arrays = RowArrays(bodies, frames, _filled(rows, 5, np.int64), _filled(vectors, 6, np.float64))
    return Rows(arrays, tuple(names))


def _filled(entries: Sequence[Sequence[Any] | NDArray[Any]], least: int, dtype: type) -> NDArray[Any]:
    """Rows of different lengths as an array, zeros behind the shorter ones."""
    filled: NDArray[Any] = np.zeros((len(entries), max([least, *map(len, entries)])), dtype)
    for row, entry in zip(filled, entries, strict=True):
        row[: len(entry)] = entry
    return filled


def _anchor_frame(graph: SubsystemGraph, anchor: Anchor) -> tuple[int, NDArray[np.float64]]:
    """The body that an anchor is fixed in (the number of joints: ground), and R, P in its aligned frame."""
    body, x_body_link = graph.link_pose(anchor.link)
    rotation, position = to_rotation_translation(x_body_link * anchor.x_link_anchor)
    aligned = np.eye(3) if body is None else alignment(graph.joints[body])
    frame = np.concatenate([(aligned.T @ rotation).ravel(), aligned.T @ position])
    return (len(graph.joints) if body is None else body), frame


def _conditions(loop: LoopJoint) -> list[tuple[int, NDArray[np.float64]]]:
    """The conditions of a loop joint: (kind, vectors) of each row."""
    along = loop.axis
    first = np.eye(3)[int(np.argmin(np.abs(along)))]
    first = first - along * (along @ first)
    first /= np.linalg.norm(first)
    second = np.cross(along, first)

    def shift(direction: NDArray[np.float64]) -> tuple[int, NDArray[np.float64]]:
        return ALONG, np.concatenate([direction, np.zeros(3)])

    def tilt(normal: NDArray[np.float64], axis: NDArray[np.float64]) -> tuple[int, NDArray[np.float64]]:
        return ACROSS, np.concatenate([normal, axis])

    point = [shift(axis) for axis in (along, first, second)]
    parallel = [tilt(first, along), tilt(second, along)]
    match loop.type:
        case "revolute":
            return point + parallel
        case "spherical":
            return point
        case "universal":  # ``first`` is its second axis, fixed in the successor
            return [*point, tilt(along, first)]
        case "fixed":
            return [*point, *parallel, tilt(first, second)]
        case "prismatic":
            return [shift(first), shift(second), *parallel, tilt(first, second)]
        case "planar":
            return [shift(first), shift(second)]
    raise UnsupportedModelError(f"loop joint '{loop.name}' has the unknown type '{loop.type}'")


def _indices(graph: SubsystemGraph, gear: Gear, name: str) -> tuple[int, int]:
    if name not in graph.joint_names or graph.joint(name).type.nv != 1:
        raise UnsupportedModelError(
            f"gear of joint '{gear.joint}': '{name}' has no coordinate of its own, or several; couple "
            "joints that have one and mimic no other"
        )
    return graph.q_slice(name).start, graph.v_slice(name).start
