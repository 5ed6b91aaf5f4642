"""Kernels' machine code on the disk: what a file holds, and how Numba loads it.

In place of Numba's cache, which unpickles whatever it finds, wherever that came from, and stops where it
cannot write. Beside the machine code Numba keeps bitcode, for kernels that are compiled later and call this
one. To read it takes most of the time of loading; here it is read when it is asked for. Numba must know all
the same which names the machine code defines, so that they are kept as well. Nor does machine code need the
modules of the functions that were compiled into it, which Numba would import for their global names.

This depends on private parts of Numba, and is used only on versions that were tested (tested_versions.py).
With all kernels on the disk, a process has its first torque after 1.4 instead of 2.1 s of processor time
(`python benchmark/private_parts.py`).
"""

import inspect
import os
import pickle
import sys
from hashlib import sha256
from typing import Any

import numba
from llvmlite.binding import parse_bitcode
from numba.core import environment
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import Environment, lookup_environment
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from . import code_files
from .code_folder import KERNELS, folder_in_use
from .first_use import announcing

__all__ = ["c_function", "use_disk"]


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


def use_disk(kernel: Any, stamp: str) -> None:
    """Keep a kernel's machine code on the disk, and load what was made from sources of the same stamp."""
    kernel._cache = _KernelCache(kernel.py_func, stamp)


def c_function(function: Any, signature: Any, stamp: str) -> Any:
    """`numba.cfunc` with such a cache: a compiled function that C calls, at its ``address``."""
    compiled = CFunc(function, (signature.args, signature.return_type), {}, {})
    cache = compiled._cache = _KernelCache(function, stamp)
    with announcing(function.__name__, lambda: (cache.has_missed, cache.cache_path)):
        compiled.compile()
    return compiled


class _KernelCache:
    """What Numba asks of the cache of a function. One file for each signature, processor and version."""

    def __init__(self, function: Any, stamp: str) -> None:
        self.function, self.stamp, self.has_missed = function, stamp.encode(), False

    @property
    def cache_path(self) -> str | None:
        """The folder that keeps the machine code; None where none can."""
        try:
            return str(folder_in_use(KERNELS))
        except OSError:
            return None

    def flush(self) -> None:
        """Whatever is compiled anew replaces what there is."""

    def load_overload(self, signature: Any, target: Any) -> Any:
        """What the disk has of a kernel, or None.

        Before Numba looks, it reads in all that it knows to compile, which takes longer than to load every
        kernel of a robot. What compiles reads it in anyway. The machine code of the kernels here needs no
        more than Numba's memory functions; with numpy.linalg or random numbers it would.
        """
        content = code_files.read(KERNELS, self._name(signature, target.codegen()))
        stamp, reduced = (content or b"")[: len(self.stamp)], (content or b"")[len(self.stamp) :]
        loaded = _rebuilt(reduced, target) if stamp == self.stamp else None
        self.has_missed |= loaded is None
        return loaded

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Put a kernel onto the disk, as `load_overload` wants it."""
        if compiled.library.has_dynamic_globals:  # addresses of this process are compiled into it
            return
        compiled.library.__class__ = DiskLibrary  # which makes anew what Numba keeps for linking
        name = self._name(signature, compiled.codegen)
        code_files.write(KERNELS, name, self.stamp + dumps(compiled._reduce()))

    def _name(self, signature: Any, codegen: Any) -> str:
        """The file: also another copy of the sources has one of its own, so that they do not take turns."""
        source = inspect.getfile(self.function)
        versions = numba.__version__, sys.implementation.cache_tag, getattr(sys, "abiflags", "")
        facts = os.path.abspath(source), versions, str(signature), codegen.magic_tuple()
        module = self.function.__module__.rpartition(".")[2]
        return f"{module}.{self.function.__qualname__}-{sha256(repr(facts).encode()).hexdigest()[:20]}.kernel"


def _rebuilt(reduced: bytes, target: Any) -> Any:
    """A compiled function from what `save_overload` made of it; None if that is not possible."""
    rtsys.initialize(target)
    codegen = target.codegen()
    with global_compiler_lock:  # without it no thread loads or compiles
        usual = codegen._library_class, environment._rebuild_env
        codegen._library_class, environment._rebuild_env = DiskLibrary, _constants_only
        try:
            return CompileResult._rebuild(target, *pickle.loads(reduced))
        except Exception:  # it is as it was written, but by a program that named what is not there now
            return None
        finally:
            codegen._library_class, environment._rebuild_env = usual
