"""The picture of torso_figure.py: six reactions, ours over MuJoCo's, and their difference."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")  # pictures go to files: no display is needed
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from benchmark.studies.torso_mujoco import COMPONENTS, Curves

__all__ = ["draw"]

WHOLE, LIGHT = "#2b6cb0", "#dd6b20"
FORCES, MOMENTS = "#4e5b6e", "#2f855a"
DASHED = (0, (4, 1.5))
ROUNDING = 1e-16  # differences of exactly zero are drawn here, at the foot of a logarithmic axis
SAME = 1e-6  # of the component's range: a variant that differs less is not drawn


def draw(whole: Curves, light: Curves, path: Path) -> Path:
    """Write the picture; return its path. ``light``: with body 3's inertia set to zero."""
    with plt.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = plt.subplot_mosaic(
            [list(COMPONENTS[:3]), list(COMPONENTS[3:]), ["difference"] * 3],
            figsize=(13, 8.2),
            sharex=True,
            layout="constrained",
            height_ratios=[1.0, 1.0, 0.6],
        )
        for k, name in enumerate(COMPONENTS):
            _panel(axes[name], whole, light, k)
        _difference(axes["difference"], whole, light)
        for name in (*COMPONENTS[3:], "difference"):
            axes[name].set_xlabel("time [s]")
        title = "What body 2 exerts on body 3, at body 3's origin along its axes"
        figure.suptitle(title, fontsize=13, fontweight="bold")
        figure.legend(handles=_legend(), loc="outside lower center", ncols=4, frameon=False)
        figure.savefig(path, dpi=130)
        plt.close(figure)
    return path


def _panel(axis: Axes, whole: Curves, light: Curves, k: int) -> None:
    name, size = COMPONENTS[k], np.ptp(whole.wrenches[:, k])
    axis.plot(whole.times, whole.their_wrenches[:, k], color=WHOLE, lw=5, alpha=0.25)
    axis.plot(whole.times, whole.wrenches[:, k], color=WHOLE, lw=1.3)
    if np.abs(light.wrenches[:, k] - whole.wrenches[:, k]).max() > SAME * size:
        axis.plot(light.times, light.their_wrenches[:, k], color=LIGHT, lw=5, alpha=0.25)
        axis.plot(light.times, light.wrenches[:, k], color=LIGHT, lw=1.3, ls=DASHED)
    if name == "Fz":
        axis.axhline(whole.weight, color="0.4", lw=0.9, ls=":")
        axis.annotate(
            f"at rest {whole.weight:.1f} N", (0.01, whole.weight), xycoords=("axes fraction", "data"),
            xytext=(0, -11), textcoords="offset points", fontsize=8, color="0.3",
        )  # fmt: skip
    axis.set_title(f"({'abcdef'[k]})  {name}", loc="left", fontweight="bold")
    axis.set_ylabel("force [N]" if k < 3 else "moment [N m]")
    axis.margins(x=0.0, y=0.08)
    axis.grid(alpha=0.25, lw=0.6)
    axis.ticklabel_format(axis="y", useOffset=False)
    axis.tick_params(labelbottom=True)


def _difference(axis: Axes, whole: Curves, light: Curves) -> None:
    for part, colour, label in ((slice(3), FORCES, "forces [N]"), (slice(3, 6), MOMENTS, "moments [N m]")):
        differences = [np.abs(c.wrenches[:, part] - c.their_wrenches[:, part]) for c in (whole, light)]
        worst = np.maximum(np.max(differences, axis=(0, 2)), ROUNDING)
        axis.semilogy(whole.times, worst, color=colour, ls="", marker=".", ms=3.5, label=label)
    axis.set_title("(g)  largest difference between the two codes", loc="left", fontweight="bold")
    axis.grid(alpha=0.25, lw=0.6)
    axis.margins(x=0.0)
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=2, frameon=False, markerscale=2)


def _legend() -> list[Line2D]:
    return [
        Line2D([], [], color=WHOLE, lw=1.3, label="modular_dynamics, by the paper's rules"),
        Line2D([], [], color=WHOLE, lw=5, alpha=0.25, label="MuJoCo, equality constraints"),
        Line2D([], [], color=LIGHT, lw=1.3, ls=DASHED, label="body 3 without inertia (where it differs)"),
        Line2D([], [], color=LIGHT, lw=5, alpha=0.25, label="the same by MuJoCo"),
    ]
