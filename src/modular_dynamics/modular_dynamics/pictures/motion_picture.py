"""A motion over time, and a link's trajectory in space."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ..text.files import replace_file
from . import COLOURS

Array = NDArray[np.float64]
#: Labels of the panels; the units are those of hinges, or of slides.
LABELS = {
    "q": "position\n[rad or m]",
    "v": "velocity\n[rad/s or m/s]",
    "a": "acceleration\n[rad/s² or m/s²]",
    "tau": "torque\n[N m or N]",
}
STYLES = "-", "--", ":"
MOST_NAMED = 12  # joints in the legend
LEAST_SPAN = 0.01  # of the axis of energies, relative to the largest


def draw_motion(
    title: str,
    t: Array,
    panels: Mapping[str, Array],
    names: Mapping[str, Sequence[str]],
    energy: Array,
    path: Array | None,
    file: Path,
) -> Path:
    """Write the picture; return its path.

    Args:
        t: times (k,) [s]. panels: by letter of LABELS, values (k, n); names: of their columns.
        energy: (k,) [J]. path: positions (k, 3) of a link [m], drawn in space; None: none.
    """
    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(8.0 if path is None else 13.0, 9.0), layout="constrained")
        order = list(dict.fromkeys(name for labels in names.values() for name in labels))
        grid = figure.add_gridspec(len(panels) + 1, 1 if path is None else 2)
        axis = None
        for row, (label, values) in enumerate([*panels.items(), ("energy [J]", energy[:, None])]):
            axis = figure.add_subplot(grid[row, 0], sharex=axis)
            labels = names.get(label, ())
            for k, column in enumerate(values.T):
                name = labels[k] if row == 0 and k < MOST_NAMED else None
                turn, own = divmod(order.index(labels[k]) if labels else k, len(COLOURS))
                axis.plot(t, column, color=COLOURS[own], ls=STYLES[turn % len(STYLES)], lw=1.3, label=name)
            axis.set_ylabel(LABELS.get(label, label))
            axis.margins(x=0.0)
            axis.grid(alpha=0.25, lw=0.6)
            if row == 0 and labels:
                legend = axis.legend(ncols=4, frameon=False, loc="lower left", bbox_to_anchor=(0, 1))
                for text in legend.texts:
                    text.set_parse_math(False)  # a name may have two $, which would enclose a formula
        if axis is not None:
            axis.set_xlabel("time [s]")
            # energy that is conserved is a line, and not the rounding of one
            centre, span = 0.5 * (energy.max() + energy.min()), np.ptp(energy)
            half = 0.55 * max(span, LEAST_SPAN * max(float(np.abs(energy).max()), 1e-9))
            axis.set_ylim(centre - half, centre + half)
            axis.ticklabel_format(axis="y", useOffset=False)
        if path is not None:
            space = figure.add_subplot(grid[:, 1], projection="3d")
            space.plot(*path.T, color=COLOURS[1], lw=1.5)
            space.plot(*path[:1].T, "o", color=COLOURS[2], label="start")
            space.plot(*path[-1:].T, "s", color=COLOURS[3], label="end")
            middle, half = 0.5 * (path.min(axis=0) + path.max(axis=0)), 0.55 * np.ptp(path, axis=0).max()
            for name, centre in zip("xyz", middle, strict=True):  # a cube: ticks of a thin box would overlap
                limits = {f"{name}lim": (centre - max(half, 1e-9), centre + max(half, 1e-9))}
                space.set(**limits)
                getattr(space, f"set_{name}label")(f"{name} [m]", labelpad=8)
                space.locator_params(axis=name, nbins=6, prune="both")
            space.tick_params(pad=4)
            space.set_box_aspect((1, 1, 1), zoom=0.85)
            space.legend(frameon=False)
        figure.suptitle(title, fontweight="bold").set_parse_math(False)
        kind = file.suffix[1:].lower()
        replace_file(file, lambda stream: figure.savefig(stream, format=kind, dpi=130))
    return file
