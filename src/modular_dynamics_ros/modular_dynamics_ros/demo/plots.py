"""The torques of every subsystem over time, ours over Pinocchio's, and their difference."""

from itertools import cycle
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")  # pictures go to files: no display is needed
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

import modular_dynamics as md
from modular_dynamics_ros.demo.evaluation import Evaluation, coordinates_of
from modular_dynamics_ros.demo.palette import shades, subsystem_colours

__all__ = ["draw_torques"]

ROUNDING = 1e-17  # differences of exactly zero are drawn here, at the foot of a logarithmic axis
STYLES = ("-", (0, (6, 1.5)), (0, (2, 1)))


def draw_torques(graph: md.SubsystemGraph, evaluation: Evaluation, path: Path) -> Path:
    """Write the picture; return its path. Forces and torques of one subsystem have panels of their own."""
    colours = subsystem_colours(graph)
    panels = [
        (subsystem.name, quantity, joints)
        for subsystem in graph.subsystems
        for quantity in ("torque [N m]", "force [N]")
        if (joints := _joints(graph, subsystem, quantity))
    ]
    rows = (len(panels) + 2) // 2
    with plt.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = plt.subplots(
            rows, 2, figsize=(13, 2.3 * rows + 0.8), sharex=True, layout="constrained"
        )
        for axis, (name, quantity, joints) in zip(axes.flat, panels, strict=False):
            _panel(axis, evaluation, joints, colours[name])
            axis.set_title(f"{name}", color=colours[name], fontweight="bold", loc="left")
            axis.set_ylabel(quantity)
        _difference(axes.flat[len(panels)], graph, evaluation, colours)
        for axis in axes.flat[len(panels) + 1 :]:
            axis.set_visible(False)
        for axis in axes[-1]:
            axis.set_xlabel("time [s]")
        axes.flat[len(panels)].set_xlabel("time [s]")
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
        plt.close(figure)
    return path


def _joints(graph: md.SubsystemGraph, subsystem: md.Subsystem, quantity: str) -> list[tuple[str, int]]:
    linear = quantity.startswith("force")
    moved = [
        joint for joint in subsystem.joints if joint.mimic is None and (joint.type == "prismatic") == linear
    ]
    return [(joint.name, graph.v_slice(joint.name).start) for joint in moved]


def _panel(axis: Axes, evaluation: Evaluation, joints: list[tuple[str, int]], colour: str) -> None:
    for (name, index), shade, style in zip(joints, shades(colour, len(joints)), cycle(STYLES), strict=False):
        axis.plot(evaluation.times, evaluation.theirs[:, index], color=shade, lw=5, alpha=0.25)
        axis.plot(evaluation.times, evaluation.ours[:, index], color=shade, lw=1.3, ls=style, label=name)
    axis.margins(x=0.0, y=0.12)
    axis.grid(alpha=0.25, lw=0.6)
    axis.ticklabel_format(axis="y", useOffset=False)
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8, markerscale=4)


def _difference(
    axis: Axes, graph: md.SubsystemGraph, evaluation: Evaluation, colours: dict[str, str]
) -> None:
    for subsystem in graph.subsystems:
        own = coordinates_of(graph, subsystem)
        if not own:
            continue
        worst = np.abs(evaluation.ours[:, own] - evaluation.theirs[:, own]).max(axis=1) / evaluation.largest
        axis.semilogy(
            evaluation.times,
            np.maximum(worst, ROUNDING),
            color=colours[subsystem.name],
            ls="",
            marker=".",
            ms=2.5,
            label=subsystem.name,
        )
    axis.axhline(1e-9, color="0.2", lw=1.0, ls="--", label="allowed: 1e-9")
    axis.set_title("difference between the two", loc="left", fontweight="bold")
    axis.set_ylabel("of the largest torque")
    axis.grid(alpha=0.25, lw=0.6)
    axis.margins(x=0.0)
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8, markerscale=4)
