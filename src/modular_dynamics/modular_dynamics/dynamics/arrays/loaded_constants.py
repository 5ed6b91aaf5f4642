"""Wrenches that act on bodies, as columns of the constants that a kernel reads."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ...algebra import DualQuaternion, adjoint
from ...kernels import layout
from ...model import SubsystemGraph, black_box_loads, carrying_body, link_wrenches
from .arguments import Array

__all__ = ["LoadedConstants"]


class LoadedConstants:
    """A copy of a graph's constants for calls with wrenches. Each call overwrites the wrenches of the last.

    Args:
        constants: without wrenches.
        into_row: (body, [force, moment] in the body's axes) -> the six numbers in the frame of its row.

    Attributes:
        constants: with the wrenches of the last call.
    """

    def __init__(
        self, graph: SubsystemGraph, constants: Array, into_row: Callable[[int, Array], Array]
    ) -> None:
        self._graph, self.constants, self._into_row = graph, constants.copy(), into_row
        self._maps: dict[str, tuple[int, Array] | None] = {}

    def __call__(
        self, external: Mapping[str, ArrayLike], boxes: Mapping[str, DualQuaternion] | None = None
    ) -> Array:
        """The constants with these wrenches; valid until the next call.

        Args:
            external: [force, moment] at and in the frame of a link, by its name.
            boxes: wrenches of black boxes, as f + eps m in their connection frames.

        Raises:
            StateError: an unknown link, or not six finite numbers.
        """
        loads = self.constants[:-1, layout.EXTERNAL :]
        loads[:] = 0.0
        for link, wrench in link_wrenches(external).items():
            if link not in self._maps:
                self._maps[link] = self._map(link)
            if (row_and_map := self._maps[link]) is not None:
                row, matrix = row_and_map
                loads[row] += matrix @ wrench
        for body, zeta in black_box_loads(self._graph, boxes or {}):
            loads[body] += self._into_row(body, zeta.vec6())
        return self.constants

    def _map(self, link: str) -> tuple[int, Array] | None:
        """The row that a wrench on a link is added to, and the matrix (6, 6) into it; None for the ground."""
        body = carrying_body(self._graph, link)
        if body is None:
            return None
        x_body_link = self._graph.bodies[body].links[link]
        units = (adjoint(x_body_link, DualQuaternion.pure(unit[:3], unit[3:])) for unit in np.eye(6))
        return body, np.column_stack([self._into_row(body, zeta.vec6()) for zeta in units])
