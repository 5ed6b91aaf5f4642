"""From a URDF to the first torques: seconds in fresh processes, with compiled kernels on disk and without.

`python -m benchmark.measurements.readiness URDF` is such a process: it prints its own times as JSON.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TARGET = 0.5  # seconds, warm, after imports


@dataclass(frozen=True)
class ReadinessFigures:
    """Seconds. Cold: with an empty folder for the kernels or, for ``compile_cold``, for generated code."""

    imports: float
    ready: float
    ready_cold: float
    compile: float
    compile_cold: float


def measure_readiness(urdf: Path, processes: int, tick: Callable[[str], None]) -> ReadinessFigures:
    """Medians of several warm processes; one cold one."""
    with tempfile.TemporaryDirectory() as empty:
        tick("compiling all kernels")
        kernels_cold = _process(urdf, {"NUMBA_CACHE_DIR": empty})
    _process(urdf, {})  # compiles what is not on disk yet
    with tempfile.TemporaryDirectory() as empty:
        tick("generating code without a cache")
        code_cold = _process(urdf, {"MODULAR_DYNAMICS_CACHE": empty})
    warm = []
    for number in range(processes):
        tick(f"process {number + 1} of {processes}")
        warm.append(_process(urdf, {}))
    imports, ready, compiling = (
        float(np.median([one[what] for one in warm])) for what in ("imports", "ready", "compile")
    )
    return ReadinessFigures(imports, ready, kernels_cold["ready"], compiling, code_cold["compile"])


def _process(urdf: Path, settings: dict[str, str]) -> dict[str, float]:
    command = [sys.executable, __file__, str(urdf)]
    done = subprocess.run(command, env=os.environ | settings, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _measure_here(urdf: str) -> dict[str, float]:
    start = time.perf_counter()
    import modular_dynamics as md  # noqa: PLC0415 - its import is timed

    imported = time.perf_counter()
    graph = md.load_urdf(urdf)
    md.inverse_dynamics(graph, graph.neutral(), np.zeros(graph.nv), np.zeros(graph.nv))
    ready = time.perf_counter()
    return {"imports": imported - start, "ready": ready - imported, "compile": graph.compile().seconds}


if __name__ == "__main__":
    print(json.dumps(_measure_here(sys.argv[1])))
