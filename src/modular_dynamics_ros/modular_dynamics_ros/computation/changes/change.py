"""What every kind of change has in common."""

import math
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.exceptions import NumbersError

__all__ = ["Change", "Changes", "checked_numbers", "finite"]

Own = TypeVar("Own")


class Change(Protocol):
    """One change; a constant value. Its text says what it does, for the log."""

    kind: str

    def apply(self, graph: md.SubsystemGraph) -> md.SubsystemGraph:
        """The changed graph.

        Raises:
            ModularDynamicsError: the graph does not allow it.
        """

    def without_unknown(self: Own, graph: md.SubsystemGraph) -> "Own | None":
        """What is left of the change on a graph that lacks some names; None where nothing is."""

    def content(self) -> Mapping[str, Any]:
        """Plain values from which `read` makes it again, in a file."""


Changes = tuple[Change, ...]


def finite(values: object) -> bool:
    """Whether all numbers are."""
    return bool(np.isfinite(np.asarray(values, dtype=float)).all())


def checked_numbers(
    what: str, values: Any, count: int | None = None, largest: float = math.inf
) -> tuple[float, ...]:
    """Numbers of a request or a file as floats.

    Raises:
        NumbersError: no numbers, not finite, above the largest size, or another count.
    """
    try:
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError, OverflowError):  # OverflowError: an integer beyond all floats
        raise NumbersError(f"{what}: {values!r:.80} is no list of numbers") from None
    if count is not None and len(numbers) != count:
        raise NumbersError(f"{what}: {len(numbers)} numbers; {count} are needed")
    if not finite(numbers):
        raise NumbersError(f"{what}: {list(numbers)}; finite numbers are needed")
    most = max(numbers, key=abs, default=0.0)
    if abs(most) > largest:
        raise NumbersError(f"{what}: {most:g}; sizes of at most {largest:g} are accepted")
    return numbers
