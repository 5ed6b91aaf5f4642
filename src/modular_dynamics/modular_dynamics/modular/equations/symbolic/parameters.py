"""Masses, lengths and unit twists of a tree as exact numbers, or with symbols for its parameters."""

from typing import Any, NamedTuple

import numpy as np

from ..forms import Array, generalized_mass, homogeneous
from ..tree import TreeData
from .symbols import Expression, exact, sympy

__all__ = ["SymbolicTree", "symbolic_tree"]

_AXES = "xyz"


class SymbolicTree(NamedTuple):
    """:class:`.TreeData` with arrays of symbols; ``values``: numbers of the parameters' symbols.

    Positions, centres of mass and gravity along one axis get one symbol (l, r, g), else one for each
    coordinate (lx, ly, lz). What is zero stays zero.
    """

    H0: list[Array]
    S: list[Array]
    M: list[Array]
    Vdot0: Array
    armature: list[Expression]
    stiffness: list[Expression]
    rest_position: list[Expression]
    values: dict[Any, float]


class _Parameters:
    """A tree's numbers, or symbols with these values."""

    def __init__(self, symbols: bool) -> None:
        self._with_symbols, self.values = symbols, dict[Any, float]()

    def number(self, value: float, name: str, size: float = 0.0) -> Expression:
        """Return a number, or a symbol for it if it is not zero; size: as of :func:`.exact`."""
        number = exact(value, size)
        if not self._with_symbols or number == 0:
            return number
        symbol = sympy.Symbol(name)
        self.values[symbol] = float(number)
        return symbol

    def vector(self, values: Array, name: str, k: str) -> Array:
        """Return three numbers or symbols; a vector along one axis has one symbol, its magnitude."""
        present = [axis for axis in range(3) if exact(values[axis]) != 0]
        if len(present) == 1:
            value = values[present[0]]
            magnitude = self.number(abs(value), f"{name}{k}")
            numbers = [exact(0.0)] * 3
            numbers[present[0]] = magnitude if value > 0.0 else -magnitude
        else:
            numbers = [self.number(values[axis], f"{name}{_AXES[axis]}{k}", 1.0) for axis in range(3)]
        return np.array(numbers, dtype=object)

    def inertia(self, values: Array, mass: float, com: Array, k: str) -> Array:
        """Return an inertia (3, 3); entries that are rounding beside the mass's about the origin are zero."""
        matrix, size = np.zeros((3, 3), dtype=object), float(np.abs(values).max() + mass * com @ com)
        for i in range(3):
            for j in range(i, 3):
                name = f"I{_AXES[i]}{_AXES[j]}{k}"
                matrix[i, j] = matrix[j, i] = self.number(values[i, j], name, size)
        return matrix


def symbolic_tree(tree: TreeData, symbols: bool) -> SymbolicTree:
    """Return the data of the tree, exact; with ``symbols`` for parameters, numbered as the joints in q."""
    parameters = _Parameters(symbols)
    H0, M = [], []
    armature, stiffness, rest = [], [], []
    for i, column in enumerate(tree.columns):
        k = str(column + 1)
        H0.append(homogeneous(_exact(tree.H0[i, :3, :3]), parameters.vector(tree.H0[i, :3, 3], "l", k)))
        mass = parameters.number(tree.mass[i], f"m{k}")
        com = parameters.vector(tree.com[i], "r", k)
        M.append(
            generalized_mass(mass, com, parameters.inertia(tree.inertia[i], tree.mass[i], tree.com[i], k))
        )
        armature.append(parameters.number(tree.armature[i], f"armature{k}"))
        stiffness.append(parameters.number(tree.stiffness[i], f"stiffness{k}"))
        rest.append(parameters.number(tree.rest_position[i], f"rest{k}"))
    gravity = parameters.vector(tree.Vdot0[:3], "g", "")
    Vdot0 = np.concatenate([gravity, np.array([exact(0.0)] * 3, dtype=object)])
    S = [_exact(s) for s in tree.S]
    return SymbolicTree(H0, S, M, Vdot0, armature, stiffness, rest, parameters.values)


def _exact(numbers: Array) -> Array:
    return np.array([exact(float(x)) for x in numbers.ravel()], dtype=object).reshape(numbers.shape)
