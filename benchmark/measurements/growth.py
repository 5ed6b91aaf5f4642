"""Growth: random trees of 10 to 1000 joints, and time per joint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import modular_dynamics as md
from benchmark.peers.pinocchio_peer import PinocchioPeer
from benchmark.setting.robots import random_tree
from benchmark.setting.states import random_states
from benchmark.setting.timing import Timed, interleaved

__all__ = ["JOINTS", "PINOCCHIO_UP_TO", "SERIES", "Growth", "measure_growth", "spread"]

JOINTS = (10, 20, 50, 100, 200, 500, 1000)
NUMBERS = 2**18  # in each array of a batch: the same memory for all sizes ...
MOST_STATES = 16384  # ... with fewer states than this
#: Pinocchio's Data holds tensors of joints^3 numbers: 0.5 GB at 200 joints, 4 GB at 400.
PINOCCHIO_UP_TO = 200
SERIES = ("ours, single", "pinocchio, single", "ours, batch", "pinocchio, batch")


@dataclass(frozen=True)
class Growth:
    """Medians [us] of one state: series -> joints -> time. Batches: float64, one thread."""

    medians_us: dict[str, dict[int, float]]

    def per_joint(self, series: str) -> dict[int, float]:
        """T(n) / n."""
        return {n: time / n for n, time in self.medians_us[series].items()}

    def slopes(self, series: str) -> dict[int, float]:
        """(T(n) - T(n0)) / (n - n0), n0 the fewest joints: without the constant cost of a call."""
        (n0, t0), *others = self.medians_us[series].items()
        return {n: (time - t0) / (n - n0) for n, time in others}


def spread(values: dict[int, float]) -> float:
    """Largest over smallest, less one."""
    return max(values.values()) / min(values.values()) - 1.0


def measure_growth(rounds: int, tick: Callable[[str], None]) -> Growth:
    """All sizes are timed in turns: a slow minute of the machine makes no step in the curve."""
    timed: Timed = {}
    for joints in JOINTS:
        tick(f"loading a tree of {joints} joints")
        timed |= {f"{series} {joints}": call for series, call in _calls(joints).items()}
    times = interleaved(timed, rounds, tick)
    medians: dict[str, dict[int, float]] = {series: {} for series in SERIES}
    for name, values in times.items():
        series, _, joints = name.rpartition(" ")
        medians[series][int(joints)] = float(np.median(values))
    return Growth(medians)


def _calls(joints: int) -> Timed:
    graph = md.load_urdf(random_tree(joints))
    states = random_states(graph, 16)
    count = min(MOST_STATES, NUMBERS // joints)
    (q, v, vdot), many, tau = states.first, states.repeated(count), np.empty(joints)
    taus = np.empty((count, joints))
    calls: Timed = {
        SERIES[0]: (lambda: md.inverse_dynamics(graph, q, v, vdot, out=tau), 1),
        SERIES[2]: (
            lambda: md.inverse_dynamics_batch(graph, many.q, many.v, many.vdot, 1, out=taus),
            count,
        ),
    }
    if joints <= PINOCCHIO_UP_TO:
        peer = PinocchioPeer(graph, states)
        calls |= {SERIES[1]: peer.timed()["rnea"], SERIES[3]: peer.parallel(1, count)["rneaInParallel 1"]}
    return calls
