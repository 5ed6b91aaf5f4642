"""Quantities over time: a panel for each group of them, two panels side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from .colours import COLOURS, as_literal

__all__ = ["Panel", "draw_over_time"]

Array = NDArray[np.float64]
STYLES = ("-", (0, (6, 1.5)), (0, (2, 1)))  # lines of the same colour
HEIGHT, WIDTH = 2.4, 13.0  # [inch] of a row of panels, of the picture


@dataclass(frozen=True, eq=False)
class Panel:
    """The lines of one panel.

    Attributes:
        title: above it. quantity: with its unit. lines: values (m,) by name, NaN where unknown.
        measured: values (m,) by name, drawn pale behind its lines; of other names, too.
    """

    title: str
    quantity: str
    lines: Mapping[str, Array]
    measured: Mapping[str, Array]


def draw_over_time(title: str, times: Array, panels: Sequence[Panel], path: Path) -> Path:
    """Write the picture; return its path.

    Args:
        times: (m,) [s]. path: its suffix says which kind of picture: .png, .svg or .pdf.
    """
    columns = min(2, len(panels))
    rows = (len(panels) + columns - 1) // columns
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(WIDTH * columns / 2 + 1.0, HEIGHT * rows + 1.2), layout="constrained")
        axes: list[Axes] = list(figure.subplots(rows, columns, sharex=True, squeeze=False).flat)
        for axis, panel in zip(axes, panels, strict=False):
            _draw(axis, times, panel)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        for axis in axes[max(0, len(panels) - columns) : len(panels)]:
            axis.set_xlabel("time [s]")
            axis.tick_params(labelbottom=True)
        as_literal([figure.suptitle(title, fontsize=13, fontweight="bold")])
        if any(name in panel.measured for panel in panels for name in panel.lines):
            figure.legend(handles=_legend(), loc="outside lower center", ncols=2, frameon=False)
        figure.savefig(path, dpi=130)
    return path


def _draw(axis: Axes, times: Array, panel: Panel) -> None:
    """Draw a panel's lines."""
    styles = ((colour, style) for style in cycle(STYLES) for colour in COLOURS)
    for (name, values), (colour, style) in zip(panel.lines.items(), styles, strict=False):
        if name in panel.measured:
            axis.plot(times, panel.measured[name], color=colour, lw=0.7, alpha=0.45)
        axis.plot(times, values, color=colour, ls=style, lw=1.4, label=name)
    as_literal([axis.set_title(panel.title, loc="left", fontweight="bold")])
    axis.set_ylabel(panel.quantity)
    axis.grid(alpha=0.25, lw=0.6)
    axis.margins(x=0.0, y=0.08)
    axis.ticklabel_format(axis="y", useOffset=False)
    if len(panel.lines) > 1 or panel.title not in panel.lines:
        legend = axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)
        as_literal(legend.get_texts())


def _legend() -> list[Line2D]:
    """Return the legend's lines of models and measurements."""
    return [
        Line2D([], [], color="0.25", lw=1.4, label="model"),
        Line2D([], [], color="0.25", lw=0.7, alpha=0.45, label="measured"),
    ]
