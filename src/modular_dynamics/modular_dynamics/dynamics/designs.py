"""Inverse dynamics of many designs: trees of one structure that differ in their numbers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import ModularDynamicsError, StateError
from ..model import SubsystemGraph, checked_vectors, refuse_black_boxes, refuse_closures
from ..model.number_arrays import real_numbers
from .arguments import Array, thread_count
from .core_robot import GOOD, core_robot
from .design_rows import checked_columns, rows_of_designs
from .quantity import terms_of

__all__ = ["inverse_dynamics_of_designs"]


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
