"""What the computation of one robot's torques may be set to, whichever node it belongs to."""

from dataclasses import dataclass, fields

__all__ = ["ComputationSettings"]


@dataclass(frozen=True)
class ComputationSettings:
    """Settings; they may change between two joint states.

    Attributes:
        acceleration_source: zero | reference | filtered. filter_cutoff: of the velocity filter [Hz].
        output: full | gravity | full_minus_gravity. friction: none | urdf. effort_limits: off | clip | scale.
        stale_after: how long wrenches from topics, and a reference beyond its last point, stay valid [s].
        closure_tolerance: by how much measured passive joints may differ from the closed ones [rad or m].
    """

    acceleration_source: str = "zero"
    filter_cutoff: float = 10.0
    output: str = "full"
    friction: str = "none"
    effort_limits: str = "off"
    stale_after: float = 0.2
    closure_tolerance: float = 0.01

    @classmethod
    def of(cls, parameters: object) -> "ComputationSettings":
        """The settings among a node's parameters of the same names; the others keep their defaults."""
        names = {entry.name for entry in fields(cls)}
        return cls(**{name: value for name, value in vars(parameters).items() if name in names})
