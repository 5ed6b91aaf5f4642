"""Work that the calling thread shares with helpers, which wait for the next call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import turns as kernel

__all__ = ["run_on_threads"]

#: Looks at the others' work before this thread sleeps: some 100 us of them; seconds of each sleep.
TRIES, PAUSE = 20_000, 1e-4

Work = Callable[[NDArray[np.int64]], Any]
Job = tuple[Work, NDArray[np.int64], list[Exception]]


def run_on_threads(work: Work, rows: int, threads: int) -> int | None:
    """Call ``work`` on so many threads at once with the same turns (kernels/turns.py), until all is done.

    Helpers that are late find no rows left; those that others keep busy are not waited for. What goes wrong
    in a helper before it takes rows leaves them to the others.

    Returns:
        The first bad row, or None.

    Raises:
        Exception: what went wrong in a helper with rows that it had taken, and so called bad.
    """
    turns, failures = kernel.new_turns(), list[Exception]()
    if threads == 1:
        work(turns)
    else:
        with suppress(RuntimeError):  # near the interpreter's end there are no more threads
            jobs = _jobs()
            for _ in range(threads - 1):
                jobs.put((work, turns, failures))
        try:
            work(turns)
        finally:
            _end(turns, rows)
    bad = kernel.first_bad(turns)
    if bad is not None and failures:
        raise failures[0]
    return bad


def _end(turns: NDArray[np.int64], rows: int) -> None:
    """Nobody goes on; wait for all, whatever interrupts: helpers write the caller's arrays."""
    try:
        turns[kernel.NEXT] = rows
        while not kernel.none_at_work(turns, TRIES):
            time.sleep(PAUSE)
    except BaseException:
        _end(turns, rows)
        raise


_queues: dict[str, SimpleQueue[Job]] = {}  # at most one


def _jobs() -> SimpleQueue[Job]:
    """Where helpers look for work; the first caller, of several at once, starts them."""
    own: SimpleQueue[Job] = SimpleQueue()
    jobs = _queues.setdefault("jobs", own)
    if jobs is own:
        try:
            for k in range(os.cpu_count() or 1):
                Thread(target=_help, args=(jobs,), name=f"modular_dynamics {k + 1}", daemon=True).start()
        except BaseException:
            _queues.clear()  # whoever comes next tries again
            raise
    return jobs


def _help(jobs: SimpleQueue[Job]) -> None:
    while True:
        work, turns, failures = jobs.get()
        try:
            work(turns)
        except Exception as error:  # no memory, say
            failures.append(error)
        del work, turns, failures  # and what they hold


os.register_at_fork(after_in_child=_queues.clear)  # threads do not come along
