"""Mass matrix, gravity torques, bias and accelerations of closed loops: by the core, and by NumPy."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import modular_dynamics as md
from benchmark.measurements.loop_robots import ROBOTS
from benchmark.setting.robots import ROOT, Array
from benchmark.setting.timing import Spread, Timed, interleaved, ratio

__all__ = ["LoopTermFigures", "measure_loop_terms", "term_calls"]

STEP = 1e-3  # of the independent joints between a call and its guess [rad or m]


@dataclass(frozen=True)
class LoopTermFigures:
    """Medians in microseconds for one state; ``times``: how many times as fast as the general method."""

    robot: str
    term: str
    ours_us: float
    general_us: float
    times: Spread


def measure_loop_terms(rounds: int, tick: Callable[[str], None]) -> list[LoopTermFigures]:
    """All terms of all robots are timed in turns. Raises ValueError where the two methods disagree."""
    timed: Timed = {}
    for robot in ROBOTS:
        tick(robot)
        graph = md.load_urdf(ROOT / "urdf" / f"{robot}.urdf")
        ours, general = term_calls(graph, True), term_calls(graph, False)
        for term, call in ours.items():
            one, other = call(), general[term]()
            if not np.abs(one - other).max() <= 1e-9 * max(np.abs(other).max(), 1e-3):
                raise ValueError(f"{robot}: the two methods disagree on {term}")
            timed[f"{robot} {term} ours"], timed[f"{robot} {term} general"] = (call, 1), (general[term], 1)
    times = interleaved(timed, rounds, tick)
    figures = []
    for name in times:
        robot, term, method = name.rsplit(" ", 2)
        if method == "ours":
            ours_us, general_us = times[name], times[f"{robot} {term} general"]
            medians = float(np.median(ours_us)), float(np.median(general_us))
            figures.append(LoopTermFigures(robot, term, *medians, ratio(ours_us, general_us)))
    return figures


def term_calls(graph: md.SubsystemGraph, compiled: bool) -> dict[str, Callable[[], Array]]:
    """A call for each term, from a guess near, with ``out``; or by the tree's terms and W in NumPy."""
    solver = md.loops.solver_of(graph)
    found = md.assemble(graph)
    q, guess, p = found.independent + STEP, found.coordinates, len(found.independent)
    v, tau = np.random.default_rng(0).normal(size=(2, p))
    matrix, held, h, a = np.empty((p, p)), np.empty(p), np.empty(p), np.empty(p)
    if compiled:
        return {
            "M": lambda: md.mass_matrix(graph, q, guess=guess, out=matrix),
            "g": lambda: md.gravity_torque(graph, q, guess=guess, out=held),
            "h": lambda: md.nonlinear_effects(graph, q, v, guess=guess, out=h),
            "a": lambda: md.forward_dynamics(graph, q, v, tau, guess=guess, out=a),
        }

    def mass_matrix(closed: Array) -> Array:
        W = solver.dynamic_projection(closed)
        result: Array = W.T @ md.mass_matrix(graph.tree, closed) @ W
        return result

    def gravity_torque() -> Array:
        closed = solver.close(q, guess)
        result: Array = solver.dynamic_projection(closed).T @ md.gravity_torque(graph.tree, closed)
        return result

    def bias(closed: Array) -> Array:
        return solver.inverse_dynamics(closed, v, np.zeros(p)).tau

    def accelerations() -> Array:
        closed = solver.close(q, guess)
        result: Array = np.linalg.solve(mass_matrix(closed), tau - bias(closed))
        return result

    return {
        "M": lambda: mass_matrix(solver.close(q, guess)),
        "g": gravity_torque,
        "h": lambda: bias(solver.close(q, guess)),
        "a": accelerations,
    }
