"""Spatial four-bars on each other: crank, rod and rocker, of which no two axes are parallel."""

import numpy as np

import modular_dynamics as md

__all__ = ["spatial_linkages"]

ROD = np.array([0.4, 0.1, 0.2])  # from the crank's end to the rocker's, with all joints at zero [m]


def spatial_linkages(count: int) -> md.SubsystemGraph:
    """Linkages, each on the rocker of the one before, and each with a motor of its own.

    The rod hangs on the crank by two hinges that cross, and on the rocker by a ball: three conditions. With
    all joints at zero all loops are closed.
    """
    parts, tags, before = [], [], "ground"
    for k in range(count):
        links = (f"{name}_{k}" for name in ("crank", "cross", "rod", "rocker"))
        crank, cross, rod, rocker = links
        parts += [_link(crank, 0.2), _link(cross, 0.0), _link(rod, 0.3), _link(rocker, 0.5)]
        parts += [
            _joint(f"motor_{k}", before, crank, (0.0, 0.0, 0.1), (0.0, 1.0, 0.0)),
            _joint(f"cross_z_{k}", crank, cross, (0.1, 0.0, 0.0), (0.1, 0.2, 1.0)),
            _joint(f"cross_y_{k}", cross, rod, (0.0, 0.0, 0.0), (0.0, 1.0, 0.1)),
            _joint(f"pivot_{k}", before, rocker, (0.5, 0.1, 0.0), (0.0, 0.9, 0.3)),
        ]
        tags.append(
            f'<loop_joint name="ball_{k}" type="spherical"><predecessor link="{rod}" xyz="{_text(ROD)}"/>'
            f'<successor link="{rocker}" xyz="0 0 0.3"/></loop_joint>'
        )
        tags += [f'<passive joint="{name}_{k}"/>' for name in ("cross_z", "cross_y", "pivot")]
        before = rocker
    return md.load_urdf(
        f'<robot name="spatial_linkages"><link name="ground"/>{"".join(parts)}'
        f'<modular_dynamics version="1">{"".join(tags)}</modular_dynamics></robot>'
    )


def _text(values: object) -> str:
    return " ".join(f"{value:.17g}" for value in np.array(values))


def _link(name: str, mass: float) -> str:
    if not mass:
        return f'<link name="{name}"/>'
    inertia = f'ixx="{0.01 * mass}" ixy="0" ixz="0" iyy="{0.02 * mass}" iyz="0" izz="{0.015 * mass}"'
    return (
        f'<link name="{name}"><inertial><origin xyz="0.05 0.02 0.1"/><mass value="{mass}"/>'
        f"<inertia {inertia}/></inertial></link>"
    )


def _joint(name: str, parent: str, child: str, origin: tuple[float, ...], axis: tuple[float, ...]) -> str:
    return (
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{_text(origin)}"/><axis xyz="{_text(axis)}"/></joint>'
    )
