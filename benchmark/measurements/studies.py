"""What a task of a design study costs beside its designs; and what 1,000 workers would do with a billion.

`python -m benchmark.measurements.studies` prints it, for CHARMIE's study: times of chunks with one worker and
with two, time of a task that does nothing, bytes of a task and of a design's results. The last lines are
computed from these, not measured: the time of the workers, of the one scheduler and of the one process that
writes.
"""

import argparse
import pickle
import time
from pathlib import Path
from typing import Any

from modular_dynamics.study import Evaluator, load_study
from modular_dynamics.study.cluster import computed_chunk, connected

ROOT = Path(__file__).resolve().parents[2]
#: Blocks that are timed, tasks that do nothing; workers, designs and chunk [s] of the estimate.
BLOCKS, TASKS = 8, 2000
MANY_WORKERS, MANY_DESIGNS, CHUNK = 1000, 10**9, 10.0


def nothing(number: int) -> int:
    """A task that does nothing."""
    return number


def timed(client: Any, function: Any, rows: list[tuple[Any, ...]]) -> float:
    """Seconds for tasks with these arguments."""
    start = time.perf_counter()
    client.gather([client.submit(function, *row, pure=False) for row in rows])
    return time.perf_counter() - start


def main() -> int:
    """Print all figures."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    study = load_study(ROOT / "config/charmie_study.yaml")
    block = Evaluator(study).block
    rows = [(study, k * block, (k + 1) * block) for k in range(BLOCKS)]
    seconds: dict[int, float] = {}
    overhead = float("nan")
    for workers in (1, 2):
        with connected(None, workers) as client:
            shared = client.submit(nothing, study, pure=False)
            own = [(shared, *row[1:]) for row in rows]
            timed(client, computed_chunk, [own[0]] * 2 * workers)  # each worker has its machine code
            seconds[workers] = min(timed(client, computed_chunk, own) for _ in range(2))
            overhead = timed(client, nothing, [(k,) for k in range(TASKS)]) / TASKS
    content = computed_chunk(*rows[0])
    designs = BLOCKS * block
    each, size = seconds[1] / designs, len(content) / block
    states = max(len(one.times) for one in Evaluator(study).states.values())
    print(f"designs of {states} states, blocks of {block}")
    print(f"one worker: {each * 1e3:.2f} ms a design; two: {seconds[1] / seconds[2]:.2f} times as fast")
    shared_size = len(pickle.dumps(study))
    print(f"a task: {overhead * 1e3:.2f} ms; the study, once for each worker: {shared_size:,} bytes")
    print(f"results: {size:.1f} bytes a design")
    tasks = MANY_DESIGNS * each / CHUNK
    print(f"\n{MANY_DESIGNS:,} designs, {MANY_WORKERS:,} workers, chunks of {CHUNK:.0f} s, by these figures:")
    print(f"  workers: {MANY_DESIGNS * each / MANY_WORKERS / 3600:.1f} h; {tasks:,.0f} tasks")
    print(f"  the scheduler: {tasks * overhead / 3600:.2f} h of them")
    rate = MANY_DESIGNS * size / (MANY_DESIGNS * each / MANY_WORKERS)
    print(f"  results: {MANY_DESIGNS * size / 1e9:.0f} GB, {rate / 1e6:.1f} MB/s to the process that writes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
