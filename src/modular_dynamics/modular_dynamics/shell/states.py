"""States of a robot from the command line or CSV, one after the other, and their results."""

import argparse
import csv
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model import JointType, SubsystemGraph
from ..text.numbers import real_number
from .command import STDIN, UsageError, number, table, table_of

__all__ = ["Coordinates", "State", "coordinates_of", "given_state", "read_states", "unknown"]

Array = NDArray[np.float64]


class State(NamedTuple):
    """Time [s], None if unknown; vectors by the letters of a command; ``where``: place in messages."""

    time: float | None
    vectors: dict[str, Array]
    where: str


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The joints whose state is given, and the names of their numbers.

    Attributes:
        neutral: (nq,) positions. positions, rates: names of the numbers of q, and of v, a and tau.
        linear: for each rate, whether it is of a length [m/s] and not of an angle.
    """

    neutral: Array
    positions: tuple[str, ...]
    rates: tuple[str, ...]
    linear: tuple[bool, ...]

    def names(self, letter: str) -> tuple[str, ...]:
        """Return names for the numbers of the vector q, v, a or tau."""
        return self.positions if letter == "q" else self.rates


def coordinates_of(graph: SubsystemGraph) -> Coordinates:
    """Return the independent joints' coordinates: all of them without closed loops."""
    joints = [graph.joint(name) for name in graph.independent_joint_names]
    neutral = graph.neutral()
    linear = [
        joint.type is JointType.PRISMATIC or (joint.type is JointType.FLOATING and k < 3)
        for joint in joints
        for k in range(joint.type.nv)
    ]
    return Coordinates(
        np.concatenate([np.zeros(0), *(neutral[graph.q_slice(joint.name)] for joint in joints)]),
        tuple(name for joint in joints for name in _numbered(joint.name, joint.type.nq)),
        tuple(name for joint in joints for name in _numbered(joint.name, joint.type.nv)),
        tuple(linear),
    )


def _numbered(name: str, count: int) -> list[str]:
    """Return the names of a joint's numbers: its own, or NAME.0, NAME.1, ..."""
    return [name] if count == 1 else [f"{name}.{k}" for k in range(count)]


def given_state(arguments: argparse.Namespace, letters: Sequence[str], coordinates: Coordinates) -> State:
    """Return the state of the options --q, --v and so on; missing ones are neutral, or zero."""
    vectors = {}
    for letter in letters:
        neutral = coordinates.neutral if letter == "q" else np.zeros(len(coordinates.rates))
        text: str | None = getattr(arguments, letter)
        vectors[letter] = neutral if text is None else _vector(letter, text, coordinates, neutral)
    return State(None, vectors, "the state")


def _vector(letter: str, text: str, coordinates: Coordinates, neutral: Array) -> Array:
    """Return the vector of numbers in order, or of NAME=NUMBER for some."""
    option, names = f"--{letter}", coordinates.names(letter)
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not any("=" in part for part in parts):
        if len(parts) != len(names):
            raise UsageError(
                f"{option} has {len(parts)} numbers; {len(names)} are needed: {', '.join(names)}"
            )
        return np.array([_number(part, option) for part in parts])
    values, given = neutral.copy(), set[str]()
    for part in parts:
        name, _, value = part.rpartition("=")
        if name not in names:
            raise UsageError(f"{option} names {unknown(name, names)}")
        if name in given:
            raise UsageError(f"{option} gives '{name}' twice; one number is needed")
        given.add(name)
        values[names.index(name)] = _number(value, f"{option} {name}")
    return values


def read_states(path: str, letters: Sequence[str], coordinates: Coordinates) -> Iterator[State]:
    """Yield the states of a file, or of standard input, read as they are needed.

    A CSV has a header: time [s] if it is known, q_NAME for every joint, for v, a and tau all or none, then
    zero.

    Raises:
        UsageError: naming the line, and the column or what would be right.
    """
    if path == STDIN:
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
        yield from _from_csv(text, letters, coordinates, "standard input")
        return
    with open(path, encoding="utf-8-sig", newline="") as file:
        yield from _from_csv(file, letters, coordinates, f"'{path}'")


def _from_csv(file: IO[str], letters: Sequence[str], coordinates: Coordinates, where: str) -> Iterator[State]:
    """Yield the states of a CSV file; see :func:`read_states`."""
    head, rows = table_of(file, where)
    places = _places(head, letters, coordinates, where)
    for at, row in rows:
        values = [_number(cell, f"{at}, column {name}") for cell, name in zip(row, head, strict=True)]
        vectors = {
            letter: np.array([values[k] for k in places[letter]])
            if letter in places
            else np.zeros(len(coordinates.rates))
            for letter in letters
        }
        yield State(values[head.index("time")] if "time" in head else None, vectors, at)


def _places(
    head: list[str], letters: Sequence[str], coordinates: Coordinates, where: str
) -> dict[str, list[int]]:
    """Return for each letter the columns of its numbers, in order."""
    known = [f"{letter}_{name}" for letter in letters for name in coordinates.names(letter)]
    if not head:
        raise UsageError(f"{where} is empty; a header is needed: time,{known[0] if known else 'q_NAME'},...")
    if twice := [name for name in head if head.count(name) > 1]:
        raise UsageError(f"{where} has the column '{twice[0]}' twice")
    if others := [name for name in head if name != "time" and name not in known]:
        raise UsageError(f"{where} has the column {unknown(others[0], ['time', *known])}")
    places: dict[str, list[int]] = {}
    for letter in letters:
        names = [f"{letter}_{name}" for name in coordinates.names(letter)]
        missing = [name for name in names if name not in head]
        if missing and (letter == "q" or len(missing) < len(names)):
            rest = "" if letter == "q" else f"; {letter}_NAME is needed for all joints or for none"
            raise UsageError(f"{where} has no column '{missing[0]}'{rest}")
        if not missing:
            places[letter] = [head.index(name) for name in names]
    return places


def _number(text: str, where: str) -> float:
    """Return a finite number. Raises UsageError: names the place."""
    try:
        value = real_number(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise UsageError(f"{where}: '{text}' is no finite number")
    return value


def unknown(name: str, names: Sequence[str]) -> str:
    """Return an error text for an unknown name, with those that are possible."""
    return f"'{name:.60}', which is unknown; possible: {', '.join(names)}"


# Results of one state or of many: a table, CSV, or JSON lines.

#: Takes a time [s], None if it is not known, and values (n,).
Writer = Callable[[float | None, Array], None]


def add_result_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the format of results."""
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--csv", action="store_true", help="print CSV (default: of states from a file)")
    kinds.add_argument("--json", action="store_true", help="print a line of JSON for each state")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write to a .csv file instead (default: print)"
    )


@contextmanager
def result_writer(
    arguments: argparse.Namespace,
    letter: str,
    names: Sequence[str],
    units: Sequence[str],
    *,
    timed: bool,
    one: bool,
) -> Iterator[Writer]:
    """Return the writer that the arguments ask for.

    Args:
        letter: begins the columns of a CSV, as tau_NAME. timed: whether times are known. one: a single state.
    """
    if arguments.output is not None:
        path = Path(arguments.output)
        if path.suffix.lower() != ".csv" or arguments.csv or arguments.json:
            raise UsageError(f"--output {path}: a name that ends in .csv is needed, and no --csv or --json")
        with open(path, "w", encoding="utf-8", newline="") as text:
            yield _csv_writer(text, letter, names, timed)
    elif arguments.json:
        yield partial(_print_json, letter, names)
    elif one and not arguments.csv:
        yield partial(_print_table, names, units)
    else:
        yield _csv_writer(sys.stdout, letter, names, timed)


def _print_table(names: Sequence[str], units: Sequence[str], _time: float | None, values: Array) -> None:
    """Print one state's results as a table."""
    rows = zip(names, map(number, values.tolist()), units, strict=True)
    print("\n".join(table(("joint", "value", "unit"), list(rows), right=("value",))))


def _print_json(letter: str, names: Sequence[str], time: float | None, values: Array) -> None:
    """Print a state's results as a line of JSON; null for unknown numbers."""
    finite = [value if np.isfinite(value) else None for value in values.tolist()]
    record: dict[str, Any] = {} if time is None else {"time": time}
    print(json.dumps(record | {letter: dict(zip(names, finite, strict=True))}))


def _csv_writer(file: Any, letter: str, names: Sequence[str], timed: bool) -> Writer:
    """Write the header of a CSV; return the writer of its rows."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*(["time"] if timed else []), *(f"{letter}_{name}" for name in names)])

    def write(time: float | None, values: Array) -> None:
        # the shortest text that gives the same number; nothing where it is not known
        cells = ["" if np.isnan(value) else repr(value) for value in values.tolist()]
        writer.writerow([*([repr(time)] if timed else []), *cells])

    return write
