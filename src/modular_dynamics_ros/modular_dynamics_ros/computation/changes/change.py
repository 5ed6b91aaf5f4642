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
        """Return the changed graph.

        Raises:
            ModularDynamicsError: the graph does not allow it.
        """

    def without_unknown(self: Own, graph: md.SubsystemGraph) -> "Own | None":
        """Return what is left of the change on a graph that lacks some names; None if nothing is."""

    def content(self) -> Mapping[str, Any]:
        """Return plain values for a file, from which `read` restores the change."""


Changes = tuple[Change, ...]
