"""Compiling kernels and keeping them on the disk.

They are not compiled on import, but before they are first needed, and for one signature only. The disk
cache compares the sources of all kernels: Numba looks at the file of the kernel alone, and would not notice
a change in a function of another file that is compiled into it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from numba import config, njit

from .tested_versions import numba_is_tested

__all__ = ["LOCK", "kernel", "make_ready", "source_stamp"]

LOCK = Lock()
SOURCES = Path(__file__).parents[1]


def kernel(**options: Any) -> Callable[[Any], Any]:
    """`numba.njit` for a function that Python calls: its machine code is kept on the disk.

    On a Numba that was not tested, public options do it, and a process takes longer to load the machine code.
    """

    def compiled(function: Any) -> Any:
        if config.DISABLE_JIT:
            return njit(**options)(function)
        if not numba_is_tested():
            return _kept_by_public_options(function, options)
        from .disk_library import use_disk_library  # noqa: PLC0415  # other versions may lack what it imports

        result = njit(cache=True, **options)(function)
        use_disk_library(result, source_stamp())
        return result

    return compiled


@cache
def source_stamp() -> tuple[float, int]:
    """Newest change and total size of the sources of all kernels."""
    status = [file.stat() for file in SOURCES.rglob("*.py")]
    return max(file.st_mtime for file in status), sum(file.st_size for file in status)


@cache
def _source_digest() -> str:
    """Digest of the names and contents of the sources of all kernels."""
    digest = sha256()
    for file in sorted(SOURCES.rglob("*.py")):
        digest.update(f"{file.relative_to(SOURCES)} {file.stat().st_size}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:20]


@contextmanager
def _cache_folder(folder: Path) -> Iterator[None]:
    """Meanwhile Numba's option NUMBA_CACHE_DIR is a folder."""
    usual = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = usual


def _kept_by_public_options(function: Any, options: dict[str, Any]) -> Any:
    """A kernel in a cache folder named after all sources; without a cache where Numba uses no such folder.

    Machine code of other sources stands in other folders, so that it is never loaded.
    """
    usual = [config.CACHE_DIR] if config.CACHE_DIR else [SOURCES / "__pycache__", Path.home() / ".cache"]
    for base in usual:
        folder = Path(base) / f"modular_dynamics_{_source_digest()}"
        try:
            with _cache_folder(folder):
                result = njit(cache=True, **options)(function)
        except RuntimeError:  # no folder that can be written to
            continue
        kept_in = getattr(getattr(result, "stats", None), "cache_path", None)
        if kept_in is not None and Path(kept_in).is_relative_to(folder):
            return result
    return njit(**options)(function)


def make_ready(kernel: Any, signature: Any) -> None:
    """Compile a kernel, or load it from the disk cache; from then on it refuses other types with TypeError.

    Without the compiler (NUMBA_DISABLE_JIT) a kernel is a plain function, and nothing is done.
    """
    if hasattr(kernel, "signatures"):
        with LOCK:  # a second thread must not find compiling forbidden while it waits for the first
            if not kernel.signatures:  # another kernel that calls it may have compiled it
                kernel.compile(signature)
            kernel.disable_compile()
