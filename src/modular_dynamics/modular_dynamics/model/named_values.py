"""Vectors in a graph's order from values by joint name, and back. Methods of :class:`.SubsystemGraph`."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from .configuration import Coordinates
from .number_arrays import number_array

__all__ = ["pack", "unpack"]

Array = NDArray[np.float64]


def _slices(graph: Coordinates, kind: str) -> tuple[int, Callable[[str], slice]]:
    if kind not in ("q", "v"):
        raise StateError(f"kind is {kind!r}; 'q', or 'v' for velocities and torques, is needed")
    return (graph.nq, graph.q_slice) if kind == "q" else (graph.nv, graph.v_slice)


def pack(
    graph: Coordinates, values: Mapping[str, ArrayLike], kind: str = "q", others: ArrayLike | None = None
) -> Array:
    """Return the vector of values by joint name: {"elbow": 0.3, ...} -> (nq,) or (nv,), or rows of it.

    Args:
        values: a number for each joint, or (count,); of joints with several coordinates (7,), or (count, 7).
        kind: "q" for positions; "v" for velocities, accelerations and torques.
        others: a vector with the values of all joints that are not named, as ``graph.neutral()``. Without it
            every joint of ``graph.joint_names`` must be named.

    Raises:
        StateError: an unknown or a missing joint, a wrong shape, or values that are no finite numbers.
    """
    if not isinstance(values, Mapping):
        raise StateError(f"values is {values!r}; a mapping of joint names to numbers is needed")
    size, slice_of = _slices(graph, kind)
    if unknown := [name for name in values if name not in graph.joint_names]:
        raise StateError(
            f"'{graph.name}' has no joint '{unknown[0]}' with a coordinate of its own; "
            f"its joints: {', '.join(graph.joint_names)}"
        )
    missing = [name for name in graph.joint_names if name not in values]
    if missing and others is None:
        raise StateError(
            f"values lack {', '.join(missing)} of '{graph.name}'; others=graph.neutral() sets these to zero"
        )
    parts = {name: _part(name, value, slice_of(name), size) for name, value in values.items()}
    base = np.zeros(size) if others is None else _others(others, size)
    try:
        rows = np.broadcast_shapes(base.shape[:-1], *(part.shape[:-1] for part in parts.values()))
    except ValueError as error:
        raise StateError(f"values of '{graph.name}' do not have as many rows each: {error}") from None
    vector = np.broadcast_to(base, (*rows, size)).copy()
    for name, part in parts.items():
        vector[..., slice_of(name)] = part
    return vector


def _others(others: ArrayLike, size: int) -> Array:
    base = number_array("others", others)
    if base.shape[-1:] != (size,):
        raise StateError(f"others has shape {base.shape}; ({size},), or rows of that, is needed")
    if not np.isfinite(base).all():
        raise StateError("others has numbers that are not finite")
    return base


def _part(name: str, value: ArrayLike, where: slice, size: int) -> Array:
    width = len(range(size)[where])
    try:
        part = number_array(name, value)
    except StateError:
        part = np.full(1, np.nan)
    part = part[..., None] if width == 1 else part
    if not part.shape or part.shape[-1] != width or not np.isfinite(part).all():
        raise StateError(
            f"value of joint '{name}' is {value!r}; {width} finite number{'s' if width > 1 else ''}, "
            "or rows of that, must be given"
        )
    return part


def unpack(graph: Coordinates, vector: ArrayLike, kind: str = "q") -> dict[str, Array]:
    """Return values by joint name of a vector (nq,) or (nv,), or of rows: the inverse of :func:`pack`.

    Numbers for joints with one coordinate, arrays for others and for rows; all are copies.

    Args:
        kind: "q" for positions; "v" for velocities, accelerations and torques.

    Raises:
        StateError: a wrong shape or kind.
    """
    size, slice_of = _slices(graph, kind)
    array = number_array("the vector", vector)
    if array.shape[-1:] != (size,):
        raise StateError(f"the vector has shape {array.shape}; '{graph.name}' needs ({size},) or rows of it")
    parts = {name: array[..., slice_of(name)] for name in graph.joint_names}
    return {name: part[..., 0].copy() if part.shape[-1] == 1 else part.copy() for name, part in parts.items()}
