"""Closed loops: inverse dynamics of a chain of four-bars, 1 to 50 loops, from a guess."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import modular_dynamics as md
from benchmark.setting.timing import Spread, Timed, interleaved
from modular_dynamics.closure import closed_loop_inverse_dynamics
from modular_dynamics.model import SubsystemGraph

__all__ = ["LOOPS", "LoopFigures", "measure_loops"]

LOOPS = (1, 2, 5, 10, 20, 50)
STEP = 1e-3  # of the crank between a call and its guess [rad]
ROD = (
    '<link name="{0}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>'
    '<inertia ixx="1e-3" iyy="0.0834" izz="0.0834" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{0}"/>'
    '<origin xyz="{2} 0 0" rpy="{3} 0 0"/><axis xyz="0 0 1"/><limit effort="9" velocity="9"/></joint>'
)


@dataclass(frozen=True)
class LoopFigures:
    """One chain: its loops, coordinates, rows, microseconds of one evaluation and of the open tree's."""

    loops: int
    joints: int
    rows: int
    closed_us: float
    quartiles: str
    tree_us: float


def chain(loops: int) -> SubsystemGraph:
    """Upright rods on the ground, 1 m apart, each connected to the next by a rod; the first is driven."""
    upright = "1.5707963267948966"
    parts, tags = [ROD.format("upright_0", "ground", 0, upright)], []
    for k in range(1, loops + 1):
        parts += [
            ROD.format(f"upright_{k}", "ground", k, upright),
            ROD.format(f"rod_{k}", f"upright_{k - 1}", 1, 0),
        ]
        tags.append(
            f'<loop_joint name="loop_{k}" type="revolute"><predecessor link="upright_{k}" xyz="1 0 0"/>'
            f'<successor link="rod_{k}" xyz="1 0 0"/><axis xyz="0 0 1"/></loop_joint>'
            f'<passive joint="upright_{k}"/><passive joint="rod_{k}"/>'
        )
    return md.load_urdf(
        f'<robot name="chain"><link name="ground"/>{"".join(parts)}'
        f'<modular_dynamics version="1">{"".join(tags)}</modular_dynamics></robot>'
    )


def measure_loops(rounds: int, tick: Callable[[str], None]) -> list[LoopFigures]:
    """All sizes are timed in turns."""
    timed: Timed = {}
    sizes = {}
    for loops in LOOPS:
        tick(f"a chain of {loops} loops")
        graph = chain(loops)
        guess = np.array([1.0 if name.startswith("upright") else -1.0 for name in graph.joint_names])
        q, v, vdot = np.array([1.0 + STEP]), np.array([1.0]), np.array([0.5])
        result = closed_loop_inverse_dynamics(graph, q, v, vdot, guess)
        motion = result.coordinates, result.velocities, result.accelerations
        sizes[loops] = graph.nv, len(result.multipliers)
        timed[f"closed {loops}"] = (
            lambda graph=graph, q=q, v=v, vdot=vdot, guess=guess: closed_loop_inverse_dynamics(
                graph, q, v, vdot, guess
            ),
            1,
        )
        timed[f"tree {loops}"] = (
            lambda tree=graph.tree, motion=motion: md.inverse_dynamics(tree, *motion),
            1,
        )
    times = interleaved(timed, rounds, tick)
    return [
        LoopFigures(
            loops,
            *sizes[loops],
            float(np.median(times[f"closed {loops}"])),
            str(Spread.of(times[f"closed {loops}"])),
            float(np.median(times[f"tree {loops}"])),
        )
        for loops in LOOPS
    ]
