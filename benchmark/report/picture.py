"""The picture of growth: with the number of joints, and with the number of closed loops."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmark.measurements.growth import JOINTS, LOOPS, SERIES, Growth, LoopFigures

NANOSECONDS = (5, 10, 20, 50, 100, 200, 500)
MICROSECONDS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def draw(growth: Growth | None, loops: list[LoopFigures], file: Path) -> None:
    """Draw what was measured, side by side; all axes logarithmic."""
    panels = [_joints] * (growth is not None) + [_loops] * bool(loops)
    figure = Figure(figsize=(6.4 * len(panels), 4.2), layout="constrained")
    for k, panel in enumerate(panels, 1):
        axes = figure.add_subplot(1, len(panels), k)
        panel(axes, growth if panel is _joints else loops)
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(file, dpi=130)


def _joints(axes: Axes, growth: Growth) -> None:
    for series, style in zip(SERIES, ("C0o-", "C1o-", "C0s--", "C1s--"), strict=True):
        times = growth.per_joint(series)
        axes.loglog(list(times), [1e3 * time for time in times.values()], style, markersize=4, label=series)
    axes.set_xticks(JOINTS, [str(n) for n in JOINTS])
    axes.set_yticks(NANOSECONDS, [str(t) for t in NANOSECONDS])
    axes.set_ylim(5, 500)
    axes.set(xlabel="joints of a random tree", ylabel="ns per joint and state")
    axes.set_title("Inverse dynamics, float64, one thread")


def _loops(axes: Axes, loops: list[LoopFigures]) -> None:
    counts = [one.loops for one in loops]
    axes.loglog(counts, [one.closed_us for one in loops], "C0o-", markersize=4, label="closed, a single call")
    axes.loglog(
        counts, [one.closed_us / one.loops for one in loops], "C0s--", markersize=4, label="closed, per loop"
    )
    axes.loglog(counts, [one.tree_us for one in loops], "C2o-", markersize=4, label="its tree, a single call")
    if in_c := {one.loops: one.c_us for one in loops if one.c_us is not None}:
        axes.loglog(list(in_c), list(in_c.values()), "C3o-", markersize=4, label="closed, exported C")
    axes.set_xticks(LOOPS, [str(n) for n in LOOPS])
    axes.set_yticks(MICROSECONDS, [str(t) for t in MICROSECONDS])
    axes.set(xlabel="closed loops of a chain of four-bars", ylabel="microseconds")
    axes.set_title("Inverse dynamics from a guess 1 mrad away")
