"""Time per state of one robot: by the size of the batch, and cut into more and more subsystems.

Small batches pay for the call, large ones for memory access. Torques and time do not depend on the partition.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import modular_dynamics as md
from benchmark.peers.ours import single_and_batch
from benchmark.setting.robots import VECTORS, States, random_states
from benchmark.setting.timing import Spread, Timed, interleaved, medians_by_size, ratio

SIZES = (64, 256, 1024, 4096, 16384)
LARGEST_ARRAY = 2**23  # numbers; 64 MB


def measure_sizes(urdf: str, rounds: int, tick: Callable[[str], None]) -> dict[str, dict[int, float]]:
    """Microseconds for one state, one thread: what -> states -> time."""
    graph = md.load_urdf(urdf)
    states, nv = random_states(graph), graph.nv
    timed: Timed = {}
    for count in SIZES:
        many = states.repeated(count)
        double = [many.q, many.v, many.a]
        for kind, dtype in (("f64", np.float64), ("f32", np.float32)):
            rows, out = [x.astype(dtype) for x in double], np.empty((count, nv), dtype)
            call = partial(md.inverse_dynamics, graph, *rows, threads=1, out=out)
            timed[f"torques {kind} {count}"] = call, count
        if count * nv * nv <= LARGEST_ARRAY:
            matrices, zeros = np.empty((2, count, nv, nv))
            parts, derivatives = np.empty((count, 3, nv, nv)), md.inverse_dynamics_derivatives
            calls = {
                "mass matrix": partial(md.mass_matrix, graph, many.q, threads=1, out=matrices),
                "zeros of its size": partial(zeros.fill, 0.0),  # writing alone
                "derivatives": partial(derivatives, graph, *double, threads=1, out=parts),
            }
            timed |= {f"{what} {count}": (call, count) for what, call in calls.items()}
    return medians_by_size(interleaved(timed, rounds, tick))


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
        own = States(*(x[:, columns] for x in (states.q, states.v, states.a)))
        tau = np.empty_like(states.v)
        tau[:, columns] = md.inverse_dynamics(graph, own.q, own.v, own.a, threads=1)
        torques.append(tau)
        for kind, call in zip(("single", "batch"), single_and_batch(graph, own, VECTORS), strict=True):
            timed[f"{kind} {len(graph.subsystems)}"] = call
    times = interleaved(timed, rounds, tick)
    figures = []
    for graph, tau in zip(graphs, torques, strict=True):
        single, batch = (times[f"{kind} {len(graph.subsystems)}"] for kind in ("single", "batch"))
        medians = float(np.median(single)), float(np.median(batch))
        relative = ratio(times["single 1"], single), ratio(times["batch 1"], batch)
        difference = float(np.abs(tau - torques[0]).max() / np.abs(torques[0]).max())
        figures.append(PartitionFigures(len(graph.subsystems), *medians, *relative, difference))
    return figures
