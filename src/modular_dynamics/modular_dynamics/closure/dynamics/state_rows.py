"""Many states of a closed robot, one after the other: rows that belong together, errors that name theirs."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.arrays.arguments import Array
from ...exceptions import ClosureError, SingularityError, StateError
from ...model import SubsystemGraph

__all__ = ["errors_name_row", "rows_of_guesses", "rows_of_states"]


def rows_of_states(**vectors: ArrayLike) -> list[Array]:
    """The vectors as arrays with as many rows each. Raises StateError: they have not."""
    arrays = [np.asarray(x) for x in vectors.values()]
    for name, rows in zip(vectors, arrays, strict=True):
        if rows.ndim != 2 or len(rows) != len(arrays[0]):
            raise StateError(f"{name} has shape {rows.shape}; a row for each state is needed")
    return arrays


def rows_of_guesses(graph: SubsystemGraph, guess: ArrayLike | None, count: int) -> list[Array | None]:
    """A guess for each state: of one (nq,), the same for all. Raises StateError: another shape."""
    if guess is None:
        return [None] * count
    array = np.asarray(guess)
    if array.shape not in ((graph.nq,), (count, graph.nq)):
        raise StateError(f"guess has shape {array.shape}; ({graph.nq},) or ({count}, {graph.nq}) is needed")
    return [*np.broadcast_to(array, (count, graph.nq))]


@contextmanager
def errors_name_row(k: int) -> Iterator[None]:
    """Errors about the state of row k begin with it."""
    try:
        yield
    except SingularityError as error:
        raise SingularityError(f"row {k}: {error}", error.condition, error.coordinates) from None
    except ClosureError as error:
        raise ClosureError(f"row {k}: {error}", error.residual, error.coordinates) from None
    except StateError as error:
        raise StateError(f"row {k}: {error}") from None
