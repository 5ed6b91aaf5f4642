"""Generated code in memory and on disk: made once for a robot, processor and version of the kernels."""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from ..kernels.numba_support import code_files
from ..kernels.numba_support.code_folder import GENERATED
from .llvm import Kind, host, object_code, text
from .program import Program, Symbol, used_lines
from .tracing import trace

__all__ = ["MachineCode", "Source", "TooLargeError", "machine_code"]

#: Operations beyond which code does not fit the processor's caches: slow to compile, and hardly faster.
LARGEST_PROGRAM = 20_000
_FORMAT = 2


class TooLargeError(ValueError):
    """The robot is so large that compiled loops are better than generated code."""


@dataclass(frozen=True)
class MachineCode:
    """One algorithm for one robot, ready to be called.

    Attributes:
        address: of ``void f(states, q, v, a, out)``; it stays valid until the process ends.
        operations: floating-point instructions of the program, an addition or a product each.
        size: of the object file [bytes]. seconds: that compiling it took.
        cached: whether it was read from the disk.
    """

    address: int
    operations: int
    size: int
    seconds: float
    cached: bool


_loaded: dict[str, MachineCode] = {}
_engines: list[Any] = []  # they own the code


@dataclass(frozen=True, eq=False)
class Source:
    """What code is generated from: a recursion and one robot; traced at most once for all kinds of code."""

    recursion: Callable[..., Any]
    topology: NDArray[np.int64]
    constants: NDArray[np.float64]
    results: int

    @cached_property
    def traced(self) -> tuple[Program, list[Symbol]]:
        """The program, and the symbols of its results."""
        return trace(self.recursion, self.topology, self.constants, self.results)

    @cached_property
    def operations(self) -> int:
        """How many floating-point instructions its code has."""
        program, symbols = self.traced
        kinds = (program.operations[line].kind for line in used_lines(program, symbols))
        return sum(kind not in ("input", "constant") for kind in kinds)

    def key(self, kind: Kind) -> str:
        """The name of its code in memory and on disk."""
        return _key(self.recursion, self.topology, self.constants, kind)

    def raise_if_large(self, kind: Kind) -> int:
        """How many operations it has; reads that from the disk where its code of this kind is kept.

        Raises:
            TooLargeError: they are too many to be compiled.
        """
        key = self.key(kind)
        if key in _loaded:
            return _loaded[key].operations
        stored = _read(key)
        count: int = self.operations if stored is None else stored[1]["operations"]
        if count > LARGEST_PROGRAM:
            raise TooLargeError(f"{count} operations; at most {LARGEST_PROGRAM} are compiled")
        return count


def machine_code(source: Source, kind: Kind) -> MachineCode:
    """The code of a recursion for one robot: from memory, from the disk, or made now."""
    key = source.key(kind)
    if key in _loaded:
        return _loaded[key]
    stored = _read(key)
    if stored is None:
        start = time.perf_counter()
        count = source.raise_if_large(kind)
        data = object_code(text(*source.traced, kind))
        facts: dict[str, Any] = {
            "operations": count,
            "size": len(data),
            "seconds": time.perf_counter() - start,
        }
        _write(key, data, facts)
    else:
        data, facts = stored
    _loaded[key] = MachineCode(address=_load(data), cached=stored is not None, **facts)
    return _loaded[key]


@cache
def _sources() -> bytes:
    """All source code on which generated code depends."""
    package = Path(__file__).parents[1]
    files = sorted([*(package / "kernels").rglob("*.py"), *(package / "codegen").rglob("*.py")])
    return b"\0".join(file.read_bytes() for file in files)


def _key(
    recursion: Callable[..., Any], topology: NDArray[np.int64], constants: NDArray[np.float64], kind: Kind
) -> str:
    function = getattr(recursion, "py_func", recursion)
    parts = (
        repr(
            (_FORMAT, function.__module__, function.__name__, kind, host(), llvm.llvm_version_info)
        ).encode(),
        topology.tobytes(),
        constants.tobytes(),
        _sources(),
    )
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _read(key: str) -> tuple[bytes, dict[str, Any]] | None:
    """The stored code; None if there is none that is as it was written."""
    content = code_files.read(GENERATED, f"{key}.o")
    if content is None:
        return None
    header, data = content.split(b"\n", 1)
    return data, json.loads(header)


def _write(key: str, data: bytes, facts: dict[str, Any]) -> None:
    """Store it. Where that is not possible it is not stored."""
    code_files.write(GENERATED, f"{key}.o", json.dumps(facts).encode() + b"\n" + data)


def _load(data: bytes) -> int:
    """Load an object file into memory; the address of its function."""
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(data))
    engine.finalize_object()
    _engines.append(engine)
    address: int = engine.get_function_address("f")
    return address
