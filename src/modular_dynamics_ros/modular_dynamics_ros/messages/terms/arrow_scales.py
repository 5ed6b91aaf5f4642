"""How long arrows of forces and moments are, so that they suit the robot that they are drawn on."""

import numpy as np

import modular_dynamics as md

__all__ = ["LONGEST", "arrow_scales"]

LONGEST = 0.5  # [m] arrow of the robot's weight
LEVER = 0.2  # [m] at which the weight exerts the moment with an arrow of that length
DEFAULT_WEIGHT = 250.0  # [N] of a robot without masses


def arrow_scales(graph: md.SubsystemGraph) -> tuple[float, float]:
    """Return lengths of arrows, of forces [m/N] and of moments [m/(N m)]."""
    mass = sum(body.mass for body in graph.bodies)
    weight = mass * float(np.linalg.norm(graph.gravity)) or DEFAULT_WEIGHT
    return LONGEST / weight, LONGEST / (weight * LEVER)
