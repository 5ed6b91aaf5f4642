"""The torso's reactions by the paper's rules, beside the general solution.

Goncalves et al., section 4, on urdf/charmie_torso.urdf at one instant of the published motion. Redundant
joints share their load in more than one way; two ways differ by a self-stress of the joints, nothing else.

    python -m papers.charmie_torso.reactions [--help]
"""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import modular_dynamics as md
from benchmark.setting.robots import Array
from modular_dynamics.loops import (
    ReactionArrays,
    RobotReactions,
    Rules,
    SharedReactions,
    joint_reactions,
    read_rules,
)
from modular_dynamics.loops.reactions.robot import carrying_bodies
from modular_dynamics.text.yaml_text import documents

ROOT = Path(__file__).resolve().parents[2]
Wrenches = Mapping[str, Array]
ROUNDING = 1e-9
NOTES = """\
What a joint exerts on the body that it holds, at its point, along that body's axes [N, N m]; empty: 0.
rules: {rules}.
cut: inverse_dynamics: least norm of the wrenches at the cut joints, the tree transmits the rest.
all: the least norm of the wrenches at all joints, N and N m counted alike.
Actuator forces and what body 2 bears are the same in all three."""


def main() -> int:
    """Solve, compare, print."""
    parser = torso_parser(__doc__)
    parser.add_argument("--time", type=float, default=1.5, help="instant of the motion [s]")
    parser.add_argument("--steps", action="store_true", help="print the rules, step by step")
    options = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 118)
    graph, rules = md.load_urdf(options.urdf), read_rules(options.rules)
    if options.steps:
        console.print(str(rules), highlight=False)
    motion = documents(options.motion.read_text(encoding="utf-8"), str(options.motion))[0]
    sharing = RobotReactions(graph, rules)
    now = instant(sharing, motion, options.time)
    console.print(reaction_table(rules, options.time, now), NOTES.format(rules=rules.name), highlight=False)
    free, outside = null_space(now, sharing)
    components, rows = len(now.shared.components), len(now.dynamics.multipliers)
    console.print(
        f"{components - len(now.dynamics.tensions)} components borne, {6 * len(rules.bodies)} equations: "
        f"{free} are free. At the cuts, {now.dynamics.redundant} of {rows} rows are redundant.\n"
        f"rules - all: outside the null space of equilibrium {outside:.1e}",
        highlight=False,
    )
    return 0


def torso_parser(description: str) -> argparse.ArgumentParser:
    """Return a parser of the options of all studies of the torso: robot, rules, motion."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("urdf", nargs="?", type=Path, default=ROOT / "urdf" / "charmie_torso.urdf")
    parser.add_argument("--rules", type=Path, default=ROOT / "urdf" / "charmie_torso_rules.yaml")
    parser.add_argument("--motion", type=Path, default=ROOT / "config" / "charmie_torso_motion.yaml")
    return parser


@dataclass(frozen=True)
class Instant:
    """Reactions in three ways: by rules, as the closure module cuts the loops, of least norm of all."""

    dynamics: md.ClosedLoopResult
    shared: SharedReactions
    cut: Wrenches
    least: SharedReactions


def instant(sharing: RobotReactions, motion: Mapping[str, Any], time: float) -> Instant:
    """Return the solutions at one time."""
    dynamics = md.InverseDynamics(sharing.graph).solve(*motion_at(motion, sharing.graph, time))
    by_rules, least, rules = sharing(dynamics), sharing.least_norm(dynamics), sharing.rules
    cut = wrenches_of(sharing, dynamics, by_rules)
    return Instant(dynamics, by_rules.by_name(rules), cut, least.by_name(rules))


def wrenches_of(
    sharing: RobotReactions, dynamics: md.ClosedLoopResult, by_rules: ReactionArrays
) -> dict[str, Array]:
    """Return the reactions of the cut loops by the rules' joints: [force, moment] of ``by`` on ``on``.

    At the joint's point along its axes.
    """
    graph, wrenches = sharing.graph, {}
    reactions, carriers = joint_reactions(graph, dynamics), carrying_bodies(graph, sharing.rules)
    for joint, (_, at) in zip(sharing.rules.joints.values(), by_rules.points, strict=True):
        reaction = reactions[str(joint.at)]
        sign = 1.0 if carriers[reaction.successor] == joint.on else -1.0
        about = reaction.moment + np.cross(reaction.point - at, reaction.force)
        onto = by_rules.poses[graph.links.index(joint.axes), :3, :3].T
        wrenches[joint.name] = sign * np.concatenate([onto @ reaction.force, onto @ about])
    return wrenches


def null_space(now: Instant, sharing: RobotReactions) -> tuple[int, float]:
    """Return the dimension of the null space of equilibrium.

    Also how far two solutions, by rules and of the least norm, differ outside it: the largest [N or N m].
    """
    stress = sharing.self_stress(now.dynamics)
    x, y = (np.array(list(shared.components.values())) for shared in (now.shared, now.least))
    return stress.shape[1], float(np.abs(x - y - stress @ (stress.T @ (x - y))).max())


def motion_at(motion: Mapping[str, Any], graph: md.SubsystemGraph, time: float) -> tuple[Array, Array, Array]:
    """Return q, v, a of the independent joints; accelerations are constant in each segment."""
    unit = np.array([motion["accelerations"].get(name, 0.0) for name in graph.independent_joint_names])
    s = rate = scale = start = 0.0
    for segment in motion["segments"]:
        scale, end = float(segment["scale"]), min(time, float(segment["until"]))
        s, rate = s + rate * (end - start) + scale * (end - start) ** 2 / 2, rate + scale * (end - start)
        start = end
        if time <= segment["until"]:
            break
    return unit * s, unit * rate, unit * scale


def reaction_table(rules: Rules, time: float, now: Instant) -> Table:
    """Return a table of the three solutions and their differences, which lie in the null space."""
    table = Table(title=f"{rules.name}: reactions at {time:g} s", title_justify="left")
    for name in ("joint", "", "Fx", "Fy", "Fz", "Mx", "My", "Mz"):
        table.add_column(name, justify="right" if name[1:] else "left", no_wrap=True)
    table.columns[0].justify = "left"
    for name, joint in rules.joints.items():
        by_rules, cut, least = now.shared.wrenches[name], now.cut[name], now.least.wrenches[name]
        others = {"rules - cut": by_rules - cut, "rules - all": by_rules - least}
        if np.abs(list(others.values())).max() < ROUNDING:
            table.add_row(
                f"{name}: {joint.by} on {joint.on}", "unique", *map(cell, by_rules), end_section=True
            )
            continue
        table.add_row(f"{name}: {joint.by}", "rules", *map(cell, by_rules))
        table.add_row(f"  on {joint.on}", "cut", *map(cell, cut))
        table.add_row("", "all", *map(cell, least))
        for label, difference in others.items():
            table.add_row("", label, *map(cell, difference), style="dim", end_section=label == [*others][-1])
    return table


def cell(value: float) -> str:
    """Return a number as text; empty if it is rounding."""
    return "" if abs(value) < ROUNDING else f"{value:.4f}"


if __name__ == "__main__":
    raise SystemExit(main())
