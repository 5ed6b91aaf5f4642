"""Parameters as columns: the arrays of many designs, robots of one structure that differ in their numbers.

Most parameters enter the arrays of core and kernels by sums of products in which each occurs once: masses,
positions, spring constants. So between the arrays of two robots that differ in such a parameter alone, those
of all others lie on a straight line. A few robots are changed in full, and the rows of the others lie on the
lines through these; then some are compared with robots that are changed in full. The lines do not depend on
the rows, and are kept for the next designs. All other parameters (angles, centres of mass, inertias, links
that are fixed to others) take a changed robot for each set of values.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import ModularDynamicsError, StateError
from ..model import SubsystemGraph
from ..model.number_arrays import number_array
from .arguments import Array

__all__ = ["Columns", "DesignRows", "checked_columns", "rows_of_designs"]

_AXES = (" x", " y", " z")
#: Quantities of springs and joints that enter as factors, and are never negative.
_FACTORS = (" damping", " friction", " armature")
_LAWS = (" stiffness", " free length", " initial force", *_FACTORS)
#: Largest difference of an interpolated row from that of a robot changed in full: relative to the largest
#: number of its column, and rounding of lengths about one.
_AGREEMENT, _ROUNDING = 1e-12, 1e-14
#: Number of interpolated rows that are compared with exact ones.
_COMPARED = 3
#: Shortest way along a line to the second robot [m, kg, ...], and lines that are kept of one graph.
_STEP, _MOST_LINES = 0.1, 64

Numbers = Callable[[SubsystemGraph], Array | None]


@dataclass(frozen=True, eq=False)
class Columns:
    """Values (n, k) of k parameters by name, a row for each of n designs."""

    graph: SubsystemGraph
    names: tuple[str, ...]
    values: Array

    def design(self, row: int) -> SubsystemGraph:
        """Return the robot of a row, with all parameters applied. Raises ModelError: impossible numbers."""
        return self.graph.with_parameters(dict(zip(self.names, self.values[row].tolist(), strict=True)))


@dataclass(frozen=True, eq=False)
class DesignRows:
    """Numbers (n, w) of n designs.

    Attributes:
        errors: by row, why no robot can have these numbers; the row is not used.
        others: rows of robots whose arrays are made otherwise, such as loops that are not planar any more.
    """

    numbers: Array
    errors: dict[int, ModularDynamicsError] = field(default_factory=dict)
    others: list[int] = field(default_factory=list)


def checked_columns(graph: SubsystemGraph, parameters: Mapping[str, ArrayLike]) -> Columns:
    """Return columns of parameters, named as in ``graph.parameters``; one number is for all rows.

    Raises:
        UnknownNameError: no such parameter; names similar ones.
        StateError: columns of different lengths.
    """
    if not isinstance(parameters, Mapping):
        raise StateError(f"parameters are {parameters!r}; a mapping of names to columns is needed")
    for name in parameters:
        if name not in graph.parameters:
            graph.with_parameters({name: 0.0})  # raises the error that names similar parameters
    columns = [number_array(f"parameter '{name}'", column) for name, column in parameters.items()]
    lengths = {len(column) for column in columns if column.ndim == 1}
    if any(column.ndim > 1 for column in columns) or len(lengths) > 1:
        named = zip(parameters, columns, strict=True)
        shapes = ", ".join(f"'{name}' {column.shape}" for name, column in named)
        raise StateError(f"parameters have shapes: {shapes}; (n,) is needed, a number for each design")
    count = lengths.pop() if lengths else 1
    values = np.empty((count, len(columns)))
    for k, column in enumerate(columns):
        values[:, k] = column
    return Columns(graph, tuple(parameters), values)


class _Lines(NamedTuple):
    """Numbers (w,) of the robot with the values ``middle`` (k,), and their slopes along single values.

    Attributes:
        slopes: of each linear parameter its column, the indices of numbers that change, and their slopes.
    """

    middle: Array
    numbers: Array
    slopes: list[tuple[int, NDArray[np.intp], Array]]


_KeptLines = dict[tuple[tuple[str, ...], bytes], _Lines | None]
"""Lines by the names of all parameters and the values of those that do not enter linearly."""


def _kept_lines(_graph: SubsystemGraph, _kind: str) -> _KeptLines:
    """Return an empty cache of lines for one graph and one kind of numbers; for ``graph.once``."""
    return {}


def rows_of_designs(columns: Columns, numbers: Numbers, kind: str) -> DesignRows:
    """Return the numbers of all designs, interpolated along lines where that is exact.

    Args:
        numbers: of one graph, in an array (w,); None where they are made otherwise. kind: which numbers these
            are; of one graph and one kind they are always the same.
    """
    own = numbers(columns.graph)
    if own is None:
        return DesignRows(np.zeros((len(columns.values), 0)), {}, list(range(len(columns.values))))
    rows = DesignRows(np.tile(own, (len(columns.values), 1)))
    straight = np.array([_is_linear(columns.graph, name) for name in columns.names], bool)
    plain = np.asarray(np.isfinite(columns.values).all(axis=1), bool)
    for k, name in enumerate(columns.names):
        if straight[k] and name.endswith((*_LAWS, " mass")):
            plain &= columns.values[:, k] >= (np.nextafter(0.0, 1.0) if name.endswith(" mass") else 0.0)
    steps, kept = 1 + _COMPARED + int(straight.sum()), columns.graph.once(_kept_lines, kind)
    for group in _equal_rows(columns.values[:, ~straight], plain):
        lines = None if len(group) <= steps else _lines(columns, numbers, straight, group[0], kept)
        if lines is None or not _interpolate(columns, numbers, lines, group, rows.numbers):
            _build(columns, numbers, group, rows)
    _build(columns, numbers, np.flatnonzero(~plain), rows)
    return rows


def _is_linear(graph: SubsystemGraph, name: str) -> bool:
    """Return whether the arrays depend linearly on a parameter: a factor that occurs once."""
    if name.startswith("joint "):
        moving = name.removeprefix("joint ").rsplit(" origin ", 1)[0] in {one.name for one in graph.joints}
        shifts = moving and name.endswith(tuple(f" origin{axis}" for axis in _AXES))
        return shifts or name.endswith(_FACTORS)
    if name.startswith(("loop joint ", "gravity ")):
        return name.endswith(_AXES)
    if name.startswith("spring "):
        return name.endswith((*_LAWS, *_AXES))
    return name.startswith("link ") and name.endswith(" mass")


def _equal_rows(values: Array, plain: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return indices of the ``plain`` rows, in groups with equal values."""
    indices = np.flatnonzero(plain)
    if not len(indices):
        return []
    _, group = np.unique(values[indices], axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    return np.split(indices[order], np.flatnonzero(np.diff(group.ravel()[order])) + 1)


def _build(columns: Columns, numbers: Numbers, group: NDArray[np.intp], rows: DesignRows) -> None:
    """Write the rows of a group, each from a newly made robot; equal rows share one."""
    equal: dict[bytes, list[int]] = {}  # by bits: NaN does not equal itself
    for k in group.tolist():
        equal.setdefault(columns.values[k].tobytes(), []).append(k)
    for indices in equal.values():
        try:
            row = numbers(columns.design(indices[0]))
        except ModularDynamicsError as error:
            rows.errors.update(dict.fromkeys(indices, error))
            continue
        if row is None:
            rows.others.extend(indices)
        else:
            rows.numbers[indices] = row


def _lines(
    columns: Columns, numbers: Numbers, straight: NDArray[np.bool_], row: int, kept: _KeptLines
) -> _Lines | None:
    """Return the numbers' lines by linear parameters, at a row's other values; None if invalid."""
    others = columns.values[row, ~straight]
    key = columns.names, others.tobytes()
    if key not in kept:
        if len(kept) >= _MOST_LINES:
            kept.pop(next(iter(kept)))
        own = np.array([columns.graph.parameters[name].value for name in columns.names], np.float64)
        massless = np.array([name.endswith(" mass") for name in columns.names], np.bool_) & (own == 0.0)
        own[massless] = _STEP  # a link without mass has arrays of another structure
        own[~straight] = others
        kept[key] = _made_lines(columns, numbers, straight, own)
    return kept[key]


def _made_lines(
    columns: Columns, numbers: Numbers, straight: NDArray[np.bool_], middle: Array
) -> _Lines | None:
    first, slopes = _numbers_at(columns, numbers, middle), []
    for k in np.flatnonzero(straight).tolist():
        there = middle.copy()
        there[k] += max(abs(middle[k]), _STEP)
        end = _numbers_at(columns, numbers, there)
        if first is None or end is None:
            return None
        slope = (end - first) / (there[k] - middle[k])
        changing = np.flatnonzero(slope)
        slopes.append((k, changing, slope[changing]))
    return None if first is None else _Lines(middle, first, slopes)


def _interpolate(
    columns: Columns, numbers: Numbers, lines: _Lines, group: NDArray[np.intp], out: Array
) -> bool:
    """Write the rows of a group by linear interpolation; return False if that is not exact."""
    values = columns.values[group]
    table = np.tile(lines.numbers, (len(group), 1))
    for k, changing, slope in lines.slopes:
        table[:, changing] += np.outer(values[:, k] - lines.middle[k], slope)
    size = np.abs(table).max(axis=0)
    for row in np.linspace(0, len(group) - 1, _COMPARED).astype(int):
        exact = _numbers_at(columns, numbers, values[row])
        if exact is None or not (np.abs(table[row] - exact) <= _AGREEMENT * size + _ROUNDING).all():
            return False
    out[group] = table
    return True


def _numbers_at(columns: Columns, numbers: Numbers, values: Array) -> Array | None:
    """Return the numbers of the robot with these values; None if it is invalid or its arrays differ."""
    try:
        return numbers(columns.graph.with_parameters(dict(zip(columns.names, values.tolist(), strict=True))))
    except ModularDynamicsError:
        return None
