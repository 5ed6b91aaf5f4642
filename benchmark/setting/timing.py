"""Interleaved timing, a description of the machine, and tables of figures.

Compared calls take turns, so that other load slows all of them alike.
"""

import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Table

from modular_dynamics import _core

#: A name, what to call, and how many evaluations one call is.
Timed = dict[str, tuple[Callable[[], object], int]]
#: A name and the microseconds per evaluation in each round.
Times = dict[str, NDArray[np.float64]]
#: Seconds of one name in one round, unless one call is longer: less than a time slice of the scheduler, so
#: that most rounds are undisturbed on a busy machine, too.
SLICE = 0.002
#: Least duration of all rounds together [s]: longer than a short burst of other load.
LEAST = 4.0


@dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "Spread":
        """Return median and quartiles of these numbers."""
        low, median, high = np.percentile(values, [25, 50, 75])
        return cls(float(median), float(low), float(high))

    def __str__(self) -> str:
        digits = 2 if self.median < 9.95 else 1
        return f"{self.median:.{digits}f} ({self.low:.{digits}f}-{self.high:.{digits}f})"


def interleaved(timed: Timed, rounds: int, tick: Callable[[str], None]) -> Times:
    """Return the times of every call in each of at least ``rounds`` rounds.

    Neither the first call is timed nor the first one of each turn.
    """
    repeats = {}
    for name, (call, _) in timed.items():
        tick(f"first call: {name}")
        call()
        repeats[name] = max(1, round(SLICE / max(_seconds(call, 1), 1e-7)))
    times: dict[str, list[float]] = {name: [] for name in timed}
    start, number = time.perf_counter(), 0
    while number < rounds or time.perf_counter() - start < LEAST:
        number += 1
        tick(f"round {number} of {max(rounds, number)}")
        for name, (call, count) in timed.items():
            call()  # not timed: fetches its arrays into the caches
            times[name].append(_seconds(call, repeats[name]) / (repeats[name] * count) * 1e6)
    return {name: np.array(values) for name, values in times.items()}


def _seconds(call: Callable[[], object], repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        call()
    return time.perf_counter() - start


def ratio(ours: NDArray[np.float64], peer: NDArray[np.float64]) -> Spread:
    """Return how many times as fast as a peer ours is, round by round."""
    return Spread.of(peer / ours)


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


def print_table(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], gap: int = 1
) -> None:
    """Print a table; the first column and those whose name ends in a space are aligned to the left."""
    console.print(f"[bold]{title}[/]", highlight=False)  # a table's own title is broken to its width
    table = Table(box=box.SIMPLE_HEAD, padding=(0, gap, 0, 0))
    for number, column in enumerate(columns):
        left = number == 0 or column.endswith(" ")
        table.add_column(column.strip(), justify="left" if left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def verdict(target: str, reached: bool) -> str:
    """Return a target's text and whether it is reached."""
    return f"{target} [green]yes[/]" if reached else f"{target} [bold red]no[/]"
