"""Work that the calling thread shares with helpers, which wait for the next call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import turns as kernel

__all__ = ["shared"]

#: Looks at the others' work before this thread sleeps: some 100 us of them; seconds of each sleep.
TRIES, PAUSE = 20_000, 1e-4

Work = Callable[[NDArray[np.int64]], Any]


def shared(work: Work, rows: int, threads: int) -> int | None:
    """Call ``work`` on so many threads at once with the same turns (kernels/turns.py), until all is done.

    Helpers that are late find no rows left; those that others keep busy are not waited for. What goes wrong
    in a helper leaves its part to the others.

    Returns:
        The first bad row, or None.
    """
    turns = kernel.new_turns()
    if threads == 1:
        work(turns)
    else:
        with suppress(RuntimeError):  # near the interpreter's end there are no more threads
            jobs = _jobs()
            for _ in range(threads - 1):
                jobs.put((work, turns))
        try:
            work(turns)
        finally:
            turns[kernel.NEXT] = rows  # after an interrupt nobody goes on
            while not kernel.none_at_work(turns, TRIES):
                time.sleep(PAUSE)
    return kernel.first_bad(turns)


@cache
def _jobs() -> SimpleQueue[tuple[Work, NDArray[np.int64]]]:
    """Where helpers look for work."""
    jobs: SimpleQueue[tuple[Work, NDArray[np.int64]]] = SimpleQueue()
    for k in range(os.cpu_count() or 1):
        Thread(target=_help, args=(jobs,), name=f"modular_dynamics {k + 1}", daemon=True).start()
    return jobs


def _help(jobs: SimpleQueue[tuple[Work, NDArray[np.int64]]]) -> None:
    while True:
        work, turns = jobs.get()
        with suppress(Exception):  # no memory, say: the caller has the same work
            work(turns)
        del work, turns  # and what they hold


os.register_at_fork(after_in_child=_jobs.cache_clear)  # threads do not come along
