"""Finds the blocks of loops and gears that share no dependent coordinate (kernels/loops/blocks.py)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arrays.arguments import Array
from ...kernels.loops.blocks import Blocks
from ...kernels.loops.row_kinds import COUPLING
from ...model import Anchor, SubsystemGraph
from .paths import to_ground
from .rows import Rows

__all__ = ["blocks_of"]

Indices = NDArray[np.int64]


def blocks_of(
    graph: SubsystemGraph, rows: Rows, dependent_v: Indices, T: Array, given_v: tuple[Indices, Indices]
) -> Blocks:
    """The blocks of a graph's constraints, in the order of their first rows.

    A loop is moved by the joints on the way round it, whatever their frames are: designs of one structure
    have the same blocks.

    Args:
        dependent_v, T: as of :class:`.CoordinateSplit`; given_v: its single_v and independent_v.
    """
    moved = {loop.name: _round_loop(graph, loop.anchors) for loop in graph.loop_joints}
    indices = rows.arrays.indices
    for gear, row in zip(graph.gears, indices[indices[:, 0] == COUPLING], strict=True):
        moved[f"gear of {gear.joint}"] = row[2 : 2 * len(gear.drivers) + 3 : 2]
    labels = np.arange(graph.nv)  # of coordinates: equal in one block
    is_dependent = np.isin(labels, dependent_v)
    for columns in moved.values():
        met = labels[columns[is_dependent[columns]]]
        labels[np.isin(labels, met)] = met.min(initial=graph.nv)
    blocks: dict[int, tuple[list[int], set[int]]] = {}
    for row, name in enumerate(rows.names):
        columns = moved[name]
        own = columns[is_dependent[columns]]
        # rows that no dependent coordinate moves are a block of their own
        own_rows, moving = blocks.setdefault(int(labels[own[0]]) if len(own) else -1 - row, ([], set()))
        own_rows.append(row)
        moving.update(columns.tolist())
    if alone := set(labels[dependent_v].tolist()) - blocks.keys():  # coordinates that move no row
        blocks |= {label: ([], set()) for label in sorted(alone)}
    parts: list[list[Any]] = []
    for label, (own_rows, moving) in blocks.items():
        is_own = labels[dependent_v] == label
        motions = (T[is_own] != 0.0).any(axis=0)
        given = (_places(columns, moving) for columns in given_v)
        parts.append([own_rows, np.flatnonzero(is_own), np.flatnonzero(motions), *given])
    counts = np.array([[len(members) for members in part] for part in parts], np.int64).reshape(-1, 5)
    bounds = np.concatenate([np.zeros((1, 5), np.int64), counts.cumsum(axis=0)])
    ordered_rows, dependent, motions, single, independent = (
        np.array([k for part in parts for k in part[kind]], np.int64) for kind in range(5)
    )
    return Blocks(bounds, ordered_rows, dependent, dependent_v[dependent], motions, single, independent)


def _places(columns: Indices, moving: set[int]) -> list[int]:
    """Places of those columns that are among the moving ones, by column."""
    return [int(k) for k in np.argsort(columns, kind="stable") if columns[k] in moving]


def _round_loop(graph: SubsystemGraph, anchors: tuple[Anchor, Anchor]) -> Indices:
    """Velocities of the joints between two bodies, on the way over the body on which both chains meet."""
    one, other = (to_ground(graph, graph.link_pose(anchor.link)[0]) for anchor in anchors)
    joints = {graph.driver(graph.joints[k]) for k in {*one} ^ {*other}}
    return np.array(
        [k for name in joints for k in range(graph.v_slice(name).start, graph.v_slice(name).stop)], np.int64
    )
