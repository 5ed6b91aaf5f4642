"""What depending on private parts of Numba and NumPy gains: times with them, and with public parts alone.

`python benchmark/private_parts.py` compares fresh processes. In every second one Numba reports a
version that was not tested, as in kernels/numba_support/tested_versions.py. They compute torques of a robot
with a loop. Medians. Then it compiles with nothing on the disk: as ever, and without the options that leave
out Numba's wrappers.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from pathlib import Path

URDF = Path(__file__).resolve().parents[1] / "urdf" / "four_bar.urdf"
PROCESSES, CALLS = 5, 20_000


def main() -> None:
    """Print both times of both kinds of process."""
    kinds = "private", "public"
    for kind in kinds:
        _process(kind)  # compiles what is not on the disk
    times = [[_process(kind) for kind in kinds] for _ in range(PROCESSES)]
    for what, unit, scale in (("first_torque", "s of processor time", 1.0), ("call", "us", 1e6)):
        private, public = (scale * statistics.median(t[k][what] for t in times) for k in range(2))
        print(f"{what}: {private:.2f} {unit}; public parts alone: {public:.2f}, {public / private:.1f} times")
    cold = [[_process(kind, on_disk=False) for kind in ("private", "wrappers")] for _ in range(3)]
    without, wrappers = (statistics.median(t[k]["first_torque"] for t in cold) for k in range(2))
    print(f"first_torque, compiled: {without:.1f} s of processor time; with wrappers: {wrappers:.1f}")


def _process(kind: str, on_disk: bool = True) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | ({} if on_disk else {"NUMBA_CACHE_DIR": empty})
        command = [sys.executable, __file__, kind]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def _measure_here(kind: str) -> dict[str, float]:
    import numba  # noqa: PLC0415 - its import is timed

    if kind == "public":
        numba.__version__ = "99.0"
    if kind == "wrappers":
        usual, left_out = numba.njit, {"no_cpython_wrapper", "no_cfunc_wrapper"}
        numba.njit = lambda *f, **given: usual(*f, **{k: given[k] for k in given.keys() - left_out})
    import numpy as np  # noqa: PLC0415 - its import is timed

    import modular_dynamics as md  # noqa: PLC0415 - its import is timed

    graph = md.load_urdf(URDF)
    closed = md.assemble(graph)
    q, guess = closed.independent, closed.coordinates
    rest, tau = np.zeros_like(q), np.empty_like(q)

    def call() -> None:
        md.closed_loop_inverse_dynamics(graph, q, rest, rest, guess, out=tau)

    call()
    first = time.process_time()  # since the process began
    return {"first_torque": first, "call": min(timeit.repeat(call, number=CALLS, repeat=5)) / CALLS}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", nargs="?", help=argparse.SUPPRESS)  # of a process that `main` starts
    if kind := parser.parse_args().kind:
        print(json.dumps(_measure_here(kind)))
    else:
        main()
