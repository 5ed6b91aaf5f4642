"""When kernels are compiled: not on import, but before they are first needed, and for one signature only."""

from pathlib import Path
from typing import Any

__all__ = ["cached_by_all_sources", "make_ready"]


def _stamp() -> tuple[float, int]:
    """Newest change and total size of the sources of all kernels."""
    facts = [file.stat() for file in Path(__file__).parent.glob("*.py")]
    return max(fact.st_mtime for fact in facts), sum(fact.st_size for fact in facts)


def cached_by_all_sources(*kernels: Any) -> None:
    """Have the disk cache judge kernels by all files here: Numba looks at the file of the kernel alone.

    A change in a function that is compiled into a kernel of another file would go unnoticed.
    """
    stamp = _stamp()
    for kernel in kernels:
        file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
        if hasattr(file, "_source_stamp"):
            file._source_stamp = stamp


def make_ready(kernel: Any, signature: Any) -> None:
    """Compile a kernel, or load it from the disk cache; from then on it refuses other types with TypeError.

    Without the compiler (NUMBA_DISABLE_JIT) a kernel is a plain function, and nothing is done.
    """
    if hasattr(kernel, "signatures"):
        if not kernel.signatures:  # another kernel that calls it may have compiled it
            kernel.compile(signature)
        kernel.disable_compile()
