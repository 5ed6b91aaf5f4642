"""Inverse dynamics of many designs: trees of one structure that differ in their numbers."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import ModularDynamicsError, StateError
from ..model import SubsystemGraph, checked_vectors, refuse_black_boxes, refuse_closures
from ..model.number_arrays import number_array, real_numbers
from .arguments import Array, thread_count
from .core_robot import GOOD, core_robot
from .quantity import terms_of

# Parameters as columns: the arrays of many designs, robots of one structure that differ in their numbers.
#
# Most parameters enter the arrays of core and kernels by sums of products in which each occurs once: masses,
# positions, spring constants. So between the arrays of two robots that differ in such a parameter alone,
# those of all others lie on a straight line. A few robots are changed in full, and the rows of the others lie
# on the lines through these; then some are compared with robots that are changed in full. The lines do not
# depend on the rows, and are kept for the next designs. All other parameters (angles, centres of mass,
# inertias, links that are fixed to others) take a changed robot for each set of values.

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


def inverse_dynamics_of_designs(
    graph: SubsystemGraph,
    states: Mapping[str, ArrayLike],
    parameters: Mapping[str, ArrayLike],
    threads: int | None,
    friction: str,
) -> Array:
    """Return torques (n, s, nv) of s states of each of n designs, or (n, nv): see `.inverse_dynamics`."""
    refuse_closures(graph, "inverse dynamics of designs")
    refuse_black_boxes(graph, "inverse dynamics of designs")
    terms, columns = terms_of(friction), checked_columns(graph, parameters)
    arrays = {name: real_numbers(name, value) for name, value in states.items()}
    shape, count = arrays["v"].shape, len(columns.values)
    for name, array in arrays.items():
        width = graph.nq if name == "q" else graph.nv
        if array.ndim not in (2, 3) or array.shape != (*shape[:-1], width) or count not in (1, len(array)):
            raise StateError(
                f"{name} has shape {array.shape}; with parameters of {count} designs ({count}, s, {width}) "
                f"is needed, s states for each, or ({count}, {width}), one state"
            )
    rows = rows_of_designs(columns, _numbers, "tree")
    designs = min([len(arrays["q"]) if count == 1 else count, *rows.errors])
    shape_of_numbers = max(count, designs), rows.numbers.shape[1]
    numbers = np.ascontiguousarray(np.broadcast_to(rows.numbers, shape_of_numbers))
    of_each = 1 if len(shape) == 2 else shape[1]
    q, v, a = (
        np.require(array[:designs], np.float64, ["C", "A"]).reshape(designs, of_each, array.shape[-1])
        for array in arrays.values()
    )
    tau = np.empty((designs, of_each, graph.nv))
    done, state, status = graph.once(core_robot).inverse_dynamics_designs(
        numbers[:designs], q, v, a, tau, thread_count(threads), terms
    )
    if status != GOOD:
        with _errors_name_design(done):
            where = f"row {state}: " if len(shape) == 3 else ""
            try:
                checked_vectors(graph, q=q[done, state], v=v[done, state], a=a[done, state])
            except StateError as error:
                raise StateError(f"{where}{error}") from None
            raise StateError(f"{where}q, v and a are finite, but so large that the torques are not")
    if rows.errors:
        with _errors_name_design(designs):
            raise rows.errors[designs]
    return tau.reshape(shape)


def _numbers(graph: SubsystemGraph) -> Array:
    """Return all numbers of a graph's robot, in the order in which the core takes a design's."""
    robot = graph.once(core_robot)
    numbers = np.empty(robot.number_count)
    robot.numbers(numbers)
    return numbers


@contextmanager
def _errors_name_design(k: int) -> Iterator[None]:
    """Prefix errors raised inside with the number of the design."""
    try:
        yield
    except ModularDynamicsError as error:
        error.args = (f"design {k}: {error}", *error.args[1:])
        raise
