"""A kind of parameters: its elements, their values and units, and the graph with other values."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ....algebra import DualQuaternion, from_xyz_rpy, pose, to_xyz_rpy
from ....exceptions import ModelError
from ...structure import Graph, Structure

__all__ = ["PLACE", "Kind", "Parameter", "Values", "not_negative", "place_values", "placed", "starting_with"]

#: The six numbers of a pose: translation [m], and rotation Rz(yaw) Ry(pitch) Rx(roll) [rad], as in a URDF.
PLACE = ("x", "y", "z", "roll", "pitch", "yaw")


class Parameter(NamedTuple):
    """A number of the model, and its unit."""

    value: float
    unit: str


Values = dict[str, Parameter]


class Write(Protocol):
    """A function that gives a graph with other numbers of one of its elements."""

    def __call__(self, graph: Graph, owner: str, new: dict[str, float], /) -> Graph:
        """The changed graph."""


@dataclass(frozen=True)
class Kind:
    """A kind of element that has parameters.

    Attributes:
        word: the first word of the names of its parameters, such as "joint".
        quantities: the last words of these names, such as "origin z": all that there can be.
        owners: (graph) -> names of the graph's elements of that kind.
        read: (graph, owner) -> values of the quantities that this element has, with units.
        write: (graph, owner, {quantity: number}) -> the changed graph.
    """

    word: str
    quantities: tuple[str, ...]
    owners: Callable[[Structure], Iterable[str]]
    read: Callable[[Structure, str], Values]
    write: Write


def place_values(x: DualQuaternion, before: str) -> Values:
    """Return a pose's six numbers by name: ``before``, such as "origin ", and the name in PLACE."""
    numbers = (np.concatenate(to_xyz_rpy(x)) + 0.0).tolist()  # no -0
    units = ("m",) * 3 + ("rad",) * 3
    named = zip(PLACE, numbers, units, strict=True)
    return {before + name: Parameter(number, unit) for name, number, unit in named}


def placed(x: DualQuaternion, new: dict[str, float]) -> DualQuaternion:
    """Return the pose with some of its numbers, by their names in PLACE, replaced.

    Where no angle is among them, the rotation is not converted and so stays exactly the same.
    """
    xyz, rpy = (part.tolist() for part in to_xyz_rpy(x))
    for name, number in new.items():
        (xyz if name in PLACE[:3] else rpy)[PLACE.index(name) % 3] = number
    return from_xyz_rpy(xyz, rpy) if {*new} & {*PLACE[3:]} else pose(x.primary, xyz)


def starting_with(new: dict[str, float], before: str) -> dict[str, float]:
    """Return the numbers whose names begin with ``before``, by the rest of their names."""
    return {name.removeprefix(before): number for name, number in new.items() if name.startswith(before)}


def not_negative(what: str, number: float) -> float:
    """Return the number. Raises ModelError: it is negative."""
    if number < 0.0:
        raise ModelError(f"{what} is {number:g}; it cannot be negative")
    return number
