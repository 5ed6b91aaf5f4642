"""Inverse dynamics of many designs: trees of one structure that differ in their numbers."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import ModularDynamicsError, StateError
from ..kernels import layout
from ..model import SubsystemGraph
from ..model.number_arrays import real_numbers
from .arrays.arguments import Array
from .arrays.design_rows import checked_columns, rows_of_designs, terms_of_columns
from .arrays.model_arrays import arrays_of, constants_of
from .execution.algorithms import INVERSE_DYNAMICS
from .execution.batch import Batch

__all__ = ["inverse_dynamics_of_designs"]


def inverse_dynamics_of_designs(
    graph: SubsystemGraph,
    states: Mapping[str, ArrayLike],
    parameters: Mapping[str, ArrayLike],
    threads: int | None,
    friction: str,
) -> Array:
    """Torques (n, s, nv) of s states of each of n designs, or (n, nv).

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
    rows = rows_of_designs(columns, lambda other: constants_of(other).ravel())
    tau = np.empty(shape)
    for k in range(len(tau)):
        design = k if count > 1 else 0
        try:
            if design in rows.errors:
                raise rows.errors[design]
            constants = rows.numbers[design].reshape(-1, layout.CONSTANT_COLUMNS)
            run = Batch(graph, INVERSE_DYNAMICS, topology, constants, generated=False)
            own = {name: np.atleast_2d(array[k]) for name, array in arrays.items()}
            run(own, threads, np.atleast_2d(tau[k]), np.float64, None)
        except ModularDynamicsError as error:
            error.args = (f"design {k}: {error}", *error.args[1:])
            raise
    return tau
