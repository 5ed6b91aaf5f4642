"""The robot of docs/tutorials/robot_of_modules.md: its modules before and after docking, and its gait."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon
from numpy.typing import NDArray

import modular_dynamics as md
from docs.generate._page import run_page
from modular_dynamics.modular import Assembly
from modular_dynamics.pictures import COLOURS

Array = NDArray[np.float64]
STYLE = {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "savefig.dpi": 150}
TIGHT: Any = {"bbox_inches": "tight", "pad_inches": 0.1}
KINDS = {"backbone": COLOURS[1], "scout": COLOURS[3]}
HALF = 0.041  # [m] of a drawn cube's edge of 0.09 m: gaps between modules stay visible
ABOVE, SIDE = [0, 1], [0, 2]  # the plane of a view: x to the right, y or z up


def make(out: Path) -> None:
    """Write modules_assembly.png and modules_gait.png."""
    page = run_page("tutorials/robot_of_modules")
    with rc_context(STYLE):
        _draw_assemblies(page["snake"], page["crawler"]).savefig(out / "modules_assembly.png", **TIGHT)
        _draw_gait(page).savefig(out / "modules_gait.png", **TIGHT)


def _draw_assemblies(snake: Assembly, crawler: Assembly) -> Figure:
    figure = Figure(figsize=(9.0, 3.3), layout="constrained")
    titles = "snake, from above", "crawler: two modules docked at v2"
    for axis, assembly, title in zip(figure.subplots(1, 2), (snake, crawler), titles, strict=True):
        graph = assembly.graph()
        centre = _draw_cubes(axis, assembly, graph, np.zeros(graph.nq), ABOVE)
        for module, place in centre.items():
            axis.text(*place, module, ha="center", va="center", color="white", fontweight="bold", fontsize=9)
        for dock in assembly.dockings:
            for module, port, other in (
                (dock.parent, dock.parent_port, dock.module),
                (dock.module, dock.port, dock.parent),
            ):
                place = centre[module] + 0.36 * (centre[other] - centre[module])
                axis.text(*place, port, ha="center", va="center", color="white", fontsize=8)
        _finish(axis, (-0.06, 0.42), (-0.16, 0.16), title)
    handles: list[Artist] = [Patch(color=colour, label=kind) for kind, colour in KINDS.items()]
    handles.append(Line2D([], [], color="0.5", ls=(0, (3, 2)), label="hinge"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _draw_gait(page: dict[str, Any]) -> Figure:
    graph, times, tau = page["graph"], page["times"], page["tau"]
    figure = Figure(figsize=(9.0, 4.4), layout="constrained")
    instants = (100, 150, 200)
    grid = figure.add_gridspec(len(instants), 2, width_ratios=(1.0, 1.3))
    for row, k in enumerate(instants):
        side = figure.add_subplot(grid[row, 0])
        _draw_cubes(side, page["crawler"], graph, page["states"].q[k], SIDE)
        _finish(side, (-0.06, 0.44), (-0.16, 0.18), f"from the side, {times[k]:.1f} s")
    axis = figure.add_subplot(grid[:, 1])
    for k, colour in zip(range(4), COLOURS[1:5], strict=True):
        axis.plot(times, tau[:, k], color=colour, lw=1.6, label=graph.joint_names[k])
    limit = float(graph.effort_limits[0])
    for sign in (-1.0, 1.0):
        axis.axhline(sign * limit, color="0.4", ls=(0, (4, 3)), lw=1.0)
    axis.text(times[-1], limit - 0.15, "limit", ha="right", va="top", color="0.3")
    axis.set(xlabel="time [s]", ylabel="torque [N m]", xlim=(times[0], times[-1]))
    axis.grid(alpha=0.25)
    axis.legend(frameon=False, ncols=2, loc="upper left", bbox_to_anchor=(0.0, 0.93))
    return figure


def _draw_cubes(
    axis: Axes, assembly: Assembly, graph: md.SubsystemGraph, q: Array, plane: list[int]
) -> dict[str, Array]:
    """Draw each module as a square in the colour of its kind, and its hinge; return the centres by module."""
    square = np.zeros((4, 3))
    square[:, plane] = HALF * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    links, centre = [f"{module}/cube" for module in assembly], {}
    for (module, kind), pose in zip(assembly.kinds.items(), md.frame_poses(graph, q, links), strict=True):
        R, p = pose[:3, :3], pose[:3, 3]
        corners = (square @ R.T + p)[:, plane]
        axis.add_patch(Polygon(corners, facecolor=KINDS[kind.name], edgecolor="0.2", alpha=0.85, lw=0.8))
        centre[module] = p[plane]
        if module == assembly.base:
            continue  # it moves no joint of its own
        hinge = np.array([p - HALF * R[:, 1], p + HALF * R[:, 1]])[:, plane]
        if plane == ABOVE:
            axis.plot(*hinge.T, color="white", lw=1.0, ls=(0, (3, 2)), alpha=0.6)
        else:
            axis.plot(*hinge[0], "o", color="white", ms=4)
    return centre


def _finish(axis: Axes, x: tuple[float, float], y: tuple[float, float], title: str) -> None:
    axis.set_aspect("equal")
    axis.set(xlim=x, ylim=y)
    axis.axis("off")
    axis.set_title(title, fontweight="bold", fontsize=10)
