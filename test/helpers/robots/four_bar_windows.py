"""Rows of square four-bars, a benchmark of multibody dynamics, and four-bars of rods."""

from collections.abc import Sequence

import numpy as np

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot


def rod(name: str, parent: str, at: float, length: float = 1.0, mass: float = 1.0) -> str:
    """A rod along the x axis of its link, jointed at ``at`` [m] on that of its parent.

    On the ground the joint's axis lies across the plane of x and z; all others are parallel to it.
    """
    across = np.pi / 2 if parent == "ground" else 0.0
    body = inertial(mass, (length / 2, 0, 0), np.diag([1e-3, *[mass * length**2 / 12] * 2]))
    hinge = joint(name, "continuous", parent, name, (at, 0, 0), (across, 0, 0), (0, 0, 1))
    return f'<link name="{name}">{body}</link>{hinge}'


def windows(count: int) -> md.SubsystemGraph:
    """A row of square four-bar windows: rods of 1 m and 1 kg, a benchmark of multibody dynamics.

    Uprights on the ground 1 m apart, each rod above from the end of one to that of the next. The mechanism's
    plane is x and z. The first upright is independent. q is zero with all rods on the x axis.
    """
    parts, tags = [rod("upright_0", "ground", 0)], []
    for k in range(1, count + 1):
        parts += [rod(f"upright_{k}", "ground", k), rod(f"beam_{k}", f"upright_{k - 1}", 1)]
        ends = (f"upright_{k}", (1, 0, 0)), (f"beam_{k}", (1, 0, 0))
        tags.append(loop_joint(f"window_{k}", "revolute", *ends, (0, 0, 1)))
        tags.append(f'<passive joint="upright_{k}"/><passive joint="beam_{k}"/>')
    return md.load_urdf(robot("windows", ['<link name="ground"/>', *parts], tags))


def standing(graph: md.SubsystemGraph, angle: float) -> list[float]:
    """Coordinates of all joints of windows: uprights at an angle to the ground, beams level."""
    return [angle if name.startswith("upright") else -angle for name in graph.joint_names]


def four_rods(ground: float, crank: float, coupler: float, output: float) -> md.SubsystemGraph:
    """A four-bar of rods of 1 kg in a vertical plane; all in line where its lengths allow."""
    parts = [
        '<link name="ground"/>',
        rod("crank", "ground", 0, crank),
        rod("coupler", "crank", crank, coupler),
        rod("output", "ground", ground, output),
    ]
    ends = ("output", (output, 0, 0)), ("coupler", (coupler, 0, 0))
    passive = '<passive joint="coupler"/><passive joint="output"/>'
    return md.load_urdf(robot("rods", parts, [loop_joint("pin", "revolute", *ends, (0, 0, 1)), passive]))


def closed_rods(lengths: Sequence[float], angle: float, side: int) -> list[float]:
    """Coordinates of crank, coupler and output at a crank angle, by circles; side: 1 or -1."""
    ground, crank, coupler, output = lengths
    tip = crank * np.exp(1j * angle)
    away = ground - tip
    reach = abs(away)
    along = (coupler**2 - output**2 + reach**2) / (2 * reach)
    pin = tip + away / reach * (along + 1j * side * np.sqrt(coupler**2 - along**2))
    return [angle, np.angle((pin - tip) / tip), np.angle(pin - ground)]
