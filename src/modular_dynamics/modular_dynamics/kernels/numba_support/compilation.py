"""Compiling kernels and keeping them on the disk.

They are not compiled on import, but before they are first needed, and for one signature only. What is on the
disk is compared with the sources of all kernels: Numba's own cache looks at the file of the kernel alone, and
would not notice a change in a function of another file that is compiled into it.
"""

from collections.abc import Callable
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from numba import config, float64, int64, njit, types
from numba.extending import lower_builtin, type_callable

from .first_use import announced
from .public_cache import kept_by_numba
from .tested_versions import numba_is_tested

__all__ = [
    "FAST",
    "LOCK",
    "inlined",
    "inlined_strictly",
    "kernel",
    "make_ready",
    "replaced_by",
    "source_stamp",
    "spliced",
]

LOCK = Lock()
SOURCES = Path(__file__).parents[1]
#: What LLVM may do with arithmetic. No nnan, no ninf: torques of black boxes are NaN on purpose.
FAST = {"contract", "reassoc", "arcp", "nsz"}
_FAST_OPTIONS = {"fastmath": FAST, "error_model": "numpy"}
#: Python must not call functions that are inlined: wrappers for that would be further copies of their machine
#: code, and are left out.
_NO_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True} if numba_is_tested() else {}

# Decorators of functions that kernels call. All are inlined, so that no kernel calls another's machine code.
#: With arithmetic: Numba compiles it once, LLVM inlines it. A long kernel compiles in half the time.
inlined = njit(forceinline=True, **_FAST_OPTIONS, **_NO_WRAPPERS)
#: The same where sums and products are computed in the order in which they are written.
inlined_strictly = njit(forceinline=True, error_model="numpy", **_NO_WRAPPERS)
#: Thin ones, which only loop over calls: Numba copies them into the caller, and compiles them there alone.
spliced = njit(inline="always", **_FAST_OPTIONS)


def kernel(**options: Any) -> Callable[[Any], Any]:
    """`numba.njit` for a function that Python calls: its machine code is kept on the disk.

    On a Numba that was not tested, public options do it, and a process takes longer to load the machine code.
    """
    options = {**_FAST_OPTIONS, **options}

    def compiled(function: Any) -> Any:
        if config.DISABLE_JIT:
            return njit(**options)(function)
        if not numba_is_tested():
            return announced(kept_by_numba(function, options, source_stamp()))
        from .disk_library import use_disk  # noqa: PLC0415  # other versions may lack what it imports

        result = njit(no_cfunc_wrapper=True, **options)(function)
        use_disk(result, source_stamp())
        return announced(result)

    return compiled


def replaced_by(intrinsic: Any) -> Callable[[Any], Any]:
    """In kernels an intrinsic stands for a Python function; without the compiler the function itself runs.

    An intrinsic is a function (typing context, *types) -> (signature, writer of LLVM instructions),
    as of `numba.extending.intrinsic`. An overload would be one more function to be compiled for each call.
    """

    def kept(function: Any) -> Any:
        @type_callable(function)
        def typed(context: Any) -> Any:
            @wraps(function)  # Numba asks for the signature
            def signature(*args: Any) -> Any:
                return intrinsic(context, *args)[0]

            return signature

        @lower_builtin(function, types.VarArg(types.Any))
        def lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            _, generate = intrinsic(context.typing_context, *sig.args)
            return generate(context, builder, sig, args)

        return function

    return kept


@cache
def source_stamp() -> str:
    """Digest of the names and contents of the sources of all kernels.

    Not of their dates: a branch that is switched to and back, or a package that is installed again, compiles
    nothing.
    """
    digest = sha256()
    for file in sorted(SOURCES.rglob("*.py")):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(SOURCES)} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:20]


def make_ready(kernel: Any, dimensions: tuple[int, ...]) -> None:
    """Compile a kernel (topology, constants, work, *arrays), or load it from the disk cache.

    From then on it refuses other types with TypeError. Without the compiler (NUMBA_DISABLE_JIT) a kernel is a
    plain function, and nothing is done.

    Args:
        dimensions: of the other arrays, of float64: the vectors of the state and the result.
    """
    if hasattr(kernel, "signatures"):
        with LOCK:  # a second thread must not find compiling forbidden while it waits for the first
            if not kernel.signatures:  # another kernel that calls it may have compiled it
                arrays = [types.Array(float64, count, "C") for count in dimensions]
                kernel.compile(int64(int64[:, ::1], float64[:, ::1], float64[::1], *arrays))
            kernel.disable_compile()
