"""`python -m modular_dynamics.prepare`: compile every function now, in as many processes as cores."""

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from ..kernels.numba_support.code_folder import KERNELS, folder_in_use
from ..kernels.numba_support.notices import QUIET_VARIABLE
from .tasks import tasks
from .worker import end_on_interrupt, is_interpreted, prepare


def main() -> int:
    """Run all tasks, and print a line for each that is done. Returns the exit status: 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m modular_dynamics.prepare", description=__doc__)
    parser.add_argument(
        "--processes", type=int, default=_cores(), help="how many at once (default: all cores)"
    )
    processes = parser.parse_args().processes
    if processes < 1:
        parser.error(f"--processes is {processes}; 1 or more are needed")
    if is_interpreted():
        print("NUMBA_DISABLE_JIT is set: nothing is compiled")
        return 0
    try:
        folder = folder_in_use(KERNELS)
    except OSError as reason:
        print(f"nothing is compiled, since no folder can keep it: {reason}")
        return 1
    start, failed = time.perf_counter(), 0
    os.environ[QUIET_VARIABLE] = "1"  # the processes must not print it: progress is printed here
    names = list(tasks())
    print(
        f"modular_dynamics: preparing {len(names)} groups of functions for this processor in {folder}",
        flush=True,
    )
    with ProcessPoolExecutor(min(processes, len(names)), get_context("spawn"), end_on_interrupt) as pool:
        running = {pool.submit(prepare, name): name for name in names}
        for done, future in enumerate(as_completed(running), 1):
            error = future.exception()
            failed += error is not None
            outcome = f"failed: {type(error).__name__}: {error}" if error else future.result()
            print(f"[{done:2}/{len(names)}] {running[future]}: {outcome}", flush=True)
    print(f"{'failed' if failed else 'ready'} after {time.perf_counter() - start:.0f} s", flush=True)
    return int(failed > 0)


def _cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted; the next call compiles the rest")
