"""Published robots: which URDFs load, and every function of the library beside Pinocchio's.

Reads all *.urdf files below the given folders, for example those of `pip install example-robot-data`. Each is
computed with its base on the ground and, unless it has a floating joint itself, with a floating base.

    python -m benchmark.studies.published_robots FOLDER... [--help]

Exit status 1: a difference above the allowed one, a file that the library alone refuses, or none found.
"""

import argparse
import os
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import modular_dynamics as md
from benchmark.peers.pinocchio_quantities import QUANTITIES, Quantity, Reference, random_state
from benchmark.quantities import State
from benchmark.setting.timing import print_table

#: Above this condition number M is singular, and no function computes accelerations.
SINGULAR = 1e15
MOST_CHARACTERS = 50  # of a robot's path in the table


@dataclass
class Outcome:
    """What became of one file.

    Attributes:
        refused: our reason; theirs: why Pinocchio refuses the file, also where this library loads it; then it
            is not compared. shared: Pinocchio refuses it, too, or reads it without its xacro elements.
        differences: the largest relative difference by function. above: functions with more than is allowed.
        singular: with which base ("fixed", "floating") a joint has no inertia, so that M is singular.
    """

    path: Path
    refused: str = ""
    shared: bool = False
    theirs: str = ""
    joints: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    differences: dict[str, float] = field(default_factory=dict)
    above: set[str] = field(default_factory=set)
    singular: set[str] = field(default_factory=set)

    @property
    def failed(self) -> list[str]:
        """Return quantities whose difference is too large, or the refusal that Pinocchio does not share."""
        if self.refused and not self.shared:
            return ["refused by this library alone"]
        return sorted(self.above)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, help="folders or files")
    parser.add_argument("--states", type=int, default=3, help="random states of each robot")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 150)
    paths = sorted({path for folder in options.folders for path in _files(folder.resolve())})
    columns = BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    outcomes = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(paths))
        for path in paths:
            progress.update(task, description=path.name)
            outcomes.append(compare(path, options.states, np.random.default_rng(options.seed)))
            progress.advance(task)
    if not paths:
        console.print(f"no *.urdf below {', '.join(map(str, options.folders))}", highlight=False)
        return 1
    print_tables(console, outcomes, Path(os.path.commonpath([path.parent for path in paths])))
    console.print(summary(outcomes), highlight=False)
    return int(any(outcome.failed for outcome in outcomes))


def _files(folder: Path) -> Iterator[Path]:
    return folder.rglob("*.urdf") if folder.is_dir() else iter([folder])


def compare(path: Path, states: int, rng: np.random.Generator) -> Outcome:
    """Compare one file, its base fixed and floating; loops stay open, as they do in Pinocchio."""
    outcome = Outcome(path)
    for floating in (False, True):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", md.ModelWarning)  # graph.warnings has them
                graph = md.load_urdf(path, floating_base=floating).tree
        except md.ModularDynamicsError as error:
            if not floating:
                outcome.refused = str(error).replace(f"'{path}': ", "")
                unexpanded = "no: it leaves xacro out" if isinstance(error, md.XacroError) else ""
                outcome.theirs = pinocchios_refusal(path) or unexpanded
                outcome.shared = bool(outcome.theirs)
                return outcome
            continue  # it has a floating joint already
        if not floating:
            outcome.joints = len(graph.joints)
            outcome.kinds = Counter(finding.kind for finding in graph.warnings)
        try:
            with _stderr():
                reference = Reference(graph)
        except ValueError as error:
            outcome.theirs = str(error)
            return outcome
        for _ in range(states if graph.nv else 1):
            state = random_state(reference, rng)
            for quantity in QUANTITIES:
                _add(outcome, quantity, graph, reference, state)
    return outcome


def _add(
    outcome: Outcome, quantity: Quantity, graph: md.SubsystemGraph, reference: Reference, state: State
) -> None:
    if not graph.nv and quantity.name != "poses":
        return
    try:
        difference = quantity.difference(graph, reference, state)
    except md.ModularDynamicsError:
        matrix = reference.mass_matrix(state)
        if np.linalg.cond(matrix) < SINGULAR:
            raise
        outcome.singular.add("floating" if graph.floating_base else "fixed")
        return
    before = outcome.differences.get(quantity.name, 0.0)
    outcome.differences[quantity.name] = max(before, difference)
    if not difference <= quantity.tolerance(reference, state):
        outcome.above.add(quantity.name)


def pinocchios_refusal(path: Path) -> str:
    """Return why Pinocchio refuses a file, mimic joints included; empty where it does not."""
    with _stderr() as printed:
        try:
            pinocchio.buildModelFromUrdf(str(path), mimic=True)
        except Exception as error:  # of several kinds
            reason = str(error)
        else:
            return ""
    found = re.findall(r"Error: +(.*)", printed())
    return found[0] if found else reason


@contextmanager
def _stderr() -> Iterator[Any]:
    """Catch what compiled code prints to stderr; yield a function that returns it afterwards."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:
        os.dup2(file.fileno(), 2)
        text: list[str] = []
        try:
            yield lambda: text[0]
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            text.append(file.read())


def print_tables(console: Console, outcomes: list[Outcome], root: Path) -> None:
    """Print robots that were loaded, those that were refused, and every function."""
    rows = []
    for outcome in outcomes:
        name, value = max(outcome.differences.items(), key=lambda item: item[1], default=("", 0.0))
        kinds = ", ".join(f"{count} {kind}" for kind, count in outcome.kinds.items())
        bases = " and ".join(sorted(outcome.singular))
        where = f"{name}{f' ({bases} base: M is singular)' * bool(bases)}"
        shown = str(outcome.path.relative_to(root))[-MOST_CHARACTERS:]
        if not outcome.refused:
            rows.append(
                (shown, str(outcome.joints), f"{value:.1e}{' !' * bool(outcome.failed)}", where, kinds)
            )
    columns = "robot", "joints", "worst", "in ", "accepted with a warning "
    print_table(console, "loaded", columns, rows)
    for outcome in outcomes:
        if outcome.refused or outcome.theirs:
            console.print(f"{outcome.path.relative_to(root)}", highlight=False, markup=False)
            for who, reason in (("this library", outcome.refused), ("Pinocchio", outcome.theirs)):
                console.print(f"  {who}: {reason or 'no: it loads'}", highlight=False, markup=False)
    functions = []
    for quantity in QUANTITIES:
        values = [one.differences[quantity.name] for one in outcomes if quantity.name in one.differences]
        above = sum(quantity.name in outcome.above for outcome in outcomes)
        allowed = f"{quantity.allowed:.0e}{' or cond(M) 2.2e-16' if quantity.solves else ''}"
        figures = str(len(values)), f"{max(values, default=0.0):.1e}", allowed, str(above)
        functions.append((quantity.name, *figures))
    columns = "function", "robots", "worst", "allowed ", "above"
    print_table(console, "largest relative differences from Pinocchio", columns, functions)


def summary(outcomes: list[Outcome]) -> str:
    """Return one line of counts, and a line for each failure."""
    refused = [outcome for outcome in outcomes if outcome.refused]
    shared = sum(outcome.shared for outcome in refused)
    failed = [outcome for outcome in outcomes if outcome.failed]
    warned = sum(bool(outcome.kinds) for outcome in outcomes)
    alone = sum(bool(outcome.theirs) and not outcome.refused for outcome in outcomes)
    return (
        f"{len(outcomes)} files: {len(outcomes) - len(refused)} loaded ({warned} with warnings, "
        f"{alone} not by Pinocchio), {len(refused)} refused ({shared} for reasons that hold for Pinocchio); "
        f"{len(failed)} failed"
        + "".join(f"\n  {outcome.path}: {', '.join(outcome.failed)}" for outcome in failed)
    )


if __name__ == "__main__":
    sys.exit(main())
