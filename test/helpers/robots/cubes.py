"""Robots of equal cubes with one hinge each, docked in directions and turns that are drawn: URDF text."""

import numpy as np

from helpers.robots.urdf_text import inertial, joint, robot

EDGE, MASS = 0.09, 0.6  # [m, kg] our choice: the papers give none


def cubes(count: int, *, branched: bool = False, seed: int = 0) -> str:
    """Cubes 1 to ``count``: each hinged to the one before it or, ``branched``, to that of half its number.

    Its frame is at its centre, an edge from the other's along x, y or z, turned by right angles; the hinge is
    its y axis.
    """
    random = np.random.default_rng(seed)
    body = inertial(MASS, (0, 0, 0), MASS * EDGE**2 / 6 * np.eye(3))
    parts = ['<link name="base"/>']
    for k in range(1, count + 1):
        carrier = k // 2 if branched else k - 1
        ends = f"cube{carrier}" if carrier else "base", f"cube{k}"
        place = EDGE * random.permutation(np.eye(3))[0]
        turns, limits = np.pi / 2 * random.integers(0, 4, 3), (-1.5708, 1.5708)
        parts.append(f'<link name="cube{k}">{body}</link>')
        parts.append(joint(f"bend{k}", "revolute", *ends, place, turns, (0, 1, 0), limits))
    return robot(f"{'tree' if branched else 'chain'} of {count}", parts)
