"""Docking and undocking of one module: milliseconds until the first torques of the robot that it makes."""

import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import modular_dynamics as md
from benchmark.peers.ours import single_and_batch
from benchmark.setting.robots import ROOT, random_states, random_tree
from benchmark.setting.timing import Timed, Times, interleaved
from modular_dynamics import modular
from modular_dynamics.exceptions import AssemblyError

MODULES = (10, 100, 1000)
#: Milliseconds until the first torques, by modules.
TARGETS = {100: 5.0, 1000: 50.0}
#: What is timed of a change, each with what is before it.
STAGES = ("assembly", "graph", "torques")
NEWEST = 20  # a module docks at one of so many before it
TIMOR = ROOT / "benchmark/peers/timor_chains.py"
TIMOR_MODULES = (10, 100)  # at 1000 its search for pairs of bodies that collide takes minutes
TIMOR_LIMIT = 300.0  # [s]


@dataclass(frozen=True)
class DockingFigures:
    """Milliseconds by change ("dock", "undock"), modules before it, and stage: medians, and the least.

    Attributes:
        processor: medians of the processor time until the first torques, which other load hardly changes.
        joint_us: microseconds of inverse dynamics for each joint, by robot: an assembly and a URDF.
        timor: by modules, its milliseconds until the first torques; empty with ``timor_note``, why.
    """

    medians: dict[str, dict[int, dict[str, float]]]
    least: dict[str, dict[int, dict[str, float]]]
    processor: dict[str, dict[int, float]]
    joint_us: dict[str, float]
    timor: dict[int, float]
    timor_note: str

    def per_module(self, change: str) -> dict[int, float]:
        """Microseconds of processor time until the first torques, by modules, for each of them."""
        return {n: 1e3 * time / n for n, time in self.processor[change].items()}


def grown(count: int) -> modular.Assembly:
    """A tree of Backbones, each docked at random at one of the newest; the same at each call."""
    rng = np.random.default_rng(count)
    assembly = modular.Assembly(base=("v0", "backbone"))
    names = ["v0"]
    while len(names) < count:
        at, port, own = rng.choice(names[-NEWEST:]), int(rng.integers(2, 6)), int(rng.integers(2, 6))
        try:
            assembly = assembly.dock(str(at), port, f"v{len(names)}", own, kind="backbone")
        except AssemblyError:  # the port is used, or the cell is filled
            continue
        names.append(f"v{len(names)}")
    return assembly


def measure_docking(rounds: int, timor: str | None, tick: Callable[[str], None]) -> DockingFigures:
    """All sizes in turns. ``timor``: a Python that has timor-python; None: it is not measured."""
    timed: Timed = {}
    calls: dict[str, dict[int, Callable[[], modular.Assembly]]] = {}
    for modules in MODULES:
        tick(f"an assembly of {modules} modules")
        for change, call in _changes(grown(modules)).items():
            calls.setdefault(change, {})[modules] = call
            for stage in STAGES:
                timed[f"{change} {modules} {stage}"] = partial(_run, call, stage), 1
    robots = {"assembly": grown(MODULES[-1]).graph(), "URDF": md.load_urdf(random_tree(MODULES[-1] - 1))}
    for name, graph in robots.items():
        timed[name] = single_and_batch(graph, random_states(graph, 1), 1)[0]
    times = interleaved(timed, rounds, tick)
    tick("timor-python")
    measured, note = measure_timor(timor)
    return DockingFigures(
        _by_change(times, lambda values: float(np.median(values))),
        _by_change(times, lambda values: float(values.min())),
        {
            change: {modules: _processor_time(call, rounds) for modules, call in sizes.items()}
            for change, sizes in calls.items()
        },
        {name: float(np.median(times[name])) / graph.nv for name, graph in robots.items()},
        measured,
        note,
    )


def measure_timor(python: str | None) -> tuple[dict[int, float], str]:
    """Its milliseconds by modules; or nothing, and why."""
    if not python:
        return {}, "not measured: --timor or BENCH_TIMOR_PYTHON names no Python that has it"
    if not Path(python).is_file():
        return {}, f"not measured: no file at '{python}'"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [python, str(TIMOR), *map(str, TIMOR_MODULES)]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=TIMOR_LIMIT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {}, f"not measured: {error}"
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or len(lines) < len(TIMOR_MODULES):
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        return {}, f"not measured: '{python}' ends with {done.returncode}: {last}"
    return {line["modules"]: line["first_torque_ms"] for line in lines}, ""


def _changes(assembly: modular.Assembly) -> dict[str, Callable[[], modular.Assembly]]:
    """Docking a module at the newest place that is free, and undocking the newest module."""
    newest = list(assembly)[-1]
    for at in reversed(list(assembly)):
        for port in (2, 3, 4, 5):
            dock = partial(assembly.dock, at, port, "new", 4, kind="backbone")
            try:
                dock()
            except AssemblyError:
                continue
            return {"dock": dock, "undock": partial(assembly.undock, newest)}
    raise AssertionError("every port of an assembly is used")


def _run(change: Callable[[], modular.Assembly], stage: str) -> object:
    assembly = change()
    if stage == "assembly":
        return assembly
    graph = assembly.graph()
    if stage == "graph":
        return graph
    rest = np.zeros(graph.nv)
    return md.inverse_dynamics(graph, graph.neutral(), rest, rest)


def _processor_time(change: Callable[[], modular.Assembly], rounds: int) -> float:
    """Median [ms] of this process until the first torques."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        _run(change, STAGES[-1])
        times.append(1e3 * (time.process_time() - began))
    return float(np.median(times))


def _by_change(times: Times, of: Callable[[np.ndarray], float]) -> dict[str, dict[int, dict[str, float]]]:
    made: dict[str, dict[int, dict[str, float]]] = {}
    for name, values in times.items():
        if " " in name:
            change, modules, stage = name.split()
            made.setdefault(change, {}).setdefault(int(modules), {})[stage] = of(values) / 1e3
    return made
