"""Growth: time against the joints of random trees, 10 to 1000, and the loops of rows of four-bars, to 50."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import modular_dynamics as md
from benchmark.peers.casadi_peer import BuildError
from benchmark.peers.exported_loops import LoopsInC
from benchmark.peers.ours import single_and_batch
from benchmark.peers.pinocchio_peer import PinocchioPeer
from benchmark.setting.robots import random_states, random_tree, standing, windows
from benchmark.setting.spatial_linkages import spatial_linkages
from benchmark.setting.timing import Spread, Timed, interleaved, medians_by_size

JOINTS = (10, 20, 50, 100, 200, 500, 1000)
NUMBERS = 2**18  # in each array of a batch: the same memory for all sizes ...
MOST_STATES = 16384  # ... with fewer states than this
#: Pinocchio's Data holds tensors of joints^3 numbers: 0.5 GB at 200 joints, 4 GB at 400.
PINOCCHIO_UP_TO = 200
SERIES = ("ours, single", "pinocchio, single", "ours, batch", "pinocchio, batch")
LOOPS = (1, 2, 5, 10, 20, 50)
STEP = 1e-3  # of the crank between a call and its guess, of motors between neighbouring states [rad]
STATES = 64  # of a motion


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
    return Growth(medians_by_size(interleaved(timed, rounds, tick)))


def _calls(joints: int) -> Timed:
    graph = md.load_urdf(random_tree(joints))
    states, count = random_states(graph, 16), min(MOST_STATES, NUMBERS // joints)
    single, batch = single_and_batch(graph, states, count)
    if joints > PINOCCHIO_UP_TO:
        return {SERIES[0]: single, SERIES[2]: batch}
    peer = PinocchioPeer(graph, states)
    theirs = peer.timed()["rnea"], peer.parallel(1, count)["rneaInParallel 1"]
    return dict(zip(SERIES, (single, theirs[0], batch, theirs[1]), strict=True))


@dataclass(frozen=True)
class LoopFigures:
    """One chain: its loops, coordinates, rows, microseconds of one evaluation.

    ``torques_us``: of the torques alone, with ``out``. ``tree_us``: of the spanning tree's, with ``out``.
    ``c_us``: of one evaluation in C by `graph.export_c`; None without a C compiler. ``c_error``: its largest
    difference from the library, relative to the torque.
    """

    loops: int
    joints: int
    rows: int
    closed_us: float
    quartiles: str
    torques_us: float
    tree_us: float
    c_us: float | None
    c_error: float | None


def measure_loops(rounds: int, cache: Path, tick: Callable[[str], None]) -> list[LoopFigures]:
    """Inverse dynamics of chains of four-bars from a guess; all sizes are timed in turns."""
    timed: Timed = {}
    sizes, errors = {}, {}
    for loops in LOOPS:
        tick(f"a chain of {loops} loops")
        graph = windows(loops)
        arguments = [np.array(x) for x in ([1.0 + STEP], [1.0], [0.5], standing(graph, 1.0))]
        result = md.InverseDynamics(graph).solve(*arguments[:3], guess=arguments[3])
        motion = result.coordinates, result.velocities, result.accelerations
        sizes[loops] = graph.nv, len(result.multipliers)
        *state, guess = arguments
        timed[f"closed {loops}"] = partial(md.InverseDynamics(graph).solve, *state, guess=guess), 1
        tau = np.empty(1)
        timed[f"torques {loops}"] = partial(md.inverse_dynamics, graph, *state, guess=guess, out=tau), 1
        tree = np.empty(graph.nv)
        timed[f"tree {loops}"] = partial(md.inverse_dynamics, graph.tree, *motion, out=tree), 1
        try:
            code = LoopsInC(graph, arguments[3], arguments[:3], cache / f"windows_{loops}")
        except BuildError:
            continue
        if code.call() != 0:
            raise RuntimeError(f"the exported code of {loops} loops reports an error")
        timed[f"C {loops}"] = code.call, 1
        errors[loops] = float(np.abs(code.tau - result.tau).max() / np.abs(result.tau).max())
    times = interleaved(timed, rounds, tick)
    medians = medians_by_size(times)
    figures = []
    for loops, (joints, rows) in sizes.items():
        closed, quartiles = medians["closed"][loops], str(Spread.of(times[f"closed {loops}"]))
        in_c = medians.get("C", {}).get(loops), errors.get(loops)
        figures.append(
            LoopFigures(
                loops,
                joints,
                rows,
                closed,
                quartiles,
                medians["torques"][loops],
                medians["tree"][loops],
                *in_c,
            )
        )
    return figures


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
        v, a = np.full(q.shape, 0.3), np.full(q.shape, 0.2)
        call = partial(md.inverse_dynamics, graph, q, v, a, threads=1)
        full = md.close_loops(graph, q)
        rest = np.zeros((STATES, graph.nv))
        timed[f"torques {loops}"] = call, STATES
        timed[f"tree {loops}"] = (
            partial(md.inverse_dynamics, graph.tree, full, rest, rest, threads=1),
            STATES,
        )
        sizes[loops] = graph.nv, 3 * loops
    medians = medians_by_size(interleaved(timed, rounds, tick))
    return [
        SpatialLoopFigures(loops, *size, medians["torques"][loops], medians["tree"][loops])
        for loops, size in sizes.items()
    ]
