"""`make torso-figure`: what body 2 exerts on body 3, ours over MuJoCo's (Goncalves et al., Figure 6).

Six reactions over the published motion with its jump at 2.5 s, of the robot and of the paper's variant whose
body 3 has no inertia; how far both codes are apart, and what lacks to the equilibrium of each body.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import modular_dynamics as md
from benchmark.peers.mujoco_loops import MujocoLoops
from benchmark.studies.torso_curves import COMPONENTS, Curves, curves, instants, without_inertia
from benchmark.studies.torso_equilibrium import out_of_balance, pushes, standing_mounts
from benchmark.studies.torso_picture import draw
from benchmark.studies.torso_reactions import motion_at
from modular_dynamics.closure.reactions.rule_reader import read_rules
from modular_dynamics.closure.reactions.sharing import ReactionSharing
from modular_dynamics.closure.reactions.sharing_rules import Rules

ROOT = Path(__file__).resolve().parents[2]
Array = NDArray[np.float64]
ACTUATORS = ("act4", "act5")
WAYS = {
    "rules": "by the paper's rules, 24 bodies",
    "all": "least norm of all reactions, 24 bodies",
    "cut": "least norm at the cuts, 24 bodies, tubes, rods, blocks",
}
NOTES = """\
Forces [N] and moments [N m] of body 2 on body 3, at body 3's origin along its axes; actuators' forces [N].
ours: the rules' last step; apart: the largest difference from MuJoCo's, which closes the loops by itself.
without: the variant whose body 3 has its mass, but no inertia, as in the paper's Figure 6."""


def main() -> int:
    """Solve, draw, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("urdf", nargs="?", type=Path, default=ROOT / "urdf" / "charmie_torso.urdf")
    parser.add_argument("--rules", type=Path, default=ROOT / "urdf" / "charmie_torso_rules.yaml")
    parser.add_argument("--motion", type=Path, default=ROOT / "config" / "charmie_torso_motion.yaml")
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
        left = equilibrium(urdf, rules, motion, times, tick)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    console.print(comparison(whole, light), NOTES, highlight=False)
    console.print(
        f"What lacks to the equilibrium of a body, at most, of {len(times)} instants:", highlight=False
    )
    for name, (force, moment) in left.items():
        console.print(f"  {WAYS[name]:58} {force:.1e} N  {moment:.1e} N m", highlight=False)
    console.print(f"Drawn in {draw(whole, light, options.out)}", highlight=False, soft_wrap=True)
    return 0


def equilibrium(
    urdf: str, rules: Rules, motion: Mapping[str, Any], times: Array, tick: Callable[[], object]
) -> dict[str, Array]:
    """Rules, least norm, cut -> largest force [N] and moment [N m] that lacks to a body."""
    robot = standing_mounts(urdf)
    graph, sharing = md.load_urdf(robot), ReactionSharing(rules)
    peer = MujocoLoops(robot, graph.independent_joint_names)
    worst = {}
    for time in times:
        state = motion_at(motion, graph, float(time))
        dynamics = md.closed_loop_inverse_dynamics(graph, *state)
        peer(*state)
        for name, acting in pushes(graph, dynamics, sharing, peer).items():
            left = np.abs(list(out_of_balance(peer, acting).values())).reshape(-1, 2, 3).max(axis=(0, 2))
            worst[name] = np.maximum(worst.get(name, 0.0), left)
        tick()
    return worst


def comparison(whole: Curves, light: Curves) -> Table:
    """Peaks of the curves, and how far the two codes are apart."""
    table = Table(title="Body 2 on body 3 over the motion", title_justify="left")
    for name in ("", "ours, from", "to", "apart", "without, from", "to", "apart"):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    for k, name in enumerate((*COMPONENTS, *ACTUATORS)):
        cells = []
        for found in (whole, light):
            if name in ACTUATORS:
                ours, theirs = found.torques[name], found.their_torques[name]
            else:
                ours, theirs = found.wrenches[:, k], found.their_wrenches[:, k]
            apart = np.abs(ours - theirs).max()
            cells += [f"{ours.min():.4f}", f"{ours.max():.4f}", f"{apart:.1e}"]
        table.add_row(name, *cells, end_section=name in ("Fz", "Mz"))
    return table


if __name__ == "__main__":
    raise SystemExit(main())
