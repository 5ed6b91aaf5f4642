"""Pictures of docs/explanation/composition.md: CHARMIE's subsystems and interconnection matrix; a graph."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

import modular_dynamics as md
from docs.generate._drawing import INK, ROBOTS, WIDTH, View, light, poses_of, save, style
from modular_dynamics.pictures import subsystem_colours
from modular_dynamics.pictures.graph_picture import draw_graph

BENT = {"left_shoulder_abduction": 0.5, "left_elbow_flexion": 0.9, "right_shoulder_abduction": 0.5}


def make(out: Path) -> None:
    """Write the pictures."""
    graph = md.load_urdf(ROBOTS / "charmie.urdf")
    with style():
        figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
        robot, matrix = figure.subplots(1, 2, width_ratios=(2, 3))
        _draw_robot(robot, graph)
        _draw_matrix(matrix, graph)
        save(figure, out / "composition_matrix.png")
    draw_graph(md.load_urdf(ROBOTS / "four_link.urdf"), out / "composition_graph.png")


def _draw_robot(axis: Axes, graph: md.SubsystemGraph) -> None:
    """Draw the robot with its connection points, numbered as the subsystems that begin there."""
    q, view, colours = (
        graph.pack(BENT, others=graph.neutral()),
        View(axis, -65.0, 12.0),
        subsystem_colours(graph),
    )
    poses = poses_of(graph, q)
    view.robot(graph, q)
    for number, one in enumerate(graph.subsystems, start=1):
        point = poses[one.connection.link] @ [*md.algebra.translation(one.connection.x_link_connection), 1.0]
        x, y = view.flat(point[:3])
        axis.plot(x, y, "o", ms=13, color=colours[one.name], mec="white", zorder=8)
        axis.text(x, y, str(number), color="white", fontweight="bold", ha="center", va="center", zorder=9)
    axis.set_title("connection points", fontweight="bold")
    view.prepare()


def _draw_matrix(axis: Axes, graph: md.SubsystemGraph) -> None:
    """Draw which elements of A are not zero, at a moving state; rows are joints, columns subsystems."""
    q, v, a = np.random.default_rng(1).uniform(-1.0, 1.0, (3, graph.nv))
    A, colours = md.compose(graph, q, v, a).interconnection_matrix, subsystem_colours(graph)
    for column, source in enumerate(graph.subsystems):
        for row, subsystem in enumerate(graph.subsystems):
            rows, colour = subsystem.indices, colours[source.name]
            nonzero = [k for k in rows if np.any(A[k, column].vec6())]
            face = light(colour, 0.25 if row == column else 0.65)
            for k in nonzero:
                axis.add_patch(Rectangle((column, k), 1.0, 1.0, fc=face, ec="white", lw=0.8))
            text = f"$W_{{{row + 1}}}$" if row == column else f"$\\Gamma_{{{column + 1},{row + 1}}}$"
            style = {
                "fontsize": 11,
                "color": "white" if row == column else INK,
                "path_effects": [withStroke(linewidth=6, foreground=face)],  # over the lines between rows
            }
            if not nonzero:
                text, style = "0", {"color": "0.6"}
            axis.text(column + 0.5, rows.start + 0.5 * len(rows), text, ha="center", va="center", **style)
    names = [one.name for one in graph.subsystems]
    for one in graph.subsystems[1:]:
        axis.axhline(one.indices.start, color="0.75", lw=0.8)
    axis.set(xlim=(0, len(names)), ylim=(len(graph.joints), 0))
    axis.set_xticks([k + 0.5 for k in range(len(names))], [f"{k}\n{n}" for k, n in enumerate(names, 1)])
    middles = [one.indices.start + 0.5 * len(one.indices) for one in graph.subsystems]
    axis.set_yticks(
        middles, [f"{n}\n{len(one.indices)} joints" for n, one in zip(names, graph.subsystems, strict=True)]
    )
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    axis.set_title(f"A: {len(graph.joints)} joints x {len(names)} subsystems", fontweight="bold")
    axis.set_xlabel("wrenches that this subsystem causes ...")
    axis.set_ylabel("... at the joints of this one")
