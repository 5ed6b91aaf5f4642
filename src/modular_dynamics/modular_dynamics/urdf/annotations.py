"""What the tags and the partition file add to a URDF: subsystems, loops, passive joints, gears, springs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..model import Gear, LoopJoint, Spring

__all__ = ["Annotations", "SubsystemSpec"]


@dataclass(frozen=True)
class SubsystemSpec:
    """A requested subsystem: given by its joints, or by its root link and the links at which it ends."""

    name: str
    joints: tuple[str, ...] = ()
    root_link: str | None = None
    end_links: tuple[str, ...] = ()
    black_box: bool = False
    line: int | str | None = None


@dataclass(frozen=True, eq=False)
class Annotations:
    """The content of <modular_dynamics>, or of the YAML file with the same content.

    Attributes:
        lines: line of each entry, by section and name, for error messages.
    """

    subsystems: tuple[SubsystemSpec, ...] = ()
    loop_joints: tuple[LoopJoint, ...] = ()
    passive: tuple[str, ...] = ()
    gears: tuple[Gear, ...] = ()
    springs: tuple[Spring, ...] = ()
    lines: Mapping[tuple[str, str], int | str | None] = field(default_factory=dict)
