"""Seconds and memory of fresh processes of Python until their first torques.

Each time a process of its own is started: from its start to its end, and its largest resident memory.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.console import Console

from benchmark.setting.robots import ROOT
from benchmark.setting.timing import print_table, verdict

#: Programs of `python -c`, and the seconds and megabytes that each may take.
TREE = """
import modular_dynamics as md
graph = md.load_urdf("urdf/{robot}.urdf")
md.inverse_dynamics(graph, graph.neutral(), [0.1] * graph.nv, [0.1] * graph.nv)
"""
LOOPS = """
import modular_dynamics as md
graph = md.load_urdf("urdf/charmie_torso.urdf")
md.inverse_dynamics(graph, *[[0.0] * len(graph.independent_joint_names)] * 3)
"""
MEMORY = """
print([line for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""
PROGRAMS = {
    "python -c 'import numpy'": ("import numpy", None),
    "first torques, 4 joints": (TREE.format(robot="four_link"), (0.25, 90.0)),
    "first torques, 38 joints": (TREE.format(robot="branched_38dof"), None),
    "first torques, closed loops": (LOOPS, None),
}


@dataclass(frozen=True)
class Start:
    """Of several starts the seconds, and megabytes; what they may be, or None."""

    name: str
    seconds: list[float]
    megabytes: float
    allowed: tuple[float, float] | None


def measure_starts(times: int, tick: Callable[[str], None]) -> list[Start]:
    """Start each program so many times, after a start that is not counted and reads its files."""
    found = []
    for name, (program, allowed) in PROGRAMS.items():
        tick(name)
        runs = [_run(program) for _ in range(times + 1)][1:]
        found.append(Start(name, [run[0] for run in runs], max(run[1] for run in runs), allowed))
    return found


def _run(program: str) -> tuple[float, float]:
    """Run a program of Python; return its seconds and its largest resident memory [MB]."""
    command, start = [sys.executable, "-c", program + MEMORY], time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return time.perf_counter() - start, int(done.stdout.split()[1]) / 1024


def print_starts(console: Console, starts: list[Start]) -> None:
    """Print one row for each."""
    rows = []
    for one in starts:
        seconds, judged = float(np.median(one.seconds)), ""
        if one.allowed:
            most, size = one.allowed
            judged = verdict(f"<= {most:g} s, {size:g} MB", seconds <= most and one.megabytes <= size)
        figures = (f"{x:.3f}" for x in (seconds, min(one.seconds), max(one.seconds)))
        rows.append((one.name, *figures, f"{one.megabytes:.0f}", judged))
    columns = "", "median [s]", "least", "most", "MB", "target"
    print_table(console, f"a process started {len(starts[0].seconds)} times", columns, rows)
