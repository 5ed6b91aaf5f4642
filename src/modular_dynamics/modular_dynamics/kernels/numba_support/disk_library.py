"""Numba's library of a kernel's machine code, as it stands in the disk cache.

Beside the machine code Numba keeps bitcode, for kernels that are compiled later and call this one. To read it
takes most of the time of loading; here it is read when it is asked for. Numba must know all the same which
names the machine code defines, so that they are kept as well. Nor does machine code need the modules of the
functions that were compiled into it, which Numba would import for their global names.

This depends on private parts of Numba, and is used only on versions that were tested (tested_versions.py).
With all kernels on the disk, a process has its first torque after 1.4 instead of 2.1 s of processor time
(`python benchmark/private_parts.py`).
"""

from functools import partial
from typing import Any

from llvmlite.binding import parse_bitcode
from numba.core import environment
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import Environment, lookup_environment
from numba.core.runtime import rtsys

from .first_use import announcing

__all__ = ["c_function", "use_disk_library"]


class DiskLibrary(JITCodeLibrary):
    """A library becomes one of these before it is saved, and is one when it was loaded."""

    _bitcode: bytes | None = None
    _module: Any = None

    def serialize_using_object_code(self) -> Any:
        """(name, "object", (machine code, bitcode, names that it defines))."""
        name, kind, (code, bitcode) = super().serialize_using_object_code()
        module = self._get_module_for_linking()
        listed = (*module.functions, *module.global_variables)
        return name, kind, (code, bitcode, {symbol.name for symbol in listed if not symbol.is_declaration})

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, _, (code, bitcode, symbols) = state
        self = codegen.create_library(name)
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._bitcode = bitcode
        self._finalize_final_module()
        codegen._engine._defined_symbols |= symbols
        return self

    @property
    def _shared_module(self) -> Any:
        if self._module is None and self._bitcode is not None:
            self._module = parse_bitcode(self._bitcode)
        return self._module

    @_shared_module.setter
    def _shared_module(self, module: Any) -> None:
        self._module = module


def _constants_only(module: str, constants: Any, name: str) -> Environment:
    """A function's environment as Numba rebuilds it, but without the module's global names."""
    existing = lookup_environment(name)
    if existing is not None:
        return existing
    rebuilt = Environment({"__name__": module})
    rebuilt.consts[:] = constants
    rebuilt.env_name = name
    Environment._memo[name] = rebuilt
    return rebuilt


def use_disk_library(kernel: Any, stamp: Any) -> None:
    """Have Numba's cache of a kernel compare ``stamp``, and load and save as the module describes."""
    cache = kernel._cache
    cache._cache_file._source_stamp = stamp
    cache.load_overload, cache.save_overload = partial(_load, cache), partial(_save, cache)


def c_function(function: Any, signature: Any, stamp: Any) -> Any:
    """`numba.cfunc` with such a cache: a compiled function that C calls, at its ``address``."""
    compiled = CFunc(function, (signature.args, signature.return_type), {}, {})
    compiled.enable_caching()
    use_disk_library(compiled, stamp)
    cache, missed = compiled._cache, []
    load = cache.load_overload

    def load_or_miss(*given: Any) -> Any:
        loaded = load(*given)
        missed.extend([True] * (loaded is None))
        return loaded

    cache.load_overload = load_or_miss
    with announcing(function.__name__, lambda: (bool(missed), cache.cache_path)):
        compiled.compile()
    return compiled


def _load(cache: Any, signature: Any, target: Any) -> Any:
    """What the disk has of a kernel, or None; also where a file is damaged: then it is written anew.

    Before Numba looks, it reads in all that it knows to compile, which takes longer than to load every kernel
    of a robot. What compiles reads it in anyway. The machine code of the kernels here needs no more than
    Numba's memory functions; with numpy.linalg or random numbers it would.
    """
    rtsys.initialize(target)
    codegen = target.codegen()
    with global_compiler_lock:  # without it no thread loads or compiles
        usual = codegen._library_class, environment._rebuild_env
        codegen._library_class, environment._rebuild_env = DiskLibrary, _constants_only
        try:
            with cache._guard_against_spurious_io_errors():
                return cache._load_overload(signature, target)
        except Exception:  # whatever pickle raises for a file that a full disk or a power cut has cut short
            cache.flush()
            return None
        finally:
            codegen._library_class, environment._rebuild_env = usual


def _save(cache: Any, signature: Any, compiled: Any) -> None:
    """Put a kernel onto the disk, as `_load` wants it."""
    compiled.library.__class__ = DiskLibrary  # which makes anew what Numba keeps for linking
    with cache._guard_against_spurious_io_errors():
        cache._save_overload(signature, compiled)
