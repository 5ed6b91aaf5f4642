"""Pictures by matplotlib (extra ``shell``): the subsystem graph, and colours that all pictures share."""

from itertools import cycle

from ..model import SubsystemGraph

#: Distinguishable from each other, and on white.
COLOURS = ("#4e5b6e", "#2b6cb0", "#2f855a", "#dd6b20", "#805ad5", "#c53030", "#2c9a9a", "#b83280", "#8a7a1f")


def subsystem_colours(graph: SubsystemGraph) -> dict[str, str]:
    """Return each subsystem's colour, the same in every picture; they repeat after nine."""
    return dict(zip((subsystem.name for subsystem in graph.subsystems), cycle(COLOURS), strict=False))
