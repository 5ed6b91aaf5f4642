"""Figs. 7 and 8: double pendulum and crane over time beside Lagrange's equations, and as modules."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

import modular_dynamics as md
from papers.modular_robots.benchmarks import TARGET, Benchmark, Comparison

INK, GROUND, ROD, CART = "0.25", "0.55", "#2b6cb0", "#dd6b20"
WIDTH, HEIGHT = 0.46, 0.2  # of the drawn cart [m]
SHOWN = {"double pendulum": (1.0, -0.5), "crane": (0.0, 0.6)}  # coordinates that leave room for labels
COLOURS = "#2b6cb0", "#dd6b20"
METHODS = "#2f855a", "#805ad5"
DASHED = (0, (4, 2.5))
ROUNDING = 1e-17  # differences of exactly zero are drawn here, at the foot of a logarithmic axis
VIEW = (-1.25, 1.35), (-1.35, 0.45)  # x, z [m]: one scale for both


class Rod(NamedTuple):
    """A link from its joint to its mass, from the side: x, z [m]."""

    module: str
    joint: str
    mass: float
    top: NDArray[np.float64]
    bottom: NDArray[np.float64]

    @property
    def length(self) -> float:
        """Of the rod [m]."""
        return float(np.linalg.norm(self.bottom - self.top))


def rods_of(benchmark: Benchmark, coordinates: ArrayLike) -> tuple[Rod, ...]:
    """Return the modules that have a rod, with these coordinates of the benchmark."""
    assembly, graph = benchmark.assembly, benchmark.assembly.graph()
    q = np.linalg.solve(benchmark.x_of_q, coordinates)
    rods = []
    for module, kind in assembly.kinds.items():
        if "rod" not in kind.bodies:
            continue
        body, (joint,) = kind.bodies["rod"], kind.joints
        pose = md.frame_poses(graph, q, [f"{module}/rod"])[0]
        mass_at = pose[:3, :3] @ body.com + pose[:3, 3]
        rods.append(Rod(module, f"{module}/{joint.name}", body.mass, pose[[0, 2], 3], mass_at[[0, 2]]))
    return tuple(rods)


def draw_topologies(pendulum: Benchmark, crane: Benchmark, path: Path) -> Path:
    """Fig. 8: both as chains of modules, from the side; return the path."""
    figure = Figure(figsize=(11.5, 5.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axis, benchmark, letter in ((left, pendulum, "a"), (right, crane, "b")):
        _draw_rods(axis, benchmark, rods_of(benchmark, SHOWN[benchmark.name]))
        axis.set_title(f"({letter})  {benchmark.name}", loc="left", fontweight="bold")
        text = str(benchmark.assembly).split("\n", 1)[1]  # the tree, without the line about the whole
        axis.text(0.0, -0.03, text, transform=axis.transAxes, va="top", family="monospace", fontsize=9)
        axis.set(aspect="equal", xlim=VIEW[0], ylim=VIEW[1])
        axis.axis("off")
    _draw_pivot(left)
    _draw_rail(right, crane)
    figure.savefig(path, dpi=130)
    return path


def _draw_rods(axis: Axes, benchmark: Benchmark, rods: tuple[Rod, ...]) -> None:
    names = benchmark.coordinates[-len(rods) :]
    for rod, name in zip(rods, names, strict=True):
        axis.plot(*np.array([rod.top, rod.bottom]).T, color=ROD, lw=3, zorder=2)
        axis.plot(*rod.top, marker="o", ms=8, mfc="white", mec=INK, mew=1.6, zorder=4)
        axis.plot(*rod.bottom, marker="o", ms=20, color=ROD, zorder=3)
        axis.plot(
            *[[rod.top[0]] * 2, [rod.top[1], rod.top[1] - 0.75 * rod.length]], color=GROUND, lw=1, ls=":"
        )
        _draw_angle(axis, rod, name)
        side = 1.0 if rod.bottom[0] >= rod.top[0] else -1.0
        label = f"{rod.module}\n{rod.mass:g} kg, {rod.length:g} m"
        axis.annotate(
            label, rod.bottom, xytext=(16 * side, 4), textcoords="offset points",
            ha="left" if side > 0 else "right", va="top", color=INK,
        )  # fmt: skip
        _name_joint(axis, rod, is_first=rod is rods[0])


def _draw_angle(axis: Axes, rod: Rod, name: str) -> None:
    """Draw an angle from the vertical, with its name and the joint that it belongs to."""
    along = rod.bottom - rod.top
    angles = np.linspace(0.0, np.arctan2(along[0], -along[1]), 40)
    arc = rod.top + 0.35 * rod.length * np.stack([np.sin(angles), -np.cos(angles)], axis=-1)
    axis.plot(*arc.T, color=INK, lw=1)
    middle = rod.top + 0.54 * rod.length * np.array([np.sin(angles[20]), -np.cos(angles[20])])
    axis.text(*middle, {"th1": "θ₁", "th2": "θ₂", "th": "θ"}[name], ha="center", va="center", fontsize=12)


def _name_joint(axis: Axes, rod: Rod, is_first: bool) -> None:
    """Write a joint's name: below the base, or right of the mass above, over its label."""
    sides = {"ha": "right", "va": "top"} if is_first else {"ha": "left", "va": "bottom"}
    offset = (-8, -20) if is_first else (16, 8)
    axis.annotate(
        f"joint {rod.joint}", rod.top, xytext=offset, textcoords="offset points", color=INK, **sides
    )


def _draw_pivot(axis: Axes) -> None:
    axis.plot([-0.3, 0.3], [0.0, 0.0], color=INK, lw=1.5, zorder=1)
    axis.add_patch(Rectangle((-0.3, 0.0), 0.6, 0.06, fc="none", ec=GROUND, hatch="////", lw=0, zorder=0))
    axis.text(0.34, 0.03, "pivot, the base", va="center", color=INK)


def _draw_rail(axis: Axes, crane: Benchmark) -> None:
    mass = crane.assembly.kinds[crane.assembly.base].bodies["cart"].mass
    (rail,) = crane.assembly.mount.virtual_joints
    axis.plot([-0.9, 0.9], [0.0, 0.0], color=GROUND, lw=2, zorder=1)
    corner = -0.5 * WIDTH, -0.5 * HEIGHT
    axis.add_patch(Rectangle(corner, WIDTH, HEIGHT, fc=(CART, 0.25), ec=CART, lw=1.6, zorder=1.5))
    arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.2}
    axis.annotate("", (0.5, 0.5 * HEIGHT + 0.08), (0.0, 0.5 * HEIGHT + 0.08), arrowprops=arrow)
    axis.text(0.53, 0.5 * HEIGHT + 0.08, "x", va="center", fontsize=12)
    label = f"cart, the base, {mass:g} kg,\non virtual {rail.type.value} joint {rail.name}"
    axis.text(-0.5 * WIDTH, 0.5 * HEIGHT + 0.06, label, va="bottom", ha="right", color=INK)


def draw_curves(comparisons: tuple[Comparison, Comparison], path: Path) -> Path:
    """Fig. 7: both benchmarks over time over Lagrange's equations, and the differences; return the path."""
    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(13, 6.6), layout="constrained")
        axes = figure.subplots(2, 2, sharex=True, height_ratios=[1.0, 0.55])
        for column, compared in enumerate(comparisons):
            _draw_motion(axes[0, column], compared, f"({'ab'[column]})")
            _draw_differences(axes[1, column], compared, f"({'cd'[column]})")
        figure.suptitle("Benchmarks as assemblies of modules", fontsize=13, fontweight="bold")
        styles = [
            Line2D(
                [], [], color="0.3", lw=1.4, ls=DASHED, label="geometrical approach: M, C, N of the assembly"
            ),
            Line2D([], [], color="0.3", lw=5, alpha=0.3, label="Lagrange's equations, integrated by SciPy"),
        ]
        figure.legend(handles=styles, loc="outside lower center", ncols=2, frameon=False)
        figure.savefig(path, dpi=130)
    return path


def _draw_motion(axis: Axes, compared: Comparison, letter: str) -> None:
    """Draw the coordinates, each on an axis of its own if their units differ."""
    benchmark, right = compared.benchmark, None
    if benchmark.units[0] != benchmark.units[1]:
        right = axis.twinx()
        right.spines["right"].set_visible(True)
    for k, (name, unit, colour) in enumerate(
        zip(benchmark.coordinates, benchmark.units, COLOURS, strict=True)
    ):
        own = right if right is not None and k == 1 else axis
        own.plot(compared.times, compared.theirs[:, k], color=colour, lw=5, alpha=0.3)
        own.plot(compared.times, compared.closed_form[:, k], color=colour, lw=1.4, ls=DASHED)
        own.set_ylabel(f"{name} [{unit}]" if right is not None else f"angle [{unit}]")
        if right is not None:
            own.yaxis.label.set_color(colour)
            own.tick_params(axis="y", colors=colour)
            largest = 1.15 * np.abs(compared.theirs[:, k]).max()  # both zeros at one height
            own.set_ylim(-largest, largest)
    labels = [
        Line2D([], [], color=c, lw=3, label=n) for n, c in zip(benchmark.coordinates, COLOURS, strict=True)
    ]
    axis.legend(handles=labels, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False)
    axis.set_title(f"{letter}  {benchmark.name}", loc="left", fontweight="bold")
    axis.margins(x=0.0)
    axis.grid(alpha=0.25, lw=0.6)


def _draw_differences(axis: Axes, compared: Comparison, letter: str) -> None:
    for (name, differences), colour, size in zip(compared.differences.items(), METHODS, (6, 2), strict=True):
        largest = np.maximum(differences.max(axis=1), ROUNDING)
        axis.semilogy(compared.times, largest, color=colour, ls="", marker=".", ms=size, label=name)
    axis.legend(markerscale=2, frameon=False, loc="lower right", ncols=2)
    axis.axhline(TARGET, color="0.4", lw=0.9, ls=":")
    axis.annotate(
        f"target {TARGET:.0e}", (0.01, TARGET), xycoords=("axes fraction", "data"),
        xytext=(0, -11), textcoords="offset points", fontsize=8, color="0.3",
    )  # fmt: skip
    axis.set_ylim(bottom=1e-15)
    axis.set_title(f"{letter}  largest difference, relative to the amplitude", loc="left", fontweight="bold")
    axis.set_xlabel("time [s]")
    axis.margins(x=0.0)
    axis.grid(alpha=0.25, lw=0.6)
