"""Picture of docs/explanation/comparison_with_pinocchio.md: differences of torques, also of wrong models."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import modular_dynamics as md
from docs.generate._drawing import FORCE, INK, MOMENT, ROBOTS, WIDTH, Array, save, style
from modular_dynamics_ros.dynamics.crosscheck import THRESHOLD

STATES = 300  # random ones of each robot
NAMES = ("four_link", "vendor_arm", "charmie", "branched_38dof", "exoskeleton")
SMALLEST = 1e-19  # differences of exactly zero are drawn here
# One number of CHARMIE is changed in one of the two models: by a millionth, or by a micrometre.
ERRORS = {
    "mass of a hand\n+ 1e-6 of it": ("link body_12a mass", lambda number: number * (1.0 + 1e-6)),
    "joint origin\n+ 1 µm": ("joint left_elbow_flexion origin z", lambda number: number + 1e-6),
}


def make(out: Path) -> None:
    """Write the picture."""
    rng = np.random.default_rng(0)
    rows: dict[str, Array] = {}
    for name in NAMES:
        graph = md.load_urdf(ROBOTS / f"{name}.urdf")
        graph = graph.tree if graph.has_loops else graph
        label = f"{name}, open tree" if name == "exoskeleton" else name
        rows[f"{label}\n{graph.nv} coordinates"] = _differences(graph, graph, rng)
    charmie = md.load_urdf(ROBOTS / "charmie.urdf")
    for label, (parameter, change) in ERRORS.items():
        number = charmie.parameters[parameter].value
        rows[label] = _differences(charmie.with_parameters({parameter: change(number)}), charmie, rng)
    with style():
        figure = Figure(figsize=(WIDTH, 3.9), layout="constrained")
        axis = figure.subplots()
        for place, (label, values) in enumerate(rows.items()):
            jitter = rng.uniform(-0.28, 0.28, len(values))
            colour = FORCE if label in ERRORS else MOMENT
            axis.plot(np.maximum(values, SMALLEST), place + jitter, ".", ms=3, color=colour, alpha=0.6)
        axis.axvline(THRESHOLD, color=INK, ls="--", lw=1.2)
        axis.text(THRESHOLD * 0.7, -0.62, f"allowed: {THRESHOLD:.0e}", ha="right", va="center")
        axis.set_xscale("log")
        axis.set_yticks(range(len(rows)), rows)
        axis.set_ylim(len(rows) - 0.5, -0.9)
        axis.grid(axis="x", alpha=0.25, lw=0.6)
        axis.set_xlabel(
            "largest difference from Pinocchio's torques, relative to the sum of the terms' sizes [1]"
        )
        save(figure, out / "comparison.png")


def _differences(ours: md.SubsystemGraph, theirs: md.SubsystemGraph, rng: np.random.Generator) -> Array:
    """Return the largest relative difference at each random state; Pinocchio has the graph `theirs`."""
    check = md.crosscheck.CrossCheck(theirs)
    found = []
    for _ in range(STATES):
        q, (v, a) = ours.random_configuration(rng), rng.normal(size=(2, ours.nv))
        found.append(max(check(q, v, a, md.inverse_dynamics(ours, q, v, a)).of_terms.values()))
    return np.array(found)
