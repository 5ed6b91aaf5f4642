"""The subsystem graph as in Fig. 4 of Silva & Adorno: twists on dashed edges, wrenches on solid ones."""

from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch

from ..model import SubsystemGraph
from ..text.files import replace_file
from . import subsystem_colours

COLUMN, ROW = 3.6, 1.7  # [inch] from one column of vertices to the next, and from row to row
LABEL = 0.38  # [inch] from the middle of a vertex to the label above it
BEND = 0.08  # of the distance: twist and wrench between the same two vertices run beside each other
STYLES = {"twist": (0, (4, 2.2)), "wrench": "solid"}
INK = "0.25"
Positions = dict[int, tuple[float, float]]


def draw_graph(graph: SubsystemGraph, path: Path) -> Path:
    """Write the picture; return its path."""
    positions = layout(graph)
    columns, rows = np.array(list(positions.values())).T
    figure = Figure(figsize=(columns.max() + COLUMN, np.ptp(rows) + 1.7 * ROW))
    axis = figure.subplots()
    axis.set_xlim(-0.5 * COLUMN, columns.max() + 0.5 * COLUMN)
    axis.set_ylim(rows.min() - 0.6 * ROW, rows.max() + 0.6 * ROW)
    axis.axis("off")
    colours, boxes = subsystem_colours(graph), []
    for index, subsystem in enumerate(graph.subsystems):
        (x, y), count, colour = positions[index], len(subsystem.joints), colours[subsystem.name]
        content = "black box" if subsystem.black_box else f"{count} joint{'' if count == 1 else 's'}"
        edge = "black" if subsystem.black_box else colour
        frame = {"boxstyle": "round,pad=0.5", "fc": colour, "ec": edge}
        text, style = f"{index + 1}  {subsystem.name}\n{content}", {"color": "white", "fontweight": "bold"}
        vertex = axis.text(x, y, text, style, ha="center", va="center", bbox=frame)
        vertex.set_parse_math(False)  # a name may have two $, which would enclose a formula
        boxes.append(vertex.get_bbox_patch())
        own = rf"$\Xi_{{{index + 1},{index + 1}}}$   $W_{{{index + 1}}}$"  # in the paper: loops at the vertex
        axis.text(x, y + LABEL, own, ha="center", va="bottom", fontsize=9)
    _draw_edges(axis, graph, positions, boxes)
    title = f"{graph.name}: subsystems, and what they transmit to each other"
    axis.set_title(title, fontweight="bold").set_parse_math(False)
    legend = {"twist": "twists and their derivatives Ξ", "wrench": "wrenches W, Γ"}
    handles = [Line2D([], [], color=INK, ls=STYLES[kind], label=legend[kind]) for kind in STYLES]
    axis.legend(handles=handles, loc="lower center", ncols=2, frameon=False)
    kind = path.suffix[1:].lower()
    replace_file(path, lambda file: figure.savefig(file, format=kind, dpi=150, bbox_inches="tight"))
    return path


def layout(graph: SubsystemGraph) -> Positions:
    """Return each vertex's position [inch]: columns by distance from the ground, successors side by side."""
    tree = nx.DiGraph()
    tree.add_nodes_from(range(len(graph.subsystems)))
    tree.add_edges_from(
        (subsystem.predecessor, index)
        for index, subsystem in enumerate(graph.subsystems)
        if subsystem.predecessor is not None
    )
    roots = [index for index, count in tree.in_degree() if count == 0]
    leaves = [k for root in roots for k in nx.dfs_preorder_nodes(tree, root) if tree.out_degree(k) == 0]
    positions: Positions = {leaf: (0.0, -ROW * rank) for rank, leaf in enumerate(leaves)}
    for index in reversed(list(nx.topological_sort(tree))):
        heights = [positions[successor][1] for successor in tree.successors(index)]
        y = 0.5 * (max(heights) + min(heights)) if heights else positions[index][1]
        positions[index] = (COLUMN * len(nx.ancestors(tree, index)), y)
    return positions


def _draw_edges(
    axis: Axes, graph: SubsystemGraph, positions: Positions, boxes: list[FancyBboxPatch | None]
) -> None:
    """Draw twists to each successor and wrenches back: arrows from box to box, with labels."""
    edges: dict[str, dict[tuple[int, int], str]] = {"twist": {}, "wrench": {}}
    for index, subsystem in enumerate(graph.subsystems):
        if (before := subsystem.predecessor) is not None:
            edges["twist"][before, index] = rf"$\Xi_{{{before + 1},{index + 1}}}$"
            edges["wrench"][index, before] = rf"$\Gamma_{{{index + 1},{before + 1}}}$"
    bend = f"arc3,rad={BEND}"
    for kind, labels in edges.items():
        tree = nx.DiGraph(list(labels))
        style = {"style": STYLES[kind], "arrowstyle": "-|>", "arrowsize": 13, "connectionstyle": bend}
        arrows = nx.draw_networkx_edges(tree, positions, ax=axis, edge_color=INK, node_size=0, **style)
        for arrow, (start, end) in zip(arrows, tree.edges, strict=True):
            # from edge to edge of the boxes, which get their size when they are drawn: before it
            arrow.set(patchA=boxes[start], patchB=boxes[end], zorder=4)
        texts = nx.draw_networkx_edge_labels(
            tree, positions, labels, ax=axis, connectionstyle=bend, rotate=False, font_size=9
        )
        for text in texts.values():
            text.set_zorder(5)
