"""Figures 4, 5 and 6: the crank's torque, with several couplers, and motions over time."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from papers.four_bar_denoc.motions import Motion

Array = NDArray[np.float64]
STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
COLOURS = "#2b6cb0", "#dd6b20", "#2f855a", "#805ad5"
DASHED = (0, (4, 3))


def draw_inverse(path: Path, angles: Array, torques: list[dict[str, Array]]) -> Path:
    """Figure 4: torque over the crank's angle, with gravity (a) and without (b); return the path."""
    with rc_context(STYLE):
        figure = Figure(figsize=(10.0, 3.8), layout="constrained")
        for axis, found, title in zip(
            figure.subplots(1, 2), torques, ("(a) with gravity", "(b) without gravity"), strict=True
        ):
            axis.plot(np.degrees(angles), found["MuJoCo"], color=COLOURS[0], lw=5, alpha=0.3, label="MuJoCo")
            axis.plot(np.degrees(angles), found["library"], color=COLOURS[0], lw=1.5, label="library")
            axis.plot(np.degrees(angles), found["DeNOC"], color="0.1", lw=1.2, ls=DASHED, label="DeNOC")
            _label(axis, title, "torque [N m]", "crank angle [deg]")
            axis.set_xticks(range(0, 361, 60))
        figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(path, dpi=130)
    return path


def draw_masses(path: Path, angles: Array, curves: Mapping[float, Array]) -> Path:
    """Figure 5: torque over the crank's angle for each mass of the coupler; return the path."""
    with rc_context(STYLE):
        figure = Figure(figsize=(7.0, 4.2), layout="constrained")
        axis = figure.subplots()
        colours = colormaps["viridis"](np.linspace(0.0, 0.75, len(curves)))
        for (mass, curve), colour in zip(curves.items(), colours, strict=True):
            axis.plot(np.degrees(angles), curve, color=colour, lw=1.6, label=f"coupler of {mass:g} kg")
            peak = int(np.argmax(np.abs(curve)))
            axis.plot(np.degrees(angles[peak]), curve[peak], "o", color=colour, ms=4)
            axis.annotate(f"{curve[peak]:.2f}", (np.degrees(angles[peak]), curve[peak]), (0, 4),
                          textcoords="offset points", ha="center", color=colour)  # fmt: skip
        _label(axis, "The crank's torque for several couplers", "torque [N m]", "crank angle [deg]")
        axis.set_xticks(range(0, 361, 60))
        axis.legend(frameon=False, loc="lower left")
        figure.savefig(path, dpi=130)
    return path


def draw_motion(path: Path, motion: Motion, title: str) -> Path:
    """Figure 6(b), and what the software plots: all quantities over time; return the path."""
    parts = [
        (motion.q, "angle [rad]", ("J1 crank", "J4 output", "J3 coupler on output")),
        (motion.v, "velocity [rad/s]", ()),
        (motion.a, "acceleration [rad/s²]", ()),
        (motion.multipliers, "force λ at J2 [N]", ("on the crank, along x", "along y")),
    ]
    if motion.torque.any():
        parts.append((motion.torque[:, None], "torque [N m]", ("of the crank",)))
    with rc_context(STYLE):
        figure = Figure(figsize=(9.0, 2.2 * len(parts)), layout="constrained")
        for axis, (rows, label, names) in zip(
            figure.subplots(len(parts), 1, sharex=True), parts, strict=True
        ):
            for k, column in enumerate(rows.T):
                name = names[k] if names else None
                axis.plot(motion.times, column, color=COLOURS[k], lw=1.4, label=name)
            if label.startswith("angle") and motion.reference is not None:
                axis.plot(
                    motion.times, motion.reference, color=COLOURS[0], lw=5, alpha=0.3, label="J1 by energies"
                )
            _label(axis, "", label, "")
            axis.margins(x=0.0)
            if names:
                axis.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        axis.set_xlabel("time [s]")
        figure.align_ylabels()
        figure.suptitle(title, fontweight="bold")
        figure.savefig(path, dpi=130)
    return path


def _label(axis: Axes, title: str, y: str, x: str) -> None:
    axis.set_title(title, loc="left", fontweight="bold")
    axis.set_ylabel(y)
    axis.set_xlabel(x)
    axis.grid(alpha=0.25, lw=0.6)
