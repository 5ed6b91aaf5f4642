"""A run: chunks of designs to workers, their results to the folder.

Workers are on this machine's cores or any Dask cluster. This machine's cores are a `LocalCluster`, not Dask's
scheduler of processes: in a pool of processes that loses one, all tasks fail, while here a nanny starts the
worker again and its task goes to another one; and it is the same code as for a scheduler at an address. A
worker holds a pipe of this process and exits when this is gone, SIGKILL included, so that none outlives it.
It has the study from the scheduler, and writes no file.
"""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from ..exceptions import StudyError
from ..optional_packages import needed
from .evaluation import Evaluator, evaluated_rows
from .store import Store, arrow, parquet_bytes
from .study import Study

#: Time between two lines of progress on stderr [s].
PAUSE = 10.0
#: How long a scheduler may take to answer, and have no worker before that is printed [s].
PATIENCE = 5


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


# Workers on this machine's cores, or of a scheduler at an address.

#: Number of workers that a task may lose before it is given up as their cause.
ALLOWED_FAILURES = 20


def packages() -> tuple[Any, Any]:
    """Return Dask, and its scheduler and workers. Raises MissingDependencyError."""
    with needed("a design study", "dask and distributed", "study"):
        import dask  # noqa: PLC0415  # takes long, and is optional
        import distributed  # noqa: PLC0415
    return dask, distributed


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def connected(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """Yield a client of the scheduler at an address, or of local workers: one per core by default.

    Raises:
        StudyError: no scheduler there. MissingDependencyError: no Dask.
    """
    dask, distributed = packages()
    settings = {
        "distributed.scheduler.allowed-failures": ALLOWED_FAILURES,
        "distributed.comm.timeouts.connect": f"{PATIENCE}s",
        "distributed.worker.daemon": True,
    }
    _quiet()
    with dask.config.set(settings):
        if scheduler is not None:
            with _client_of(distributed, scheduler) as client:
                yield client
            return
        with (
            _without_interrupts(),
            _local_cluster(distributed, workers or cores()) as cluster,
            distributed.Client(cluster) as client,
        ):
            if threading.current_thread() is threading.main_thread():
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            try:
                yield client
            finally:
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # closing ends workers in order


def _local_cluster(distributed: Any, workers: int) -> Any:
    """Return a cluster of local workers."""
    try:
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # any free port; no dashboard
            memory_limit=None,
            silence_logs=logging.CRITICAL,
        )
    except RuntimeError as error:  # "Nanny failed to start."
        raise StudyError(f"a worker ended while it started: {error}; the same command goes on") from error


def _client_of(distributed: Any, address: str) -> Any:
    """Return a client of the scheduler at an address. Raises StudyError: none answers."""

    class Client(distributed.Client):  # type: ignore[misc]  # known only when it is imported
        """A client that is not closed again if it never connected, which would fail after 10 s."""

        def __del__(self) -> None:
            if self.status == "running":
                super().__del__()

    try:
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise StudyError(f"no Dask scheduler answers at '{address}' within {PATIENCE} s") from error


def _quiet() -> None:
    """Silence messages on lost workers, which are restarted and whose chunks are computed again."""
    for name in [*logging.root.manager.loggerDict, "distributed", "tornado", "asyncio"]:
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):  # some have levels of their own
            logging.getLogger(name).setLevel(logging.CRITICAL)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hide Ctrl-C from processes and threads started inside: this process alone ends the run."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    resource_tracker.ensure_running()  # where it starts itself, it lets signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def result_of(future: Any) -> Any:
    """Return a task's result. Raises StudyError: workers are lost repeatedly, or lack this library."""
    distributed = packages()[1]
    try:
        return future.result()
    except distributed.scheduler.KilledWorker as error:
        raise StudyError(f"a chunk was given up after it had lost its worker many times: {error}") from error
    except (distributed.CancelledError, distributed.comm.CommClosedError) as error:
        raise StudyError("the connection to the Dask scheduler was lost; the same command goes on") from error
    except ModuleNotFoundError as error:
        raise StudyError(f"the workers cannot import what they need: {error}") from error


# What a worker does.

#: The evaluator of this process by the digest of its study.
_KEPT: dict[str, Evaluator] = {}


def _evaluator(study: Study) -> Evaluator:
    """Return the study's evaluator, kept between chunks, each of which brings the study anew."""
    if (digest := study.digest()) not in _KEPT:
        _KEPT.clear()
        _KEPT[digest] = Evaluator(study)
    return _KEPT[digest]


def computed_chunk(study: Study, first: int, last: int) -> bytes:
    """Return designs first ... last - 1 as a Parquet file."""
    return parquet_bytes(evaluated_rows(_evaluator(study), first, last))
