"""Robots for the tests, trees of any size as URDF with friction and effort limits, and how they move.

A state is a function of its stamp, so that every answer can be checked, whichever process sent its state.
"""

from random import Random

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: [ns] After which the motion begins again, without a step.
PERIOD = 10**12
_AXES = ("1 0 0", "0 1 0", "0 0 1", "0.6 0 0.8")
_TYPES = ("revolute", "revolute", "continuous", "prismatic")


def joint_names(count: int, prefix: str = "joint") -> list[str]:
    """The joints of a robot of `tree_urdf`."""
    return [f"{prefix}_{k}" for k in range(count)]


def tree_urdf(count: int, seed: int = 0, prefix: str = "joint", stamp: str = "") -> str:
    """A tree of ``count`` joints, each at one of the ten links before it.

    Args:
        stamp: of the description, seconds with nine decimals; empty: none.
    """
    random = Random(seed)
    parts = [f'<robot name="{prefix}_tree"><link name="base"/>']
    for k, joint in enumerate(joint_names(count, prefix)):
        parent = "base" if k == 0 else f"{prefix}_link_{random.randrange(max(0, k - 10), k)}"
        numbers = [round(random.uniform(-0.2, 0.2), 3) for _ in range(9)]
        xyz, com, rpy = (" ".join(map(str, numbers[i : i + 3])) for i in (0, 3, 6))
        inertia = round(random.uniform(0.01, 0.02), 4)
        parts.append(
            f'<link name="{prefix}_link_{k}"><inertial><origin xyz="{com}"/>'
            f'<mass value="{round(random.uniform(0.2, 1.0), 3)}"/><inertia ixx="{inertia}" iyy="{inertia}" '
            f'izz="{inertia}" ixy="0.001" ixz="0" iyz="-0.001"/></inertial></link>'
            f'<joint name="{joint}" type="{random.choice(_TYPES)}"><origin xyz="{xyz}" rpy="{rpy}"/>'
            f'<parent link="{parent}"/><child link="{prefix}_link_{k}"/><axis xyz="{random.choice(_AXES)}"/>'
            '<limit lower="-3" upper="3" effort="2.5" velocity="5"/>'
            '<dynamics damping="0.3" friction="0.7"/></joint>'
        )
    tag = f'<modular_dynamics version="1" stamp="{stamp}"/>' if stamp else ""
    return "".join([*parts, tag, "</robot>"])


def state_at(count: int, stamp: int) -> tuple[Array, Array]:
    """Positions [rad or m] and velocities of ``count`` joints at a stamp [ns]."""
    joints = np.arange(count)
    rates = 2.0 * np.pi * (60.0 + 11.0 * (joints % 17)) / (PERIOD * 1e-9)
    phases = rates * (stamp % PERIOD * 1e-9) + joints
    return 0.5 * np.sin(phases), 0.5 * rates * np.cos(phases)
