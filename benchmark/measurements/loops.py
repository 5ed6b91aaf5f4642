"""Robots with closed loops beside their spanning trees and Pinocchio: one state and many."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

import modular_dynamics as md
from benchmark.peers.closed_loops import ClosedStates, PinocchioClosed, closed_states
from benchmark.peers.compiled import BuildError, CoreInCpp, PinocchioCpp, built_torques
from benchmark.setting.robots import ROOT, Array
from benchmark.setting.timing import Spread, Timed, interleaved, ratio

ROBOTS = "four_bar", "slider_crank", "crane", "exoskeleton", "charmie_torso"
#: Robots whose loop joints are all revolute, which the peers have.
BESIDE_PEERS = "four_bar", "exoskeleton", "charmie_torso"
COUNT = 1024  # states in a batch
#: Relative to the largest torque: with more the peers do not answer the same question, and nothing is timed.
LARGEST_DIFFERENCE = 1e-9
#: The compiled core without Python, which has no target. From state to state, as a controller would call it.
CORE = "this core, C++"
#: Times as fast as another library that ours shall be.
TARGETS = {"single": 3.0, "batch": 15.0}
TERMS = "M", "g", "h", "a"  # mass matrix, gravity torques, C v + g, accelerations


class Peer(Protocol):
    """A peer on the closed states of one robot."""

    timed: Timed

    @property
    def torques(self) -> dict[str, Array]:
        """Return torques of the independent joints by the name of the call that computed them."""


@dataclass(frozen=True)
class LoopRobotFigures:
    """One robot: its loops, coordinates, and microseconds (medians) of one state.

    Attributes:
        tree_us: inverse dynamics of the spanning tree, with ``out``. torques_us: of the closed robot, with
            ``out``. times: the second over the first, round by round.
        tree_batch_us, batch_us, batch_times: the same of a batch on one thread.
        whole_us: without ``out``, with wrenches and all else. terms_us: of TERMS.
        difference: of the torques of both forms from the general method in NumPy, relative to the largest.
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
    terms_us: dict[str, float]
    difference: float


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
class LoopFigures:
    """All robots, all comparisons with peers; ``notes``: peers that are left out, and why."""

    robots: list[LoopRobotFigures]
    comparisons: list[LoopComparison]
    notes: list[str]


def measure_loops(rounds: int, cache: Path, tick: Callable[[str], None]) -> LoopFigures:
    """Time all in turns, after checking the peers' torques. Raises ValueError where they are not ours."""
    timed: Timed = {}
    notes: list[str] = []
    compared: list[tuple[str, str, str, float]] = []
    known: dict[str, tuple[int, int, float]] = {}
    for robot in ROBOTS:
        tick(robot)
        states = closed_states(md.load_urdf(ROOT / "urdf" / f"{robot}.urdf"), COUNT)
        known[robot] = len(states.graph.loop_joints), states.graph.nv, difference(states)
        timed |= {f"{robot} {part}": call for part, call in our_calls(states).items()}
        peers = _peers(states, cache, tick, notes) if robot in BESIDE_PEERS else {}
        for form in TARGETS:
            for name, peer in peers.items():
                if form not in peer.timed:
                    continue
                call = timed[f"{robot} {name} {form}"] = peer.timed[form]
                call[0]()
                ours = states.torques[0] if form == "single" else states.torques
                apart = float(np.abs(peer.torques[form] - ours).max() / np.abs(ours).max())
                if not apart <= LARGEST_DIFFERENCE:
                    raise ValueError(f"{robot}: torques of {name}, {form}, differ by {apart:.1e}")
                compared.append((robot, form, name, apart))
    times = interleaved(timed, rounds, tick)
    medians = {name: float(np.median(values)) for name, values in times.items()}
    comparisons = []
    for robot, form, name, apart in compared:
        ours, theirs = f"{robot} {form}", f"{robot} {name} {form}"
        faster, target = ratio(times[ours], times[theirs]), None if name == CORE else TARGETS[form]
        both = medians[ours], name, medians[theirs]
        comparisons.append(LoopComparison(robot, form, *both, faster, target, apart))
    robots = [
        LoopRobotFigures(
            *(robot, loops, joints, medians[f"{robot} tree"], medians[f"{robot} single"]),
            ratio(times[f"{robot} tree"], times[f"{robot} single"]),
            *(medians[f"{robot} tree batch"], medians[f"{robot} batch"]),
            ratio(times[f"{robot} tree batch"], times[f"{robot} batch"]),
            *(medians[f"{robot} whole"], {term: medians[f"{robot} {term}"] for term in TERMS}, apart),
        )
        for robot, (loops, joints, apart) in known.items()
    ]
    return LoopFigures(robots, comparisons, list(dict.fromkeys(notes)))


def our_calls(states: ClosedStates) -> Timed:
    """Return the calls of one robot.

    "tree" and "tree batch": of its spanning tree at the same closed states. "single" and "batch": of itself,
    from the guess, and a motion on one thread that starts from it; loops are closed, too. "whole": with
    everything else that is solved for. TERMS: of one state from the guess, with ``out``.
    """
    graph, (q, v, a), guess = states.graph, states.independent, states.first
    first, count, p = [row[0].copy() for row in (q, v, a)], len(q), v.shape[1]
    motion = states.coordinates, states.velocities, states.accelerations
    one, many, tau, taus = np.empty(graph.nv), np.empty((count, graph.nv)), np.empty(p), np.empty((count, p))
    start, M, g, h, result = [row[0].copy() for row in motion], np.empty((p, p)), *np.empty((3, p))
    load = states.torques[0]
    terms: dict[str, Callable[[], object]] = {
        "M": lambda: md.mass_matrix(graph, first[0], guess=guess, out=M),
        "g": lambda: md.gravity_torque(graph, first[0], guess=guess, out=g),
        "h": lambda: md.nonlinear_effects(graph, *first[:2], guess=guess, out=h),
        "a": lambda: md.forward_dynamics(graph, *first[:2], load, guess=guess, out=result),
    }
    batch = partial(md.inverse_dynamics, graph, q, v, a, guess=guess, threads=1, out=taus)
    return {
        "tree": (partial(md.inverse_dynamics, graph.tree, *start, out=one), 1),
        "single": (partial(md.InverseDynamics(graph), *first, guess, tau), 1),
        "whole": (partial(md.InverseDynamics(graph).solve, *first, guess=guess), 1),
        "tree batch": (partial(md.inverse_dynamics, graph.tree, *motion, threads=1, out=many), count),
        "batch": (batch, count),
        **{term: (call, 1) for term, call in terms.items()},
    }


def difference(states: ClosedStates) -> float:
    """Return the largest difference of both forms from the general method, relative to the largest torque."""
    graph, rows = states.graph, states.independent
    solver, chosen = md.loops.solver_of(graph), range(0, len(rows[0]), 32)
    given = zip(states.coordinates[chosen], rows[1][chosen], rows[2][chosen], strict=True)
    expected = np.array([solver.inverse_dynamics(*state).tau for state in given])
    tau = np.empty(len(states.torques[0]))
    md.inverse_dynamics(graph, *(row[0].copy() for row in rows), guess=states.first, out=tau)
    batch = md.inverse_dynamics(graph, *rows, guess=states.first, threads=1)
    largest = max(np.abs(tau - expected[0]).max(), np.abs(batch[chosen] - expected).max())
    return float(largest / np.abs(expected).max())


def _peers(
    states: ClosedStates, cache: Path, tick: Callable[[str], None], notes: list[str]
) -> dict[str, Peer]:
    """Return those that are installed, and can be compiled; note the others."""
    pinocchio = PinocchioClosed(states)
    peers: dict[str, Peer] = {"Pinocchio, Python": pinocchio}
    try:
        peers[CORE] = CoreInCpp(states.graph, "single", *states.independent, guess=states.first)
        peers["Pinocchio, C++"] = PinocchioCpp(built_torques(cache, tick), pinocchio, states.graph.urdf)
    except BuildError as error:
        notes.append(f"left out: what is called from C++: {error}")
    return peers
