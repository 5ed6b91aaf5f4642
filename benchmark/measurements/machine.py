"""This machine: its description, its peak of fused multiply-adds, and the cost of a call by ctypes."""

import ctypes
import os
import platform
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

from benchmark.setting.timing import Timed, interleaved

SIMD = ("avx512f", "avx2", "avx", "sse4.2", "sve", "neon")  # the widest first


@dataclass(frozen=True)
class Machine:
    """The processor's name, also in LLVM; the cores that this process may use; the vector units."""

    cpu: str
    llvm: str
    cores: int
    simd: str
    system: str
    python: str

    def __str__(self) -> str:
        return f"{self.cpu} ({self.llvm}, {self.simd}), {self.cores} cores, Python {self.python}"


def describe() -> Machine:
    """The machine that this process runs on."""
    features = llvm.get_host_cpu_features()
    simd = next((name for name in SIMD if features.get(name)), "no vector unit known")
    fused = " + fma" if features.get("fma") else ""
    return Machine(
        _cpu_name(),
        llvm.get_host_cpu_name(),
        len(os.sched_getaffinity(0)),  # a container may allow fewer cores than there are
        simd + fused,
        platform.platform(),
        platform.python_version(),
    )


def _cpu_name() -> str:
    file = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*:\s*(.+)", file.read_text(encoding="utf-8")) if file.is_file() else []
    return names[0] if names else platform.processor() or platform.machine()


CHAINS = 16  # independent sums, more than latency times units
STEPS = 100_000
BITS = (128, 256, 512)
KINDS = {"float64": ("double", 64), "float32": ("float", 32)}

#: Additions, subtractions and multiplications of include/modular_dynamics/newton_euler.hpp for a revolute
#: joint, each counted as one; its frame is turned about x alone, its mass counts to its parent. Others need
#: more.
RNEA_JOINT = {
    "angle with multiplier and offset, rates": 4,
    "sine and cosine, double precision: reduction 10, polynomials 28": 38,
    "acceleration of the origin": 18,
    "three vectors turned into the body's frame": 36,
    "motion of the joint": 6,
    "acceleration matrix": 18,
    "wrench of the body": 46,
    "torque 1, wrench with that of the next body 6, in the parent's frame 36": 43,
}


def rnea_operations(joints: int) -> int:
    """The fewest floating-point operations of an inverse dynamics by the core."""
    return joints * sum(RNEA_JOINT.values())


@dataclass(frozen=True)
class Limits:
    """GFLOP/s by float type and threads, best and median; the fastest vector width [bit]; a call [us]."""

    gflops: dict[str, float]
    median_gflops: dict[str, float]
    bits: dict[str, int]
    empty_c_call_us: float


def measure_limits(threads: int, rounds: int, tick: Callable[[str], None]) -> Limits:
    """Time each width and float type in turns; the fastest width counts."""
    loops = {(kind, bits): _compiled(kind, bits) for kind in KINDS for bits in BITS}
    # a C function without arguments: the least cost of ctypes
    c_nothing = ctypes.CFUNCTYPE(ctypes.c_int)(("Py_IsInitialized", ctypes.pythonapi))
    timed: Timed = {"C call": (c_nothing, 1)}
    with ThreadPoolExecutor(threads) as pool:
        for (kind, bits), (_, function) in loops.items():
            for n in sorted({1, threads}):
                work = CHAINS * STEPS * bits // KINDS[kind][1] * 2 * n
                timed[f"{kind} {n} {bits}"] = (_parallel(pool, function, n), work)
        times = interleaved(timed, rounds, tick)
    best, median, widths = {}, {}, {}
    for kind in KINDS:
        for n in sorted({1, threads}):
            gflops = {bits: 1e-3 / times[f"{kind} {n} {bits}"] for bits in BITS}
            key, width = f"{kind} {n}", max(BITS, key=lambda bits: gflops[bits].max())
            best[key], median[key] = float(gflops[width].max()), float(np.median(gflops[width]))
            widths[key] = width
    return Limits(best, median, widths, float(np.median(times["C call"])))


def _parallel(
    pool: ThreadPoolExecutor, function: Callable[[int], float], threads: int
) -> Callable[[], object]:
    if threads == 1:
        return lambda: function(STEPS)
    return lambda: list(pool.map(function, [STEPS] * threads))


def _compiled(kind: str, bits: int) -> tuple[llvm.ExecutionEngine, Callable[[int], float]]:
    """A loop of fused multiply-adds on vectors, in machine code; ctypes releases the GIL."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True
    )
    module = llvm.parse_assembly(_source(*KINDS[kind], bits))
    module.verify()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    address = engine.get_function_address("peak")
    returned = ctypes.c_double if kind == "float64" else ctypes.c_float
    return engine, ctypes.CFUNCTYPE(returned, ctypes.c_int64)(address)


def _source(name: str, size: int, bits: int) -> str:
    lanes = bits // size
    vector, suffix = f"<{lanes} x {name}>", f"v{lanes}f{size}"
    half = f"<{', '.join([f'{name} 0.5'] * lanes)}>"
    chains = range(CHAINS)
    phis = "\n".join(f"%x{k} = phi {vector} [{half}, %entry], [%y{k}, %loop]" for k in chains)
    fmas = "\n".join(
        f"%y{k} = call {vector} @llvm.fma.{suffix}({vector} %x{k}, {vector} {half}, {vector} {half})"
        for k in chains
    )
    sums = "\n".join(
        f"%s{k} = fadd {vector} {'%y0' if k == 1 else f'%s{k - 1}'}, %y{k}" for k in range(1, CHAINS)
    )
    return f"""
declare {vector} @llvm.fma.{suffix}({vector}, {vector}, {vector})
define {name} @peak(i64 %steps) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  {phis}
  {fmas}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  {sums}
  %first = extractelement {vector} %s{CHAINS - 1}, i32 0
  ret {name} %first
}}"""
