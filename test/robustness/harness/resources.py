"""Memory, file descriptors and threads of a process, and whether they grow."""

from typing import NamedTuple

import psutil

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
    process = psutil.Process(pid)
    return Resources(process.memory_info().rss / 2**20, process.num_fds(), process.num_threads())


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
