"""The library's algorithms beside their peers: one process, interleaved rounds, medians and ratios."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio

import modular_dynamics as md

__all__ = ["Comparison", "compare"]

ROUNDS = 9
BATCH = 16384
Timed = dict[str, tuple[Callable[[], object], int]]


@dataclass(frozen=True)
class Comparison:
    """Microseconds per evaluation: median and quartiles over the rounds, and how many times the peer's."""

    robot: str
    what: str
    peer: str
    ours_us: float
    peer_us: float
    ratio: float
    ratio_low: float
    ratio_high: float


def compare(urdf: Path, threads: int, tick: Callable[[str], None]) -> list[Comparison]:
    """Inverse dynamics and mass matrix of a robot, single and in batches, against Pinocchio and MuJoCo."""
    graph = md.load_urdf(urdf)
    timed = _ours(graph, threads) | _pinocchio(graph, threads) | _mujoco(urdf, graph)
    rounds: dict[str, list[float]] = {name: [] for name in timed}
    for number in range(ROUNDS):
        tick(f"{graph.name}: round {number + 1} of {ROUNDS}")
        for name, (
            call,
            count,
        ) in timed.items():  # in turns: all share the machine's moods
            rounds[name].append(_seconds_each(call) / count * 1e6)
    pairs = [
        ("single call, out=", "inverse_dynamics(out)", "rnea"),
        ("single call", "inverse_dynamics", "rnea"),
        ("single call, out=", "inverse_dynamics(out)", "mj_inverse"),
        ("batch f64, 1 thread", "batch64 1", "rneaInParallel/1"),
        (f"batch f64, {threads} threads", f"batch64 {threads}", f"rneaInParallel/{threads}"),
        ("batch f32, 1 thread", "batch32 1", "rneaInParallel/1"),
        ("mass matrix", "mass_matrix", "crba"),
    ]
    return [_compared(graph.name, what, ours, peer, rounds) for what, ours, peer in pairs if peer in rounds]


def _seconds_each(call: Callable[[], object]) -> float:
    """Mean of as many calls as fill some 10 ms."""
    start = time.perf_counter()
    call()
    repeat = max(1, int(0.01 / max(time.perf_counter() - start, 1e-7)))
    start = time.perf_counter()
    for _ in range(repeat):
        call()
    return (time.perf_counter() - start) / repeat


def _compared(robot: str, what: str, ours: str, peer: str, rounds: dict[str, list[float]]) -> Comparison:
    ratios = np.array(rounds[peer]) / np.array(rounds[ours])
    low, middle, high = np.percentile(ratios, [25, 50, 75])
    medians = float(np.median(rounds[ours])), float(np.median(rounds[peer]))
    return Comparison(robot, what, peer, *medians, float(middle), float(low), float(high))


def _states(graph: md.SubsystemGraph, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(count, graph.nq)), *rng.normal(size=(2, count, graph.nv))


def _ours(graph: md.SubsystemGraph, threads: int) -> Timed:
    q, v, vdot = _states(graph, BATCH)
    one = [np.ascontiguousarray(x[0]) for x in (q, v, vdot)]
    out, matrix = np.empty(graph.nv), np.empty((graph.nv, graph.nv))
    out64, out32 = np.empty((BATCH, graph.nv)), np.empty((BATCH, graph.nv), np.float32)
    single = [x.astype(np.float32) for x in (q, v, vdot)]
    batch = md.inverse_dynamics_batch
    return {
        "inverse_dynamics(out)": (lambda: md.inverse_dynamics(graph, *one, out=out), 1),
        "inverse_dynamics": (lambda: md.inverse_dynamics(graph, *one), 1),
        "mass_matrix": (lambda: md.mass_matrix(graph, one[0], matrix), 1),
        "batch64 1": (lambda: batch(graph, q, v, vdot, 1, out=out64), BATCH),
        f"batch64 {threads}": (lambda: batch(graph, q, v, vdot, threads, out=out64), BATCH),
        "batch32 1": (lambda: batch(graph, *single, 1, out=out32, dtype=np.float32), BATCH),
    }


def _pinocchio(graph: md.SubsystemGraph, threads: int) -> Timed:
    pin = md.crosscheck.PinocchioModel(graph)
    states = zip((pin.q, pin.v, pin.v), _states(graph, BATCH), strict=True)
    q, v, vdot = (np.asfortranarray(np.array([take(row) for row in x]).T) for take, x in states)
    one = [np.ascontiguousarray(x[:, 0]) for x in (q, v, vdot)]
    tau = np.zeros((pin.model.nv, BATCH), order="F")

    def batch(count: int) -> tuple[Callable[[], object], int]:
        pool = pinocchio.ModelPool(pin.model, count)
        return lambda: pinocchio.rneaInParallel(count, pool, q, v, vdot, tau), BATCH

    return {
        "rnea": (lambda: pinocchio.rnea(pin.model, pin.data, *one), 1),
        "crba": (lambda: pinocchio.crba(pin.model, pin.data, one[0]), 1),
        "rneaInParallel/1": batch(1),
        f"rneaInParallel/{threads}": batch(threads),
    }


def _mujoco(urdf: Path, graph: md.SubsystemGraph) -> Timed:
    """MuJoCo's inverse dynamics, where it is installed and reads the file; it has no mimic joints in URDF."""
    try:
        import mujoco  # noqa: PLC0415 - a peer that may be missing

        model = mujoco.MjModel.from_xml_path(str(urdf))
    except (ImportError, ValueError):
        return {}
    data = mujoco.MjData(model)
    if model.nv != graph.nv:
        return {}
    for state in (data.qpos, data.qvel, data.qacc):
        state[:] = np.random.default_rng(0).normal(size=graph.nv)
    return {"mj_inverse": (lambda: mujoco.mj_inverse(model, data), 1)}
