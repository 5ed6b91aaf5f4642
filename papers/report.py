"""What `make papers` prints and writes: each number of a paper beside ours, and its verdict.

A paper's command makes a Report, adds numbers and pictures, and returns `finish()`. In out/papers/NAME/ it
leaves manifest.json, with commit, versions and machine, the pictures, and curves as CSV.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from rich.console import Console
from rich.table import Table
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = "modular-dynamics", "numpy", "scipy", "sympy", "mujoco", "pin"


@dataclass(frozen=True)
class Cell:
    """A number: of which table or figure, what it is, the paper's, ours, and the bound of ours.

    ``paper``: what the paper prints, or what follows from its numbers as ``what`` says; None: it has none.
    ``within``: largest difference from the paper's or, where the paper has none, largest value of ours; None:
    there is no bound, the row informs.
    """

    table: str
    what: str
    ours: float | str
    paper: float | str | None = None
    within: float | None = None

    @property
    def passed(self) -> bool | None:
        """Whether ours is within its bound, a text the paper's own; None: there is no bound."""
        if isinstance(self.ours, str):
            return None if self.paper is None else self.ours == self.paper
        if self.within is None:
            return None
        return bool(abs(self.ours - float(self.paper or 0.0)) <= self.within)


@dataclass
class Report:
    """Numbers, notes and pictures of one paper. ``name``: of its folder; ``title``: authors."""

    name: str
    title: str
    out: Path
    cells: list[Cell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    pictures: list[Path] = field(default_factory=list)
    tables: list[Path] = field(default_factory=list)
    _begin: float = field(default_factory=time.monotonic)

    @classmethod
    def from_command_line(
        cls,
        name: str,
        title: str,
        about: str,
        words: Iterable[str] | None = None,
        options: Iterable[argparse.ArgumentParser] = (),
    ) -> "Report":
        """Return the report of a command `python -m papers.NAME [--out FOLDER]`; make its folder.

        ``options``: parsers of the command's own options, with ``add_help=False``.
        """
        parents = [*options]
        parser = argparse.ArgumentParser(prog=f"python -m papers.{name}", description=about, parents=parents)
        folder = ROOT / "out" / "papers" / name
        parser.add_argument("--out", type=Path, default=folder, help="folder of pictures and manifest.json")
        out = parser.parse_args(None if words is None else [*words]).out
        out.mkdir(parents=True, exist_ok=True)
        return cls(name, title, out)

    def add(
        self,
        table: str,
        what: str,
        ours: float | str,
        paper: float | str | None = None,
        within: float | None = None,
    ) -> None:
        """Add a number (see Cell)."""
        ours = ours if isinstance(ours, str) else float(ours)  # NumPy's own types are not JSON's
        self.cells.append(Cell(table, what, ours, paper, within))

    def write_csv(self, name: str, columns: Mapping[str, ArrayLike]) -> None:
        """Write curves (m,) by their headings, which have units, as columns of a CSV file in the folder."""
        self.tables.append(self.out / name)
        rows = np.column_stack([*columns.values()])
        np.savetxt(self.tables[-1], rows, "%.10g", ",", header=",".join(columns), comments="")

    def finish(self) -> int:
        """Print all, write the manifest; return 1 where a number is out of its bound, else 0."""
        console = Console(width=None if sys.stdout.isatty() else 118)
        console.rule(self.title)
        for table in dict.fromkeys(cell.table for cell in self.cells):
            console.print(_table(table, [cell for cell in self.cells if cell.table == table]))
        for note in self.notes:
            console.print(note, highlight=False, markup=False)
        for path in self.pictures:
            console.print(f"Drawn in {path}", highlight=False, soft_wrap=True)
        for path in self.tables:
            console.print(f"Written to {path}", highlight=False, soft_wrap=True)
        failed = [cell for cell in self.cells if cell.passed is False]
        self._write_manifest()
        asked = sum(cell.passed is not None for cell in self.cells)
        console.print(f"{asked - len(failed)} of {asked} numbers within their bounds", highlight=False)
        return int(bool(failed))

    def _write_manifest(self) -> None:
        manifest = {
            "paper": self.title,
            "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "commit": _commit(),
            "seconds": round(time.monotonic() - self._begin, 1),
            "machine": {"system": platform.platform(), "processor": _processor()},
            "versions": {"python": platform.python_version()} | {name: _version(name) for name in PACKAGES},
            "cells": [asdict(cell) | {"passed": cell.passed} for cell in self.cells],
            "notes": self.notes,
            "pictures": [path.name for path in self.pictures],
            "tables": [path.name for path in self.tables],
        }  # fmt: skip
        (self.out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def _table(title: str, cells: list[Cell]) -> Table:
    made = Table(title=Text(title), title_justify="left")
    for name in ("", "paper", "ours", "bound", "within"):
        made.add_column(name, justify="right" if name else "left", overflow="fold")
    for cell in cells:
        paper = "" if cell.paper is None else number_text(cell.paper)
        bound = "" if cell.within is None else f"{'≤' if cell.paper is None else '±'} {cell.within:g}"
        verdict = {True: "yes", False: "NO", None: ""}[cell.passed]
        # Text: "[rad]" would be markup
        made.add_row(*map(Text, (cell.what, paper, number_text(cell.ours), bound, verdict)))
    return made


def number_text(value: float | str) -> str:
    """Return a number as tables show it."""
    if isinstance(value, str):
        return value
    if value == round(value) and abs(value) < 1e9:
        return f"{value:.0f}"
    return f"{value:.4f}" if 1e-2 <= abs(value) < 1e5 else f"{value:.2g}"


def _commit() -> str:
    try:
        words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
