"""A run: chunks of designs to workers, their results to the folder.

Workers are processes on this machine's cores, or a Dask cluster: both take tasks as a
`concurrent.futures.Executor`. A task brings the study along and returns bytes; workers write no file.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ..exceptions import StudyError
from ..optional_packages import needed
from .evaluation import Evaluator, evaluated_rows
from .store import Store, arrow, parquet_bytes
from .study import Study

#: Time between two lines of progress on stderr [s].
PAUSE = 10.0
#: How long a scheduler may take to answer, and to have a worker [s].
PATIENCE = 5
#: Chunks that are submitted for each worker: one in work, others waiting at hand.
AHEAD = 3
#: Variables that keep a worker's linear algebra on its own core, as results are to the bit.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Outcome:
    """The result of a run.

    Attributes:
        computed: designs of this run. seconds: of computing. workers: how many there were.
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
        StudyError: another study in the folder, a folder that cannot be written or has no space left, a lost
            worker, no scheduler at the address. MissingDependencyError: no PyArrow; with a scheduler no Dask.
    """
    arrow()
    store = Store(folder, study)
    store.open()
    store.describe()
    if store.is_finished:
        store.tidy()
        return Outcome(0, 0.0, 0)
    with _cluster(scheduler) if scheduler else _processes(workers or cores()) as (executor, count):
        return _compute_missing(study, store, executor, count, quiet=quiet)


def _compute_missing(study: Study, store: Store, executor: Executor, workers: int, *, quiet: bool) -> Outcome:
    """Compute the missing chunks, write them and the result; return what was done."""
    missing = list(store.missing())
    sizes = {chunk: store.bounds(chunk)[1] - store.bounds(chunk)[0] for chunk in missing}
    to_do = sum(sizes.values())
    done = before = study.count - to_do
    start = last = time.monotonic()
    for chunk, content in _finished_chunks(study, store, executor, missing, AHEAD * workers):
        store.write_chunk(chunk, content)
        done += sizes[chunk]
        if not quiet and (now := time.monotonic()) - last >= PAUSE:
            last = now
            print(run_line(study.count, done, before, now - start), file=sys.stderr, flush=True)
    seconds = time.monotonic() - start
    store.finish()
    return Outcome(to_do, seconds, workers)


def _finished_chunks(
    study: Study, store: Store, executor: Executor, missing: list[int], most: int
) -> Iterator[tuple[int, bytes]]:
    """Yield finished chunks in order of completion; at most ``most`` are submitted at a time."""
    waiting = iter(missing)
    running: dict[Future[bytes], int] = {}

    def submit(count: int) -> None:
        for chunk in islice(waiting, count):
            running[executor.submit(computed_chunk, store.digest, study, *store.bounds(chunk))] = chunk

    with _inherited_by_workers():  # the first tasks start the processes
        submit(most)
    while running:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            submit(1)
            yield running.pop(future), future.result()


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


# Workers on this machine's cores, or of a scheduler at an address: an executor, and how many there are.


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _processes(count: int) -> Iterator[tuple[Executor, int]]:
    """Yield processes of this machine. Raises StudyError: one was killed."""
    executor = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _end_with_parent)
    try:
        yield executor, count
    except BrokenProcessPool as error:
        raise StudyError(
            "a worker ended abruptly, perhaps for want of memory; what was finished stays, and the same "
            "command goes on from there"
        ) from error
    finally:
        executor.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Let a worker end when the process that started it is gone, killed or not."""
    parent: Any = multiprocessing.parent_process()
    threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()


@contextmanager
def _inherited_by_workers() -> Iterator[None]:
    """Let processes that are started inside ignore Ctrl-C, and compute on one thread each."""
    is_main, before = threading.current_thread() is threading.main_thread(), dict(os.environ)
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if is_main else None
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name in ONE_THREAD:
            os.environ.pop(name)
        os.environ.update({name: before[name] for name in ONE_THREAD if name in before})
        if is_main:
            signal.signal(signal.SIGINT, handler)


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Yield the workers of a Dask scheduler. Raises StudyError: none answers, it is lost, or a task fails."""
    with needed("a study on a cluster", "dask and distributed", "study"):
        import distributed as imported  # noqa: PLC0415  # takes long, and is optional
    distributed: Any = imported

    class Client(distributed.Client):  # type: ignore[misc]  # known only when it is imported
        """A client that is not closed again if it never connected, which would fail after 10 s."""

        def __del__(self) -> None:
            if self.status == "running":
                super().__del__()

    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise StudyError(f"no Dask scheduler answers at '{address}' within {PATIENCE} s") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
            count = len(client.scheduler_info(n_workers=-1)["workers"])
            yield client.get_executor(pure=False), count
        except distributed.TimeoutError as error:
            raise StudyError(f"the scheduler at '{address}' has no workers; start some") from error
        except (CancelledError, distributed.CancelledError, distributed.comm.CommClosedError) as error:
            text = "the connection to the Dask scheduler was lost; the same command goes on"
            raise StudyError(text) from error
        except (distributed.scheduler.KilledWorker, ModuleNotFoundError) as error:
            raise StudyError(f"the workers of the scheduler cannot compute: {error}") from error


# What a worker does.

#: The evaluator of this process by the digest of its study.
_EVALUATORS: dict[str, Evaluator] = {}


def computed_chunk(digest: str, study: Study, first: int, last: int) -> bytes:
    """Return designs first ... last - 1 as a Parquet file; the study's evaluator stays for the next chunk."""
    if digest not in _EVALUATORS:
        _EVALUATORS.clear()
        _EVALUATORS[digest] = Evaluator(study)
    return parquet_bytes(evaluated_rows(_EVALUATORS[digest], first, last))
