"""What body 2 exerts on body 3, ours over MuJoCo's (Goncalves et al., Figure 6).

Six reactions over the published motion with its jump at 2.5 s, of the robot and of the paper's variant whose
body 3 has no inertia; the difference between both codes, and the equilibrium residual of each body.
As a command of its own for other torsos, rules and motions.

    python -m papers.charmie_torso.figure_6 [--help]
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from rich.console import Console
from rich.table import Table

from modular_dynamics.loops import read_rules
from modular_dynamics.text.yaml_text import documents
from papers.charmie_torso.reactions import torso_parser
from papers.charmie_torso.torso_mujoco import (
    COMPONENTS,
    Curves,
    curves,
    instants,
    largest_residuals,
    without_inertia,
)

mpl.use("Agg")  # pictures go to files: no display is needed
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
ACTUATORS = ("act4", "act5")
WAYS = {
    "rules": "by the paper's rules, 24 bodies",
    "all": "least norm of all reactions, 24 bodies",
    "cut": "least norm at the cuts, 24 bodies, tubes, rods, blocks",
}
NOTES = """\
Forces [N] and moments [N m] of body 2 on body 3, at body 3's origin along its axes; actuators' forces [N].
ours: the last step of the rules; difference: the largest from MuJoCo's, which closes the loops by itself.
without: the variant whose body 3 has its mass, but no inertia, as in the paper's Figure 6."""
ROBOT, VARIANT = "#2b6cb0", "#dd6b20"
FORCES, MOMENTS = "#4e5b6e", "#2f855a"
DASHED = (0, (4, 1.5))
ROUNDING = 1e-16  # differences of exactly zero are drawn here, at the foot of a logarithmic axis
SAME = 0.01  # of the component's range, less than a line is wide: a variant that differs less is not drawn


def main() -> int:
    """Solve, draw, print."""
    parser = torso_parser(__doc__)
    parser.add_argument("--instants", type=int, default=251, help="of each half of the motion")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "torso" / "figure_6.png")
    options = parser.parse_args()
    if options.instants < 2:
        parser.error(f"--instants {options.instants}: 2 or more are needed, the ends of each half")
    console = Console(width=None if sys.stdout.isatty() else 118)
    urdf, rules = options.urdf.read_text(encoding="utf-8"), read_rules(options.rules)
    motion = documents(options.motion.read_text(encoding="utf-8"), str(options.motion))[0]
    times = instants(motion, options.instants)
    robot = curves(urdf, rules, motion, times)
    variant = curves(without_inertia(urdf, rules.joints["j3"].on), rules, motion, times)
    residuals = largest_residuals(urdf, rules, motion, times)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    console.print(comparison(robot, variant), NOTES, highlight=False)
    console.print(f"Largest equilibrium residual of a body over {len(times)} instants:", highlight=False)
    for name, (force, moment) in residuals.items():
        console.print(f"  {WAYS[name]:58} {force:.1e} N  {moment:.1e} N m", highlight=False)
    console.print(f"Drawn in {draw(robot, variant, options.out)}", highlight=False, soft_wrap=True)
    return 0


def comparison(robot: Curves, variant: Curves) -> Table:
    """Return a table of the curves' ranges, and of the largest differences between the two codes."""
    table = Table(title="Body 2 on body 3 over the motion", title_justify="left")
    for name in ("", "ours, from", "to", "difference", "without, from", "to", "difference"):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    for k, name in enumerate((*COMPONENTS, *ACTUATORS)):
        cells = []
        for curve in (robot, variant):
            if name in ACTUATORS:
                ours, theirs = curve.torques[name], curve.their_torques[name]
            else:
                ours, theirs = curve.wrenches[:, k], curve.their_wrenches[:, k]
            difference = np.abs(ours - theirs).max()
            cells += [f"{ours.min():.4f}", f"{ours.max():.4f}", f"{difference:.1e}"]
        table.add_row(name, *cells, end_section=name in ("Fz", "Mz"))
    return table


def draw(robot: Curves, variant: Curves, path: Path) -> Path:
    """Write the picture; return its path. ``variant``: with body 3's inertia set to zero."""
    with plt.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = plt.subplot_mosaic(
            [list(COMPONENTS[:3]), list(COMPONENTS[3:]), ["difference"] * 3],
            figsize=(13, 8.2),
            sharex=True,
            layout="constrained",
            height_ratios=[1.0, 1.0, 0.6],
        )
        for k, name in enumerate(COMPONENTS):
            _panel(axes[name], robot, variant, k)
        _difference(axes["difference"], robot, variant)
        for name in (*COMPONENTS[3:], "difference"):
            axes[name].set_xlabel("time [s]")
        title = "What body 2 exerts on body 3, at body 3's origin along its axes"
        figure.suptitle(title, fontsize=13, fontweight="bold")
        figure.legend(handles=_legend(), loc="outside lower center", ncols=4, frameon=False)
        figure.savefig(path, dpi=130)
        plt.close(figure)
    return path


def _panel(axis: Axes, robot: Curves, variant: Curves, k: int) -> None:
    name, size = COMPONENTS[k], np.ptp(robot.wrenches[:, k])
    axis.plot(robot.times, robot.their_wrenches[:, k], color=ROBOT, lw=5, alpha=0.25)
    axis.plot(robot.times, robot.wrenches[:, k], color=ROBOT, lw=1.3)
    if np.abs(variant.wrenches[:, k] - robot.wrenches[:, k]).max() > SAME * size:
        axis.plot(variant.times, variant.their_wrenches[:, k], color=VARIANT, lw=5, alpha=0.25)
        axis.plot(variant.times, variant.wrenches[:, k], color=VARIANT, lw=1.3, ls=DASHED)
    if name == "Fz":
        axis.axhline(robot.weight, color="0.4", lw=0.9, ls=":")
        axis.annotate(
            f"at rest {robot.weight:.1f} N", (0.01, robot.weight), xycoords=("axes fraction", "data"),
            xytext=(0, -11), textcoords="offset points", fontsize=8, color="0.3",
        )  # fmt: skip
    axis.set_title(f"({'abcdef'[k]})  {name}", loc="left", fontweight="bold")
    axis.set_ylabel("force [N]" if k < 3 else "moment [N m]")
    axis.margins(x=0.0, y=0.08)
    axis.grid(alpha=0.25, lw=0.6)
    axis.ticklabel_format(axis="y", useOffset=False)
    axis.tick_params(labelbottom=True)


def _difference(axis: Axes, robot: Curves, variant: Curves) -> None:
    for part, colour, label in ((slice(3), FORCES, "forces [N]"), (slice(3, 6), MOMENTS, "moments [N m]")):
        differences = [np.abs(c.wrenches[:, part] - c.their_wrenches[:, part]) for c in (robot, variant)]
        worst = np.maximum(np.max(differences, axis=(0, 2)), ROUNDING)
        axis.semilogy(robot.times, worst, color=colour, ls="", marker=".", ms=3.5, label=label)
    axis.set_title("(g)  largest difference between the two codes", loc="left", fontweight="bold")
    axis.grid(alpha=0.25, lw=0.6)
    axis.margins(x=0.0)
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=2, frameon=False, markerscale=2)


def _legend() -> list[Line2D]:
    return [
        Line2D([], [], color=ROBOT, lw=1.3, label="modular_dynamics, by the paper's rules"),
        Line2D([], [], color=ROBOT, lw=5, alpha=0.25, label="MuJoCo, equality constraints"),
        Line2D([], [], color=VARIANT, lw=1.3, ls=DASHED, label="body 3 without inertia (if visibly apart)"),
        Line2D([], [], color=VARIANT, lw=5, alpha=0.25, label="the same by MuJoCo"),
    ]


if __name__ == "__main__":
    raise SystemExit(main())
