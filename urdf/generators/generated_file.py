"""Command line of a generator: write its URDF, or check that the file is up to date."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

__all__ = ["FOLDER", "run", "run_with_table"]

#: Folder of the generated files.
FOLDER = Path(__file__).resolve().parents[1]


def run(name: str, make_text: Callable[[], str]) -> int:
    """Write FOLDER/name, or with --check only compare; return the exit status."""
    parser = _parser(name)
    arguments = parser.parse_args()
    return _write(arguments.out, make_text(), arguments.check)


def run_with_table(name: str, make_text: Callable[[Any], str], option: str, table: Path, what: str) -> int:
    """The same for a generator that reads a YAML table, which ``option`` can replace by another file."""
    parser = _parser(name)
    parser.add_argument(option, dest="table", type=Path, default=table, help=f"YAML table of {what}")
    arguments = parser.parse_args()
    content = yaml.safe_load(arguments.table.read_text(encoding="utf-8"))
    return _write(arguments.out, make_text(content), arguments.check)


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=f"Write {name}.")
    parser.add_argument("--out", type=Path, default=FOLDER / name, help="file to write")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file differs")
    return parser


def _write(path: Path, text: str, check: bool) -> int:
    if not check:
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.name}")
        return 0
    current = path.read_text(encoding="utf-8") if path.is_file() else None
    if current == text:
        print(f"{path.name} is up to date")
        return 0
    state = "missing" if current is None else "out of date"
    print(f"{path.name} is {state}: run python -m urdf.generators.{path.stem}", file=sys.stderr)
    return 1
