"""What depending on private parts of Numba and NumPy gains: times with them, and with public parts alone.

`python benchmark/private_parts.py` compares fresh processes. In every second one Numba reports a
version that was not tested, as in kernels/numba_support/tested_versions.py. Medians.
"""

import json
import statistics
import subprocess
import sys
import time
import timeit
from pathlib import Path

URDF = Path(__file__).resolve().parents[1] / "urdf" / "vendor_arm.urdf"
PROCESSES, CALLS = 5, 20_000


def main() -> None:
    """Print both times of both kinds of process."""
    times: dict[str, list[dict[str, float]]] = {"private": [], "public": []}
    for kind in times:
        _process(kind)  # compiles what is not on the disk
    for _ in range(PROCESSES):
        for kind, processes in times.items():
            processes.append(_process(kind))
    for what, unit, scale in (("first_torque", "s of processor time", 1.0), ("call", "us", 1e6)):
        private, public = (scale * statistics.median(t[what] for t in times[kind]) for kind in times)
        print(f"{what}: {private:.2f} {unit}; public parts alone: {public:.2f}, {public / private:.1f} times")


def _process(kind: str) -> dict[str, float]:
    command = [sys.executable, __file__, kind]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    times: dict[str, float] = json.loads(done.stdout)
    return times


def _measure_here(kind: str) -> dict[str, float]:
    if kind == "public":
        import numba  # noqa: PLC0415 - its import is timed

        numba.__version__ = "99.0"
    import numpy as np  # noqa: PLC0415 - its import is timed

    import modular_dynamics as md  # noqa: PLC0415 - its import is timed

    graph = md.load_urdf(URDF)
    solver, zeros, tau = md.InverseDynamics(graph), np.zeros(graph.nv), np.empty(graph.nv)
    solver(zeros, zeros, zeros)
    first = time.process_time()  # since the process began
    call = min(timeit.repeat(lambda: solver.call(zeros, zeros, zeros, tau), number=CALLS, repeat=5)) / CALLS
    return {"first_torque": first, "call": call}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(_measure_here(sys.argv[1])))
    else:
        main()
