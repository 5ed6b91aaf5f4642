"""Numba's library of a kernel's machine code, as it stands in the disk cache.

Beside the machine code Numba keeps bitcode, for kernels that are compiled later and call this one. To read it
takes most of the time of loading; here it is read when it is asked for. Numba must know all the same which
names the machine code defines, so that they are kept as well. Nor does machine code need the modules of the
functions that were compiled into it, which Numba would import for their global names.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import parse_bitcode
from numba.core import environment
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import Environment, lookup_environment

__all__ = ["DiskLibrary", "loading"]


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
    known = lookup_environment(name)
    if known is not None:
        return known
    made = Environment({"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    Environment._memo[name] = made
    return made


@contextmanager
def loading(codegen: Any) -> Iterator[None]:
    """What Numba loads meanwhile is loaded as said above. Its lock keeps other threads from compiling."""
    with global_compiler_lock:
        usual = codegen._library_class, environment._rebuild_env
        codegen._library_class, environment._rebuild_env = DiskLibrary, _constants_only
        try:
            yield
        finally:
            codegen._library_class, environment._rebuild_env = usual
