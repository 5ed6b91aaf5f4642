"""Description of this machine, for the tables and the JSON files."""

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

import llvmlite.binding as llvm

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
