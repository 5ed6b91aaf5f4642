"""Damaged descriptions, each read in a process beside: one that ends there has died, and the next goes on.

`python -m robustness.descriptions.damaged KIND FIRST LAST` prints a line of JSON for each seed.
"""

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import IO

import modular_dynamics as md
from helpers.paths import ROBOTS, ROOT
from robustness.descriptions.computations import compute
from robustness.descriptions.damage import as_bytes, damaged_urdf, damaged_yaml
from robustness.descriptions.outcomes import Outcome, outcome_of
from robustness.harness.tally import Effort, Tally

__all__ = ["DOCUMENTED", "URDFS", "partition_files", "read", "urdfs"]

URDFS = sorted(ROBOTS.glob("*.urdf"))
#: The partition file of the documentation has every key.
DOCUMENTED = (ROOT / "docs/urdf_tags.md").read_text("utf-8").split("```yaml\n")[1].split("```")[0]
PARTITIONS = {
    "vendor_arm": (ROBOTS / "vendor_arm_partition.yaml").read_text("utf-8"),
    "crane": DOCUMENTED,
}


def urdfs(effort: Effort, tally: Tally) -> None:
    """Read damaged URDFs, four fifths of all mutations: Pinocchio's torques, or an error of the library."""
    _read("urdf", effort.mutations * 4 // 5, effort, tally)


def partition_files(effort: Effort, tally: Tally) -> None:
    """Read damaged partition files, a fifth of all mutations."""
    _read("yaml", effort.mutations - effort.mutations * 4 // 5, effort, tally)


def _read(kind: str, count: int, effort: Effort, tally: Tally) -> None:
    """Read ``count`` damaged descriptions of a kind (urdf or yaml)."""
    first = 1_000_000 * effort.seed
    seed = first
    while seed < first + count:
        words = [sys.executable, "-m", "robustness.descriptions.damaged", kind, str(seed), str(first + count)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT) as process:
            assert process.stdout is not None
            try:
                seed = _count(process.stdout, kind, seed, effort, tally, first, count)
            finally:
                process.kill()
        if seed < first + count:
            text, what = damaged(kind, seed)[:2]
            tally.tried += 1
            tally.found_dead(
                f"{kind} {seed}: reading ended the process, code {process.returncode}: {what}", text
            )
            seed += 1


def _count(
    lines: IO[bytes], kind: str, seed: int, effort: Effort, tally: Tally, first: int, count: int
) -> int:
    """Count the outcomes that a process prints; return the first seed without one."""
    for line in lines:
        outcome, text = json.loads(line)
        tally.tried += 1
        if outcome in ("right", "refused"):
            setattr(tally, outcome, getattr(tally, outcome) + 1)
        else:
            data, what = damaged(kind, seed)[:2]
            tally.found_wrong(f"{kind} {seed}, {outcome}: {text}; {what[:200]!a}", data)
        seed += 1
        effort.progress((seed - first) / count)
    return seed


def damaged(kind: str, seed: int) -> tuple[str, str, str]:
    """The description of a seed, what was done to it, and of which robot it is."""
    if kind == "urdf":
        file = URDFS[seed % len(URDFS)]
        return *damaged_urdf(file.read_text("utf-8"), seed), file.stem
    robot, text = list(PARTITIONS.items())[seed % len(PARTITIONS)]
    return *damaged_yaml(text, seed), robot


def read(kind: str, seed: int, file: Path, compared: bool = True) -> tuple[str, Outcome]:
    """Read the description of a seed; what was done to it, and what became of it.

    Args:
        file: where a partition file is written. compared: also with Pinocchio's own reading of a URDF.
    """
    text, what, robot = damaged(kind, seed)
    if kind == "yaml":
        file.write_bytes(as_bytes(text))
        urdf = ROBOTS / f"{robot}.urdf"
        return what, outcome_of(lambda: md.load_urdf(urdf, partition=file), seed)
    floating = seed % 5 == 0
    own = text if compared and not floating else None
    load = partial(md.load_urdf, text, floating_base=floating)
    return what, outcome_of(load, seed, use=lambda graph, seed: compute(graph, seed, own))


def _main(kind: str, first: int, last: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            print(json.dumps(read(kind, seed, Path(folder) / "partition.yaml")[1]), flush=True)


if __name__ == "__main__":
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # Pinocchio's remarks about damaged models
    _main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
