"""When kernels are compiled: not on import, but before they are first needed, and for one signature only."""

from typing import Any

__all__ = ["make_ready"]


def make_ready(kernel: Any, signature: Any) -> None:
    """Compile a kernel, or load it from the disk cache; from then on it refuses other types with TypeError.

    Without the compiler (NUMBA_DISABLE_JIT) a kernel is a plain function, and nothing is done.
    """
    if hasattr(kernel, "signatures") and not kernel.signatures:
        kernel.compile(signature)
        kernel.disable_compile()
