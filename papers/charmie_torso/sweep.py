"""Section 5 of Goncalves et al.: many designs of the torso, a minute of motion each, in steps of 0.1 s.

The study is config/charmie_study.yaml (docs/design_studies.md). By default a coarser grid of the same inputs
is computed, and the time of all designs extrapolated from it; results of `make study` are read if present.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from modular_dynamics.study import Study, load_study
from modular_dynamics.study.evaluation import design_graph
from modular_dynamics.study.findings import Design, Findings, findings_of
from modular_dynamics.study.report import draw_front
from modular_dynamics.study.run import Outcome, run_study
from modular_dynamics.study.store import Store, about_of
from papers.charmie_torso.mujoco_loops import Array, MujocoLoops
from papers.report import ROOT, Report

STUDY, RESULTS = ROOT / "config" / "charmie_study.yaml", ROOT / "out" / "study"
#: Steps of the coarse grid: every spring and trajectory, the ends of the geometry.
COARSE = {"anchor_s4": 2, "anchor_s5": 3, "hinge_act5": 2}
PAPER_DESIGNS, PAPER_HOURS, PAPER_SECONDS = 47570, 65.0, 5.0  # "under 65 hours", "5 seconds per case"
PAPER_LEFT = 30.0  # [%]: "over 70%"
SAME = 1e-9  # [N] of loads of some 100 N


def add_sweep(report: Report, *, full: bool) -> None:
    """Time the study, show how far loads fall, compare the best design with MuJoCo; draw the Pareto front."""
    whole = load_study(STUDY)
    timed = whole if full else _coarse(whole)
    with TemporaryDirectory() as folder:
        outcome = run_study(timed, folder)
        findings = findings_of(timed, Store(folder, timed))
    if not full and _has_results(whole, RESULTS):
        findings = findings_of(whole, Store(RESULTS, whole))
    _add_time(report, whole, outcome)
    _add_loads(report, findings)
    path = report.out / "section_5.png"
    draw_front(findings, path)
    report.pictures.append(path)


def _coarse(study: Study) -> Study:
    inputs = tuple(replace(one, steps=COARSE.get(one.name, one.steps)) for one in study.inputs)
    return replace(study, inputs=inputs)


def _has_results(study: Study, folder: Path) -> bool:
    """Return whether a folder holds this very study, finished."""
    about = about_of(folder)
    return about is not None and about["digest"] == study.digest() and Store(folder, study).result.exists()


def _add_time(report: Report, whole: Study, outcome: Outcome) -> None:
    table = "Section 5: time of the sweep"
    each = outcome.seconds / outcome.computed
    report.add(table, "designs, each over a minute in steps of 0.1 s", whole.count, PAPER_DESIGNS)
    how = "measured" if outcome.computed == whole.count else f"extrapolated from {outcome.computed:,} designs"
    workers = f"{outcome.workers} worker{'s' * (outcome.workers > 1)}"
    report.add(table, f"all designs [h], {how}, {workers}", each * whole.count / 3600.0, PAPER_HOURS)
    report.add(table, "one design [s]", each, PAPER_SECONDS)


def _add_loads(report: Report, findings: Findings) -> None:
    best, published, count = findings.best, findings.published, len(findings.columns["index"])
    if best is None:
        raise ValueError(f"{STUDY}: none of {count} designs is feasible; the study says why")
    table = f"Section 5: actuator loads of {count:,} designs; the paper: over 70 % less"
    for name in ("largest", "mean"):
        before, after = published.values[name], best.values[name]
        what = f"{name} load: {before:.4g} N as published, {after:.4g} N of {best.title}; left [%]"
        report.add(table, what, 100.0 * after / before, within=PAPER_LEFT)
    for before, after in findings.pairs():
        loads = (f"{100.0 * after.values[name] / before.values[name]:.1f}" for name in ("largest", "mean"))
        report.add(table, f"on trajectory {after.trajectory} alone: largest, mean left [%]", ", ".join(loads))
    for design in (published, best):
        for name, load in _by_mujoco(findings, design).items():
            what = f"{name} load, {design.title}, by MuJoCo less ours [N]"
            report.add(table, what, load - design.values[name], within=SAME)


def _by_mujoco(findings: Findings, design: Design) -> dict[str, float]:
    """Return the largest and the mean load of a design by MuJoCo, over its minute; actuators count alike."""
    evaluator, actuators = findings.evaluator, [*findings.study.actuators]
    graph = findings.study.graph if design.numbers is None else design_graph(evaluator, design.numbers)
    task, states = evaluator.task.independent_joint_names, evaluator.states[design.trajectory]
    driven = graph.independent_joint_names
    urdf = graph.to_urdf()
    torso, robot = MujocoLoops(urdf, task), MujocoLoops(urdf, driven)
    forces: list[Array] = []
    for q, v, a in zip(states.q, states.v, states.a, strict=True):
        torso(q, v, a)  # the torso's motion gives that of the actuators
        motion = (torso.coordinates, torso.velocities, torso.accelerations)
        robot(*(np.array([values[name] for name in driven]) for values in motion))
        tau = dict(zip(driven, robot.tau, strict=True))
        forces.append(np.array([abs(tau[name]) for name in actuators]))
    return {"largest": float(np.max(forces)), "mean": float(np.mean(forces))}
