"""A program as LLVM code, and LLVM code as an object file."""

import struct
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from .program import Operation, Program, Symbol, used_lines
from .tracing import INPUTS

__all__ = ["FLOAT32X16", "FLOAT64", "FLOAT64X8", "Kind", "host", "object_code", "text"]


class Kind(NamedTuple):
    """The type that represents a number: one or several lanes of an element type."""

    element: str
    bytes: int
    lanes: int

    @property
    def type(self) -> str:
        """Its LLVM name."""
        return self.element if self.lanes == 1 else f"<{self.lanes} x {self.element}>"

    def constant(self, value: float) -> str:
        """A number in all lanes."""
        if self.element == "float":
            value = struct.unpack("f", struct.pack("f", value))[0]
        word = f"{self.element} 0x{struct.unpack('Q', struct.pack('d', value))[0]:016X}"
        return word.split()[1] if self.lanes == 1 else f"<{', '.join([word] * self.lanes)}>"


FLOAT64, FLOAT64X8, FLOAT32X16 = Kind("double", 8, 1), Kind("double", 8, 8), Kind("float", 4, 16)


def text(program: Program, results: Sequence[Symbol], kind: Kind) -> str:
    """LLVM code of ``void f(states, q, v, a, out)``: all operations in one block, no loops, no branches.

    Each result is stored as soon as it is known. For lanes the driver hands over zeros, so that results
    which are always zero need not be stored.
    """
    noalias = "" if kind.lanes == 1 else " noalias"  # a user's out may be one of the arguments
    pointers = [f"{kind.element}*{noalias} %{name}" for name in (*INPUTS, "out")]
    lines = [f"define void @f({', '.join(pointers)}) {{"]
    where: dict[int, list[int]] = {}
    for k, symbol in enumerate(results):
        if kind.lanes == 1 or symbol.number != 0.0:
            where.setdefault(symbol.line, []).append(k)
    for line in used_lines(program, results):
        operation = program.operations[line]
        if operation.kind == "input":
            lines += _address(f"i{line}", INPUTS[operation.first], operation.second, kind)
            lines.append(f"%v{line} = load {kind.type}, {kind.type}* %i{line}, align {kind.bytes}")
        elif operation.kind != "constant":
            lines.append(f"%v{line} = {_instruction(program, operation, kind)}")
        for k in where.get(line, ()):
            lines += _address(f"o{k}", "out", k, kind)
            value = _value(program, line, kind)
            lines.append(f"store {kind.type} {value}, {kind.type}* %o{k}, align {kind.bytes}")
    return "\n".join([*lines, "ret void", "}", ""])


def _address(name: str, array: str, element: int, kind: Kind) -> list[str]:
    at = f"getelementptr {kind.element}, {kind.element}* %{array}, i64 {element * kind.lanes}"
    if kind.lanes == 1:
        return [f"%{name} = {at}"]
    return [f"%{name}.e = {at}", f"%{name} = bitcast {kind.element}* %{name}.e to {kind.type}*"]


def _value(program: Program, line: int, kind: Kind) -> str:
    operation = program.operations[line]
    return kind.constant(operation.value) if operation.kind == "constant" else f"%v{line}"


def _instruction(program: Program, operation: Operation, kind: Kind) -> str:
    first = _value(program, operation.first, kind)
    if operation.kind == "neg":
        return f"fneg nsz {kind.type} {first}"
    return f"f{operation.kind} contract nsz {kind.type} {first}, {_value(program, operation.second, kind)}"


@cache
def host() -> tuple[str, str]:
    """(name, features) of the processor. 512-bit registers are used where it has them."""
    features = llvm.get_host_cpu_features().flatten()
    return llvm.get_host_cpu_name(), f"{features},-prefer-256-bit" if "avx512f" in features else features


@cache
def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    name, features = host()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=2, reloc="pic", jit=True
    )


def object_code(code: str) -> bytes:
    """Compile LLVM code for this processor."""
    machine = _machine()
    module = llvm.parse_assembly(code)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    data: bytes = machine.emit_object(module)
    return data
