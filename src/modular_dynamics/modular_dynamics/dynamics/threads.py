"""Chunks of work shared between the calling thread and helpers that wait for the next call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache

__all__ = ["shared"]


def shared(
    work: Callable[[int], None], chunks: Iterable[int], threads: int, tick: Callable[[], None]
) -> None:
    """Call ``work`` on every chunk, in ascending order of their start, on so many threads.

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

    helpers = min(threads, len(waiting)) - 1
    futures = [_helpers(threads - 1).submit(share, None) for _ in range(helpers)]
    try:
        share(tick)
    except BaseException:  # the user's interrupt, or an error of the user's own tick
        waiting.clear()
        raise
    finally:
        if futures:
            wait(futures)
    if errors:
        raise errors[min(errors)]
    if futures:
        tick()


@cache
def _helpers(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, "modular_dynamics")


os.register_at_fork(after_in_child=_helpers.cache_clear)  # threads do not come along
