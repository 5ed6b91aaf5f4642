"""Trigonometric elimination, direct elimination, implicit constraints: one mechanism's equations of motion by each.

All three give g1, M1 and tau1 of the independent coordinates (Schappler et al., sections 3.3 and 3.4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...model import SubsystemGraph
from ..mechanism import mechanism
from .directions import Directions
from .elimination import eliminate
from .mass import mass_matrix
from .order import steps_of
from .parts import parts_of
from .plane import Symbol
from .rates import Rates, Row, explicit_rates, implicit_rates
from .rings import rings_of
from .symbols import Values
from .tree import Tree

__all__ = ["METHODS", "Expressions", "derive"]

#: Trigonometric elimination, direct elimination, implicit constraints.
METHODS = ("TE", "DE", "IC")


@dataclass
class Expressions:
    """Symbolic terms of one mechanism by one method; expressions of CasADi.

    Attributes:
        coordinates: what the terms depend on: the independent joints' coordinates, or with IC those of all.
        values: parameters: symbols and their numbers.
        terms: by name, "W" (with IC), "g1", "M1" (lower triangle, row by row), "tau1"; columns.
    """

    graph: SubsystemGraph
    method: str
    coordinates: dict[str, Symbol]
    values: Values
    terms: dict[str, Any] = field(default_factory=dict)


def derive(graph: SubsystemGraph, method: str, *, symbolic: bool = True, terms: ArrayLike = ("g1", "M1")) -> Any:
    raise NotImplementedError
