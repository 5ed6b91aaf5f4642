"""The subsystem graph as in Fig. 4 of Silva & Adorno: twists on dashed edges, wrenches on solid ones."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path as Curve

import modular_dynamics as md
from modular_dynamics_ros.demo.palette import subsystem_colours

__all__ = ["draw_graph", "layout"]

HEIGHT = 0.72  # of a vertex
GAP, ROW = 2.2, 1.6  # between columns of vertices, and from row to row
STRAIGHT = 0.7  # of an edge before its successor: room for the label
DASHES = (0, (4, 2.2))
INK = "0.25"
Place = tuple[float, float]


def draw_graph(graph: md.SubsystemGraph, path: Path) -> Path:
    """Write the picture; return its path."""
    colours, places = subsystem_colours(graph), layout(graph)
    width = _width(graph)
    right, top, bottom = max(x for x, _ in places), max(y for _, y in places), min(y for _, y in places)
    figure, axis = plt.subplots(figsize=(0.85 * (right + width + 0.6), 0.85 * (top - bottom + 2.6)))
    for index, subsystem in enumerate(graph.subsystems):
        _vertex(axis, places[index], width, index + 1, subsystem, colours[subsystem.name])
    for parent in range(len(graph.subsystems)):
        _edges(axis, graph, places, parent)
    axis.set_xlim(-width / 2 - 0.3, right + width / 2 + 0.3)
    axis.set_ylim(bottom - 0.9, top + 1.3)
    axis.set_aspect("equal")
    axis.axis("off")
    axis.set_title(
        f"{graph.name}: subsystems and what they pass on to each other", fontweight="bold", fontsize=11
    )
    axis.legend(
        handles=[
            Line2D([], [], color=INK, ls=DASHES, label="twists and their derivatives Ξ"),
            Line2D([], [], color=INK, label="wrenches W, Γ"),
        ],
        loc="lower center",
        bbox_to_anchor=(0.5, -0.04),
        ncols=2,
        frameon=False,
        fontsize=9,
    )
    figure.savefig(path, dpi=150, bbox_inches="tight", pad_inches=0.15)
    plt.close(figure)
    return path


def _width(graph: md.SubsystemGraph) -> float:
    """Width of every vertex: the longest name must fit."""
    return max(
        1.7, 0.155 * max(len(f"{len(graph.subsystems)}  {subsystem.name}") for subsystem in graph.subsystems)
    )


def layout(graph: md.SubsystemGraph) -> list[Place]:
    """Place of each vertex: leaves below each other, a predecessor left of the middle of its successors."""
    places = [(0.0, 0.0)] * len(graph.subsystems)
    next_leaf = 0.0

    def place(index: int, level: int) -> float:
        nonlocal next_leaf
        beside = [place(successor, level + 1) for successor in _successors(graph, index)]
        if beside:
            y = 0.5 * (beside[0] + beside[-1])
        else:
            y, next_leaf = next_leaf, next_leaf - ROW
        places[index] = ((_width(graph) + GAP) * level, y)
        return y

    for root in _successors(graph, None):
        place(root, 0)
    return places


def _successors(graph: md.SubsystemGraph, of: int | None) -> list[int]:
    return [index for index, subsystem in enumerate(graph.subsystems) if subsystem.predecessor == of]


def _vertex(
    axis: Axes, place: Place, width: float, number: int, subsystem: md.Subsystem, colour: str
) -> None:
    x, y = place
    axis.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - HEIGHT / 2),
            width,
            HEIGHT,
            boxstyle="round,pad=0,rounding_size=0.18",
            facecolor=colour,
            edgecolor="black" if subsystem.black_box else colour,
            lw=1.5,
            zorder=3,
        )
    )
    count = len(subsystem.joints)
    kind = "black box" if subsystem.black_box else f"{count} joint{'' if count == 1 else 's'}"
    text = {"color": "white", "ha": "center", "va": "center", "zorder": 4}
    axis.text(x, y + 0.13, f"{number}  {subsystem.name}", fontsize=10.5, fontweight="bold", **text)
    axis.text(x, y - 0.17, kind, fontsize=8.5, **text)
    for side, style, label in ((-1, DASHES, f"$\\Xi_{{{number},{number}}}$"), (1, "-", f"$W_{{{number}}}$")):
        foot, height = y + HEIGHT / 2, 0.62
        near, far = x + side * 0.25, x + side * 0.65
        loop = [
            (near, foot),
            (near - side * 0.1, foot + height),
            (far + side * 0.1, foot + height),
            (far, foot),
        ]
        _arrow(axis, Curve(loop, [Curve.MOVETO, *[Curve.CURVE4] * 3]), style)
        axis.text(
            far + side * 0.12, foot + 0.36, label, ha="left" if side > 0 else "right", va="center", fontsize=9
        )


def _edges(axis: Axes, graph: md.SubsystemGraph, places: list[Place], parent: int) -> None:
    """A dashed edge to each successor and a solid one back; none cross, as their ends stand apart."""
    successors = sorted(_successors(graph, parent), key=lambda index: -places[index][1])
    (x, y), width = places[parent], _width(graph)
    ports = 2 * len(successors)
    for rank, index in enumerate(successors):
        child_x, child_y = places[index]
        for half, (style, label) in enumerate(
            (
                (DASHES, f"$\\Xi_{{{parent + 1},{index + 1}}}$"),
                ("-", f"$\\Gamma_{{{index + 1},{parent + 1}}}$"),
            )
        ):
            port = (
                y + HEIGHT * 0.8 * (0.5 - (2 * rank + half + 0.5) / ports)
                if ports > 2
                else y + 0.13 - 0.26 * half
            )
            start, end = (x + width / 2, port), (child_x - width / 2, child_y + 0.13 - 0.26 * half)
            bend = (end[0] - STRAIGHT, end[1])
            middle = 0.5 * (start[0] + bend[0])
            points = [start, (middle, start[1]), (middle, bend[1]), bend, end]
            codes = [Curve.MOVETO, *[Curve.CURVE4] * 3, Curve.LINETO]
            if half == 1:
                points, codes = points[::-1], [Curve.MOVETO, Curve.LINETO, *[Curve.CURVE4] * 3]
            _arrow(axis, Curve(points, codes), style)
            axis.text(
                end[0] - 0.32,
                end[1] + (0.19 if half == 0 else -0.2),
                label,
                ha="center",
                va="center",
                fontsize=9,
            )


def _arrow(axis: Axes, curve: Curve, style: object) -> None:
    axis.add_patch(
        FancyArrowPatch(
            path=curve, arrowstyle="-|>", mutation_scale=10, linestyle=style, color=INK, lw=1.15, zorder=2
        )
    )
