"""Constants of a model as expressions of named lengths and angles: the paper's L1 ... L15 and eta's.

`ModelConstants` has one symbol for each number of the model: 0.126 m is one, though it is L4 - L9. Here each
number is recognised: a sum of up to two of L, L cos eta and L sin eta, or of angles and right angles. The
values must be generic, so that no second expression has the same one; results then hold for all values.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from modular_dynamics.exceptions import UnsupportedModelError
from papers.closed_loop_elimination.symbols import ModelConstants, Symbol

#: Rounding of a number of the model [m, rad]; different expressions are farther apart.
_ROUNDING = 1e-11


class NamedConstants(ModelConstants):
    """Expressions of parameters; gravity, inertial parameters and springs keep symbols of their own.

    Args:
        named: values of lengths [m], and of angles [rad], whose names begin with "eta".
    """

    def __init__(self, named: Mapping[str, float]) -> None:
        super().__init__(symbolic=True)
        self.parameters = {name: (self.ca.SX.sym(name), value) for name, value in named.items()}
        pairs = {name: pair for name, pair in self.parameters.items() if name.startswith("eta")}
        ca, angles = self.ca, [*pairs.values()]
        circular = [(f(x), g(a)) for x, a in angles for f, g in ((ca.cos, np.cos), (ca.sin, np.sin))]
        lengths = [pair for name, pair in self.parameters.items() if name not in pairs]
        lengths += [(x * c, a * b) for (x, a), (c, b) in product(lengths, circular)]
        right = [(number, number) for number in np.pi / 2 * np.arange(-4, 5)]
        self._terms = {"d": _signed(lengths), "a": [*_signed(angles), *right], "n": _signed(circular)}

    def scalar(self, number: float, kind: str = "") -> Symbol:
        """Return the expression of a length ("d"), angle ("a") or component of a direction ("n").

        Raises UnsupportedModelError: no expression, or several, have this value.
        """
        terms = self._terms.get(kind)
        if terms is None:
            return super().scalar(number, kind)
        if number == 0.0 or (kind == "n" and abs(number) == 1.0):
            return self.ca.SX(float(number))
        values = np.array([value for _, value in terms])
        found = [terms[k][0] for k in np.flatnonzero(abs(values - number) < _ROUNDING)]
        if not found and kind != "n":
            pairs = np.argwhere(np.triu(abs(values[:, None] + values - number) < _ROUNDING))
            found = [terms[i][0] + terms[k][0] for i, k in pairs]
        if len(found) != 1:
            raise UnsupportedModelError(
                f"{number:.12g} is {len(found)} expressions of {', '.join(self.parameters)}; it must be one. "
                "Give all lengths and angles, with values of which no sum of two equals another"
            )
        return found[0]


def _signed(terms: list[tuple[Any, float]]) -> list[tuple[Any, float]]:
    return [*terms, *((-x, -a) for x, a in terms)]
