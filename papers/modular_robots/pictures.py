"""Fig. 4: the organism from above with its hinge axes, and its directed graph from the base."""

from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch
from numpy.typing import NDArray

from modular_dynamics import modular
from papers.modular_robots.organism import Cell, cells_of

BASE, MODULE, INK, HINGE = "#dd6b20", "#2b6cb0", "0.25", "#718096"
COLOURS = {"DS": "#2f855a", "DP": "#c53030", "DO": "#6b46c1"}
MEANING = {
    "DS": "serial: both faces on their hinge axes",
    "DP": "parallel: neither",
    "DO": "orthogonal: one of them",
}
HALF = 0.45  # of a cube, in edges: neighbours stay apart
Positions = dict[str, tuple[float, float]]


def digraph_of(assembly: modular.Assembly) -> nx.DiGraph:
    """Return a graph of modules; an edge to each docked module has its name, faces and type."""
    graph = nx.DiGraph()
    graph.add_nodes_from(assembly)
    types = assembly.incidence_matrix().docking_types
    for k, (docking, kind) in enumerate(zip(assembly.dockings, types, strict=True)):
        faces = docking.parent_port, docking.port
        graph.add_edge(docking.parent, docking.module, name=f"e{k + 1}", faces=faces, type=kind)
    return graph


def layout_of(graph: nx.DiGraph) -> Positions:
    """Return positions: a row for each distance from the base, leaves in the order of docking."""
    (base,) = (module for module, count in graph.in_degree() if count == 0)
    order = list(nx.dfs_preorder_nodes(graph, base))
    leaves = [module for module in order if graph.out_degree(module) == 0]
    columns = {leaf: float(k) for k, leaf in enumerate(leaves)}
    for module in reversed(order):
        if module not in columns:
            below = [columns[successor] for successor in graph.successors(module)]
            columns[module] = 0.5 * (min(below) + max(below))
    depths = nx.shortest_path_length(graph, base)
    return {module: (columns[module], -float(depths[module])) for module in order}


def draw_organism(assembly: modular.Assembly, path: Path) -> Path:
    """Write the picture; return its path."""
    figure = Figure(figsize=(11.5, 6.6), layout="constrained")
    above, graph = figure.subplots(1, 2, width_ratios=(1.0, 1.1))
    _draw_cells(above, assembly)
    _draw_graph(graph, digraph_of(assembly), assembly.base)
    lines = [Line2D([], [], color=COLOURS[k], lw=4, label=f"{k}, {MEANING[k]}") for k in COLOURS]
    hinge = Line2D([], [], color=HINGE, lw=1.3, ls="-.", label="hinge axis")
    base = Patch(facecolor=BASE, alpha=0.3, edgecolor=BASE, label="base module")
    figure.legend(handles=[*lines, hinge, base], loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, dpi=130)
    return path


def _draw_cells(axis: Axes, assembly: modular.Assembly) -> None:
    cells, size = cells_of(assembly), next(iter(assembly.kinds.values())).cell_size
    centres = {cell.module: cell.centre / size for cell in cells}
    for cell in cells:
        _draw_cell(axis, cell, centres[cell.module], cell.module == assembly.base)
    for docking, kind in zip(assembly.dockings, assembly.incidence_matrix().docking_types, strict=True):
        a, b = centres[docking.parent], centres[docking.module]
        along, middle = 0.5 * (b - a), 0.5 * (a + b)
        across = np.array([-along[1], along[0]])
        ends = np.array([middle - 0.5 * across, middle + 0.5 * across])
        axis.plot(*ends.T, color=COLOURS[kind], lw=5)
    axis.set_aspect("equal")
    axis.margins(0.03)
    axis.axis("off")
    axis.set_title(f"(a)  from above; edge {100 * size:g} cm; small: faces of the die", loc="left")


def _draw_cell(axis: Axes, cell: Cell, centre: NDArray[np.float64], is_base: bool) -> None:
    colour = BASE if is_base else MODULE
    corner = centre - HALF + 0.05
    width = 2.0 * HALF - 0.1
    shape = "round,pad=0.05,rounding_size=0.08"
    box = FancyBboxPatch(corner, width, width, boxstyle=shape, fc=(colour, 0.18), ec=colour, lw=1.5)
    axis.add_patch(box)
    ends = np.array([centre - 0.27 * cell.hinge, centre + 0.27 * cell.hinge])
    axis.plot(*ends.T, color=HINGE, lw=1.3, ls="-.", zorder=3)
    beside = 0.15 * np.abs(cell.hinge[::-1])  # of the hinge axis
    style = {"ha": "center", "va": "center", "fontsize": 12, "fontweight": "bold", "color": INK}
    axis.text(*(centre + beside), cell.module, style)
    for face, outward in cell.faces.items():
        axis.text(*(centre + 0.36 * outward), face, ha="center", va="center", fontsize=9, color=INK)


def _draw_graph(axis: Axes, graph: nx.DiGraph, base: str) -> None:
    positions = layout_of(graph)
    colours = [BASE if module == base else MODULE for module in graph]
    nx.draw_networkx_nodes(graph, positions, ax=axis, node_color=colours, node_size=1000)
    nx.draw_networkx_labels(graph, positions, ax=axis, font_color="white", font_weight="bold", font_size=11)
    for kind, colour in COLOURS.items():
        edges = [edge for edge in graph.edges if graph.edges[edge]["type"] == kind]
        nx.draw_networkx_edges(
            graph, positions, edges, ax=axis, edge_color=colour, width=2.0, arrowsize=16, node_size=1000
        )
    labels = {(a, b): f"{data['name']}: {'→'.join(data['faces'])}" for a, b, data in graph.edges(data=True)}
    nx.draw_networkx_edge_labels(graph, positions, labels, ax=axis, rotate=False, font_size=10)
    axis.margins(0.14, 0.1)
    axis.axis("off")
    axis.set_title("(b)  directed graph from the base; edge: face → face", loc="left")
