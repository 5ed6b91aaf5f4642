"""Checks and conversion of arguments; errors that name a state; the functions for closed loops."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import ModularDynamicsError, StateError
from ..model import Joint, SubsystemGraph, require_graph
from ..model.number_arrays import real_numbers

Array = NDArray[np.float64]
_DOUBLE = np.dtype(np.float64)


def checked_out(out: Any, shape: tuple[int, ...], kind: np.dtype[Any] = _DOUBLE) -> NDArray[Any]:
    """Return ``out``. Raises StateError: no result of that shape and dtype can be written into it."""
    matches = isinstance(out, np.ndarray) and out.dtype == kind and out.shape == shape
    if not (matches and out.flags.carray):
        given = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise StateError(f"out is {given}; a writeable, aligned, contiguous {kind} array {shape} is needed")
    array: NDArray[Any] = out
    return array


def checked_seed(seed: int) -> int:
    """Return the seed of random states. Raises StateError: not a whole number from 0 on."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise StateError(f"seed is {seed!r}; a whole number from 0 on is needed")
    return int(seed)


#: Largest number of threads that the core runs; results do not depend on it.
MOST_THREADS = 1024


def thread_count(threads: int | None) -> int:
    """Return the number of threads to use, which is that of cores by default. Raises StateError."""
    count = threads if threads is not None else os.cpu_count() or 1
    if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 1:
        raise StateError(f"threads is {threads!r}; a whole number from 1 on is needed")
    return min(int(count), MOST_THREADS)


def state_rows(graph: SubsystemGraph, states: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    """Return the states {q: (count, nq), others: (count, nv)} as arrays of numbers. Raises StateError."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, value in states.items():
        width = graph.nq if name == "q" else graph.nv
        array = real_numbers(name, value)  # converted chunk by chunk, where it is used
        rows = len(arrays["q"]) if arrays else "n"
        if array.ndim != 2 or array.shape[1] != width or (arrays and len(array) != rows):
            raise StateError(f"{name} has shape {array.shape}; '{graph.name}' needs ({rows}, {width})")
        arrays[name] = array
    return arrays


def friction_coefficients(joints: Iterable[Joint], names: Sequence[str]) -> tuple[Array, Array]:
    """Return coefficients of viscous [N m s/rad or N s/m] and dry [N m or N] friction of the named joints.

    A mimic joint, qd_m = m qd, loads its driver by the principle of virtual power: by m^2 times its damping,
    |m| times its dry friction.

    Args:
        joints: those whose friction counts.
        names: joints that mimic no other, in the order of the result; with all drivers of ``joints``.
    """
    damping, dry = np.zeros(len(names)), np.zeros(len(names))
    indices = {name: k for k, name in enumerate(names)}
    for joint in joints:
        if joint.damping == 0.0 and joint.friction == 0.0:
            continue
        m, k = (1.0, joint.name) if joint.mimic is None else (joint.mimic.multiplier, joint.mimic.joint)
        damping[indices[k]] += m * m * joint.damping
        dry[indices[k]] += abs(m) * joint.friction
    return damping, dry


@contextmanager
def errors_begin_with(where: str) -> Iterator[None]:
    """Put ``where``, such as "row 3", before the messages of this library's errors that are raised inside."""
    try:
        yield
    except ModularDynamicsError as error:
        error.args = (f"{where}: {error}", *error.args[1:])
        raise


# Public functions of dynamics/ pass robots with closed loops on to the functions of the same names in loops/.
# That is built on dynamics/, so it is imported here, and only when the first such robot comes.


def has_loops(graph: SubsystemGraph) -> bool:
    """Return ``graph.has_loops``. Raises GraphTypeError: another object than a graph."""
    try:
        return graph.has_loops
    except AttributeError:
        require_graph(graph)
        raise


@cache
def of_loops(name: str) -> Any:
    """Return the function or class of this name in `modular_dynamics.loops`.

    Its functions have the same arguments as those of dynamics/ by these names, which pass on ``**locals()``.
    """
    return getattr(import_module("modular_dynamics.loops"), name)
