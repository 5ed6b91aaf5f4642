"""Damaged descriptions, read in a process beside: one that ends it has died, and another goes on."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import modular_dynamics as md
from helpers.paths import ROBOTS, ROOT
from robustness.descriptions.computations import compute
from robustness.descriptions.damage import as_bytes, damaged_urdf, damaged_yaml
from robustness.descriptions.outcomes import Outcome, outcome_of
from robustness.harness.tally import Effort, Tally

URDFS = sorted(ROBOTS.glob("*.urdf"))
#: The partition file of the documentation has every key.
DOCUMENTED = (ROOT / "docs/reference/urdf_tags.md").read_text("utf-8").split("```yaml\n")[1].split("```")[0]
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
    first, file = 1_000_000 * effort.seed, effort.folder / "partition.yaml"
    effort.folder.mkdir(parents=True, exist_ok=True)
    pool = _reader()
    for seed in range(first, first + count):
        tally.tried += 1
        try:
            what, (outcome, text) = pool.submit(read, kind, seed, file).result()
        except BrokenProcessPool:
            data, what, _ = damaged(kind, seed)
            tally.found_dead(f"{kind} {seed}: reading ended the process: {what}", data)
            pool = _reader()
            continue
        if outcome in ("right", "refused"):
            setattr(tally, outcome, getattr(tally, outcome) + 1)
        else:
            tally.found_wrong(f"{kind} {seed}, {outcome}: {text}; {what[:200]!a}", damaged(kind, seed)[0])
    pool.shutdown()


def _reader() -> ProcessPoolExecutor:
    """A process of its own, without Pinocchio's remarks about damaged models."""
    return ProcessPoolExecutor(1, get_context("spawn"), _silence)


def _silence() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


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
