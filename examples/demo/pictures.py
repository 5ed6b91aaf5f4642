"""A picture of the torques of all subsystems over time, beside Pinocchio's."""

from itertools import cycle
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import modular_dynamics as md
from examples.demo.evaluation import Evaluation, coordinates_of
from modular_dynamics.pictures import subsystem_colours

ROUNDING = 1e-17  # differences of exactly zero are drawn here, at the foot of a logarithmic axis
LINES = ("-", (0, (6, 1.5)), (0, (2, 1)))


def _finish(axis: Axes, title: str, quantity: str, colour: str = "black") -> None:
    """Add title, quantity, grid and legend to a panel whose lines are drawn."""
    axis.set_title(title, color=colour, fontweight="bold", loc="left")
    axis.set_ylabel(quantity)
    axis.grid(alpha=0.25, lw=0.6)
    axis.margins(x=0.0)
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8, markerscale=4)


def draw_torques(graph: md.SubsystemGraph, evaluation: Evaluation, path: Path) -> Path:
    """Write the picture; return its path. Forces and torques of one subsystem have panels of their own."""
    colours = subsystem_colours(graph)
    groups = [
        (subsystem.name, quantity, joints)
        for subsystem in graph.subsystems
        for quantity in ("torque [N m]", "force [N]")
        if (joints := _joints(graph, subsystem, quantity))
    ]
    count = len(groups) + 1
    rows = (count + 1) // 2
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(13, 2.3 * rows + 0.8), layout="constrained")
        panels = list(figure.subplots(rows, 2, sharex=True, squeeze=False).flat)
        for axis, (name, quantity, joints) in zip(panels, groups, strict=False):
            _draw_joints(axis, evaluation, joints, colours[name])
            _finish(axis, name, quantity, colours[name])
        _draw_difference(panels[count - 1], graph, evaluation, colours)
        for axis in panels[count:]:
            axis.set_visible(False)
        for axis in panels[count - 2 : count]:
            axis.set_xlabel("time [s]")
            axis.tick_params(labelbottom=True)
        figure.suptitle(f"{graph.name}: joint torques of every subsystem", fontsize=13, fontweight="bold")
        figure.legend(
            handles=[
                Line2D([], [], color="0.25", lw=1.3, label="dynamics_node (composed of subsystems)"),
                Line2D([], [], color="0.25", lw=5, alpha=0.25, label="Pinocchio (whole robot)"),
            ],
            loc="outside lower center",
            ncols=2,
            frameon=False,
        )
        figure.savefig(path, dpi=130)
    return path


def _joints(graph: md.SubsystemGraph, subsystem: md.Subsystem, quantity: str) -> list[tuple[str, int]]:
    """Return name and coordinate of a subsystem's joints that have this quantity."""
    linear = quantity.startswith("force")
    moved = [
        joint for joint in subsystem.joints if joint.mimic is None and (joint.type == "prismatic") == linear
    ]
    return [(joint.name, graph.v_slice(joint.name).start) for joint in moved]


def _draw_joints(axis: Axes, evaluation: Evaluation, joints: list[tuple[str, int]], colour: str) -> None:
    """Draw each joint in its own shade, dark to light, distinguishable on white."""
    base = np.array(to_rgb(colour))
    steps = np.linspace(-0.45, 0.4, len(joints)) if len(joints) > 1 else [0.0]
    for (name, index), step, style in zip(joints, steps, cycle(LINES), strict=False):
        shade = tuple(base * (1.0 + step) if step < 0.0 else base + (1.0 - base) * step)
        axis.plot(evaluation.times, evaluation.theirs[:, index], color=shade, lw=5, alpha=0.25)
        axis.plot(evaluation.times, evaluation.ours[:, index], color=shade, lw=1.3, ls=style, label=name)
    axis.margins(y=0.12)
    axis.ticklabel_format(axis="y", useOffset=False)


def _draw_difference(
    axis: Axes, graph: md.SubsystemGraph, evaluation: Evaluation, colours: dict[str, str]
) -> None:
    difference = np.abs(evaluation.ours - evaluation.theirs) / evaluation.largest
    for subsystem in graph.subsystems:
        if own := coordinates_of(graph, subsystem):
            worst = np.maximum(difference[:, own].max(axis=1), ROUNDING)
            style = {"color": colours[subsystem.name], "ls": "", "marker": ".", "ms": 2.5}
            axis.semilogy(evaluation.times, worst, label=subsystem.name, **style)
    axis.axhline(1e-9, color="0.2", lw=1.0, ls="--", label="allowed: 1e-9")
    _finish(axis, f"difference between the two (0 is drawn at {ROUNDING:.0e})", "of the largest torque")
