"""The symbolic closed form of one robot: expressions, text, Python functions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike

from ....algebra.matrix_forms import Array, inverse
from ....algebra.matrix_forms import adjoint_matrix as adjoint
from ....exceptions import StateError
from ....model import SubsystemGraph
from ..numeric import TreeData, tree_data
from .matrices import (
    LARGEST,
    Definitions,
    Expression,
    Sweeps,
    exact,
    number_of_terms,
    readable,
    symbolic_tree,
    written_out,
)

FUNCTIONS = ("M", "C", "N", "tau")
#: Terms of all of a matrix up to which it is printed written out.
_PRINTED = 400


class SymbolicClosedForm:
    """M(q) a + C(q, v) v + N(q) = tau as SymPy expressions (Meister & Gutenkunst, eqs. 36-39).

    Joint k + 1 of ``joint_names`` has the symbols q1, v1, a1, ...; intermediate expressions have the
    number of the joint that moves their body: c2 = cos(q2), J3_1_x the first number of body 3's twist by
    joint 1. C is the one for which Mdot - 2 C is skew-symmetric.

    Args:
        parameters: "numbers", or "symbols": m (mass), r (centre of mass), l (position of a joint in its
            parent), I (inertia), g, armature, stiffness, rest; ``values`` has their numbers.
        wrenches: links on which wrenches act: six symbols each, in the link's frame (f1 ... f6, f7 ...).

    Attributes:
        joint_names; q, v, a, wrenches: symbols of the vectors. values: of the symbols of parameters.
        definitions: intermediate expressions by their symbols, in the order of computation.
        M, C: SymPy's matrices (nv, nv), N, tau: (nv, 1), in these expressions; see :meth:`written_out`.

    Raises:
        StateError: other parameters, an unknown link.
        UnsupportedModelError: see :func:`.tree_data`.
    """

    def __init__(
        self, graph: SubsystemGraph, *, parameters: str = "numbers", wrenches: Sequence[str] = ()
    ) -> None:
        if parameters not in ("numbers", "symbols"):
            raise StateError(f"parameters is {parameters!r}; 'numbers' or 'symbols' is needed")
        tree = tree_data(graph)
        self.name, self.joint_names, n = graph.name, graph.joint_names, len(tree.joints)
        self.q, self.v, self.a = (
            tuple(sympy.Symbol(f"{name}{k + 1}") for k in range(n)) for name in ("q", "v", "a")
        )
        self.loaded_links = tuple(wrenches)
        self.wrenches = tuple(sympy.Symbol(f"f{k + 1}") for k in range(6 * len(self.loaded_links)))
        data = symbolic_tree(tree, parameters == "symbols")
        definitions = Definitions()
        loads = _loads(tree, self.loaded_links, self.wrenches)
        M, C, N = Sweeps(tree, data, self.q, self.v, definitions).matrices(loads)
        self.values, self.definitions = data.values, definitions.table
        self.M, self.C, self.N = (
            sympy.ImmutableMatrix(n, n, M.ravel()),
            sympy.ImmutableMatrix(n, n, C.ravel()),
            sympy.ImmutableMatrix(n, 1, N),
        )
        self.tau = (
            self.M * sympy.ImmutableMatrix(n, 1, self.a)
            + self.C * sympy.ImmutableMatrix(n, 1, self.v)
            + self.N
        )

    def written_out(self, name: str, largest: int = LARGEST) -> Any:
        """Return M, C, N or tau without intermediate expressions, simplified, with exact numbers.

        Args:
            largest: how many terms one entry may have when it is multiplied out.

        Raises:
            UnsupportedModelError: an entry may have more. StateError: another name.
        """
        matrix = getattr(self, self._checked(name))
        entries = [
            written_out(f"an entry of {name} of '{self.name}'", entry, self.definitions, largest)
            for entry in matrix
        ]
        return sympy.ImmutableMatrix(*matrix.shape, entries)

    @property
    def operations(self) -> dict[str, int]:
        """Return the numbers of operations of M, C, N and tau, each intermediate expression counted once."""
        return {
            name: int(sympy.count_ops([*getattr(self, name), *self._definitions_of(name).values()]))
            for name in FUNCTIONS
        }

    def python_function(self, name: str) -> Callable[..., Array]:
        """Return M(q), C(q, v), N(q) or tau(q, v, a) as a Python function of vectors of numbers.

        With symbols for parameters, or wrenches, their vectors follow the others; those of wrenches only in N
        and tau.

        Raises:
            StateError: another name. The function: vectors of other lengths.
        """
        matrix = getattr(self, self._checked(name))
        vectors = {"q": self.q}
        vectors |= {"v": self.v} if name in ("C", "tau") else {}
        vectors |= {"a": self.a} if name == "tau" else {}
        vectors |= {"parameters": tuple(self.values)} if self.values else {}
        vectors |= {"wrenches": self.wrenches} if self.wrenches and name in ("N", "tau") else {}
        shape = matrix.shape if name in ("M", "C") else (len(self.q),)
        definitions = list(self._definitions_of(name).items())
        computed = sympy.lambdify(
            list(vectors.values()), list(matrix), "math", cse=lambda results: (definitions, results)
        )
        needed = [(len(symbols),) for symbols in vectors.values()]

        def evaluated(*given: ArrayLike) -> Array:
            rows = [np.asarray(vector, float) for vector in given]
            if [row.shape for row in rows] != needed:
                shapes = ", ".join(f"{own} {length}" for own, length in zip(vectors, needed, strict=True))
                raise StateError(f"{name} of '{self.name}' takes {shapes}")
            return np.array(computed(*(row.tolist() for row in rows)), float).reshape(shape)

        return evaluated

    def _definitions_of(self, name: str) -> dict[Any, Expression]:
        """Return the definitions that a function depends on, in the order of computation."""
        used, waiting = set[Any](), [*getattr(self, name).free_symbols]
        while waiting:
            symbol = waiting.pop()
            if symbol in self.definitions and symbol not in used:
                used.add(symbol)
                waiting += self.definitions[symbol].free_symbols
        return {symbol: own for symbol, own in self.definitions.items() if symbol in used}

    def __str__(self) -> str:
        lines = [f"M(q) a + C(q, v) v + N = tau of '{self.name}'"]
        lines += [f"  q{k + 1}: {name}" for k, name in enumerate(self.joint_names)]
        lines += [f"  {symbol} = {value:.6g}" for symbol, value in self.values.items()]
        known: dict[Any, int] = {}
        entries = [*self.M, *self.C, *self.N]
        terms = sum(number_of_terms(entry, self.definitions, known) for entry in entries)
        short = terms <= _PRINTED
        matrices = {
            name: self.written_out(name) if short else getattr(self, name) for name in ("M", "C", "N")
        }
        if not short:
            lines += [f"{symbol} = {_text(own)}" for symbol, own in self.definitions.items()]
        for name, matrix in matrices.items():
            for (i, j), entry in np.ndenumerate(np.array(matrix, dtype=object)):
                if name == "M" and j < i:
                    continue
                label = f"{name}[{i + 1}]" if name == "N" else f"{name}[{i + 1},{j + 1}]"
                lines.append(f"{label} = {_text(entry)}")
        return "\n".join(lines)

    @staticmethod
    def _checked(name: str) -> str:
        """Return the name. Raises StateError: it is no function."""
        if name not in FUNCTIONS:
            raise StateError(f"{name!r} is none of the functions {', '.join(FUNCTIONS)}")
        return name


def _text(expression: Expression) -> str:
    """Return an expression as text with short decimals."""
    return str(sympy.sstr(readable(expression), full_prec=False))


def _loads(tree: TreeData, links: Sequence[str], symbols: Sequence[Any]) -> dict[int, Array]:
    """Return F^e by body from wrenches on links (eq. 17)."""
    loads: dict[int, Array] = {}
    for k, link in enumerate(links):
        if link not in tree.links:
            raise StateError(f"no link '{link}' for a wrench; the links: {', '.join(tree.links)}")
        body, H = tree.links[link]
        if body is None:
            continue
        dual = np.array([[exact(float(x)) for x in row] for row in adjoint(inverse(H)).T], dtype=object)
        wrench = dual @ np.array(symbols[6 * k : 6 * k + 6], dtype=object)
        loads[body] = loads[body] + wrench if body in loads else wrench
    return loads
