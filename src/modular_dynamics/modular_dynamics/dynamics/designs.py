"""Inverse dynamics of many designs: trees of one structure that differ in their numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import ModularDynamicsError, StateError
from ..model import SubsystemGraph, checked_vectors, refuse_black_boxes, refuse_closures
from ..model.number_arrays import number_array, real_numbers
from .arguments import Array, errors_begin_with, thread_count
from .core_robot import GOOD, core_robot
from .quantity import terms_of

# How the core's numbers of many designs are made from columns of parameters.
#
# The core's numbers are linear in most parameters: masses, positions, spring constants. For these two robots
# are built per parameter, which give a line; the numbers of all designs are interpolated along the lines, and
# some designs are built in full to check that. For all other parameters (angles, centres of mass, inertias,
# links that are fixed to others) a robot is built for each set of values.

_AXES = (" x", " y", " z")
#: Quantities of springs and joints in which the numbers are linear, and which are never negative.
_FACTORS = (" damping", " friction", " armature")
_LAWS = (" stiffness", " free length", " initial force", *_FACTORS)
#: Largest difference of an interpolated row from that of a robot changed in full: relative to the largest
#: number of its column, and rounding of lengths about one.
_AGREEMENT, _ROUNDING = 1e-12, 1e-14
#: Number of interpolated rows that are compared with exact ones.
_COMPARED = 3
#: Least difference [m, kg, ...] of the two robots of a line.
_STEP = 0.1

#: (graph) -> its numbers (w,) as the core takes them; None where they are made otherwise.
Numbers = Callable[[SubsystemGraph], Array | None]


@dataclass(frozen=True, eq=False)
class Columns:
    """Values (n, k) of k parameters by name, a row for each of n designs."""

    graph: SubsystemGraph
    names: tuple[str, ...]
    values: Array

    def robot(self, values: Array) -> SubsystemGraph:
        """Return the robot with these values (k,), such as a row's. Raises ModelError: impossible numbers."""
        return self.graph.with_parameters(dict(zip(self.names, values.tolist(), strict=True)))


@dataclass(frozen=True, eq=False)
class DesignRows:
    """Numbers (n, w) of n designs.

    Attributes:
        errors: by row, why no robot can have these numbers; the row is not used.
        others: rows whose robot has other arrays than the graph, such as loops that are no longer planar.
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


def rows_of_designs(columns: Columns, numbers: Numbers) -> DesignRows:
    """Return the numbers of all designs, interpolated along lines where that is exact.

    Args:
        numbers: see `Numbers`.
    """
    own = numbers(columns.graph)
    if own is None:
        return DesignRows(np.zeros((len(columns.values), 0)), {}, list(range(len(columns.values))))
    rows = DesignRows(np.tile(own, (len(columns.values), 1)))
    linear = np.array([_is_linear(columns.graph, name) for name in columns.names], bool)
    regular = np.asarray(np.isfinite(columns.values).all(axis=1), bool)
    for k, name in enumerate(columns.names):
        if linear[k] and name.endswith((*_LAWS, " mass")):
            regular &= columns.values[:, k] >= (np.nextafter(0.0, 1.0) if name.endswith(" mass") else 0.0)
    steps = 1 + _COMPARED + int(linear.sum())
    for group in _equal_rows(columns.values[:, ~linear], regular):
        lines = None if len(group) <= steps else _lines(columns, numbers, linear, group[0])
        if lines is None or not _interpolate(columns, numbers, lines, group, rows.numbers):
            _write_built(columns, numbers, group, rows)
    _write_built(columns, numbers, np.flatnonzero(~regular), rows)
    return rows


def _is_linear(graph: SubsystemGraph, name: str) -> bool:
    """Return whether the core's numbers are linear in a parameter."""
    if name.startswith("joint "):
        moving = name.removeprefix("joint ").rsplit(" origin ", 1)[0] in {one.name for one in graph.joints}
        shifts = moving and name.endswith(tuple(f" origin{axis}" for axis in _AXES))
        return shifts or name.endswith(_FACTORS)
    if name.startswith(("loop joint ", "gravity ")):
        return name.endswith(_AXES)
    if name.startswith("spring "):
        return name.endswith((*_LAWS, *_AXES))
    return name.startswith("link ") and name.endswith(" mass")


def _equal_rows(values: Array, regular: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return indices of the chosen rows, in groups with equal values."""
    indices = np.flatnonzero(regular)
    if not len(indices):
        return []
    _, group = np.unique(values[indices], axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    return np.split(indices[order], np.flatnonzero(np.diff(group.ravel()[order])) + 1)


def _write_built(columns: Columns, numbers: Numbers, group: NDArray[np.intp], rows: DesignRows) -> None:
    """Write the rows of a group, each from a robot built for it; equal rows share one."""
    equal: dict[bytes, list[int]] = {}  # by bits: NaN does not equal itself
    for k in group.tolist():
        equal.setdefault(columns.values[k].tobytes(), []).append(k)
    for indices in equal.values():
        try:
            row = numbers(columns.robot(columns.values[indices[0]]))
        except ModularDynamicsError as error:
            rows.errors.update(dict.fromkeys(indices, error))
            continue
        if row is None:
            rows.others.extend(indices)
        else:
            rows.numbers[indices] = row


def _lines(columns: Columns, numbers: Numbers, linear: NDArray[np.bool_], row: int) -> _Lines | None:
    """Return the lines of the linear parameters, with a row's values of all others.

    None where no robot can have these values, or those one step along a parameter.
    """
    middle = np.array([columns.graph.parameters[name].value for name in columns.names], np.float64)
    massless = np.array([name.endswith(" mass") for name in columns.names], np.bool_) & (middle == 0.0)
    middle[massless] = _STEP  # a link without mass has arrays of another structure
    middle[~linear] = columns.values[row, ~linear]
    first, slopes = _numbers_at(columns, numbers, middle), []
    for k in np.flatnonzero(linear).tolist():
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
    """Write the numbers of a group of designs, linear in the parameters, to the rows ``group`` of ``out``.

    Return False if designs that are also computed exactly differ.
    """
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
    """Return the numbers of the robot with these values (k,); None if it is invalid or its arrays differ."""
    try:
        return numbers(columns.robot(values))
    except ModularDynamicsError:
        return None


def states_of_designs(
    states: Mapping[str, ArrayLike], widths: Sequence[int], designs: int
) -> tuple[Array, ...]:
    """Return the states of all designs, (n, s, ...) or (n, ...), as arrays that the core takes.

    Args:
        states: by name, q first. widths: length of each of them.
        designs: their number; 1: one for all states.

    Raises:
        StateError: another shape, or another number of designs.
    """
    arrays = [real_numbers(name, value) for name, value in states.items()]
    rows = arrays[0].shape[:-1]
    for name, array, width in zip(states, arrays, widths, strict=True):
        if array.ndim not in (2, 3) or array.shape != (*rows, width) or designs not in (1, len(array)):
            raise StateError(
                f"{name} has shape {array.shape}; with parameters of {designs} designs ({designs}, s, "
                f"{width}) is needed, s states for each, or ({designs}, {width}), one state"
            )
    return tuple(np.require(array, np.float64, ["C", "A"]) for array in arrays)


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
    count = len(columns.values)
    arrays = states_of_designs(states, (graph.nq, graph.nv, graph.nv), count)
    shape = arrays[1].shape
    rows = rows_of_designs(columns, _numbers)
    designs = min([len(arrays[0]) if count == 1 else count, *rows.errors])
    shape_of_numbers = max(count, designs), rows.numbers.shape[1]
    numbers = np.ascontiguousarray(np.broadcast_to(rows.numbers, shape_of_numbers))
    of_each = 1 if len(shape) == 2 else shape[1]
    q, v, a = (array[:designs].reshape(designs, of_each, array.shape[-1]) for array in arrays)
    tau = np.empty((designs, of_each, graph.nv))
    done, state, status = graph.once(core_robot).inverse_dynamics_designs(
        numbers[:designs], q, v, a, tau, thread_count(threads), terms
    )
    if status != GOOD:
        with errors_begin_with(f"design {done}" + (f": row {state}" if len(shape) == 3 else "")):
            checked_vectors(graph, q=q[done, state], v=v[done, state], a=a[done, state])
            raise StateError("q, v and a are finite, but so large that the torques are not")
    if rows.errors:
        with errors_begin_with(f"design {designs}"):
            raise rows.errors[designs]
    return tau.reshape(shape)


def _numbers(graph: SubsystemGraph) -> Array:
    """Return all numbers of a graph's robot, in the order in which the core takes a design's."""
    robot = graph.once(core_robot)
    numbers = np.empty(robot.number_count)
    robot.numbers(numbers)
    return numbers
