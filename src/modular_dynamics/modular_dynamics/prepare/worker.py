"""The work of one process of `prepare`. Not in __main__.py, which other processes cannot import."""

import signal
import time

from ..kernels.numba_support.first_use import compiled_names
from ..kernels.numba_support.notices import not_kept
from ..kernels.row_queue import none_at_work
from .tasks import tasks

__all__ = ["end_on_interrupt", "is_interpreted", "prepare"]


def is_interpreted() -> bool:
    """Whether NUMBA_DISABLE_JIT turns the compiler off."""
    return not hasattr(none_at_work, "signatures")


def end_on_interrupt() -> None:
    """Let an interrupt end this process without a traceback; the first process reports it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def prepare(name: str) -> str:
    """Run one task. Returns, as text, how long compiling took, or that everything was on the disk.

    Raises:
        OSError: machine code could not be written to the disk.
    """
    before, start, processor = len(compiled_names()), time.perf_counter(), time.process_time()
    tasks()[name]()
    if len(compiled_names()) == before:
        return "was on the disk"
    if reason := not_kept():
        raise OSError(reason)
    seconds, busy = time.perf_counter() - start, time.process_time() - processor
    return f"compiled in {seconds:.1f} s ({busy:.1f} s of processor time)"
