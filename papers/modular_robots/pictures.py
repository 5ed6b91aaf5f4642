"""Figs. 4 to 6: an assembly with its hinge axes, its directed graph, its incidence matrix, its traversal."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from lxml import etree
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch, Rectangle
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics import modular
from modular_dynamics.algebra import from_xyz_rpy, to_rotation_translation
from papers.modular_robots.organism import Cell, cells_of

BASE, MODULE, INK, HINGE = "#dd6b20", "#2b6cb0", "0.25", "#718096"
COLOURS = {"DS": "#2f855a", "DP": "#c53030", "DO": "#6b46c1", "-": "0.5"}
MEANING = {
    "DS": "serial: both faces on their hinge axes",
    "DP": "parallel: neither",
    "DO": "orthogonal: one of them",
    "-": "other axes, or no hinge",
}
MARKED, HEAD, ZERO = "#feebc8", "#edf2f7", "0.7"
PLAIN = {"fc": "white", "ec": "none", "pad": 1.0}
LETTER, TITLE = 0.19, 6.2  # of the matrix: a letter in columns, the title [inch]
HALF = 0.45  # of a cube, in edges: neighbours stay apart
Positions = dict[str, tuple[float, float]]


def digraph_of(assembly: modular.Assembly) -> nx.DiGraph:
    """Return a graph of modules; an edge to each docked module has its name, faces and type."""
    graph, columns = nx.DiGraph(), _columns(assembly)
    graph.add_nodes_from(assembly)
    for docking in assembly.dockings:
        name, kind = columns[docking]
        faces = docking.parent_port, docking.port
        graph.add_edge(docking.parent, docking.module, name=name, faces=faces, type=kind)
    return graph


def _columns(assembly: modular.Assembly) -> dict[modular.Docking, tuple[str, str]]:
    """Return name and type of the incidence matrix's column of each docking, rings included."""
    table, found = assembly.incidence_matrix(), {}
    for docking in (*assembly.dockings, *assembly.rings):
        ends = ((docking.parent, docking.parent_port), (docking.module, docking.port))
        rows = [(table.modules.index(name), assembly.kinds[name].ports[port].number) for name, port in ends]
        columns = [{k for k, face in enumerate(table.matrix[row]) if face == number} for row, number in rows]
        (column,) = columns[0] & columns[1]
        found[docking] = table.docks[column], (table.docking_types or ())[column]
    return found


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
    graph = digraph_of(assembly)
    rows = 1.0 + max(-y for _, y in layout_of(graph).values())
    figure = Figure(figsize=(11.5, max(6.6, 0.95 * rows)), layout="constrained")
    grid = figure.add_gridspec(1, 2, width_ratios=(1.0, 1.1))
    flat = {kind.name for kind in assembly.kinds.values()} <= {"backbone", "scout"} and not any(
        docking.turn for docking in assembly.dockings
    )
    if flat:
        _draw_cells(figure.add_subplot(grid[0]), assembly)
    else:
        _draw_bodies(figure.add_subplot(grid[0], projection="3d"), assembly)
    _draw_graph(figure.add_subplot(grid[1]), graph, assembly)
    types = {kind for _, kind in _columns(assembly).values()}
    lines = [
        Line2D([], [], color=COLOURS[k], lw=4, label=f"{k}, {MEANING[k]}") for k in COLOURS if k in types
    ]
    hinge = Line2D([], [], color=HINGE, lw=1.3, ls="-.", label="hinge axis")
    base = Patch(facecolor=BASE, alpha=0.3, edgecolor=BASE, label="base module")
    figure.legend(handles=[*lines, hinge, base], loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, dpi=130)
    return path


def _draw_cells(axis: Axes, assembly: modular.Assembly) -> None:
    cells, size = cells_of(assembly), next(iter(assembly.kinds.values())).cell_size
    centres = {cell.module: cell.centre / size for cell in cells}
    small = min(1.0, 6.0 / (1.0 + np.ptp([*centres.values()], axis=0).max()))
    for cell in cells:
        _draw_cell(axis, cell, centres[cell.module], cell.module == assembly.base, small)
    for docking, (_, kind) in _columns(assembly).items():
        a, b = centres[docking.parent], centres[docking.module]
        along, middle = 0.5 * (b - a), 0.5 * (a + b)
        across = np.array([-along[1], along[0]])
        ends = np.array([middle - 0.5 * across, middle + 0.5 * across])
        if np.linalg.norm(b - a) < 1.1:  # a ring may be open at zero joint positions
            axis.plot(*ends.T, color=COLOURS[kind], lw=5)
    axis.set_aspect("equal")
    axis.margins(0.03)
    axis.axis("off")
    axis.set_title(f"(a)  from above; edge {100 * size:g} cm; small: faces of the die", loc="left")


def _draw_cell(axis: Axes, cell: Cell, centre: NDArray[np.float64], is_base: bool, small: float) -> None:
    colour = BASE if is_base else MODULE
    corner = centre - HALF + 0.05
    width = 2.0 * HALF - 0.1
    shape = "round,pad=0.05,rounding_size=0.08"
    box = FancyBboxPatch(corner, width, width, boxstyle=shape, fc=(colour, 0.18), ec=colour, lw=1.5)
    axis.add_patch(box)
    ends = np.array([centre - 0.27 * cell.hinge, centre + 0.27 * cell.hinge])
    axis.plot(*ends.T, color=HINGE, lw=1.3, ls="-.", zorder=3)
    beside = 0.15 * np.abs(cell.hinge[::-1])  # of the hinge axis
    style = {"ha": "center", "va": "center", "fontsize": 12 * small, "fontweight": "bold", "color": INK}
    axis.text(*(centre + beside), cell.module, style)
    for face, outward in cell.faces.items():
        axis.text(*(centre + 0.36 * outward), face, ha="center", va="center", fontsize=9 * small, color=INK)


def _draw_bodies(axis: Any, assembly: modular.Assembly) -> None:
    """Draw shapes of modules, or lines to their masses, in space at zero joint positions, with joint axes."""
    graph = assembly.graph().tree
    poses = dict(zip(graph.links, md.frame_poses(graph, graph.neutral()), strict=True))
    robot, corners = etree.fromstring(assembly.to_urdf().encode()), []
    for link in robot.iter("link"):
        name = link.get("name", "")
        H, module = poses[name], name.split("/")[0]
        colour = BASE if module == assembly.base else MODULE
        boxes = [one for one in link.iter("visual") if one.find("geometry/box") is not None]
        for visual in boxes:
            place = visual.find("origin")
            xyz, rpy = ([float(x) for x in place.get(key, "0 0 0").split()] for key in ("xyz", "rpy"))
            R, p = to_rotation_translation(from_xyz_rpy(xyz, rpy))
            size = np.array([float(x) for x in visual.find("geometry/box").get("size").split()])
            box = np.array([*product((-0.5, 0.5), repeat=3)]) * 0.9 * size @ R.T + p
            box = box @ H[:3, :3].T + H[:3, 3]
            faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]
            axis.add_collection3d(Poly3DCollection(box[faces], fc=(colour, 0.15), ec=colour, lw=0.8))
            corners += [*box]
        inertial = link.find("inertial/origin")
        com = [float(x) for x in ("0 0 0" if inertial is None else inertial.get("xyz", "0 0 0")).split()]
        centre = H[:3, :3] @ com + H[:3, 3]
        corners += [centre, H[:3, 3]]
        if not boxes:
            axis.plot(*np.array([H[:3, 3], centre]).T, "o-", color=colour, ms=7, lw=3)
        axis.text(*centre, module, fontsize=11, fontweight="bold", color=INK, ha="center", zorder=9)
    span = np.ptp(corners, axis=0).max()
    for joint in graph.joints:
        if joint.type.nv == 1:
            H = poses[joint.child_link]
            ends = H[:3, 3] + np.outer([-0.06 * span, 0.06 * span], H[:3, :3] @ joint.axis)
            axis.plot(*ends.T, color=HINGE, lw=1.6, ls="-.")
    middle = 0.5 * (np.max(corners, axis=0) + np.min(corners, axis=0))
    limits = {f"{x}lim": (m - 0.5 * span, m + 0.5 * span) for x, m in zip("xyz", middle, strict=True)}
    axis.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", **limits)
    for name in "xyz":
        axis.locator_params(axis=name, nbins=5, prune="both")
    axis.set_box_aspect((1, 1, 1), zoom=0.85)
    axis.set_title("(a)  at zero joint positions", loc="left")


def _draw_graph(axis: Axes, graph: nx.DiGraph, assembly: modular.Assembly) -> None:
    positions, columns = layout_of(graph), _columns(assembly)
    colours = [BASE if module == assembly.base else MODULE for module in graph]
    size = min(11.0, 34.0 / max(map(len, graph)))
    nx.draw_networkx_nodes(graph, positions, ax=axis, node_color=colours, node_size=1000)
    nx.draw_networkx_labels(graph, positions, ax=axis, font_color="white", font_weight="bold", font_size=size)
    for kind, colour in COLOURS.items():
        edges = [edge for edge in graph.edges if graph.edges[edge]["type"] == kind]
        nx.draw_networkx_edges(
            graph, positions, edges, ax=axis, edge_color=colour, width=2.0, arrowsize=16, node_size=1000
        )
    for ring in assembly.rings:  # beside the tree's edges
        (name, kind), ends = columns[ring], (positions[ring.parent], positions[ring.module])
        middle = _draw_bow(axis, *np.array(ends), 0.6, COLOURS[kind])
        label = f"{name}: {ring.parent_port}-{ring.port}, ring"
        axis.text(*middle, label, ha="center", va="center", fontsize=10, bbox=PLAIN)
    labels = {(a, b): f"{data['name']}: {'→'.join(data['faces'])}" for a, b, data in graph.edges(data=True)}
    nx.draw_networkx_edge_labels(graph, positions, labels, ax=axis, rotate=False, font_size=10)
    low, high = min(x for x, _ in positions.values()), max(x for x, _ in positions.values())
    axis.set_xlim(low - 0.5 - 0.1 * (high - low), high + 0.5 + 0.1 * (high - low) + bool(assembly.rings))
    axis.margins(y=0.1)
    axis.axis("off")
    axis.set_title("(b)  directed graph from the base; edge: face → face", loc="left")


def draw_table(table: modular.IncidenceMatrix, misprints: Mapping[tuple[str, str], int], path: Path) -> Path:
    """Write the picture; return its path. ``misprints``: by row and column, what the paper has."""
    rows, columns = table.matrix.shape
    initials = {kind: kind[0].upper() for kind in table.kinds}
    kinds = initials if len({*initials.values()}) == len(initials) else {kind: kind for kind in initials}
    names = table.modules, kinds.values()
    left, right = (max(1.0, *(LETTER * len(text) for text in texts)) for texts in names)
    width = max(TITLE, 0.62 * (columns + left + right) + 0.6)
    figure = Figure(figsize=(width, 0.46 * (rows + 2) + 1.3), layout="constrained")
    axis = figure.subplots()
    axis.set_xlim(-left - 0.3, columns + right + 0.3)
    axis.set_ylim(rows + 1.1 + any(table.turns), -1.1)
    axis.axis("off")
    types = table.docking_types or ("-",) * columns
    for k, (dock, kind) in enumerate(zip(table.docks, types, strict=True)):
        _cell(axis, k, -1, dock, HEAD)
        _cell(axis, k, rows, kind, HEAD, COLOURS.get(kind, INK))
        if any(table.turns):
            _cell(axis, k, rows + 1, str(table.turns[k]), "white")
        for row, module in enumerate(table.modules):
            face = table.matrix[row, k]
            background = MARKED if (module, dock) in misprints else "white"
            _cell(axis, k, row, str(face), background, INK if face else ZERO)
    for row, (module, kind) in enumerate(zip(table.modules, table.kinds, strict=True)):
        _cell(axis, -left, row, module, HEAD, width=left)
        _cell(axis, columns, row, kinds[kind], HEAD, width=right)
    _cell(axis, -left, rows, "type", HEAD, width=left)
    if any(table.turns):
        _cell(axis, -left, rows + 1, "turn", HEAD, width=left)
    _cell(axis, columns, -1, "kind", HEAD, width=right)
    axis.set_title("Adapted assembly incidence matrix: faces of modules, by docks", fontsize=11)
    printed = ", ".join(f"{face} at {row} {dock}" for (row, dock), face in misprints.items())
    if misprints:
        note = (
            f"Marked: the paper's figure has {printed};\nits docking types and Table III have what is here."
        )
        figure.supxlabel(note, fontsize=9, color=INK)
    figure.savefig(path, dpi=130)
    return path


def _cell(
    axis: Axes, x: float, row: float, text: str, background: str, colour: str = INK, width: float = 1.0
) -> None:
    axis.add_patch(Rectangle((x, row), width, 1.0, fc=background, ec="0.8", lw=0.8))
    style = {"ha": "center", "va": "center", "fontweight": "bold" if background == HEAD else "normal"}
    axis.text(x + 0.5 * width, row + 0.5, text, style, color=colour, fontsize=11)


FLOW = {  # of Fig. 6: where each box is, what it says
    "start": (0.0, 0.0, "begin at the base v0"),
    "next": (0.0, -1.0, "take the next docking of module x,\nin the order of columns: module j"),
    "direct": (0.0, -2.0, "DTL: T_xj = T_xj(0) exp(s_j q_j),\nthe faces from and to; i = x"),
    "carried": (0.0, -3.0, "is i carried by\nanother module?"),
    "indirect": (2.7, -3.0, "i = that module;\nIDTL: T_ij = T_ix T_xj"),
    "deeper": (0.0, -4.0, "is a module docked at j,\nnot yet reached?"),
    "follow": (-2.0, -4.0, "x = j"),
    "back": (0.0, -5.0, "is a docking left nearer\nto the base?"),
    "return": (-3.0, -5.0, "x = the nearest\nsuch module"),
    "end": (0.0, -6.0, "both lists are complete"),
}
STEPS = (
    ("start", "next", ""),
    ("next", "direct", ""),
    ("direct", "carried", ""),
    ("carried", "indirect", "yes"),
    ("carried", "deeper", "no"),
    ("deeper", "follow", "yes"),
    ("deeper", "back", "no"),
    ("back", "return", "yes"),
    ("back", "end", "no"),
)
WIDTHS = {  # half of the boxes', in the units of FLOW
    "next": 1.4, "carried": 0.75, "indirect": 0.9, "deeper": 1.0, "follow": 0.3, "back": 1.0, "return": 0.7,
}  # fmt: skip
QUESTIONS = "carried", "deeper", "back"


def draw_traversal(assembly: modular.Assembly, path: Path) -> Path:
    """Fig. 6: the rule of the traversal, and in which order it gives the rows of DTL and IDTL."""
    figure = Figure(figsize=(13.0, 7.0), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.05))
    for name, (x, y, text) in FLOW.items():
        box = {
            "boxstyle": "round,pad=0.45",
            "fc": MARKED if name in QUESTIONS else HEAD,
            "ec": INK,
            "lw": 0.9,
        }
        left.text(x, y, text, ha="center", va="center", fontsize=9.5, bbox=box)
    arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.1, "shrinkA": 24, "shrinkB": 24}
    for begin, end, label in STEPS:
        (x, y, _), (to_x, to_y, _) = FLOW[begin], FLOW[end]
        if y != to_y:
            left.annotate("", (to_x, to_y), (x, y), arrowprops=arrow)
            left.text(x + 0.08, 0.5 * (y + to_y), label, fontsize=9, color=INK)
            continue
        up, sign = (0.12 if end == "indirect" else 0.0), np.sign(to_x - x)
        x, to_x = x + sign * WIDTHS[begin], to_x - sign * WIDTHS[end]
        left.annotate("", (to_x, y + up), (x, y + up), arrowprops=arrow | {"shrinkA": 3, "shrinkB": 3})
        left.text(0.5 * (x + to_x), y + up + 0.06, label, fontsize=9, ha="center", color=INK)
        if end == "indirect":
            left.annotate("", (x, y - up), (to_x, y - up), arrowprops=arrow | {"shrinkA": 3, "shrinkB": 3})
    curved = arrow | {"connectionstyle": "angle,angleA=90,angleB=0,rad=5", "shrinkA": 14, "shrinkB": 4}
    into = FLOW["next"][0] - WIDTHS["next"], FLOW["next"][1]
    for name in ("follow", "return"):
        left.annotate("", into, FLOW[name][:2], arrowprops=curved)
    left.set(xlim=(-3.9, 3.9), ylim=(-6.4, 0.4))
    left.axis("off")
    left.set_title("(a)  the rule: paths are followed to their ends", loc="left")
    _draw_order(right, assembly)
    figure.savefig(path, dpi=130)
    return path


def _draw_order(axis: Axes, assembly: modular.Assembly) -> None:
    graph = digraph_of(assembly)
    positions = layout_of(graph)
    colours = [BASE if module == assembly.base else MODULE for module in graph]
    nx.draw_networkx_nodes(graph, positions, ax=axis, node_color=colours, node_size=900)
    nx.draw_networkx_labels(graph, positions, ax=axis, font_color="white", font_weight="bold", font_size=11)
    direct = [row.ij for row in assembly.direct_transformations().by_name]
    nx.draw_networkx_edges(graph, positions, direct, ax=axis, width=2.0, arrowsize=16, node_size=900)
    labels = {ij: str(k + 1) for k, ij in enumerate(direct)}
    nx.draw_networkx_edge_labels(graph, positions, labels, ax=axis, rotate=False, font_size=11)
    for k, (ij, _, _) in enumerate(assembly.indirect_transformations().by_name):
        a, b = (np.array(positions[name]) for name in ij)
        side = -0.08 * (1.0 + a[1] - b[1]) if a[0] == b[0] else -0.03 * (2.0 + a[1] - b[1])
        middle = _draw_bow(axis, a, b, side, COLOURS["DO"])
        axis.text(
            *middle, chr(ord("a") + k), color=COLOURS["DO"], ha="center", va="center", fontsize=11, bbox=PLAIN
        )
    axis.margins(0.16, 0.1)
    axis.axis("off")
    axis.set_title("(b)  1, 2, ...: rows of the DTL; a, b, ...: of the IDTL", loc="left")


def _draw_bow(
    axis: Axes, a: NDArray[np.float64], b: NDArray[np.float64], side: float, colour: str
) -> NDArray[np.float64]:
    """Draw a dashed bow from a to b, off the line between them by ``side`` along x; return its middle."""
    angles = np.linspace(0.0, np.pi, 101)[:, None]  # of half an ellipse
    points = a + (b - a) * 0.5 * (1.0 - np.cos(angles)) + [side, 0.0] * np.sin(angles)
    middle: NDArray[np.float64] = points[50]
    points = points[[min(np.linalg.norm(p - a), np.linalg.norm(p - b)) > 0.17 for p in points]]
    axis.plot(*points.T, color=colour, lw=1.3, ls="--")
    head = {"arrowstyle": "-|>", "color": colour, "lw": 1.3, "shrinkA": 0, "shrinkB": 0}
    axis.annotate("", points[-1], points[-4], arrowprops=head)
    return middle
