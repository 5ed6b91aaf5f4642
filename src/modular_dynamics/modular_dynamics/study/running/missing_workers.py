"""Messages while a scheduler has no workers, for which a run would wait silently."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

__all__ = ["told_where_none_works"]

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
