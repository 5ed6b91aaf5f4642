"""What one more loop costs where loops are not planar: batches of chains of spatial linkages."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import modular_dynamics as md
from benchmark.setting.spatial_linkages import spatial_linkages
from benchmark.setting.timing import Timed, interleaved, medians_by_size

__all__ = ["SpatialLoopFigures", "measure_spatial_loops"]

LOOPS = (1, 2, 5, 10, 20, 50)
STATES = 64  # of a motion
STEP = 1e-3  # of the motors between neighbouring states [rad]


@dataclass(frozen=True)
class SpatialLoopFigures:
    """One chain: its loops, coordinates, rows; one state of a batch on one thread [us].

    ``tree_us``: the same of its spanning tree.
    """

    loops: int
    joints: int
    rows: int
    torques_us: float
    tree_us: float


def measure_spatial_loops(rounds: int, tick: Callable[[str], None]) -> list[SpatialLoopFigures]:
    """All sizes are timed in turns."""
    timed: Timed = {}
    sizes = {}
    for loops in LOOPS:
        tick(f"a chain of {loops} spatial loops")
        graph = spatial_linkages(loops)
        q = STEP * np.arange(STATES)[:, None] + 0.1 * np.sin(np.arange(loops))
        v, vdot = np.full(q.shape, 0.3), np.full(q.shape, 0.2)
        call = partial(md.closed_loop_inverse_dynamics_batch, graph, q, v, vdot, threads=1, errors="raise")
        full = call().coordinates
        rest = np.zeros((STATES, graph.nv))
        timed[f"torques {loops}"] = call, STATES
        timed[f"tree {loops}"] = (
            partial(md.inverse_dynamics_batch, graph.tree, full, rest, rest, threads=1),
            STATES,
        )
        sizes[loops] = graph.nv, 3 * loops
    medians = medians_by_size(interleaved(timed, rounds, tick))
    return [
        SpatialLoopFigures(loops, *size, medians["torques"][loops], medians["tree"][loops])
        for loops, size in sizes.items()
    ]
