"""A run: chunks of designs to workers, their results to the folder."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cluster import computed_chunk, connected, packages, result_of
from .store import Store, arrow
from .study import Study

#: Time between two lines of progress on stderr [s].
PAUSE = 10.0
#: How long a scheduler may have no worker before that is printed [s].
PATIENCE = 5.0


def run_line(total: int, done: int, before: int, seconds: float) -> str:
    """Return how many designs are done, ``before`` of them by earlier runs, their rate, and the time left."""
    rate = (done - before) / seconds if seconds > 0.0 else 0.0
    left = f", {duration((total - done) / rate)} left" if rate > 0.0 else ""
    return f"{done:,} of {total:,} designs, {rate:,.0f} designs/s{left}"


def duration(seconds: float) -> str:
    """Return a duration as text for people."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    minutes = seconds / 60.0
    return f"{minutes:.0f} min" if minutes < 90.0 else f"{minutes / 60.0:.1f} h"


#: Chunks that are at the scheduler for each worker: one in work, others waiting at hand.
AHEAD = 3


@dataclass(frozen=True)
class Outcome:
    """The result of a run.

    Attributes:
        computed: designs of this run. seconds: of computing, without starting workers.
        workers: how many there were.
    """

    computed: int
    seconds: float
    workers: int


def run_study(
    study: Study,
    folder: str | Path,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    quiet: bool = True,
) -> Outcome:
    """Compute all designs of a study that the folder does not have.

    The results do not depend on workers and interruptions, to the bit: a design's numbers follow from its
    index, blocks of designs are always the same, and chunks are put together in order.

    Args:
        scheduler: address of a Dask scheduler; workers on this machine by default. workers: how many of these
            (default: cores). quiet: whether no progress is printed on stderr.

    Raises:
        StudyError: another study in the folder, a folder that cannot be written or has no space left, no
            scheduler at the address. MissingDependencyError: no Dask or PyArrow.
    """
    arrow()
    store = Store(folder, study)
    store.open()
    with store.locked():
        store.describe()
        if store.is_finished:
            store.tidy()
            return Outcome(0, 0.0, 0)
        with connected(scheduler, workers) as client:
            _wait_for_workers(client, quiet)
            # a task, not scattered data: a task is repeated where a worker that holds its result is lost
            shared = client.submit(_itself, study, key=f"study-{store.digest}", pure=False)
            return _computed(study, store, client, shared, quiet=quiet)


def _wait_for_workers(client: Any, quiet: bool) -> None:
    """Print a line when a scheduler has no worker, for which the run would wait silently."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except packages()[1].TimeoutError:
        if not quiet:
            text = "the scheduler has no workers; waiting for one (Ctrl-C ends the run, and nothing is lost)"
            print(text, file=sys.stderr, flush=True)


def _computed(study: Study, store: Store, client: Any, shared: Any, *, quiet: bool) -> Outcome:
    """Compute the missing chunks, write them and the result; return what was done."""
    missing = list(store.missing())
    sizes = {chunk: store.bounds(chunk)[1] - store.bounds(chunk)[0] for chunk in missing}
    to_do = sum(sizes.values())
    done = before = study.count - to_do
    count = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    start = last = time.monotonic()
    for chunk, future in _answers(client, shared, store, missing, count):
        store.write_chunk(chunk, result_of(future))
        done += sizes[chunk]
        if not quiet and (now := time.monotonic()) - last >= PAUSE:
            last = now
            print(run_line(study.count, done, before, now - start), file=sys.stderr, flush=True)
    seconds = time.monotonic() - start
    store.finish()
    return Outcome(to_do, seconds, count)


def _answers(
    client: Any, shared: Any, store: Store, missing: list[int], workers: int
) -> Iterator[tuple[int, Any]]:
    """Yield finished chunks in order of completion; only some are at the scheduler at a time."""
    waiting = iter(missing)
    chunks: dict[str, int] = {}
    done = packages()[1].as_completed(loop=client.loop)

    def submit(chunk: int) -> None:
        future = client.submit(computed_chunk, shared, *store.bounds(chunk), pure=False)
        chunks[future.key] = chunk
        done.add(future)

    for _ in range(AHEAD * workers):
        if (chunk := next(waiting, None)) is not None:
            submit(chunk)
    while chunks:
        future = next(done)
        if (chunk := next(waiting, None)) is not None:
            submit(chunk)
        yield chunks.pop(future.key), future


def _itself(study: Study) -> Study:
    """Return the study: the task by which workers get it from the scheduler."""
    return study
