"""Many states of a closed robot, one after the other: rows that belong together, errors that name theirs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arguments import Array
from ...exceptions import ModularDynamicsError, StateError
from ...model import SubsystemGraph
from ...model.number_arrays import real_numbers

__all__ = ["errors_name_row", "rows_of_motions", "rows_of_states"]


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


class Motion(NamedTuple):
    """One state: of the independent joints q, v and vdot, and the guess of all coordinates (nq,)."""

    q: NDArray[np.generic]
    v: NDArray[np.generic]
    vdot: NDArray[np.generic]
    guess: NDArray[np.generic] | None


def rows_of_motions(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, guess: ArrayLike | None
) -> list[Motion]:
    """The states of rows of q, v and vdot, and of a guess for each or for all. Raises StateError."""
    types = [graph.joint(name).type for name in graph.independent_joint_names]
    nq, nv = sum(kind.nq for kind in types), sum(kind.nv for kind in types)
    rows = rows_of_states(q=(q, nq), v=(v, nv), vdot=(vdot, nv))
    guesses = _rows_of_guesses(graph, guess, len(rows[0]))
    return [Motion(*state) for state in zip(*rows, guesses, strict=True)]


def _rows_of_guesses(graph: SubsystemGraph, guess: ArrayLike | None, count: int) -> list[Array | None]:
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
