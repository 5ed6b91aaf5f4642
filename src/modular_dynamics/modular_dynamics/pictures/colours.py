"""Colours of subsystems and of lines, and texts without formulas."""

from collections.abc import Iterable
from itertools import cycle
from typing import Any

from ..model import SubsystemGraph

#: Distinguishable from each other, and on white.
COLOURS = ("#4e5b6e", "#2b6cb0", "#2f855a", "#dd6b20", "#805ad5", "#c53030", "#2c9a9a", "#b83280", "#8a7a1f")


def subsystem_colours(graph: SubsystemGraph) -> dict[str, str]:
    """Return each subsystem's colour, the same in every picture; they repeat after nine."""
    return dict(zip((subsystem.name for subsystem in graph.subsystems), cycle(COLOURS), strict=False))


def as_literal(texts: Iterable[Any]) -> None:
    """Let matplotlib's texts show their characters: text between two $ would become a formula."""
    for text in texts:
        text.set_parse_math(False)
