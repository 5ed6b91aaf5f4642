"""`make torso-reactions`: the torso's reactions by the paper's rules, beside the general solution.

Goncalves et al., section 4, on urdf/charmie_torso.urdf at one instant of the published motion. Redundant
joints share their load in more than one way; what tells two of them apart strains the joints and nothing else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import modular_dynamics as md
from modular_dynamics.closure.reactions import reactions, situation_of, wrenches_of
from modular_dynamics.closure.sharing import Shared, Sharing
from modular_dynamics.closure.sharing_rules import Rules, read_rules

ROOT = Path(__file__).resolve().parent.parent
Array = NDArray[np.float64]
Wrenches = Mapping[str, Array]
NOTES = """\
What a joint exerts on the body that it holds, at its point, along that body's axes [N, N m]; a blank is 0.
rules: {rules}.
cut: closed_loop_inverse_dynamics. Wrenches at the cut joints of the least norm; the tree's joints take the rest.
all: the least norm of the wrenches at all joints, N and N m counted alike.
The actuators and the base leave no choice: the torques are the same in all three."""


def main() -> int:
    """Solve, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("urdf", nargs="?", type=Path, default=ROOT / "urdf" / "charmie_torso.urdf")
    parser.add_argument("--rules", type=Path, default=ROOT / "urdf" / "charmie_torso_rules.yaml")
    parser.add_argument("--motion", type=Path, default=ROOT / "config" / "charmie_torso_motion.yaml")
    parser.add_argument("--time", type=float, default=1.5, help="instant of the motion [s]")
    parser.add_argument("--steps", action="store_true", help="print the rules, step by step")
    options = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 118)
    graph, rules = md.load_urdf(options.urdf), read_rules(options.rules)
    if options.steps:
        console.print(str(rules), highlight=False)
    q, v, vdot = motion_at(yaml.safe_load(options.motion.read_text()), graph, options.time)
    dynamics = md.closed_loop_inverse_dynamics(graph, q, v, vdot)
    situation = situation_of(graph, dynamics, rules)
    sharing = Sharing(rules)
    shared, least = sharing(situation), sharing.least_norm(situation)
    cut = wrenches_of(graph, reactions(graph, dynamics), rules, situation)
    console.print(reaction_table(rules, options.time, shared, cut, least), NOTES.format(rules=rules.name))
    stress, open_ = sharing.self_stress(situation), ~np.array([c == "pull" for _, c in rules.unknowns])
    x, y = (np.array(list(found.components.values())) for found in (shared, least))
    own = stress @ (stress.T @ (x - y))
    left = {
        "rules": shared.residual,
        "cut": residual(rules, situation, sharing, shared, cut),
        "all": least.residual,
    }
    told = [
        f"Null space: of {open_.sum()} components that joints bear, {6 * len(rules.bodies)} equations leave "
        f"{stress.shape[1]} free; {dynamics.redundant} of {len(dynamics.multipliers)} rows at the cuts are redundant.",
        f"rules - all: norm {np.linalg.norm(x - y):.4g}, of which outside the null space "
        f"{np.abs(x - y - own).max():.1e}.",
        *(
            f"Residual of equilibrium, {name}: "
            + ", ".join(f"{body} {np.abs(part).max():.1e}" for body, part in found.items())
            for name, found in left.items()
        ),
    ]
    console.print("\n".join(told), highlight=False, soft_wrap=True)
    return 0


def motion_at(motion: Mapping[str, Any], graph: md.SubsystemGraph, time: float) -> tuple[Array, Array, Array]:
    """Positions, velocities, accelerations of the independent joints; constant accelerations by segments."""
    unit = np.array([motion["accelerations"].get(name, 0.0) for name in graph.independent_joint_names])
    s = rate = scale = start = 0.0
    for segment in motion["segments"]:
        scale, end = float(segment["scale"]), min(time, float(segment["until"]))
        s, rate = s + rate * (end - start) + scale * (end - start) ** 2 / 2, rate + scale * (end - start)
        start = end
        if time <= segment["until"]:
            break
    return unit * s, unit * rate, unit * scale


def residual(
    rules: Rules, situation: Any, sharing: Sharing, shared: Shared, wrenches: Wrenches
) -> dict[str, Array]:
    """What wrenches leave of each body's equilibrium: the shared ones leave theirs; the rest is what differs."""
    left = {body: part.copy() for body, part in shared.residual.items()}
    for name, joint in rules.joints.items():
        R = np.asarray(situation.rotations[joint.axes])
        force, moment = (R @ part for part in np.split(wrenches[name] - shared.wrenches[name], 2))
        point = np.asarray(situation.points[name])[1]
        for body, sign in ((joint.on, 1.0), (joint.by, -1.0)):
            if body in left:
                Q, o = np.asarray(situation.rotations[body]), np.asarray(situation.origins[body])
                about = moment + np.cross(point - o, force)
                left[body] -= sign * np.concatenate([Q.T @ force, Q.T @ about])
    return left


def reaction_table(rules: Rules, time: float, shared: Shared, cut: Wrenches, least: Shared) -> Table:
    """Three ways beside each other, and the parts of the null space that tell them apart."""
    table = Table(title=f"{rules.name}: reactions at {time:g} s", title_justify="left")
    for name in ("joint", "", "Fx", "Fy", "Fz", "Mx", "My", "Mz"):
        table.add_column(name, justify="right" if name[1:] in "xyz" and name else "left", no_wrap=True)
    for name, joint in rules.joints.items():
        mine, general, short = shared.wrenches[name], cut[name], least.wrenches[name]
        rows = {"rules": mine, "cut": general, "all": short}
        rows |= {"rules - cut": mine - general, "rules - all": mine - short}
        for k, (label, wrench) in enumerate(rows.items()):
            title = (name, f"{joint.by} on", joint.on, "", "")[k]
            alone = "dim" if k > 2 else ""
            table.add_row(title, label, *map(cell, wrench), style=alone, end_section=k == 4)
    return table


def cell(value: float) -> str:
    """A number, blank where it is rounding."""
    return "" if abs(value) < 1e-8 else f"{value:.4f}"


if __name__ == "__main__":
    raise SystemExit(main())
