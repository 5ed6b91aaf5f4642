"""One robot: peers, our functions, their compiled core, exported C, timed in turns; do results agree?"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

import modular_dynamics as md
from benchmark.peers.compiled import BuildError, CodeInC, CoreInCpp, PinocchioTreeCpp, built_torques
from benchmark.peers.mujoco_peer import MujocoPeer, UnsupportedRobotError
from benchmark.peers.ours import Ours
from benchmark.peers.pinocchio_peer import PinocchioPeer
from benchmark.setting.robots import Array, random_states
from benchmark.setting.timing import Spread, Timed, Times, interleaved, ratio


class Library(Protocol):
    """Calls of one library on the same states."""

    @property
    def timed(self) -> Timed:
        """Return the calls by name; those of ours begin with one of VARIANTS."""

    def results(self) -> dict[str, tuple[str, Array]]:
        """Return quantity and result for the first state by call, in the graph's order."""


#: Ours: the public functions, whose times have targets; what they call, from Python and from C++; exported C.
VARIANTS = TARGETED, *_ = "library", "core", "core, C++", "C99"


@dataclass(frozen=True)
class Row:
    """One comparison: with the fastest of the peers, by the medians of the same run."""

    what: str
    ours: str
    peers: tuple[str, ...]
    target: float | None = None


#: Ours gives the whole matrix; Pinocchio the upper half.
MASS = ("crba", "crba (world)", "mj kinematics + crb + full")
FORWARD = ("aba", "aba (world)", "mj_forward")
DERIVATIVES = ("computeRNEADerivatives",)


def rows(threads: int, joints: int) -> list[Row]:
    """Return all comparisons; up to seven joints, most of a single call's time is the call itself."""
    out = "inverse_dynamics out="
    comparisons = [
        Row("torques, out=", out, ("rnea",), 2.0 if joints <= 7 else 3.0),
        Row("torques, new array", "inverse_dynamics", ("rnea",), 2.0),
        Row("torques, out=", out, ("rnea (loop in C++)",)),
        Row("torques, out=", out, ("mj_inverse", "mj kinematics + rne")),
        Row("mass matrix", "mass_matrix", MASS, 1.5),
        Row("mass matrix", "mass_matrix", ("mj kinematics + crb",)),
        Row("accelerations", "forward_dynamics", FORWARD, 1.5),
        Row("derivatives", "inverse_dynamics_derivatives", DERIVATIVES, 1.0),
    ]
    for n in sorted({1, threads}):
        suffix, rnea = f"{n} thread{'s' if n > 1 else ''}", (f"rneaInParallel {n}",)
        # peers without a parallel version are called from Python, state by state
        forward = (f"abaInParallel {n}", *(FORWARD if n == 1 else ()))
        derivatives = f"inverse_dynamics_derivatives float64 {n}"
        comparisons += [
            Row(f"torques f64, {suffix}", f"inverse_dynamics float64 {n}", rnea, 20.0),
            Row(f"torques f32, {suffix}", f"inverse_dynamics float32 {n}", rnea, 35.0),
            Row(f"mass matrix, {suffix}", f"mass_matrix float64 {n}", MASS, 10.0),
            Row(f"accelerations, {suffix}", f"forward_dynamics float64 {n}", forward, 10.0),
            Row(f"derivatives, {suffix}", derivatives, DERIVATIVES, 8.0),
        ]
    return comparisons


@dataclass(frozen=True)
class Comparison:
    """Medians in microseconds for each state, and how many times as fast as the peer."""

    what: str
    variant: str
    ours_us: float
    peer: str
    peer_us: float
    times: Spread
    target: float | None
    reached: bool | None  # None without a target


@dataclass(frozen=True)
class RobotFigures:
    """Figures of one robot. ``agreement``: quantity -> library -> relative difference from Pinocchio."""

    robot: str
    nv: int
    comparisons: list[Comparison]
    agreement: dict[str, dict[str, float]]
    notes: list[str]


def compare(urdf: str, threads: int, rounds: int, cache: Path, tick: Callable[[str], None]) -> RobotFigures:
    """Measure a robot; peers that are missing or do not support it are left out, with a note."""
    graph, notes = md.load_urdf(urdf), list[str]()
    states = random_states(graph)
    rows_of, tau = (states.q, states.v, states.a), md.inverse_dynamics(graph, *states.first)
    libraries: dict[str, Library] = {
        "Pinocchio": PinocchioPeer(graph, states, *sorted({1, threads})),
        "ours": Ours(graph, states, threads),
    }
    optional: dict[str, Callable[[], Library]] = {
        "core, C++": lambda: CoreInCpp(graph, "core, C++ inverse_dynamics out=", *rows_of),
        "C99": lambda: CodeInC(graph, states, cache),
        "Pinocchio, C++": lambda: PinocchioTreeCpp(built_torques(cache, tick), graph, states),
        "MuJoCo": lambda: MujocoPeer(graph, states, tau),
    }
    for name, make in optional.items():
        tick(f"{name}: preparing")
        try:
            libraries[name] = make()
        except (BuildError, UnsupportedRobotError) as error:
            notes.append(f"left out: {name}: {error}")
    timed: Timed = {}
    for library in libraries.values():
        timed |= library.timed
    times = interleaved(timed, rounds, tick)
    return RobotFigures(
        graph.name,
        graph.nv,
        [one for row in rows(threads, graph.nv) for one in _compared(row, times)],
        _agreement(libraries),
        notes,
    )


def _compared(row: Row, times: Times) -> list[Comparison]:
    """Return one comparison for each variant that has the call; none where every peer is missing."""
    peers = [name for name in row.peers if name in times]
    if not peers:
        return []
    peer = min(peers, key=lambda name: float(np.median(times[name])))
    comparisons = []
    for variant in VARIANTS:
        if (ours := times.get(f"{variant} {row.ours}")) is None:
            continue
        spread = ratio(ours, times[peer])
        target = row.target if variant == TARGETED else None
        reached = None if target is None else spread.median >= target
        us, peer_us = float(np.median(ours)), float(np.median(times[peer]))
        comparisons.append(Comparison(row.what, variant, us, peer, peer_us, spread, target, reached))
    return comparisons


def _agreement(libraries: dict[str, Library]) -> dict[str, dict[str, float]]:
    """Return the largest difference from Pinocchio by quantity and library, relative to its largest entry."""
    differences: dict[str, dict[str, float]] = {}
    references = dict(libraries["Pinocchio"].results().values())
    for library, calls in libraries.items():
        for name, (quantity, array) in calls.results().items() if library != "Pinocchio" else ():
            reference = references[quantity]
            difference = np.abs(array.reshape(reference.shape) - reference).max() / np.abs(reference).max()
            group = "ours" if name.startswith(VARIANTS) else library
            group = "float32" if "float32" in name else group
            known = differences.setdefault(quantity, {})
            known[group] = max(float(difference), known.get(group, 0.0))
    return differences
