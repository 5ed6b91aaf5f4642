"""Many states of a closed robot, one after the other: rows that belong together, errors that name theirs."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arrays.arguments import Array
from ...exceptions import ModularDynamicsError, StateError
from ...model import SubsystemGraph
from ...model.number_arrays import real_numbers

__all__ = ["errors_name_row", "rows_of_guesses", "rows_of_states"]


def rows_of_states(**vectors: tuple[ArrayLike, int]) -> list[NDArray[np.generic]]:
    """Arrays with a row for each state, from vectors and the widths that they need, by name.

    Raises:
        StateError: another shape, or another number of rows than the first has.
    """
    arrays: list[NDArray[np.generic]] = []
    for name, (value, width) in vectors.items():
        array = real_numbers(name, value)
        if array.ndim != 2 or array.shape[1] != width:
            raise StateError(f"{name} has shape {array.shape}; (n, {width}) is needed, a row for each state")
        arrays.append(array)
    if len({len(rows) for rows in arrays}) > 1:
        numbers = ", ".join(str(len(rows)) for rows in arrays)
        raise StateError(f"{', '.join(vectors)} have {numbers} rows; one for each state is needed")
    return arrays


def rows_of_guesses(graph: SubsystemGraph, guess: ArrayLike | None, count: int) -> list[Array | None]:
    """A guess for each state: of one (nq,), the same for all. Raises StateError: another shape."""
    if guess is None:
        return [None] * count
    array = real_numbers("guess", guess)
    if array.shape not in ((graph.nq,), (count, graph.nq)):
        raise StateError(f"guess has shape {array.shape}; ({graph.nq},) or ({count}, {graph.nq}) is needed")
    return [*np.broadcast_to(array, (count, graph.nq))]


@contextmanager
def errors_name_row(k: int) -> Iterator[None]:
    """Errors about the state of row k begin with it."""
    try:
        yield
    except ModularDynamicsError as error:
        error.args = (f"row {k}: {error}", *error.args[1:])
        raise
