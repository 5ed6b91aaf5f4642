"""Fig. 7: both benchmarks over time, the library's over Lagrange's equations, and their differences."""

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from papers.modular_robots.benchmarks import TARGET, Comparison

COLOURS = "#2b6cb0", "#dd6b20"
DASHED = (0, (4, 2.5))
ROUNDING = 1e-17  # differences of exactly zero are drawn here, at the foot of a logarithmic axis


def draw_curves(comparisons: tuple[Comparison, Comparison], path: Path) -> Path:
    """Write the picture; return its path."""
    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(13, 6.6), layout="constrained")
        axes = figure.subplots(2, 2, sharex=True, height_ratios=[1.0, 0.55])
        for column, compared in enumerate(comparisons):
            _draw_motion(axes[0, column], compared, f"({'ab'[column]})")
            _draw_differences(axes[1, column], compared, f"({'cd'[column]})")
        figure.suptitle("Benchmarks as assemblies of modules", fontsize=13, fontweight="bold")
        styles = [
            Line2D([], [], color="0.3", lw=1.4, ls=DASHED, label="modular_dynamics, an assembly of modules"),
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
        own.plot(compared.times, compared.ours[:, k], color=colour, lw=1.4, ls=DASHED)
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
    for k, (name, colour) in enumerate(zip(compared.benchmark.coordinates, COLOURS, strict=True)):
        differences = np.maximum(compared.differences[:, k], ROUNDING)
        axis.semilogy(compared.times, differences, color=colour, ls="", marker=".", ms=2.5, label=name)
    axis.axhline(TARGET, color="0.4", lw=0.9, ls=":")
    axis.annotate(
        f"target {TARGET:.0e}", (0.01, TARGET), xycoords=("axes fraction", "data"),
        xytext=(0, -11), textcoords="offset points", fontsize=8, color="0.3",
    )  # fmt: skip
    axis.set_ylim(bottom=1e-15)
    axis.set_title(f"{letter}  difference, relative to the amplitude", loc="left", fontweight="bold")
    axis.set_xlabel("time [s]")
    axis.margins(x=0.0)
    axis.grid(alpha=0.25, lw=0.6)
