"""TE, DE and IC at random states: beside each other, the library, MuJoCo and the paper's public files."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

import modular_dynamics as md
from papers.charmie_torso.mujoco_loops import MujocoLoops
from papers.closed_loop_elimination.exoskeleton import (
    CASE,
    STATES,
    Array,
    States,
    reference_inertias,
    urdf,
)
from papers.closed_loop_elimination.methods import METHODS, Method
from papers.closed_loop_elimination.table_1 import TERMS
from papers.report import Report

#: Relative to the largest entry: implementations that share nothing, in double precision.
EXACT = 1e-9
#: Terms that all methods give.
COMPARED = ("g1", "c1", "M1", "spring", "tau1")


def add_equality(
    report: Report, graph: md.SubsystemGraph, methods: Mapping[str, Method], states: States
) -> None:
    """Add the largest difference between two of the methods, and of any from library and MuJoCo."""
    table = f"TE, DE, IC: largest difference at {STATES} random states, over the largest entry"
    found = {name: evaluated(method, states) for name, method in methods.items()}
    others = {"the library": _by_library(graph, states), "MuJoCo": _by_mujoco(graph, states)}
    for term in COMPARED:
        between = [relative(found[one][term], found[two][term]) for one, two in combinations(METHODS, 2)]
        report.add(table, f"{term}: between two of the methods", max(between), within=EXACT)
        for other, values in others.items():
            difference = max(relative(found[name][term], values[term]) for name in METHODS)
            report.add(table, f"{term}: between any of them and {other}", difference, within=EXACT)


def add_reference_case(report: Report) -> None:
    """Add the differences from what the paper's public files give at one state, with made-up inertias."""
    table = "The paper's public files at one state: largest difference over the largest entry"
    graph, q = md.load_urdf(urdf(inertias=reference_inertias())), np.radians(CASE["q1_deg"])
    for name in METHODS:
        method = Method(graph, name, symbolic=True)
        at = md.close_loops(graph, q) if name == "IC" else q
        for term in ("g1", "M1"):
            difference = relative(method.evaluate(TERMS[term](method), at), np.array(CASE[term]))
            report.add(table, f"{term} by {name}", difference, within=EXACT)


def evaluated(method: Method, states: States, parameters: Array | None = None) -> dict[str, Array]:
    """Return the terms (m, ...) at m states, by default with the graph's own parameters.

    IC takes the coordinates of all joints.
    """
    q, v, a, coordinates = states
    terms = [TERMS[term](method) for term in COMPARED]
    function = method.ca.Function("terms", method.inputs, terms)  # inputs: with the symbols of these terms
    numbers = method.constants.numbers if parameters is None else parameters
    given = coordinates if method.method == "IC" else q
    rows = [[x.full() for x in function(*state, numbers)] for state in zip(given, v, a, strict=True)]
    return {term: np.squeeze([row[k] for row in rows]) for k, term in enumerate(COMPARED)}


def relative(one: Array, other: Array) -> float:
    """Return the largest difference over the largest entry."""
    return float(np.abs(one - other).max() / np.abs(other).max())


def _by_library(graph: md.SubsystemGraph, states: States) -> dict[str, Array]:
    q, v, a, _ = states
    zero, gravity = np.zeros_like(q), md.gravity_torque(graph, q)
    rest = md.inverse_dynamics(graph, q, zero, zero)
    moving = md.inverse_dynamics(graph, q, v, zero)
    tau, M1 = md.inverse_dynamics(graph, q, v, a), md.mass_matrix(graph, q)
    return {"g1": gravity, "c1": moving - rest, "M1": M1, "spring": rest - gravity, "tau1": tau}


def _by_mujoco(graph: md.SubsystemGraph, states: States) -> dict[str, Array]:
    """Return the terms by MuJoCo's torques; it closes the loops by itself near the given coordinates."""
    peer = MujocoLoops(urdf(), graph.independent_joint_names)
    columns = [graph.joint_names.index(name) for name in peer.names]
    gravity, found = peer.model.opt.gravity.copy(), []
    for q, v, a, coordinates in zip(*states, strict=True):
        peer.data.qpos[:] = coordinates[columns] + 1e-3  # the assembly mode, not the solution
        zero, torques = 0.0 * v, []
        for motion in ((v, a), (v, zero), (zero, zero), *((zero, unit) for unit in np.eye(len(q)))):
            peer(q, *motion)
            torques.append(peer.tau)
        peer.model.opt.gravity[:] = 0.0
        peer(q, zero, zero)
        peer.model.opt.gravity[:] = gravity
        tau, moving, rest, *units = torques
        M1 = np.transpose(np.array(units) - rest)
        found.append((rest - peer.tau, moving - rest, M1, peer.tau, tau))
    return {term: np.array([row[k] for row in found]) for k, term in enumerate(COMPARED)}
