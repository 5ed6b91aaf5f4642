"""Robots of equal cubes with one hinge each, docked in directions and turns that are drawn: URDF text."""

import numpy as np

__all__ = ["cubes"]

EDGE, MASS = 0.09, 0.6  # [m, kg] our choice: the papers give none


def cubes(count: int, *, branched: bool = False, seed: int = 0) -> str:
    """Cubes 1 to ``count``: each hinged to the one before it or, ``branched``, to that of half its number.

    Its frame is at its centre, an edge from the other's along x, y or z, turned by right angles; the hinge is
    its y axis.
    """
    random = np.random.default_rng(seed)
    moment = MASS * EDGE**2 / 6
    inertia = (
        f'<inertial><mass value="{MASS}"/><inertia ixx="{moment!r}" iyy="{moment!r}" izz="{moment!r}" '
        'ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    parts = ['<link name="base"/>']
    for k in range(1, count + 1):
        carrier = k // 2 if branched else k - 1
        x, y, z = (EDGE * random.permutation(np.eye(3))[0]).tolist()
        turns = " ".join(repr(float(np.pi / 2 * turn)) for turn in random.integers(0, 4, 3))
        parts.append(
            f'<link name="cube{k}">{inertia}</link><joint name="bend{k}" type="revolute">'
            f'<parent link="{f"cube{carrier}" if carrier else "base"}"/><child link="cube{k}"/>'
            f'<origin xyz="{x!r} {y!r} {z!r}" rpy="{turns}"/><axis xyz="0 1 0"/>'
            '<limit lower="-1.5708" upper="1.5708" effort="9" velocity="9"/></joint>'
        )
    return f'<robot name="{"tree" if branched else "chain"} of {count}">{"".join(parts)}</robot>'
