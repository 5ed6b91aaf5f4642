"""Chunks of work shared between the calling thread and helpers that wait for the next call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache

__all__ = ["shared"]


def shared(
    work: Callable[[int], None], chunks: Iterable[int], threads: int, tick: Callable[[], None]
) -> None:
    """Call ``work`` on every chunk, in ascending order of their start, on so many threads at most.

    The calling thread takes its share, and calls ``tick`` after each of its chunks and at the end. What goes
    wrong is raised when all threads are done: of several errors that of the first chunk.
    """
    waiting = sorted(chunks, reverse=True)
    if len(waiting) == 1:
        work(waiting[0])
        tick()
        return
    errors: dict[int, Exception] = {}

    def share(tick: Callable[[], None] | None) -> None:
        while not errors:
            try:
                chunk = waiting.pop()
            except IndexError:
                return
            try:
                work(chunk)
            except Exception as error:
                errors[chunk] = error
            if tick is not None:
                tick()

    futures: list[Future[None]] = []
    with suppress(RuntimeError):  # near the interpreter's end it takes no more threads: this one does it all
        futures += [_helpers().submit(share, None) for _ in range(min(threads, len(waiting)) - 1)]
    try:
        share(tick)
    except BaseException:  # the user's interrupt, or an error of the user's own tick
        waiting.clear()
        raise
    finally:
        # those that wait behind another call's work are not needed any more
        wait([future for future in futures if not future.cancel()])
    if errors:
        raise errors[min(errors)]
    if futures:
        tick()


@cache
def _helpers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), "modular_dynamics")


os.register_at_fork(after_in_child=_helpers.cache_clear)  # threads do not come along
