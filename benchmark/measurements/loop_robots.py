"""Closed loops beside their spanning trees: what closing costs, on robots with planar loops."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import modular_dynamics as md
from benchmark.peers.closed_loops.problem import ClosedStates, closed_states
from benchmark.setting.robots import ROOT
from benchmark.setting.timing import Spread, Timed, interleaved, ratio

__all__ = ["ROBOTS", "LoopRobotFigures", "measure_loop_robots", "tree_calls"]

ROBOTS = "four_bar", "slider_crank", "crane", "exoskeleton", "charmie_torso"
COUNT = 1024  # states in a batch


@dataclass(frozen=True)
class LoopRobotFigures:
    """One robot: its loops, coordinates, and microseconds (medians) of one state.

    Attributes:
        tree_us: inverse dynamics of the spanning tree, with ``out``. torques_us: of the closed robot, with
            ``out``. times: the second over the first, round by round.
        tree_batch_us, batch_us, batch_times: the same of a batch on one thread.
        whole_us: without ``out``, with wrenches and all else.
        difference: of the torques with ``out`` and of the batch from the general method in NumPy, relative to
            the largest.
    """

    robot: str
    loops: int
    joints: int
    tree_us: float
    torques_us: float
    times: Spread
    tree_batch_us: float
    batch_us: float
    batch_times: Spread
    whole_us: float
    difference: float


def measure_loop_robots(rounds: int, tick: Callable[[str], None]) -> list[LoopRobotFigures]:
    """One state from a guess near, and a motion of COUNT states; all robots are timed in turns.

    Tree and closed robot are at the same closed states.
    """
    timed: Timed = {}
    known = {}
    for name in ROBOTS:
        tick(name)
        graph = md.load_urdf(ROOT / "urdf" / f"{name}.urdf")
        states = closed_states(graph, COUNT)
        calls = tree_calls(states)
        known[name] = len(graph.loop_joints), graph.nv, _difference(states)
        timed |= {f"{name} {part}": call for part, call in calls.items()}
    times = interleaved(timed, rounds, tick)
    medians = {name: float(np.median(values)) for name, values in times.items()}
    return [
        LoopRobotFigures(
            *(name, loops, joints, medians[f"{name} tree"], medians[f"{name} torques"]),
            ratio(times[f"{name} tree"], times[f"{name} torques"]),
            *(medians[f"{name} tree batch"], medians[f"{name} batch"]),
            ratio(times[f"{name} tree batch"], times[f"{name} batch"]),
            *(medians[f"{name} whole"], difference),
        )
        for name, (loops, joints, difference) in known.items()
    ]


def tree_calls(states: ClosedStates) -> Timed:
    """The calls of one robot: "tree" and "tree batch" of its spanning tree; of itself "torques" and "batch",
    which close the loops, and "whole".
    """
    graph, rows = states.graph, states.independent
    count, first = len(rows[0]), [row[0].copy() for row in rows]
    motion = states.coordinates, states.velocities, states.accelerations
    one, many = np.empty(graph.nv), np.empty((count, graph.nv))
    tau, start = np.empty(len(first[1])), [row[0].copy() for row in motion]
    return {
        "tree": (partial(md.inverse_dynamics, graph.tree, *start, out=one), 1),
        "torques": (partial(md.InverseDynamics(graph), *first, states.first, tau), 1),
        "whole": (partial(md.InverseDynamics(graph).solve, *first, guess=states.first), 1),
        "tree batch": (partial(md.inverse_dynamics, graph.tree, *motion, threads=1, out=many), count),
        "batch": (
            partial(md.inverse_dynamics, graph, *rows, guess=states.first, threads=1),
            count,
        ),
    }


def _difference(states: ClosedStates) -> float:
    """The largest difference of both forms from the general method, relative to the largest torque."""
    graph, rows = states.graph, states.independent
    solver, chosen = md.loops.solver_of(graph), range(0, len(rows[0]), 32)
    given = zip(states.coordinates[chosen], rows[1][chosen], rows[2][chosen], strict=True)
    expected = np.array([solver.inverse_dynamics(*state).tau for state in given])
    tau = np.empty(len(states.torques[0]))
    md.inverse_dynamics(graph, *(row[0].copy() for row in rows), guess=states.first, out=tau)
    batch = md.InverseDynamics(graph).solve_many(*rows, guess=states.first, threads=1)
    largest = max(np.abs(tau - expected[0]).max(), np.abs(batch.tau[chosen] - expected).max())
    return float(largest / np.abs(expected).max())
