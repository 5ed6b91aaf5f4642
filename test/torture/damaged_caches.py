"""Machine code of loops on the disk: with flipped bits, cut off, foreign, or of another Numba."""

import tempfile
from pathlib import Path

from torture import caches
from torture.harness.effort import Effort
from torture.harness.tally import Tally

__all__ = ["run"]


def run(effort: Effort, tally: Tally) -> None:
    """All kinds of files; a short run takes one kind."""
    kinds = caches.KINDS[:1] if effort.short else caches.KINDS
    for number, kind in enumerate(kinds):
        count = int(effort.of(10, 1000 if kind.startswith("kernel") else 100))
        with tempfile.TemporaryDirectory() as folder:
            for row in caches.attack(kind, effort.seed, count, Path(folder)):
                tally.tried += row.tried
                tally.right += row.right
                for _ in range(row.wrong):
                    tally.found_wrong(f"{row.attack}: a wrong result, among {count} attempts")
                for _ in range(row.raised):
                    tally.found_wrong(f"{row.attack}: an error, among {count} attempts")
                for _ in range(row.died):
                    tally.found_dead(f"{row.attack}: a process ended by a signal, among {count} attempts")
        effort.progress((number + 1) / len(kinds))
