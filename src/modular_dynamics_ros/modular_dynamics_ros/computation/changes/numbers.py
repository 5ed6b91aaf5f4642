"""Other numbers of the model."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import modular_dynamics as md
from modular_dynamics.text.numbers import LARGEST, LARGEST_FLOAT, STIFFEST

__all__ = ["MASS_NUMBERS", "MOMENTS", "Numbers", "body_of", "largest_size"]

#: Last words of the names of a link's or load's moments of inertia, and of all its parameters.
MOMENTS = tuple(f"inertia {pair}" for pair in ("xx", "xy", "xz", "yy", "yz", "zz"))
MASS_NUMBERS = ("mass", *(f"com {axis}" for axis in "xyz"), *MOMENTS)

#: Last words of the names of parameters for which descriptions may have larger numbers.
_STIFF = "damping", "friction", "armature", "stiffness"
_LIMITS = {"limit": LARGEST_FLOAT} | dict.fromkeys(_STIFF, STIFFEST)


def largest_size(name: str) -> float:
    """Return the largest size of a model parameter, as in descriptions: larger ones overflow."""
    return _LIMITS.get(name.rpartition(" ")[2], LARGEST)


def body_of(name: str, numbers: Iterable[str] = MASS_NUMBERS) -> str:
    """Return the link or load of a parameter: "link hand" of "link hand mass"; empty if it has none.

    Args:
        numbers: those that are looked for.
    """
    if name.startswith(("link ", "payload ")):
        for number in numbers:
            if name.endswith(f" {number}"):
                return name.removesuffix(f" {number}")
    return ""


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

    def without(self, names: Collection[str]) -> "Numbers | None":
        """Return the change without some parameters; None if none is left."""
        left = {name: value for name, value in self.values.items() if name not in names}
        return Numbers(left) if left else None

    def content(self) -> Mapping[str, Any]:
        """See `Change`."""
        return {"values": dict(self.values)}

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value:g}" for name, value in self.values.items())
