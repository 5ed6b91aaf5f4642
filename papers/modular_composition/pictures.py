"""Figures 1, 3, 4 and 5, the robot, its graphs of subsystems, three joints' torques; errors by sensors."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import modular_dynamics as md
from modular_dynamics.pictures import subsystem_colours
from modular_dynamics.pictures.graph_picture import draw_graph
from papers.modular_composition.measured import Array, multiple_correlation

COLOURS = "#2b6cb0", "#dd6b20", "#2f855a"
DASHED, DOTTED = (0, (4, 3)), (0, (1, 3))
SHOWN = 2.0  # [s] of the waveforms: two periods
VIEW = {"elev": 12.0, "azim": 35.0}  # from where no branch hides another


def draw_robot(graph: md.SubsystemGraph, path: Path) -> Path:
    """Figure 1: links at zero, coloured by subsystem, with joints and centres of mass; return the path."""
    links = {name: k for k, name in enumerate(graph.links)}
    poses = md.frame_poses(graph, np.zeros(graph.nq))
    colours = subsystem_colours(graph)
    figure = Figure(figsize=(7.0, 7.5), layout="constrained")
    axis = figure.add_subplot(projection="3d")
    azimuth = np.radians(VIEW["azim"])
    beside = 0.05 * np.array([-np.sin(azimuth), np.cos(azimuth), 0.8])  # right and up, as seen
    for index, one in enumerate(graph.subsystems):
        colour = colours[one.name]
        centres = np.array([(poses[links[b.name]] @ [*b.com, 1.0])[:3] for b in one.bodies])
        joints = np.array([poses[links[b.name]][:3, 3] for b in one.bodies])
        tips = 2.0 * centres - joints  # links are cylinders whose centre of mass is in the middle
        for joint, tip in zip(joints, tips, strict=True):
            axis.plot(*np.array([joint, tip]).T, color=colour, lw=3.5, solid_capstyle="round")
        axis.plot(*joints.T, "o", color=colour, ms=7, mec="white")
        axis.plot(*centres.T, "x", color="0.1", ms=4, mew=1)
        axis.text(*(tips[-1] + beside), str(index + 1), color=colour, fontsize=12, fontweight="bold")
    axis.set(xlabel="x [m]", ylabel="y [m]")
    axis.zaxis.set_rotate_label(False)  # else upside down
    axis.set_zlabel("z [m]", rotation=90)
    sizes = np.ptp([axis.get_xlim(), axis.get_ylim(), axis.get_zlim()], axis=1)
    axis.set_box_aspect(sizes, zoom=0.9)  # equal scales
    axis.locator_params(axis="x", nbins=3)
    axis.locator_params(axis="y", nbins=3)
    axis.view_init(**VIEW)
    handles = [
        Line2D([], [], color=COLOURS[0], marker="o", mec="white", ms=7, lw=3.5, label="joint and link"),
        Line2D([], [], color="0.1", marker="x", ls="", ms=4, label="centre of mass"),
    ]
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.02, 0.92), frameon=False)
    figure.suptitle("38 joints, nine subsystems", fontsize=12, fontweight="bold")
    figure.savefig(path, dpi=130)
    return path


def draw_graphs(graph: md.SubsystemGraph, three: Path, four: Path) -> list[Path]:
    """Figures 3 and 4: the graph of subsystems 1 and 2 alone, and that of all; return the paths."""
    alone = graph
    for one in graph.subsystems[2:]:
        if one.predecessor in (0, 1):
            alone = alone.without(one.bodies[0].name)
    return [draw_graph(alone, three), draw_graph(graph, four)]


def draw_waveforms(
    graph: md.SubsystemGraph, path: Path, times: Array, tau: Array, rnea: Array, measured: Array
) -> Path:
    """Figure 5: joints with the least, the middle and the largest coefficient; return the path."""
    found = multiple_correlation(tau, measured)
    order = np.argsort(found)
    shown = times <= SHOWN
    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(9.0, 6.5), layout="constrained")
        for axis, k, colour in zip(
            figure.subplots(3, 1, sharex=True), order[[0, len(order) // 2, -1]], COLOURS, strict=True
        ):
            axis.plot(times[shown], measured[shown, k], color=colour, lw=4, alpha=0.3)
            axis.plot(times[shown], tau[shown, k], color=colour, lw=1.6, ls=DASHED)
            axis.plot(times[shown], rnea[shown, k], color="0.1", lw=1.2, ls=DOTTED)
            axis.set_title(f"{graph.joint_names[k]}, coefficient {found[k]:.4f}", loc="left")
            axis.set_ylabel("torque [N m]")
            axis.grid(alpha=0.25, lw=0.6)
            axis.margins(x=0.0)
        axis.set_xlabel("time [s]")
        figure.align_ylabels()
        handles = [
            Line2D([], [], color="0.4", lw=4, alpha=0.4, label="simulator"),
            Line2D([], [], color="0.4", lw=1.6, ls=DASHED, label="composition of subsystems"),
            Line2D([], [], color="0.1", lw=1.2, ls=DOTTED, label="Pinocchio, one tree"),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(path, dpi=130)
    return path


def draw_errors(
    path: Path, box: str, names: Sequence[str], measured: Mapping[float, Array], predicted: Array
) -> Path:
    """Errors of torques (n,) by level of noise, beside those predicted for level 1; return the path."""
    places = np.arange(len(names))
    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(9.0, 4.6), layout="constrained")
        axis = figure.subplots()
        for (level, values), colour in zip(measured.items(), COLOURS, strict=True):
            axis.plot(places, level * predicted, "_", color="0.1", ms=14, mew=1.4)
            axis.plot(places, values, "o", color=colour, ms=6, label=f"noise x {level:g}")
        axis.plot([], [], "_", color="0.1", ms=14, mew=1.4, label="predicted, first order")
        axis.set_yscale("log")
        axis.set_ylabel("error of the torque, root mean square [N m]")
        axis.set_xticks(places, names, rotation=60, ha="right", rotation_mode="anchor")
        axis.grid(axis="y", alpha=0.25, lw=0.6)
        figure.suptitle(f"Sensors in place of {box} and its joints", fontweight="bold")
        figure.legend(loc="outside lower center", ncols=4, frameon=False)
        figure.savefig(path, dpi=130)
    return path
