"""This machine: its processor, its cores, and the kernels of the core that run on it."""

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from modular_dynamics import _core

__all__ = ["Machine", "describe"]


@dataclass(frozen=True)
class Machine:
    """The processor's name; the core's kernels and lanes; the cores that this process may use."""

    cpu: str
    kernels: str
    lanes: int
    cores: int
    system: str
    python: str

    def __str__(self) -> str:
        return f"{self.cpu} ({self.kernels}, {self.lanes} lanes), {self.cores} cores, Python {self.python}"


def describe() -> Machine:
    """Return the machine that this process runs on."""
    cores = len(os.sched_getaffinity(0))  # a container may allow fewer cores than there are
    system = platform.platform(), platform.python_version()
    return Machine(_cpu_name(), _core.processor, _core.lanes, cores, *system)


def _cpu_name() -> str:
    file = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*:\s*(.+)", file.read_text(encoding="utf-8")) if file.is_file() else []
    return names[0] if names else platform.processor() or platform.machine()
