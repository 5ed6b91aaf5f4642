"""What callers pass: checked, or converted to arrays that can be computed with."""

import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from ..model import Joint, SubsystemGraph, require_graph
from ..model.number_arrays import real_numbers

Array = NDArray[np.float64]
_DOUBLE = np.dtype(np.float64)


def checked_out(out: Any, shape: tuple[int, ...], kind: np.dtype[Any] = _DOUBLE) -> NDArray[Any]:
    """Return ``out`` itself, if a result of that shape and dtype can be written into it.

    Raises:
        StateError: it cannot; names what it is and what is needed.
    """
    matches = isinstance(out, np.ndarray) and out.dtype == kind and out.shape == shape
    if not (matches and out.flags.carray):
        raise StateError(f"out is {_described(out)}; a writeable contiguous {kind} array {shape} is needed")
    array: NDArray[Any] = out
    return array


def _described(out: object) -> str:
    if not isinstance(out, np.ndarray):
        return type(out).__name__
    properties = {
        "not contiguous": out.flags.c_contiguous,
        "not aligned": out.flags.aligned,
        "read-only": out.flags.writeable,
    }
    faults = [fault for fault, absent in properties.items() if not absent]
    return ", ".join([f"{out.dtype} {out.shape}", *faults])


def checked_seed(seed: int) -> int:
    """Return the seed of random states. Raises StateError: not a whole number from 0 on."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise StateError(f"seed is {seed!r}; a whole number from 0 on is needed")
    return int(seed)


def thread_count(threads: int | None) -> int:
    """Return the number of threads to use; all cores by default. Raises StateError."""
    count = threads if threads is not None else os.cpu_count() or 1
    if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 1:
        raise StateError(f"threads is {threads!r}; a whole number from 1 on is needed")
    return int(count)


def state_rows(graph: SubsystemGraph, states: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    """Return the states {q: (count, nq), others: (count, nv)} as arrays of numbers. Raises StateError."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, value in states.items():
        width = graph.nq if name == "q" else graph.nv
        array = real_numbers(name, value)  # evaluate() converts it chunk by chunk
        rows = len(arrays["q"]) if arrays else "n"
        if array.ndim != 2 or array.shape[1] != width or (arrays and len(array) != rows):
            raise StateError(f"{name} has shape {array.shape}; '{graph.name}' needs ({rows}, {width})")
        arrays[name] = array
    return arrays


# Friction of joints as coefficients.


def friction_coefficients(joints: Iterable[Joint], names: Sequence[str]) -> tuple[Array, Array]:
    """Return viscous [N m s/rad or N s/m] and dry [N m or N] friction at the velocities of the named joints.

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


# The way from a quantity of trees to the same quantity of robots with closed loops.
#
# loops/ is built on dynamics/ and has functions of the same names; it is imported when the first robot with
# loops comes. This is the only place where dynamics/ knows of it.


def has_loops(graph: SubsystemGraph) -> bool:
    """Return whether a graph has loop joints, passive joints, gears or springs between links."""
    try:
        return graph.has_loops
    except AttributeError:
        require_graph(graph)
        raise


class _WithLoops:
    """The functions for robots with closed loops, by name."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module("modular_dynamics.loops"), name)
        setattr(self, name, value)
        return value


with_loops = _WithLoops()
