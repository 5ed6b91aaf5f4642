"""Inverse dynamics of robots with closed loops beside MuJoCo and Pinocchio, one state and many."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

import modular_dynamics as md
from benchmark.peers.casadi_peer import BuildError
from benchmark.peers.closed_loops.pinocchio_closed import PinocchioClosed
from benchmark.peers.closed_loops.pinocchio_cpp import PinocchioCpp, built_torques
from benchmark.peers.closed_loops.problem import ClosedStates, closed_states
from benchmark.peers.core_in_cpp import CoreInCpp
from benchmark.setting.robots import ROOT, Array
from benchmark.setting.timing import Spread, Timed, interleaved, ratio

__all__ = ["LARGEST_DIFFERENCE", "ROBOTS", "LoopComparison", "LoopPeerFigures", "measure_loop_peers"]

ROBOTS = "four_bar", "exoskeleton", "charmie_torso"
COUNT = 1024  # states in a batch
#: Relative to the largest torque: with more the peers do not answer the same question, and nothing is timed.
LARGEST_DIFFERENCE = 1e-9
#: The compiled core without Python, which has no target. From state to state, as a controller would call it.
CORE = "this core, C++"
#: Times as fast as another library that ours shall be.
TARGETS = {"single": 3.0, "batch": 15.0}


class Peer(Protocol):
    """A peer on the closed states of one robot."""

    timed: Timed

    @property
    def torques(self) -> dict[str, Array]:
        """By the name of a call, of the independent joints, after it."""


@dataclass(frozen=True)
class LoopComparison:
    """Medians in microseconds for one state, and how many times as fast as the peer.

    Attributes:
        form: "single" or "batch". difference: of the peer's torques from ours, relative to the largest.
    """

    robot: str
    form: str
    ours_us: float
    peer: str
    peer_us: float
    times: Spread
    target: float | None
    difference: float


@dataclass(frozen=True)
class LoopPeerFigures:
    """All comparisons; ``notes``: peers that are left out, and why."""

    comparisons: list[LoopComparison]
    notes: list[str]


def measure_loop_peers(rounds: int, cache: Path, tick: Callable[[str], None]) -> LoopPeerFigures:
    """Check the peers' torques, then time all in turns.

    Raises ValueError where a peer's torques are not ours.
    """
    timed: Timed = {}
    notes: list[str] = []
    known: list[tuple[str, str, str, float]] = []
    for robot in ROBOTS:
        tick(robot)
        graph = md.load_urdf(ROOT / "urdf" / f"{robot}.urdf")
        states = closed_states(graph, COUNT)
        for form, call in _ours(states).items():
            timed[f"{robot} ours {form}"] = call
        for name, peer in _peers(states, cache, tick, notes).items():
            for form, call in peer.timed.items():
                call[0]()
                ours = states.torques[0] if form == "single" else states.torques
                difference = float(np.abs(peer.torques[form] - ours).max() / np.abs(ours).max())
                if not difference <= LARGEST_DIFFERENCE:
                    raise ValueError(f"{robot}: torques of {name}, {form}, differ by {difference:.1e}")
                known.append((robot, form, name, difference))
                timed[f"{robot} {name} {form}"] = call
    times = interleaved(timed, rounds, tick)
    comparisons = []
    for robot, form, name, difference in sorted(
        known, key=lambda one: (ROBOTS.index(one[0]), one[1] == "batch")
    ):
        ours, theirs = times[f"{robot} ours {form}"], times[f"{robot} {name} {form}"]
        medians = float(np.median(ours)), float(np.median(theirs))
        faster = ratio(ours, theirs)
        target = None if name == CORE else TARGETS[form]
        comparisons.append(
            LoopComparison(robot, form, medians[0], name, medians[1], faster, target, difference)
        )
    return LoopPeerFigures(comparisons, list(dict.fromkeys(notes)))


def _ours(states: ClosedStates) -> Timed:
    """One state from the guess, and a motion on one thread that starts from it; loops are closed, too."""
    graph, rows = states.graph, states.independent
    first = [row[0].copy() for row in rows]
    tau = np.empty(len(first[0]))
    many = np.empty(rows[1].shape)
    options = {"guess": states.first, "threads": 1, "out": many}
    batch = partial(md.inverse_dynamics, graph, *rows, **options)
    single = partial(md.InverseDynamics(graph), *first, states.first, tau)
    return {"single": (single, 1), "batch": (batch, len(rows[0]))}


def _peers(
    states: ClosedStates, cache: Path, tick: Callable[[str], None], notes: list[str]
) -> dict[str, Peer]:
    """Those that are installed, and can be compiled; a note of the others."""
    pinocchio = PinocchioClosed(states)
    peers: dict[str, Peer] = {"Pinocchio, Python": pinocchio}
    try:
        peers[CORE] = CoreInCpp(states.graph, "single", *states.independent, guess=states.first)
        peers["Pinocchio, C++"] = PinocchioCpp(built_torques(cache, tick), pinocchio, states.graph.urdf)
    except BuildError as error:
        notes.append(f"left out: what is called from C++: {error}")
    try:
        from benchmark.peers.closed_loops.mujoco_closed import MujocoClosed  # noqa: PLC0415  # optional
    except ImportError:
        notes.append("left out: mujoco is not installed")
    else:
        peers["MuJoCo, Python"] = MujocoClosed(states)
    return peers
