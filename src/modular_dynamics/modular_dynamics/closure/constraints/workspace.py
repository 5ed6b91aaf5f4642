"""Arrays that the kernels for closed loops overwrite, allocated beforehand."""

from __future__ import annotations

import numpy as np

from ...dynamics.arrays.model_arrays import work_of
from ...kernels import layout
from ...kernels.loops.body_motions import MOTION_COLUMNS
from ...kernels.loops.structures import LoopWorkspace, RowValues
from ...model import SubsystemGraph

__all__ = ["loop_workspace", "row_values"]


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


def loop_workspace(graph: SubsystemGraph, rows: int, dependent: int, left_by_gears: int) -> LoopWorkspace:
    """For so many constraint rows, dependent coordinates, and those of them that gears do not determine."""
    return LoopWorkspace(
        rows=row_values(graph, rows),
        rest=np.zeros(graph.nv),
        A=np.zeros((rows, dependent), order="F"),  # worked on column by column
        A_heads=np.zeros(dependent),
        A_order=np.zeros(dependent, np.int64),
        AT=np.zeros((rows, left_by_gears), order="F"),
        AT_heads=np.zeros(left_by_gears),
        AT_order=np.zeros(left_by_gears, np.int64),
        b=np.zeros(rows),
        x=np.zeros(dependent),
        y=np.zeros(left_by_gears),
        saved=np.zeros(graph.nq),
        J_saved=np.zeros((rows, dependent)),
        newton_euler=work_of(graph),
    )
