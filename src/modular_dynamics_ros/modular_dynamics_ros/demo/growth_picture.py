"""The snake that grows: its body at each docking, and the torques over time."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch

import modular_dynamics as md
from modular_dynamics.modular import Assembly
from modular_dynamics_ros.demo.growth import GrowthRun, Stage

__all__ = ["draw_growth"]

GROUPS = {"body": "#2b6cb0", "left leg": "#2f855a", "right leg": "#dd6b20"}
STYLES = ("-", (0, (6, 1.5)), (0, (2, 1)), (0, (6, 1.5, 1, 1.5)))


def draw_growth(run: GrowthRun, path: Path) -> Path:
    """Write the picture; return its path."""
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(13, 8.6), layout="constrained")
        grid = figure.add_gridspec(2, 1, height_ratios=(1.0, 2.6))
        bodies, torques = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
        for axis, stage in zip(bodies.subplots(1, len(run.stages)), run.stages, strict=True):
            _draw_body(axis, stage)
        for axis, group in zip(torques.subplots(len(GROUPS), 1, sharex=True), GROUPS, strict=True):
            _draw_torques(axis, run, group)
        axis.set_xlabel("time [s]")
        figure.suptitle("A snake of Backbones grows two legs while it moves", fontsize=13, fontweight="bold")
        handles = [
            Line2D([], [], color="0.25", lw=1.3, label="dynamics_node"),
            Line2D([], [], color="0.25", lw=5, alpha=0.25, label="Pinocchio, of the body in force"),
            Line2D([], [], color="0.5", lw=1.0, ls=":", label="a module docks"),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(path, dpi=130)
    return path


def _group(name: str) -> str:
    return "left leg" if name.startswith("left") else "right leg" if name.startswith("right") else "body"


def _draw_body(axis: Axes, stage: Stage) -> None:
    """Draw the modules from above, at zero joint positions."""
    for module, centre in _centres(stage.assembly).items():
        box = FancyBboxPatch(
            tuple(centre - 0.42), 0.84, 0.84, boxstyle="round,pad=0,rounding_size=0.12", ec="white"
        )
        box.set_facecolor("0.35" if module == stage.assembly.base else GROUPS[_group(module)])
        axis.add_patch(box)
        if module.startswith("v"):
            axis.text(centre[0], centre[1], module, ha="center", va="center", color="white", fontsize=8)
    axis.set(xlim=(-0.7, 4.7), ylim=(-2.7, 2.7), aspect="equal")
    axis.axis("off")
    axis.set_title(f"{stage.start:.1f} s: {len(stage.assembly)} modules", fontsize=10)


def _centres(assembly: Assembly) -> dict[str, np.ndarray]:
    """Return the modules' centres from above, in edges of a module."""
    graph = assembly.graph()
    links = [f"{module}/{kind.root}" for module, kind in assembly.kinds.items()]
    poses = md.frame_poses(graph, graph.neutral(), links)
    edges = [kind.cell_size for kind in assembly.kinds.values()]
    return {module: pose[:2, 3] / edge for module, pose, edge in zip(assembly, poses, edges, strict=True)}


def _draw_torques(axis: Axes, run: GrowthRun, group: str) -> None:
    names = list(dict.fromkeys(n for stage in run.stages for n in stage.names if _group(n) == group))
    base = np.array(to_rgb(GROUPS[group]))
    for k, name in enumerate(names):
        colour = tuple(base + (1.0 - base) * 0.55 * k / len(names))  # lighter outwards
        label = name
        for stage in run.stages:
            if name in stage.names:
                column = stage.names.index(name)
                axis.plot(stage.times, stage.theirs[:, column], color=colour, lw=5, alpha=0.25)
                axis.plot(
                    stage.times, stage.ours[:, column], color=colour, lw=1.3, ls=STYLES[k % 4], label=label
                )
                label = "_nolegend_"
    for stage in run.stages[1:]:
        axis.axvline(stage.start, color="0.5", lw=1.0, ls=":")
    axis.set_ylabel("torque [N m]")
    axis.set_title(group, color=GROUPS[group], fontweight="bold", loc="left")
    axis.grid(alpha=0.25, lw=0.6)
    axis.margins(x=0.0)
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)
