"""Angles in single precision: whole turns are taken off first, so that their fractions are not lost."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model import JointType, SubsystemGraph

__all__ = ["Angles"]

#: Angles [rad] from which single precision would lose more than 1e-6 of them.
WRAPPED_FROM = 16.0

TURNING = JointType.REVOLUTE, JointType.CONTINUOUS


class Angles:
    """The angles among the positions of a graph."""

    def __init__(self, graph: SubsystemGraph) -> None:
        self._graph = graph

    @cached_property
    def _columns(self) -> list[int]:
        """Indices of the columns of q that whole turns do not change."""
        graph = self._graph
        turning = [name for name in graph.joint_names if graph.joint(name).type in TURNING]
        columns = [graph.q_slice(name).start for name in turning]
        return [column for column in columns if column not in self.kept]

    @cached_property
    def kept(self) -> dict[int, float]:
        """Columns of q in which whole turns matter, with the largest joint angle at q = 1 [rad].

        Other joints mimic them, or they wind up a spring.
        """
        graph, angles = self._graph, dict[int, float]()
        for joint in graph.joints:
            if joint.stiffness != 0.0 and joint.type in TURNING and joint.mimic is None:
                column = graph.q_slice(joint.name).start
                angles[column] = max(angles.get(column, 0.0), 1.0)
            if joint.mimic is not None:
                driver = graph.driver(joint)
                turned = abs(joint.mimic.multiplier) * (joint.type in TURNING)
                column = graph.q_slice(driver).start
                own = 1.0 * (graph.joint(driver).type in TURNING)
                angles[column] = max(angles.get(column, 0.0), own, turned)
        return {column: angle for column, angle in angles.items() if angle > 0.0}

    def too_large(self, q: NDArray[Any]) -> bool:
        """Return whether angles that cannot be reduced by whole turns need double precision."""
        columns, angles = list(self.kept), np.array([*self.kept.values()])
        return bool((np.abs(q[:, columns].astype(np.float64)) * angles >= WRAPPED_FROM).any())

    def wrapped(self, q: NDArray[Any]) -> NDArray[Any]:
        """Return q (count, nq) with angles between -pi and pi."""
        if q.size == 0 or max(-float(q.min()), float(q.max())) < WRAPPED_FROM:
            return q
        wrapped = q.astype(np.float64)
        angles = wrapped[:, self._columns]
        with np.errstate(invalid="ignore"):  # what is not finite is reported with its row
            wrapped[:, self._columns] = np.arctan2(np.sin(angles), np.cos(angles))
        return wrapped
