"""Work that the calling thread shares with helper threads, which stay alive between calls."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import row_queue as kernel

__all__ = ["run_on_threads"]

#: How often this thread looks whether the others are done before it sleeps, about 100 us; each sleep [s].
TRIES, PAUSE = 20_000, 1e-4

Work = Callable[[NDArray[np.int64]], Any]
Job = tuple[Work, NDArray[np.int64], list[Exception]]


def run_on_threads(work: Work, rows: int, threads: int) -> int | None:
    """Call ``work`` on that many threads at once with the same rows (kernels/row_queue.py) until all is done.

    Helpers that are late find no rows left; helpers that are busy elsewhere are not waited for. A helper that
    fails before it takes rows leaves them to the others.

    Returns:
        The first bad row, or None.

    Raises:
        Exception: of a helper that failed with rows that it had taken, which so count as bad.
    """
    queue, failures = kernel.new_queue(), list[Exception]()
    if threads == 1:
        work(queue)
    else:
        with suppress(RuntimeError):  # near the interpreter's end no thread can be started
            jobs = _jobs()
            for _ in range(threads - 1):
                jobs.put((work, queue, failures))
        try:
            work(queue)
        finally:
            _end(queue, rows)
    bad = kernel.first_bad(queue)
    if bad is not None and failures:
        raise failures[0]
    return bad


def _end(queue: NDArray[np.int64], rows: int) -> None:
    """Let no thread take more rows, and wait for all, even if interrupted: they write the caller's arrays."""
    try:
        queue[kernel.NEXT] = rows
        while not kernel.none_at_work(queue, TRIES):
            time.sleep(PAUSE)
    except BaseException:
        _end(queue, rows)
        raise


_queues: dict[str, SimpleQueue[Job]] = {}  # at most one


def _jobs() -> SimpleQueue[Job]:
    """The queue of the helpers. Of several first callers at once only one starts them."""
    own: SimpleQueue[Job] = SimpleQueue()
    jobs = _queues.setdefault("jobs", own)
    if jobs is own:
        try:
            for k in range(os.cpu_count() or 1):
                Thread(target=_help, args=(jobs,), name=f"modular_dynamics {k + 1}", daemon=True).start()
        except BaseException:
            _queues.clear()  # the next caller tries again
            raise
    return jobs


def _help(jobs: SimpleQueue[Job]) -> None:
    while True:
        work, queue, failures = jobs.get()
        try:
            work(queue)
        except Exception as error:  # for instance no memory
            failures.append(error)
        del work, queue, failures  # so that arrays are freed


os.register_at_fork(after_in_child=_queues.clear)  # threads are not copied
