"""Inverse dynamics of many designs: trees of one structure that differ in their numbers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import kernels
from ..exceptions import ModularDynamicsError, StateError
from ..kernels import layout
from ..model import SubsystemGraph
from ..model.number_arrays import real_numbers
from .arrays.arguments import Array, thread_count
from .arrays.design_rows import checked_columns, rows_of_designs, terms_of_columns
from .arrays.model_arrays import arrays_of, constants_of
from .execution.algorithms import INVERSE_DYNAMICS
from .execution.batch import THREAD_STATES, Batch
from .execution.threads import run_on_threads

__all__ = ["inverse_dynamics_of_designs"]


def inverse_dynamics_of_designs(
    graph: SubsystemGraph,
    states: Mapping[str, ArrayLike],
    parameters: Mapping[str, ArrayLike],
    threads: int | None,
    friction: str,
) -> Array:
    """Torques (n, s, nv) of s states of each of n designs, or (n, nv), by one compiled function.

    See :func:`.inverse_dynamics_batch`.
    """
    topology, _ = arrays_of(graph, "inverse dynamics of designs", friction)
    columns = checked_columns(graph, parameters)
    topology[-1, layout.TERMS] |= terms_of_columns(columns, friction)
    arrays = {name: real_numbers(name, value) for name, value in states.items()}
    shape, count = arrays["v"].shape, len(columns.values)
    for name, array in arrays.items():
        width = graph.nq if name == "q" else graph.nv
        if array.ndim not in (2, 3) or array.shape != (*shape[:-1], width) or count not in (1, len(array)):
            raise StateError(
                f"{name} has shape {array.shape}; with parameters of {count} designs ({count}, s, {width}) "
                f"is needed, s states for each, or ({count}, {width}), one state"
            )
    rows = rows_of_designs(columns, lambda other: constants_of(other).ravel(), "tree")
    constants = rows.numbers.reshape(count, -1, layout.CONSTANT_COLUMNS)
    tau, designs = np.empty(shape), min([len(arrays["q"]) if count == 1 else count, *rows.errors])
    flat = [
        np.require(array.reshape(-1, array.shape[-1]), np.float64, ["C", "A", "W"])
        for array in (*arrays.values(), tau)
    ]
    each = len(flat[0]) // max(len(tau), 1)
    q, v, vdot, torques = (array[: designs * each] for array in flat)

    def work(queue: NDArray[np.int64]) -> None:
        kernels.inverse_dynamics_of_designs(topology, constants, designs, q, v, vdot, torques, queue)

    bad = run_on_threads(work, designs, min(thread_count(threads), 1 + designs * each // THREAD_STATES))
    if bad is not None:  # whose error says which state it is
        own = constants[bad if count > 1 else 0]
        # the recursion that the kernel above runs; and no code, which is that of the graph's own numbers
        run = Batch(graph, INVERSE_DYNAMICS, topology, own, loaded=True)
        states_of = {name: np.atleast_2d(array[bad]) for name, array in arrays.items()}
        with _errors_name_design(bad):
            run(states_of, 1, np.atleast_2d(tau[bad]), np.float64, None)
            raise StateError("q, v and vdot are finite, but so large that the torques are not")
    elif rows.errors:
        with _errors_name_design(designs):
            raise rows.errors[designs]
    return tau


@contextmanager
def _errors_name_design(k: int) -> Iterator[None]:
    """Errors about a design begin with it."""
    try:
        yield
    except ModularDynamicsError as error:
        error.args = (f"design {k}: {error}", *error.args[1:])
        raise
