"""The symbolic closed form of one robot: expressions, text, functions, C99."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ....codegen.c99 import identifier
from ....codegen.c_files import (
    Recording,
    Robot,
    coordinates_of,
    header,
    library_version,
    source,
    test_program,
)
from ....codegen.program import Listing, Program, program
from ....exceptions import StateError, UnsupportedModelError
from ....model import SubsystemGraph
from ..numeric import Array, ClosedForm, TreeData, adjoint, inverse
from .matrices import (
    LARGEST,
    Definitions,
    Expression,
    Sweeps,
    exact,
    number_of_terms,
    readable,
    symbolic_tree,
    sympy,
    written_out,
)

__all__ = ["SymbolicClosedForm"]

# Results and the intermediate expressions that they need, as functions of vectors.


class Function(NamedTuple):
    """A function of vectors of symbols.

    Attributes:
        name: M, C, N or tau. purpose: what it is, in one line.
        inputs: names and symbols of its vectors. shape: of its result. results: row by row.
        definitions: what the results need, in the order of computation.
    """

    name: str
    purpose: str
    inputs: tuple[tuple[str, tuple[Any, ...]], ...]
    shape: tuple[int, ...]
    results: tuple[Expression, ...]
    definitions: tuple[tuple[Any, Expression], ...]


def used_definitions(
    results: Sequence[Expression], table: Mapping[Any, Expression]
) -> tuple[tuple[Any, Expression], ...]:
    """Return the definitions that the results depend on, in the table's order."""
    used: set[Any] = set()
    open_symbols = [symbol for result in results for symbol in result.free_symbols]
    while open_symbols:
        symbol = open_symbols.pop()
        if symbol in table and symbol not in used:
            used.add(symbol)
            open_symbols += table[symbol].free_symbols
    return tuple((symbol, own) for symbol, own in table.items() if symbol in used)


# Functions of expressions as C99, written by the library's own generator of C.
#
# Every function checks its arguments and results and returns a status: see the generated header.

#: Largest difference from the numeric closed form, relative to the largest number of a result.
_TOLERANCE = 1e-12


class C99(NamedTuple):
    """The texts of NAME.h, NAME.c, and of NAME_test.c, which compares the functions with the numeric form."""

    header: str
    source: str
    test: str


def program_of(function: Function) -> Program:
    """Return the function as a program of elementary operations, each listed once."""
    listing = Listing()
    known: dict[Expression, int] = {}
    for vector, (_, symbols) in enumerate(function.inputs):
        known.update({symbol: listing.add("input", vector, k) for k, symbol in enumerate(symbols)})
    for symbol, own in function.definitions:
        known[symbol] = _converted(own, listing, known)
    results = [_converted(result, listing, known) for result in function.results]
    inputs = tuple((name, len(symbols)) for name, symbols in function.inputs)
    result = (f"{function.name}_out", function.shape, "[SI units]")
    return program(function.name, function.purpose, inputs, listing.simplified(results), [result])


def _converted(expression: Expression, listing: Listing, known: dict[Expression, int]) -> int:
    """Return the number of the line that computes an expression."""
    line = known.get(expression)
    if line is not None:
        return line
    if expression.is_Number:
        return listing.constant(float(expression))
    parts = [_converted(part, listing, known) for part in expression.args]
    if expression.is_Add:
        result = reduce(lambda a, b: listing.add("add", a, b), parts)
    elif expression.is_Mul:
        result = reduce(lambda a, b: listing.add("mul", a, b), parts)
    elif expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
        result = reduce(lambda a, b: listing.add("mul", a, b), [parts[0]] * int(expression.exp))
    elif isinstance(expression, sympy.sin):
        result = listing.add("sin", parts[0])
    elif isinstance(expression, sympy.cos):
        result = listing.add("cos", parts[0])
    else:
        raise UnsupportedModelError(
            f"no C code for '{expression}': sums, products, powers, sin and cos have it"
        )
    known[expression] = result
    return result


FUNCTIONS = ("M", "C", "N", "tau")
_STATES = 4
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
        self._graph, self._numeric = graph, ClosedForm(graph)
        tree = self._numeric.tree
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

    def function(self, name: str) -> Function:
        """Return M(q), C(q, v), N(q) or tau(q, v, a) with the intermediate expressions that it needs.

        With symbols for parameters, or wrenches, their vectors follow the others; those of
        wrenches only in N and tau.
        """
        vectors = [("q", self.q)]
        vectors += [("v", self.v)] if name in ("C", "tau") else []
        vectors += [("a", self.a)] if name == "tau" else []
        vectors += [("parameters", tuple(self.values))] if self.values else []
        vectors += [("wrenches", self.wrenches)] if self.wrenches and name in ("N", "tau") else []
        matrix = getattr(self, self._checked(name))
        shape = matrix.shape if name in ("M", "C") else (len(self.q),)
        results = tuple(matrix)
        return Function(
            name, _PURPOSES[name], tuple(vectors), shape, results, used_definitions(results, self.definitions)
        )

    @cached_property
    def operations(self) -> dict[str, int]:
        """Return the numbers of operations of M, C, N and tau, each common subexpression counted once."""
        return {name: program_of(self.function(name)).operations for name in FUNCTIONS}

    def python_function(self, name: str) -> Callable[..., Array]:
        """Return one of the functions as a Python function of vectors of numbers: see :meth:`function`."""
        function = self.function(name)
        program = program_of(function)

        def evaluated(*vectors: ArrayLike) -> Array:
            rows = [np.asarray(vector, float) for vector in vectors]
            needed = [(len(symbols),) for _, symbols in function.inputs]
            if [row.shape for row in rows] != needed:
                shapes = ", ".join(
                    f"{own} {shape}" for (own, _), shape in zip(function.inputs, needed, strict=True)
                )
                raise StateError(f"{name} of '{self.name}' takes {shapes}")
            if not function.results:
                return np.zeros(function.shape)
            (result,) = program.values([row[None] for row in rows])
            values: Array = result[0].reshape(function.shape)
            return values

        return evaluated

    def c99(self, name: str, functions: Sequence[str] = FUNCTIONS) -> C99:
        """Return C99 text of these functions: NAME.h, NAME.c, and NAME_test.c, which compares the numbers.

        Order of arguments: that of :meth:`function`, then the array for the result. Needs sin and cos alone.

        Args:
            name: of the files without endings, and the prefix of all names: letters, digits and '_'.

        Raises:
            StateError: another name. UnsupportedModelError: the robot has no joints.
        """
        if not name or identifier(name) != name or not name[0].isalpha():
            raise StateError(f"{name!r} cannot be a prefix in C: letters, digits and '_', a letter first")
        if not self.q:
            raise UnsupportedModelError(f"'{self.name}' has no joints: there are no equations to write in C")
        about = Robot(
            *(self.name, name, name, coordinates_of(self._graph, self.joint_names), tuple(self._notes())),
            f"{library_version()}, closed form by SymPy",
        )
        own = [self.function(function) for function in functions]
        programs, recordings = [program_of(function) for function in own], []
        for function, one in zip(own, programs, strict=True):
            inputs, results = self._recorded(function)
            scale = max(float(abs(results).max(initial=0.0)), 1.0)
            recordings.append(Recording(one, inputs, (results,), (scale,), _TOLERANCE))
        return C99(header(about, programs), source(about, programs), test_program(about, recordings))

    def _recorded(self, function: Function) -> tuple[tuple[Array, ...], Array]:
        """Return vectors of some states, and the numeric closed form's results for them."""
        random, n = np.random.default_rng(0), len(self.q)
        wrenches = random.normal(size=(_STATES, 6 * len(self.loaded_links)))
        of_name = dict(zip(("q", "v", "a"), random.normal(size=(3, _STATES, n)), strict=True))
        of_name["wrenches"] = wrenches
        of_name["parameters"] = np.tile(list(self.values.values()), (_STATES, 1))
        results = []
        for k in range(_STATES):
            loads = dict(zip(self.loaded_links, wrenches[k].reshape(-1, 6), strict=True))
            names = {"M": ("q",), "C": ("q", "v"), "N": ("q",), "tau": ("q", "v", "a")}[function.name]
            state = [of_name[name][k] for name in names]
            more = (loads,) if function.name in ("N", "tau") else ()
            results.append(np.ravel(getattr(self._numeric, function.name)(*state, *more)))
        return tuple(of_name[name] for name, _ in function.inputs), np.array(results)

    def _notes(self) -> list[str]:
        """Return comments for the C files: what each number of the arguments is."""
        notes = [f"q[{k}], v[{k}], tau[{k}]: joint {name}" for k, name in enumerate(self.joint_names)]
        notes += [
            f"parameters[{k}]: {symbol}, {value!r} here"
            for k, (symbol, value) in enumerate(self.values.items())
        ]
        for k, link in enumerate(self.loaded_links):
            notes.append(f"wrenches[{6 * k}] to [{6 * k + 5}]: force and moment on link {link}, in its frame")
        return notes

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


_PURPOSES = {
    "M": "Mass matrix M(q), symmetric, with armatures.",
    "C": "Matrix C(q, v) of Coriolis and centrifugal torques; Mdot - 2 C is skew-symmetric.",
    "N": "Torques N(q) against gravity, springs of joints, and external wrenches.",
    "tau": "Torques tau = M(q) a + C(q, v) v + N(q).",
}


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
        if links.count(link) > 1:
            raise StateError(f"link '{link}' is named twice for wrenches; each link has one")
        if body is None:
            continue
        dual = np.array([[exact(float(x)) for x in row] for row in adjoint(inverse(H)).T], dtype=object)
        wrench = dual @ np.array(symbols[6 * k : 6 * k + 6], dtype=object)
        loads[body] = loads[body] + wrench if body in loads else wrench
    return loads
