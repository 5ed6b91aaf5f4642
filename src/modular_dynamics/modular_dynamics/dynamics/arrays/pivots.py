"""Pivots of forward dynamics: the inertia that each joint moves while the joints beyond it are free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...kernels.recursions.articulated_layout import ROW
from ...model import Joint, SubsystemGraph

__all__ = ["joint_without_inertia"]


def joint_without_inertia(graph: SubsystemGraph, work: NDArray[np.float64]) -> Joint:
    """In the order of elimination the first joint without a positive pivot.

    ``work`` is as the kernel for one state leaves it when it has met such a joint, by loops or by generated
    code: those beyond have their true pivots, those before it may have any.
    """
    nv = graph.nv
    first = (len(graph.joints) + 1) * ROW + nv
    positive = work[first : first + nv] > 0.0
    return next(joint for joint in reversed(graph.joints) if not positive[graph.v_slice(joint.name)].all())
