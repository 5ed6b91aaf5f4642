"""States of a robot from the command line or CSV, one after the other, and their results."""

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model import JointType, SubsystemGraph
from ..text.numbers import real_number
from .command import STDIN, UsageError, number, table, table_of

Array = NDArray[np.float64]


class State(NamedTuple):
    """Time [s], None if unknown; the vectors of a command, such as q, v, a; the place in messages."""

    time: float | None
    vectors: list[Array]
    where: str


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The joints whose state is given, and the names of their numbers.

    Attributes:
        neutral: by letter (q, v, a or tau), the vector of a state of which nothing is said.
        names: by letter, the names of its numbers. linear: for each number of v, a and tau, whether it is of
            a length [m/s] and not of an angle.
    """

    neutral: Mapping[str, Array]
    names: Mapping[str, tuple[str, ...]]
    linear: tuple[bool, ...]


def coordinates_of(graph: SubsystemGraph) -> Coordinates:
    """Return the independent joints' coordinates: all of them without closed loops."""
    joints = [graph.joint(name) for name in graph.independent_joint_names]
    neutral = graph.neutral()
    linear = [
        joint.type is JointType.PRISMATIC or (joint.type is JointType.FLOATING and k < 3)
        for joint in joints
        for k in range(joint.type.nv)
    ]
    q = np.concatenate([np.zeros(0), *(neutral[graph.q_slice(joint.name)] for joint in joints)])
    positions = tuple(name for joint in joints for name in _numbered(joint.name, joint.type.nq))
    rates = tuple(name for joint in joints for name in _numbered(joint.name, joint.type.nv))
    others = ("v", "a", "tau")
    return Coordinates(
        {"q": q, **dict.fromkeys(others, np.zeros(len(rates)))},
        {"q": positions, **dict.fromkeys(others, rates)},
        tuple(linear),
    )


def _numbered(name: str, count: int) -> list[str]:
    """Return the names of a joint's numbers: its own, or NAME.0, NAME.1, ..."""
    return [name] if count == 1 else [f"{name}.{k}" for k in range(count)]


def given_state(arguments: argparse.Namespace, letters: Sequence[str], coordinates: Coordinates) -> State:
    """Return the state of the options --q, --v and so on; missing ones are neutral, or zero."""
    vectors = [_vector(letter, getattr(arguments, letter) or "", coordinates) for letter in letters]
    return State(None, vectors, "the state")


def _vector(letter: str, text: str, coordinates: Coordinates) -> Array:
    """Return the vector of numbers in order, or of NAME=NUMBER for some."""
    option, names, values = f"--{letter}", coordinates.names[letter], coordinates.neutral[letter].copy()
    parts = [part.strip() for part in text.split(",") if part.strip()]
    given = [part.rpartition("=") for part in parts]
    if parts and not any(sign for _, sign, _ in given):
        if len(parts) != len(names):
            raise UsageError(
                f"{option} has {len(parts)} numbers; {len(names)} are needed: {', '.join(names)}"
            )
        return np.array([_number(part, option) for part in parts])
    for k, (name, _, value) in enumerate(given):
        if name not in names:
            raise UsageError(f"{option} names {_unknown(name, names)}")
        if name in (other for other, *_ in given[:k]):
            raise UsageError(f"{option} gives '{name}' twice; one number is needed")
        values[names.index(name)] = _number(value, f"{option} {name}")
    return values


def read_states(path: str, letters: Sequence[str], coordinates: Coordinates) -> Iterator[State]:
    """Yield the states of a file, or of standard input, read as they are needed.

    A CSV has a header: time [s] if it is known, q_NAME for every joint, for v, a and tau all or none, then
    zero.

    Raises:
        UsageError: naming the line, and the column or what would be right.
    """
    where = "standard input" if path == STDIN else f"'{path}'"
    binary = sys.stdin.buffer if path == STDIN else open(path, "rb")  # noqa: SIM115  # closed with the text
    with io.TextIOWrapper(binary, encoding="utf-8-sig", newline="") as file:
        head, rows = table_of(file, where)
        places = _places(head, letters, coordinates, where)
        for at, row in rows:
            values = np.array(
                [_number(cell, f"{at}, column {name}") for cell, name in zip(row, head, strict=True)]
            )
            vectors = [
                values[places[letter]] if letter in places else coordinates.neutral[letter]
                for letter in letters
            ]
            yield State(float(values[head.index("time")]) if "time" in head else None, vectors, at)


def _places(
    head: list[str], letters: Sequence[str], coordinates: Coordinates, where: str
) -> dict[str, list[int]]:
    """Return for each letter the columns of its numbers, in order."""
    columns = {letter: [f"{letter}_{name}" for name in coordinates.names[letter]] for letter in letters}
    known = ["time", *chain(*columns.values())]
    if not head:
        raise UsageError(f"{where} is empty; a header is needed: {','.join([*known, 'q_NAME'][:2])},...")
    if twice := [name for name in head if head.count(name) > 1]:
        raise UsageError(f"{where} has the column '{twice[0]}' twice")
    if others := [name for name in head if name not in known]:
        raise UsageError(f"{where} has the column {_unknown(others[0], known)}")
    places: dict[str, list[int]] = {}
    for letter, names in columns.items():
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


def _unknown(name: str, names: Sequence[str]) -> str:
    """Return an error text for an unknown name, with those that are possible."""
    return f"'{name:.60}', which is unknown; possible: {', '.join(names)}"


def result_lines(
    results: Iterable[tuple[float | None, Array]],
    form: str,
    letter: str,
    names: Sequence[str],
    units: Sequence[str],
) -> Iterator[str]:
    """Yield the results of states as lines of text.

    Args:
        results: times [s], None where they are not known, and values (n,), NaN where they are not known.
        form: csv, with columns such as tau_NAME; json, an object for each state; table, of one state.
    """
    results = iter(results)
    if form == "csv":
        # what the writer writes is what writerow returns
        row = csv.writer(SimpleNamespace(write=str), lineterminator="").writerow
        first = next(results, None)
        timed = first is not None and first[0] is not None
        yield str(row([*(["time"] if timed else []), *(f"{letter}_{name}" for name in names)]))
        for time, values in chain([first] if first else [], results):
            # the shortest text that gives the same number
            cells = ["" if np.isnan(value) else repr(value) for value in values.tolist()]
            yield str(row([*([repr(time)] if timed else []), *cells]))
        return
    for time, values in results:
        if form == "json":
            known = [value if np.isfinite(value) else None for value in values.tolist()]
            record: dict[str, Any] = {} if time is None else {"time": time}
            yield json.dumps(record | {letter: dict(zip(names, known, strict=True))})
        else:
            rows = zip(names, map(number, values.tolist()), units, strict=True)
            yield from table(("joint", "value", "unit"), list(rows), right=("value",))
