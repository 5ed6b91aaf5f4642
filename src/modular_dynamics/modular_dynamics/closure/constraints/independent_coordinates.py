"""The independent coordinates of a graph: their indices in q and v, and checked values."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import StateError
from ...model import JointType, SubsystemGraph

__all__ = ["IndependentCoordinates", "indices_in_q", "indices_in_v"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def indices_in_q(graph: SubsystemGraph, names: Iterable[str]) -> Indices:
    """Indices of the coordinates of joints in q."""
    return np.array([k for name in names for k in range(graph.nq)[graph.q_slice(name)]], np.int64)


def indices_in_v(graph: SubsystemGraph, names: Iterable[str]) -> Indices:
    """Indices of the velocities of joints in v."""
    return np.array([k for name in names for k in range(graph.nv)[graph.v_slice(name)]], np.int64)


class IndependentCoordinates:
    """Independent joints, in the order of ``graph.independent_joint_names``.

    Attributes:
        q, v: indices of their coordinates in q (nq,) and of their velocities in v (nv,).
        q_names, v_names: of each of these, its joint.
        floating: names of the floating joints among them. single: of the others, with one coordinate each.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self._graph, self.names = graph, graph.independent_joint_names
        self.q, self.v = indices_in_q(graph, self.names), indices_in_v(graph, self.names)
        types = [graph.joint(name).type for name in self.names]
        self.q_names = np.repeat(self.names, [kind.nq for kind in types])
        self.v_names = np.repeat(self.names, [kind.nv for kind in types])
        self.floating = [name for name in self.names if graph.joint(name).type is JointType.FLOATING]
        self.single = [name for name in self.names if name not in self.floating]

    def checked(self, name: str, value: ArrayLike) -> Array:
        """A vector as a float array; ``name`` is q, or that of velocities, accelerations or torques.

        Raises:
            StateError: a wrong shape or a number that is not finite, by its joint.
        """
        graph, indices = self._graph, self.q if name == "q" else self.v
        try:
            array = np.asarray(value, np.float64)
        except (TypeError, ValueError) as error:
            raise StateError(f"{name} is not an array of numbers: {error}") from None
        if array.shape != indices.shape:
            raise StateError(
                f"{name} has shape {array.shape}; {indices.shape} is needed, for the independent joints "
                f"{', '.join(self.names)} of '{graph.name}'"
            )
        if self.floating or not np.isfinite(array).all():
            full = graph.neutral() if name == "q" else np.zeros(graph.nv)
            full[indices] = array
            graph.checked(**{name: full})
        return array
