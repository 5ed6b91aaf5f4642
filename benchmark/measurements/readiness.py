"""From a URDF to the first torques: seconds in fresh processes.

`python -m benchmark.measurements.readiness URDF` is such a process: it prints its own times as JSON.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TARGET = 0.5  # seconds, after imports


@dataclass(frozen=True)
class ReadinessFigures:
    """Seconds: of the imports, and from then until the first torques."""

    imports: float
    ready: float


def measure_readiness(urdf: Path, processes: int, tick: Callable[[str], None]) -> ReadinessFigures:
    """Medians of several processes."""
    _process(urdf)  # reads the files from the disk
    found = []
    for number in range(processes):
        tick(f"process {number + 1} of {processes}")
        found.append(_process(urdf))
    return ReadinessFigures(
        *(float(np.median([one[what] for one in found])) for what in ("imports", "ready"))
    )


def _process(urdf: Path) -> dict[str, float]:
    command = [sys.executable, __file__, str(urdf)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _measure_here(urdf: str) -> dict[str, float]:
    start = time.perf_counter()
    import modular_dynamics as md  # noqa: PLC0415 - its import is timed

    imported = time.perf_counter()
    graph = md.load_urdf(urdf)
    md.inverse_dynamics(graph, graph.neutral(), np.zeros(graph.nv), np.zeros(graph.nv))
    return {"imports": imported - start, "ready": time.perf_counter() - imported}


if __name__ == "__main__":
    print(json.dumps(_measure_here(sys.argv[1])))
