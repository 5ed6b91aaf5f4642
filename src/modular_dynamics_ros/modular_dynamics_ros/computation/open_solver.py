"""Inverse dynamics of a robot without loops, and the wrenches of its last answer."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

import modular_dynamics as md

__all__ = ["OpenSolver"]

Wrenches = Mapping[str, ArrayLike] | None


class OpenSolver:
    """Inverse dynamics of an open graph.

    Attributes:
        result: of the last call.

    Raises:
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """

    def __init__(self, graph: md.SubsystemGraph) -> None:
        self._inverse = md.InverseDynamics(graph)
        self.result: md.InverseDynamicsResult | None = None

    def __call__(
        self,
        q: np.ndarray,
        v: np.ndarray,
        vdot: np.ndarray,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """tau (nv,). Errors as of `md.inverse_dynamics`."""
        self.result = self._inverse.solve(q, v, vdot, external_wrenches, black_box_wrenches)
        if out is None:
            return self.result.tau
        out[:] = self.result.tau
        return out

    def stamped_wrench(self, index: int) -> tuple[str, np.ndarray]:
        """As `md.InverseDynamicsResult.connection_wrench_in_link`, of the last call."""
        assert self.result is not None  # a call was made
        return self.result.connection_wrench_in_link(index)
