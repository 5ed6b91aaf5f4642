"""`make torso-figure`: what body 2 exerts on body 3, ours over MuJoCo's (Goncalves et al., Figure 6).

Six reactions over the published motion with its jump at 2.5 s, of the robot and of the paper's variant whose
body 3 has no inertia; the difference between both codes, and the equilibrium residual of each body.

    python -m benchmark.studies.torso_figure [--help]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import yaml
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchmark.studies.torso_mujoco import (
    COMPONENTS,
    Curves,
    curves,
    instants,
    largest_residuals,
    without_inertia,
)
from benchmark.studies.torso_picture import draw
from benchmark.studies.torso_reactions import torso_parser
from modular_dynamics.closure.reactions.rule_reader import read_rules

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
    motion = yaml.safe_load(options.motion.read_text(encoding="utf-8"))
    times = instants(motion, options.instants)
    columns = SpinnerColumn(), BarColumn(20), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("the robot, ours and MuJoCo's", total=3 * len(times))

        def tick() -> None:
            progress.advance(task)

        whole = curves(urdf, rules, motion, times, tick)
        progress.update(task, description="body 3 without inertia")
        light = curves(without_inertia(urdf, rules.joints["j3"].on), rules, motion, times, tick)
        progress.update(task, description="equilibrium of every body")
        residuals = largest_residuals(urdf, rules, motion, times, tick)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    console.print(comparison(whole, light), NOTES, highlight=False)
    console.print(f"Largest equilibrium residual of a body over {len(times)} instants:", highlight=False)
    for name, (force, moment) in residuals.items():
        console.print(f"  {WAYS[name]:58} {force:.1e} N  {moment:.1e} N m", highlight=False)
    console.print(f"Drawn in {draw(whole, light, options.out)}", highlight=False, soft_wrap=True)
    return 0


def comparison(whole: Curves, light: Curves) -> Table:
    """Peaks of the curves, and the largest difference between the two codes."""
    table = Table(title="Body 2 on body 3 over the motion", title_justify="left")
    for name in ("", "ours, from", "to", "difference", "without, from", "to", "difference"):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    for k, name in enumerate((*COMPONENTS, *ACTUATORS)):
        cells = []
        for curve in (whole, light):
            if name in ACTUATORS:
                ours, theirs = curve.torques[name], curve.their_torques[name]
            else:
                ours, theirs = curve.wrenches[:, k], curve.their_wrenches[:, k]
            difference = np.abs(ours - theirs).max()
            cells += [f"{ours.min():.4f}", f"{ours.max():.4f}", f"{difference:.1e}"]
        table.add_row(name, *cells, end_section=name in ("Fz", "Mz"))
    return table


if __name__ == "__main__":
    raise SystemExit(main())
