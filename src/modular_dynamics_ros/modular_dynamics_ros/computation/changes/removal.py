"""A subsystem of the description that is taken off."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import modular_dynamics as md

__all__ = ["Removal"]


@dataclass(frozen=True)
class Removal:
    """A subsystem is gone, with all that it carries."""

    name: str
    kind = "removal"

    def apply(self, graph: md.SubsystemGraph) -> md.SubsystemGraph:
        """See `Change`."""
        for link in _beginnings(graph, self.name):
            if link in graph.links:  # otherwise it was removed together with another link
                graph = graph.without(link)
        return graph

    def without_unknown(self, graph: md.SubsystemGraph) -> "Removal | None":
        """See `Change`."""
        return self if any(one.name == self.name for one in graph.subsystems) else None

    def content(self) -> Mapping[str, Any]:
        """See `Change`."""
        return {"name": self.name}

    def __str__(self) -> str:
        return f"subsystem '{self.name}' removed"


def _beginnings(graph: md.SubsystemGraph, name: str) -> list[str]:
    """Return the links at which a subsystem begins: those moved by its first joints."""
    subsystem = graph.subsystem(name)
    if subsystem.black_box:
        return [subsystem.root_link]
    inside = {*subsystem.indices}
    return [graph.joints[k].child_link for k in subsystem.indices if graph.parents[k] not in inside]
