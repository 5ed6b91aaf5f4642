"""When kernels are compiled: not on import, but before they are first needed, and for one signature only."""

from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from numba.core.runtime import rtsys

from .disk_library import DiskLibrary, loading

__all__ = ["LOCK", "cached_by_all_sources", "make_ready"]

LOCK = Lock()


def _stamp() -> tuple[float, int]:
    """Newest change and total size of the sources of all kernels."""
    facts = [file.stat() for file in Path(__file__).parents[1].rglob("*.py")]
    return max(fact.st_mtime for fact in facts), sum(fact.st_size for fact in facts)


def cached_by_all_sources(*kernels: Any) -> None:
    """Have the disk cache judge kernels by all files here: Numba looks at the file of the kernel alone.

    A change in a function that is compiled into a kernel of another file would go unnoticed. What the disk
    has is loaded at once: see `_load`.
    """
    stamp = _stamp()
    for kernel in kernels:
        cache = getattr(kernel, "_cache", None)
        file = getattr(cache, "_cache_file", None)
        if hasattr(file, "_source_stamp"):
            file._source_stamp = stamp
        if hasattr(cache, "_load_overload") and hasattr(cache, "_save_overload"):
            cache.load_overload, cache.save_overload = partial(_load, cache), partial(_save, cache)


def _load(cache: Any, signature: Any, target: Any) -> Any:
    """What the disk has of a kernel, or None; also where a file is damaged: then it is written anew.

    Before Numba looks, it reads in all that it knows to compile, which takes longer than to load every kernel
    of a robot. What compiles reads it in anyway. The machine code of the kernels here needs no more than
    Numba's memory functions; with numpy.linalg or random numbers it would.
    """
    rtsys.initialize(target)
    try:
        with cache._guard_against_spurious_io_errors(), loading(target.codegen()):
            return cache._load_overload(signature, target)
    except Exception:  # whatever pickle finds in a file that a full disk or a power cut has cut short
        cache.flush()
        return None


def _save(cache: Any, signature: Any, compiled: Any) -> None:
    """Put a kernel onto the disk, as `_load` wants it."""
    compiled.library.__class__ = DiskLibrary  # which makes anew what Numba keeps for linking
    with cache._guard_against_spurious_io_errors():
        cache._save_overload(signature, compiled)


def make_ready(kernel: Any, signature: Any) -> None:
    """Compile a kernel, or load it from the disk cache; from then on it refuses other types with TypeError.

    Without the compiler (NUMBA_DISABLE_JIT) a kernel is a plain function, and nothing is done.
    """
    if hasattr(kernel, "signatures"):
        with LOCK:  # a second thread must not find compiling forbidden while it waits for the first
            if not kernel.signatures:  # another kernel that calls it may have compiled it
                kernel.compile(signature)
            kernel.disable_compile()
