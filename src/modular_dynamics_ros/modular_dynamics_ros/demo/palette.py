"""One colour per subsystem, the same in every picture, and shades of it for its joints."""

import numpy as np
from matplotlib.colors import to_rgb

import modular_dynamics as md

__all__ = ["shades", "subsystem_colours"]

COLOURS = ("#4e5b6e", "#2b6cb0", "#2f855a", "#dd6b20", "#805ad5", "#c53030", "#2c9a9a", "#b83280", "#8a7a1f")


def subsystem_colours(graph: md.SubsystemGraph) -> dict[str, str]:
    """Subsystem -> colour; they repeat after nine."""
    return {subsystem.name: COLOURS[index % len(COLOURS)] for index, subsystem in enumerate(graph.subsystems)}


def shades(colour: str, count: int) -> list[tuple[float, float, float]]:
    """`count` shades of a colour, dark to light, distinguishable on white."""
    base = np.array(to_rgb(colour))
    steps = np.linspace(-0.45, 0.4, count) if count > 1 else [0.0]
    return [tuple(base * (1.0 + step) if step < 0.0 else base + (1.0 - base) * step) for step in steps]
