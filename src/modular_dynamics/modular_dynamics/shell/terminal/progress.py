"""A line of progress on stderr, if that is a terminal; it is erased at the end."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["changing_line", "counted"]

Item = TypeVar("Item")
PERIOD = 0.2  # [s] from one line of a count to the next; what is done before then shows none


@contextmanager
def changing_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that replaces the last line's text; it does nothing without a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return

    stream, shown = sys.stderr, False

    def show(text: str) -> None:
        nonlocal shown
        shown = True
        stream.write(f"\r\x1b[K{text}")
        stream.flush()

    try:
        yield show
    finally:
        if shown:
            show("")


def counted(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """Yield the items, with a line that counts those done."""
    with changing_line() as show:
        last = time.monotonic()
        for done, item in enumerate(items, 1):
            yield item
            if (now := time.monotonic()) - last >= PERIOD:
                last = now
                show(f"{what}: {done:,} of {total:,}")
