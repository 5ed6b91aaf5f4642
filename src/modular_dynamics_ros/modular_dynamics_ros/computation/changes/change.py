"""What every kind of change has in common."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import modular_dynamics as md

__all__ = ["Change", "Changes"]

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
