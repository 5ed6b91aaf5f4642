"""A run: chunks of designs to workers, and their results to the folder."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from ..description.study import Study
from . import packages
from .cluster import connected, result_of
from .progress import Progress
from .refinement import read_refined, refine
from .store import Store
from .worker import computed_chunk, seconds_of_block

__all__ = ["Outcome", "run_study", "told_where_none_works"]

# Messages while a scheduler has no workers, for which a run would wait silently.

#: Time between two looks [s]; a nanny needs less to start a lost worker again.
PERIOD = 5.0


@contextmanager
def told_where_none_works(
    client: Any, *, quiet: bool, stream: TextIO | None = None, period: float = PERIOD
) -> Iterator[None]:
    """Print, inside, a line when a scheduler has no worker for a period [s], and when one is back.

    Args:
        client: of Dask. quiet: whether nothing is printed.
    """
    ended, told = threading.Event(), sys.stderr if stream is None else stream

    def look() -> None:
        _look(client, lambda: ended.wait(period), lambda line: print(line, file=told, flush=True))

    watch = threading.Thread(target=look, daemon=True)
    if not quiet:
        watch.start()
    try:
        yield
    finally:
        ended.set()
        if not quiet:
            watch.join()


def _look(client: Any, ended: Callable[[], bool], say: Callable[[str], None]) -> None:
    missed, said = False, False
    while not ended():
        try:
            workers = len(client.scheduler_info(n_workers=-1)["workers"])
        except Exception:  # of many kinds: the connection is lost, which the run itself says
            return
        if workers and said:
            say(f"the scheduler has {workers} workers again")
        elif not workers and missed and not said:
            say("the scheduler has no workers; waiting for one (Ctrl-C ends the run, and nothing is lost)")
        said = not workers and (missed or said)
        missed = not workers


#: Duration of a chunk [s]: long compared with the scheduler's 1 ms per task, short compared with a run.
CHUNK_SECONDS = 1.0
#: Chunks that are at the scheduler for each worker: one in work, others waiting at hand.
AHEAD = 3


@dataclass(frozen=True)
class Outcome:
    """What a run did.

    Attributes:
        designs: of the study. computed: by this run. seconds: of computing, without starting workers.
        workers: how many there were. folder: of the results.
    """

    designs: int
    computed: int
    seconds: float
    workers: int
    folder: Path


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
    packages.parquet()
    store = Store(folder, study)
    store.open()
    with store.locked():
        if store.chunk:
            store.describe()
        finished = store.is_finished
        refined = not study.refinement.generations or (finished and read_refined(study, store) is not None)
        if finished and refined:
            store.tidy()
            return Outcome(study.count, 0, 0.0, 0, store.folder)
        with connected(scheduler, workers) as client, told_where_none_works(client, quiet=quiet):
            # a task, not scattered data: a task is repeated where a worker that holds its result is lost
            shared = client.submit(_itself, study, key=f"study-{store.digest}", pure=False)
            outcome = Outcome(study.count, 0, 0.0, 0, store.folder)
            if not finished:
                outcome = _computed(study, store, client, shared, quiet=quiet)
            if study.refinement.generations:
                refine(study, store, client, shared, quiet=quiet)
            return outcome


def _computed(study: Study, store: Store, client: Any, shared: Any, *, quiet: bool) -> Outcome:
    if not store.chunk:
        block, seconds = result_of(client.submit(seconds_of_block, shared, pure=False))
        store.decide(block * max(1, min(round(CHUNK_SECONDS / seconds), -(-study.count // block))))
    missing = list(store.missing())
    sizes = {chunk: store.bounds(chunk)[1] - store.bounds(chunk)[0] for chunk in missing}
    to_do = sum(sizes.values())
    progress = Progress(study.count, study.count - to_do, quiet=quiet)
    count, start = max(1, len(client.scheduler_info(n_workers=-1)["workers"])), time.monotonic()
    try:
        for chunk, future in _answers(client, shared, store, missing, count):
            store.write_chunk(chunk, result_of(future))
            progress.add(sizes[chunk])
    finally:
        progress.end()
    seconds = time.monotonic() - start
    store.finish()
    return Outcome(study.count, to_do, seconds, count, store.folder)


def _answers(
    client: Any, shared: Any, store: Store, missing: list[int], workers: int
) -> Iterator[tuple[int, Any]]:
    """Yield finished chunks in order of completion; only some are at the scheduler at a time."""
    waiting = iter(missing)
    chunks: dict[str, int] = {}
    done = packages.distributed().as_completed(loop=client.loop)

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
    return study
