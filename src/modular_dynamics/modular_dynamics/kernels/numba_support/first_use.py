"""One line on stderr if compiling kernels takes longer than a second: what is compiled, and that it is once.

Nothing is printed where kernels are loaded from the disk, and nothing a second time in a process.
"""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from .code_files import has_room
from .notices import is_quiet, not_kept, say

__all__ = ["PATIENCE", "announced", "announcing", "compiled_names"]

#: How long this process may spend on compiling before the line is printed [s].
PATIENCE = 1.0

#: (whether a kernel is being compiled, not loaded; the folder that keeps its machine code, or None)
Facts = Callable[[], tuple[bool, str | None]]


class _Notice:
    """How long this process has waited for the compiler, and whether the line was printed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waited = 0.0
        self.names: list[str] = []
        self.is_given = False
        self.thread = threading.local()  # ``busy``: it is compiling, and asks for further kernels meanwhile

    def watch(self, name: str, facts: Facts, done: threading.Event) -> None:
        """Print the line after PATIENCE, unless the kernel is ready before or is only loaded."""
        pause = max(0.0, PATIENCE - self.waited)
        while not done.wait(pause) and not self.is_given:
            self.give(name, facts)
            pause = 0.1  # it may still be looking on the disk

    def give(self, name: str, facts: Facts) -> None:
        """Print the line, unless the kernel is only loaded or the line was printed before."""
        is_compiled, folder = facts()
        if not is_compiled:
            return
        is_kept = folder and not_kept() is None and has_room(Path(folder))
        with self.lock:
            if self.is_given:
                return
            self.is_given = True
        kept = f"once: the machine code is kept in {folder}" if is_kept else "since no folder can keep it"
        say(
            f"compiling {name} before its first use, {kept}; "
            "python -m modular_dynamics.prepare compiles all functions beforehand"
        )


_notice = _Notice()


def compiled_names() -> list[str]:
    """The kernels that this process has compiled, not loaded from the disk."""
    return list(_notice.names)


@contextmanager
def announcing(name: str, facts: Facts) -> Iterator[None]:
    """Around what compiles a kernel or loads it from the disk."""
    notice = _notice
    if getattr(notice.thread, "busy", False):  # the outer one counts
        yield
        return
    quiet = notice.is_given or is_quiet()
    done = threading.Event()
    watch = threading.Thread(target=notice.watch, args=(name.strip("_"), facts, done), daemon=True)
    start, notice.thread.busy = monotonic(), True
    try:
        if not quiet:
            watch.start()
        with _without_collector():
            yield
    finally:
        done.set()
        notice.thread.busy = False
        if facts()[0]:
            with notice.lock:
                notice.waited += monotonic() - start
                notice.names.append(name)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Without Python's collector of cycles: the compiler's many objects stay until it ends."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def announced(kernel: Any) -> Any:
    """A function of `numba.njit` that announces when it is compiled."""
    compile_usually = kernel.compile

    def facts() -> tuple[bool, str | None]:
        statistics = kernel.stats
        return sum(statistics.cache_misses.values()) > 0, statistics.cache_path

    def compile_and_announce(signature: Any) -> Any:
        with announcing(kernel.__name__, facts):
            return compile_usually(signature)

    kernel.compile = compile_and_announce
    return kernel
