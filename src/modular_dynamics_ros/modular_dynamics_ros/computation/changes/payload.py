"""A load on a link."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import modular_dynamics as md
from modular_dynamics.text.numbers import LARGEST
from modular_dynamics_ros.computation.checked_numbers import checked_numbers

__all__ = ["Payload"]


@dataclass(frozen=True)
class Payload:
    """A load on a link, in the link's frame.

    Attributes:
        mass: [kg]. com: [m]. inertia: ixx, ixy, ixz, iyy, iyz, izz about the centre of mass [kg m^2].
    """

    link: str
    mass: float
    com: tuple[float, ...]
    inertia: tuple[float, ...]
    kind = "payload"

    @staticmethod
    def of(link: str, mass: float, com: Any, inertia: Any) -> "Payload":
        """Return a payload with checked numbers.

        Raises:
            NumbersError: of a wrong count, not finite, or larger than descriptions may have them.
        """
        what = f"the payload on link '{link}'"
        (kilograms,) = checked_numbers(f"{what}, mass", [mass], 1, LARGEST)
        return Payload(
            link,
            kilograms,
            checked_numbers(f"{what}, centre of mass", com, 3, LARGEST),
            checked_numbers(f"{what}, inertia", inertia, 6, LARGEST),
        )

    def apply(self, graph: md.SubsystemGraph) -> md.SubsystemGraph:
        """See `Change`."""
        xx, xy, xz, yy, yz, zz = self.inertia
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        return graph.with_payload(self.link, mass=self.mass, com=self.com, inertia=inertia)

    def without_unknown(self, graph: md.SubsystemGraph) -> "Payload | None":
        """See `Change`."""
        return self if self.link in graph.links else None

    def content(self) -> Mapping[str, Any]:
        """See `Change`."""
        return {
            "link": self.link,
            "mass": self.mass,
            "com": list(self.com),
            "inertia": list(self.inertia),
        }

    def __str__(self) -> str:
        return f"payload of {self.mass:g} kg on '{self.link}'"
