"""What an incidence matrix consists of, before it is checked."""

from collections.abc import Sequence
from typing import NamedTuple

from numpy.typing import ArrayLike

__all__ = ["Table"]


class Table(NamedTuple):
    """The arguments of :class:`.IncidenceMatrix`, in their order."""

    matrix: ArrayLike
    kinds: Sequence[str]
    modules: Sequence[str]
    docking_types: Sequence[str] | None
    turns: Sequence[int]
    docks: Sequence[str]
    base: str
