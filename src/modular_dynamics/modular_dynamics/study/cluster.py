"""Workers of a study, on this machine's cores or any Dask cluster, and what a worker does.

This machine's cores are a `LocalCluster`, not Dask's scheduler of processes: in a pool of processes that
loses one, all tasks fail, while here a nanny starts the worker again and its task goes to another one; and
it is the same code as for a scheduler at an address. A worker holds a pipe of this process and exits when
this is gone, SIGKILL included, so that none outlives it. It has the study from the scheduler, and writes no
file.
"""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from ..exceptions import StudyError
from ..optional_packages import needed
from .evaluation import Evaluator, evaluated_rows
from .store import parquet_bytes
from .study import Study

#: How long a scheduler may take to answer [s].
PATIENCE = 5
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


# What a worker does. It has the study from the scheduler, and writes no file.

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
