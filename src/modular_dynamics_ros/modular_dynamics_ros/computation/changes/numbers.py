"""Other numbers of the model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import modular_dynamics as md

__all__ = ["Numbers"]


@dataclass(frozen=True)
class Numbers:
    """Other values of the model's parameters, by the names of `graph.parameters`, in their units."""

    values: Mapping[str, float]
    kind = "parameters"

    def apply(self, graph: md.SubsystemGraph) -> md.SubsystemGraph:
        """See `Change`."""
        return graph.with_parameters(dict(self.values))

    def without_unknown(self, graph: md.SubsystemGraph) -> "Numbers | None":
        """See `Change`."""
        known = graph.parameters
        return self.without([name for name in self.values if name not in known])

    def without(self, names: "list[str] | set[str]") -> "Numbers | None":
        """Without some parameters; None where none is left."""
        left = {name: value for name, value in self.values.items() if name not in names}
        return Numbers(left) if left else None

    def content(self) -> Mapping[str, Any]:
        """See `Change`."""
        return {"values": dict(self.values)}

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value:g}" for name, value in self.values.items())
