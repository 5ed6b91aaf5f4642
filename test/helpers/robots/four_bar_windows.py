"""Rows of square four-bars, a benchmark of multibody dynamics."""

import numpy as np

import modular_dynamics as md


def rod(name: str, parent: str, at: float, length: float = 1.0, mass: float = 1.0) -> str:
    """A rod along the x axis of its link, jointed at ``at`` [m] on that of its parent.

    On the ground the joint's axis lies across the plane of x and z; all others are parallel to it.
    """
    across, about = (np.pi / 2 if parent == "ground" else 0.0), mass * length**2 / 12
    return (
        f'<link name="{name}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="{mass}"/>'
        f'<inertia ixx="1e-3" iyy="{about}" izz="{about}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{name}"/>'
        f'<origin xyz="{at} 0 0" rpy="{across} 0 0"/><axis xyz="0 0 1"/>'
        '<limit effort="9" velocity="9"/></joint>'
    )


def windows(count: int) -> md.SubsystemGraph:
    """A row of square four-bar windows: rods of 1 m and 1 kg, a benchmark of multibody dynamics.

    Uprights on the ground 1 m apart, each rod above from the end of one to that of the next. The mechanism's
    plane is x and z. The first upright is independent. q is zero with all rods on the x axis.
    """
    parts, tags = [rod("upright_0", "ground", 0)], []
    for k in range(1, count + 1):
        parts += [rod(f"upright_{k}", "ground", k), rod(f"beam_{k}", f"upright_{k - 1}", 1)]
        tags.append(
            f'<loop_joint name="window_{k}" type="revolute"><predecessor link="upright_{k}" xyz="1 0 0"/>'
            f'<successor link="beam_{k}" xyz="1 0 0"/><axis xyz="0 0 1"/></loop_joint>'
            f'<passive joint="upright_{k}"/><passive joint="beam_{k}"/>'
        )
    return md.load_urdf(
        f'<robot name="windows"><link name="ground"/>{"".join(parts)}'
        f'<modular_dynamics version="1">{"".join(tags)}</modular_dynamics></robot>'
    )


def standing(graph: md.SubsystemGraph, angle: float) -> list[float]:
    """Coordinates of all joints of windows: uprights at an angle to the ground, beams level."""
    return [angle if name.startswith("upright") else -angle for name in graph.joint_names]
