"""The table and the picture of the torso's reactions."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")  # pictures go to files: no display is needed
import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console
from rich.table import Table

from modular_dynamics_ros.demo.torso import TorsoRun

__all__ = ["draw_reactions", "print_reactions"]

COMPONENTS = ("x", "y", "z")


def print_reactions(console: Console, played: TorsoRun) -> None:
    """Messages, latency, forces of actuators and springs, equilibrium."""
    table = Table(title="charmie_torso: reactions of its torso, live", title_style="bold")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_row("joint states sent / received", f"{played.sent} / {played.received}", "messages")
    table.add_row("reactions received", f"{len(played.times)}", "messages")
    for name in ("p50", "p99", "max"):
        table.add_row(f"latency {name} (*)", f"{1e3 * getattr(played.latency, name):.2f}", "ms")
    table.add_section()
    if len(played.times):
        for names, values in zip(played.names, (played.actuators, played.springs), strict=True):
            for name, column in zip(names, values.T, strict=True):
                table.add_row(f"force of {name}", f"{column.min():.2f} .. {column.max():.2f}", "N")
        table.add_row("actuators, difference to virtual power", f"{played.difference:.1e}", "N")
        table.add_section()
        table.add_row("weight on body 3, mean", f"{played.base[:, 2].mean():.1f}", "N")
        table.add_row("equilibrium residual, largest", f"{played.residual:.1e}", "N or N m")
        table.add_row("distance from a dead point, smallest", f"{played.dead_point:.3f}", "of 1")
    console.print(table)
    console.print("(*) by way of dynamics_node, whose wrenches of arms and head are the loads")


def draw_reactions(played: TorsoRun, path: Path) -> Path:
    """Write the picture; return its path."""
    panels = (
        ("actuators", "force [N]", played.names[0], played.actuators),
        ("springs", "tension [N]", played.names[1], played.springs),
        ("body 2 on body 3, less its mean", "force [N]", COMPONENTS, played.base[:, :3]),
        ("body 2 on body 3", "moment [N m]", COMPONENTS, played.base[:, 3:]),
    )
    with plt.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = plt.subplots(2, 2, figsize=(12, 6), sharex=True, layout="constrained")
        for axis, (title, quantity, names, values) in zip(axes.flat, panels, strict=True):
            mean = np.mean(values, axis=0) if "mean" in title else np.zeros(values.shape[1])
            for name, column, middle in zip(names, values.T, mean, strict=True):
                label = f"{name}, mean {middle:.1f}" if "mean" in title else name
                axis.plot(played.times, column - middle, lw=1.3, label=label)
            axis.set_title(title, loc="left", fontweight="bold")
            axis.set_ylabel(quantity)
            axis.grid(alpha=0.25, lw=0.6)
            axis.margins(x=0.0)
            axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
        for axis in axes[-1]:
            axis.set_xlabel("time [s]")
        figure.suptitle("CHARMIE's torso: what torso_reaction_node has published", fontweight="bold")
        figure.savefig(path, dpi=130)
        plt.close(figure)
    return path
