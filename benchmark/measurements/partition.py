"""The same robot cut into more and more subsystems: neither torques nor time depend on it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import modular_dynamics as md
from benchmark.peers.ours import single_and_batch
from benchmark.setting.robots import VECTORS, States, random_states
from benchmark.setting.timing import Spread, Timed, interleaved, ratio


@dataclass(frozen=True)
class PartitionFigures:
    """One partition. ``relative_*``: its time over that of a single subsystem, round by round."""

    subsystems: int
    single_us: float
    batch_us: float
    relative_single: Spread
    relative_batch: Spread
    difference: float  # of the torques from those of a single subsystem, relative to the largest


def measure_partitions(urdf: str, rounds: int, tick: Callable[[str], None]) -> list[PartitionFigures]:
    """One subsystem, the subsystems of the URDF's tags, and one subsystem for each joint."""
    names = [joint.name for joint in md.load_urdf(urdf).joints]
    whole: dict[str, Any] = {"version": 1, "subsystems": [{"name": "whole", "joints": names}]}
    pieces = {"version": 1, "subsystems": [{"name": f"only_{name}", "joints": [name]} for name in names]}
    graphs = [md.load_urdf(urdf, whole), md.load_urdf(urdf), md.load_urdf(urdf, pieces)]
    states = random_states(graphs[0])
    timed: Timed = {}
    torques = []
    for graph in graphs:
        columns = [graphs[0].v_slice(name).start for name in graph.joint_names]
        own = States(*(x[:, columns] for x in (states.q, states.v, states.vdot)))
        tau = np.empty_like(states.v)
        tau[:, columns] = md.inverse_dynamics_batch(graph, own.q, own.v, own.vdot, 1)
        torques.append(tau)
        for kind, call in zip(("single", "batch"), single_and_batch(graph, own, VECTORS), strict=True):
            timed[f"{kind} {len(graph.subsystems)}"] = call
    times = interleaved(timed, rounds, tick)
    figures = []
    for graph, tau in zip(graphs, torques, strict=True):
        single, batch = (times[f"{kind} {len(graph.subsystems)}"] for kind in ("single", "batch"))
        figures.append(
            PartitionFigures(
                len(graph.subsystems),
                float(np.median(single)),
                float(np.median(batch)),
                ratio(times["single 1"], single),
                ratio(times["batch 1"], batch),
                float(np.abs(tau - torques[0]).max() / np.abs(torques[0]).max()),
            )
        )
    return figures
