"""Closed loops beside their spanning trees: what closing costs, on robots with planar loops."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import modular_dynamics as md
from benchmark.setting.robots import ROOT
from benchmark.setting.timing import Timed, interleaved

__all__ = ["ROBOTS", "LoopRobotFigures", "measure_loop_robots"]

ROBOTS = "four_bar", "slider_crank", "crane", "exoskeleton", "charmie_torso"
STEP = 1e-3  # of the independent joints between a call and its guess [rad or m]


@dataclass(frozen=True)
class LoopRobotFigures:
    """One robot: its loops, coordinates, and microseconds (medians) of one state.

    Attributes:
        tree_us: inverse dynamics of the spanning tree, with ``out``. torques_us: of the closed robot, with
            ``out``. whole_us: without ``out``, with wrenches and all else.
        difference: between the torques of the last two, relative to the largest.
    """

    robot: str
    loops: int
    joints: int
    tree_us: float
    torques_us: float
    whole_us: float
    difference: float


def measure_loop_robots(rounds: int, tick: Callable[[str], None]) -> list[LoopRobotFigures]:
    """One state from a guess near; all robots are timed in turns."""
    timed: Timed = {}
    known = {}
    for name in ROBOTS:
        tick(name)
        graph = md.load_urdf(ROOT / "urdf" / f"{name}.urdf")
        guess = md.assemble(graph).coordinates
        q = md.assemble(graph).independent + STEP
        rates = np.random.default_rng(0).normal(size=(2, len(q)))
        arguments = q, *rates, guess
        whole = md.closed_loop_inverse_dynamics(graph, *arguments)
        tau, motion = np.empty(len(q)), (whole.coordinates, whole.velocities, whole.accelerations)
        tree, function = np.empty(graph.nv), md.closed_loop_inverse_dynamics
        function(graph, *arguments, out=tau)
        difference = float(np.abs(tau - whole.tau).max() / np.abs(whole.tau).max())
        known[name] = len(graph.loop_joints), graph.nv, difference
        timed[f"{name} tree"] = partial(md.inverse_dynamics, graph.tree, *motion, out=tree), 1
        timed[f"{name} torques"] = partial(function, graph, *arguments, out=tau), 1
        timed[f"{name} whole"] = partial(function, graph, *arguments), 1
    times = {name: float(np.median(values)) for name, values in interleaved(timed, rounds, tick).items()}
    return [
        LoopRobotFigures(
            name,
            loops,
            joints,
            *(times[f"{name} {part}"] for part in ("tree", "torques", "whole")),
            difference,
        )
        for name, (loops, joints, difference) in known.items()
    ]
