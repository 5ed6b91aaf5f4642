"""Memory, file descriptors and threads of a process, and whether they grow."""

import os
from pathlib import Path
from typing import NamedTuple

#: What a node may add after its first third: caches of Python and of DDS fill for a while, a leak goes on.
MEMORY = 20.0  # [MiB]
DESCRIPTORS, THREADS = 5, 2


class Resources(NamedTuple):
    """``memory``: resident [MiB]."""

    memory: float
    descriptors: int
    threads: int


def resources_of(pid: int) -> Resources:
    """What a process of this user has in use now."""
    folder = Path(f"/proc/{pid}")
    pages = int((folder / "statm").read_text().split()[1])
    memory = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return Resources(memory, len(os.listdir(folder / "fd")), len(os.listdir(folder / "task")))


def growth(samples: list[Resources]) -> tuple[str, bool]:
    """From the median of the second third to that of the last: in words, and whether it is too much."""
    third = max(1, len(samples) // 3)
    first, last = (_median(part) for part in (samples[third : 2 * third] or samples, samples[-third:]))
    text = ", ".join(
        f"{name} {a:.0f} -> {b:.0f}{unit}"
        for name, unit, a, b in zip(
            ("memory", "descriptors", "threads"), (" MiB", "", ""), first, last, strict=True
        )
    )
    grown = Resources(*(b - a for a, b in zip(first, last, strict=True)))
    return text, grown.memory > MEMORY or grown.descriptors > DESCRIPTORS or grown.threads > THREADS


def _median(samples: list[Resources]) -> Resources:
    return Resources(*(sorted(column)[len(samples) // 2] for column in zip(*samples, strict=True)))
