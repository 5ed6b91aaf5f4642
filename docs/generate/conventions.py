"""Pictures of docs/explanation/conventions.md: frames of a robot; which body exerts a wrench on which."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import modular_dynamics as md
from docs.generate._drawing import (
    FORCE,
    INK,
    MOMENT,
    QUIET,
    ROBOTS,
    WIDTH,
    Array,
    View,
    poses_of,
    save,
    style,
)

POSE = np.array([0.25, 0.35, 0.3, 0.3])  # [rad] turn, bend, left, right
APART = np.array([0.0, 0.22, 0.0])  # [m] by which a part is drawn away from where it is
DASHES = (0, (3, 1.5))
PER_FORCE, PER_MOMENT = 0.04, 0.35  # lengths of arrows [m/N], [m/(N m)]


def make(out: Path) -> None:
    """Write the pictures."""
    graph = md.load_urdf(ROBOTS / "four_link.urdf")
    with style():
        draw_frames(graph, out / "conventions_frames.png")
        draw_wrenches(graph, out / "conventions_wrenches.png")


def draw_frames(graph: md.SubsystemGraph, path: Path) -> None:
    """Draw frames of links, the pose of one in the other, and the same point in both."""
    figure = Figure(figsize=(WIDTH, 4.3), layout="constrained")
    view, poses = View(figure.subplots(), -50.0, 18.0), poses_of(graph, POSE)
    view.robot(graph, POSE)
    a, b = poses["base"], poses["left_branch"]
    point = b @ [0.0, 0.2, 0.0, 1.0]
    view.frame(a, 0.13, "frame a: root link base", (-14, -10))
    view.frame(poses["upper_stem"], 0.1, "frame of link upper_stem,\nat the joint bend", (-18, 0))
    view.frame(b, 0.1, "frame b: link left_branch,\nat the joint left", (-26, 16))
    view.arrow(a[:3, 3], b[:3, 3] - a[:3, 3], INK, lw=1.3, linestyle=(0, (4, 2.5)), zorder=4)
    view.label(0.6 * a[:3, 3] + 0.4 * b[:3, 3], r"$x_{a\_b}$: pose of b in a", (10, -4))
    view.axis.plot(*view.flat(point[:3]), "o", color=INK, ms=6, zorder=8)
    view.label(point[:3], r"the same point: $p_a = R_{a\_b}\, p_b + t_{a\_b}$", (12, 0))
    com = poses["lower_stem"] @ [*graph.bodies[0].com, 1.0]
    view.axis.plot(*view.flat(com[:3]), "P", color=INK, mec="white", ms=9, zorder=8)
    view.label(com[:3], "centre of mass of lower_stem", (14, -2))
    handles = [
        Line2D([], [], color=colour, lw=2, label=name)
        for name, colour in zip("xyz", ("#D55E00", "#009E73", "#0072B2"), strict=True)
    ]
    view.axis.legend(handles=handles, loc="center right", frameon=False, title="axes")
    view.prepare()
    view.axis.margins(x=0.62)
    save(figure, path)


def draw_wrenches(graph: md.SubsystemGraph, path: Path) -> None:
    """Draw the wrench on a subsystem, on a black box, and on a link from outside; at rest, by the library."""
    figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
    panels = figure.subplots(1, 3)
    rest, poses = np.zeros(4), poses_of(graph, POSE)
    found = md.InverseDynamics(graph).solve(POSE, rest, rest)
    point = poses["left_branch"][:3, 3]
    wrench = _in_root(poses["upper_stem"], found.connection_wrenches[1])
    apart, middle = {"left_branch": APART}, point + 0.5 * APART

    view = _panel(panels[0], graph, "connection wrench", middle, apart)
    _dotted(view, point, point + APART)
    _wrench(view, point + APART, wrench, FORCE, MOMENT)
    _wrench(view, point, -wrench, QUIET, QUIET)
    view.label(point + APART, f"stem on\nleft_branch:\n{wrench[2]:.2f} N up", (-10, 44))
    view.label(point, "left_branch\non stem:\nthe opposite", (16, -42))

    view = _panel(panels[1], graph, "wrench of a black box", middle, apart, {"left_branch": INK})
    _dotted(view, point, point + APART)
    _wrench(view, point + APART, wrench, FORCE, MOMENT)
    view.label(point + APART, "what holds\nthe black box", (-10, 44))
    end = poses["left_branch"] @ [0.0, 0.12, 0.0, 1.0]
    view.label(end[:3] + APART, "its masses\nare not used", (-6, -44), ha="center")

    view = _panel(panels[2], graph, "external wrench", middle, {})
    end = (poses["left_branch"] @ [0.0, 0.2, 0.0, 1.0])[:3]
    above = end + np.array([0.0, 0.0, 0.2])
    view.arrow(above, [0.0, 0.0, -0.18], FORCE)
    view.label(above, "the world on\nleft_branch", (0, 16), ha="center")
    handles = [
        Line2D([], [], color=FORCE, lw=2, label="force"),
        Line2D([], [], color=MOMENT, lw=2, ls=DASHES, label="moment"),
        Line2D([], [], color=QUIET, lw=2, label="reaction, not published"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    save(figure, path)


def _panel(
    axis: Axes,
    graph: md.SubsystemGraph,
    title: str,
    middle: Array,
    apart: Mapping[str, Array],
    colours: Mapping[str, str] | None = None,
) -> View:
    view = View(axis, -40.0, 16.0)
    view.robot(graph, POSE, colours, apart)
    view.axis.set_title(title, fontweight="bold")
    view.prepare()
    x, y = view.flat(middle)
    view.axis.set(xlim=(x - 0.33, x + 0.33), ylim=(y - 0.36, y + 0.4))
    return view


def _in_root(H: Array, wrench: Array) -> Array:
    """Return a wrench (6,) along the root link's axes."""
    return np.concatenate([H[:3, :3] @ wrench[:3], H[:3, :3] @ wrench[3:]])


def _wrench(view: View, at: Array, wrench: Array, force: str, moment: str) -> None:
    view.arrow(at, PER_FORCE * wrench[:3], force)
    view.arrow(at, PER_MOMENT * wrench[3:], moment, linestyle=DASHES)


def _dotted(view: View, start: Array, end: Array) -> None:
    view.axis.plot(*view.flat([start, end]).T, ":", color=INK, lw=1, zorder=4)
