"""A load case as data, by names; and the arrays of its entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import StateError

__all__ = ["LoadCase", "LoadCaseTables"]

Array = NDArray[np.float64]
SHAPES = {"rotations": (3, 3), "origins": (3,), "demands": (6,), "points": (2, 3)}


@dataclass(frozen=True, eq=False)
class LoadCase:
    """The loads and the geometry of one instant, in one common frame unless another one is named.

    Attributes:
        rotations (3, 3), origins (3,): of each body, and of all else that joints use as ``axes`` or have
            coordinates in.
        demands: by body, the total wrench of its joints that it needs: [force N, moment N m] at its origin
            in its own axes.
        known: by joint, the force of a step 'known' [N or N m]: the tension of a spring.
        points: by joint, where ``at`` and ``from`` are names: ``from`` and ``at``, (2, 3).
    """

    rotations: Mapping[str, ArrayLike]
    origins: Mapping[str, ArrayLike]
    demands: Mapping[str, ArrayLike]
    known: Mapping[str, float] = field(default_factory=dict)
    points: Mapping[str, ArrayLike] = field(default_factory=dict)


class LoadCaseTables:
    """The entries of a load case as arrays, with errors that name what is missing.

    Args:
        name: of the rules, for errors.
    """

    def __init__(self, name: str, load_case: LoadCase) -> None:
        self._name, self._load_case = name, load_case

    def stacked(self, table: str, names: Sequence[str]) -> Array:
        """The entries of these names in one table: rotations, origins, demands or points.

        Raises:
            StateError: one is missing, has a wrong shape or is not finite.
        """
        shape = SHAPES[table]
        entries: Mapping[str, ArrayLike] = getattr(self._load_case, table)
        try:
            stack = np.array([entries[name] for name in names], np.float64)
        except (KeyError, ValueError):
            stack = np.empty(0)  # of different shapes, or one is missing
        if stack.shape != (len(names), *shape) or not np.isfinite(stack).all():
            for name in names:
                self._check(table, name, shape)
        return stack

    def _check(self, table: str, name: str, shape: tuple[int, ...]) -> None:
        entries: Mapping[str, ArrayLike] = getattr(self._load_case, table)
        if name not in entries:
            raise StateError(
                f"'{self._name}': '{name}' is missing in the load case's {table}; they have "
                f"{', '.join(entries) or 'nothing'}"
            )
        entry = np.asarray(entries[name], np.float64)
        if entry.shape != shape or not np.isfinite(entry).all():
            raise StateError(
                f"'{self._name}': {table} of '{name}' have shape {entry.shape} or are not finite; "
                f"{shape} is needed"
            )
