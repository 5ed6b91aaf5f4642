"""M, C and N of eqs. 37-39 as SymPy expressions, text, Python functions and C99.

SymPy, not CasADi, which the library also knows: expressions simplify (sin^2 + cos^2, sums of angles) and
print as in a textbook. CasADi does neither.

The matrices are those of :mod:`.numeric`. T is not written out: T S and T ad_Sq T S come column by column
in a forward sweep (block i from block p_i by the direct transformation X_i = Ad_{H_{p,i}^-1}), products by
T^T in a backward sweep. So M and C take O(n^2) blocks, N takes O(n).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike
from sympy.codegen.rewriting import create_expand_pow_optimization
from sympy.simplify.fu import TR5, TR6, TR8

from ...algebra.matrix_forms import Array, ad, homogeneous, inverse
from ...algebra.matrix_forms import adjoint_matrix as adjoint
from ...exceptions import StateError, UnsupportedModelError
from ...model import SubsystemGraph
from .numeric import TreeData, exp, generalized_mass, gyroscopic, quaternion_rotation, tree_data

# Exact numbers, and named intermediate expressions.

#: Type alias for sympy.Expr.
Expression = Any
#: Numbers of this size are rounding errors of rotations by right angles, and of poses composed of them.
_ROUNDING = 1e-14


def exact(number: float, size: float = 1.0) -> Expression:
    """Return a rational number: -1, 0 or 1 within rounding, else the decimal number of 14 digits.

    Rotations by right angles come out exact, so that zeros stay zeros; 0.09000000000000001 is 9/100.

    Args:
        size: of the numbers from which it was computed; with 0 it is taken as it is.
    """
    nearest = round(number)
    if abs(nearest) <= 1 and abs(number - nearest) <= _ROUNDING * size:
        return sympy.Integer(nearest)
    return sympy.Rational(f"{number:.14g}")


class Definitions:
    """Names for intermediate expressions, one for equal ones, in the order in which they can be computed.

    So all that is computed grows as the number of operations, and not as their products written out.

    Attributes:
        table: what each symbol stands for: an expression of earlier symbols.
    """

    def __init__(self) -> None:
        self.table: dict[Any, Expression] = {}
        self._symbols: dict[Expression, Any] = {}

    def named(self, expression: Expression, name: str) -> Expression:
        """Return a symbol for the expression, ``name`` if it is new; a multiple of a symbol stays."""
        expression = sympy.sympify(expression)
        _, rest = expression.as_coeff_Mul()
        if rest.is_Symbol or rest is sympy.S.One or not expression:
            return expression
        sign = 1
        if expression.could_extract_minus_sign():
            expression, sign = -expression, -1
        symbol = self._symbols.get(expression)
        if symbol is None:
            symbol = self._symbols[expression] = sympy.Symbol(name)
            self.table[symbol] = expression
        return sign * symbol


# Masses, lengths and unit twists of a tree as exact numbers, or with symbols for its parameters.

_AXES = "xyz"
#: Symbols of a floating base's pose, twist and its derivative.
_FLOATING = {
    "q": ("x", "y", "z", "ew", "ex", "ey", "ez"),
    "v": ("vx", "vy", "vz", "wx", "wy", "wz"),
    "a": ("ax", "ay", "az", "dwx", "dwy", "dwz"),
}


def labels_of(tree: TreeData) -> list[str]:
    """Return the label of each body in names of symbols: the number of its joint, 0 of a floating base."""
    others = sorted(column for k, column in enumerate(tree.columns) if not tree.is_floating(k))
    return ["0" if tree.is_floating(k) else str(others.index(c) + 1) for k, c in enumerate(tree.columns)]


def vector_symbols(tree: TreeData, letter: str) -> tuple[Any, ...]:
    """Return the symbols of q, v or a: q1, q2, ... of joints, names of _FLOATING of a floating base."""
    places = tree.positions if letter == "q" else tree.columns
    symbols = {c: f"{letter}{label}" for c, label in zip(places.tolist(), labels_of(tree), strict=True)}
    if tree.floating is not None:
        first = int(places[tree.floating])
        symbols |= {first + i: name for i, name in enumerate(_FLOATING[letter])}
    return tuple(sympy.Symbol(symbols[place]) for place in sorted(symbols))


class _Parameters:
    """A tree's numbers, or symbols with these values.

    Positions, centres of mass and gravity along one axis get one symbol (l, r, g), else one for each
    coordinate (lx, ly, lz). What is zero stays zero.
    """

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


def symbolic_tree(tree: TreeData, symbols: bool) -> tuple[TreeData, dict[Any, float]]:
    """Return the tree with exact numbers; with ``symbols`` for parameters, numbered as the joints in q.

    Also returned: the numbers of the parameters' symbols.
    """
    own, joints = _Parameters(symbols), labels_of(tree)
    H0, M = [], []
    for i, k in enumerate(joints):
        H0.append(homogeneous(_exact(tree.H0[i, :3, :3]), own.vector(tree.H0[i, :3, 3], "l", k)))
        mass, com = own.number(tree.mass[i], f"m{k}"), own.vector(tree.com[i], "r", k)
        M.append(generalized_mass(mass, com, own.inertia(tree.inertia[i], tree.mass[i], tree.com[i], k)))

    def of_joints(values: Array, name: str) -> Array:
        return np.array([own.number(x, f"{name}{k}") for x, k in zip(values, joints, strict=True)])

    exact_tree = tree._replace(
        H0=np.array(H0),
        S=_exact(tree.S),
        M=np.array(M),
        Vdot0=np.concatenate([own.vector(tree.Vdot0[:3], "g", ""), _exact(np.zeros(3))]),
        armature=of_joints(tree.armature, "armature"),
        stiffness=of_joints(tree.stiffness, "stiffness"),
        rest_position=of_joints(tree.rest_position, "rest"),
    )
    return exact_tree, own.values


def _exact(numbers: Array) -> Array:
    """Return an array of exact numbers."""
    return np.array([exact(float(x)) for x in numbers.ravel()], dtype=object).reshape(numbers.shape)


# Intermediate expressions written out, and made short where that is cheap.

#: Terms of one expression, products multiplied out, up to which it is written out: a second or two each.
LARGEST = 1_000
#: Terms up to which sums of angles are tried.
_FEW = 30
#: Power of a sine or cosine up to which squares are written by the other one.
_LARGEST_POWER = 100


def number_of_terms(expression: Expression, table: Mapping[Any, Expression], known: dict[Any, int]) -> int:
    """Return the most terms an expression has with definitions inserted and products multiplied out."""
    if expression.is_Symbol:
        if expression not in known:
            own = table.get(expression)
            known[expression] = 1 if own is None else number_of_terms(own, table, known)
        return known[expression]
    counts = [number_of_terms(part, table, known) for part in expression.args]
    if expression.is_Add:
        return sum(counts)
    if expression.is_Mul:
        return prod(counts)
    if expression.is_Pow:
        power: int = counts[0] ** max(int(expression.exp), 1)
        return power
    return 1


def written_out(
    what: str, expression: Expression, table: Mapping[Any, Expression], largest: int
) -> Expression:
    """Return the expression with all definitions put in, simplified.

    Of the sum of products of sines and cosines, the same with cos^2 = 1 - sin^2 or sin^2 = 1 - cos^2, and,
    where these are short, the sum of sines and cosines of sums of angles, it is the shortest.

    Raises:
        UnsupportedModelError: it may have more than ``largest`` terms.
    """
    terms = number_of_terms(expression, table, {})
    if terms > largest:
        raise UnsupportedModelError(
            f"{what} written out may have {terms} terms, more than {largest}; in intermediate expressions it "
            "is short: see .definitions, or raise the limit by largest="
        )
    flat = sympy.expand(_flat(expression, table, {}))
    by_squares = [sympy.expand(rule(flat, max=_LARGEST_POWER)) for rule in (TR5, TR6)]
    choices = sorted([flat, *by_squares], key=sympy.count_ops)
    if len(sympy.Add.make_args(choices[0])) <= _FEW:
        choices.append(sympy.expand(TR8(choices[0])))
    choices += [sympy.factor_terms(choice) for choice in choices]
    return min(choices, key=lambda choice: (sympy.count_ops(choice), len(str(choice))))


def _flat(
    expression: Expression, table: Mapping[Any, Expression], known: dict[Any, Expression]
) -> Expression:
    """Return an expression with all definitions put in; ``known``: those expanded already."""
    parts = {}
    for symbol in expression.free_symbols & table.keys():
        if symbol not in known:
            known[symbol] = sympy.expand(_flat(table[symbol], table, known))
        parts[symbol] = known[symbol]
    return expression.xreplace(parts)


_ROWS = ("x", "y", "z", "wx", "wy", "wz")


class Sweeps:
    """Symbolic sweeps over the bodies of one tree; intermediate expressions are added to ``definitions``.

    Args:
        tree: as :func:`symbolic_tree` gives it. q, v: symbols, in joint_names' order.
    """

    def __init__(self, tree: TreeData, q: Sequence[Any], v: Sequence[Any], definitions: Definitions) -> None:
        self.tree, self.q, self.v, self.definitions = tree, q, v, definitions
        self.labels = labels_of(tree)
        self.names = [
            str(v[c]) if tree.is_floating(k) else x
            for k, (c, x) in enumerate(zip(tree.columns, self.labels, strict=True))
        ]  # of columns
        self.X = [self._direct(k) for k in range(len(tree.bodies))]
        self.J = self._columns()

    def matrices(self, wrenches: dict[int, Array]) -> tuple[Array, Array, Array]:
        """Return M, C (nv, nv) and N (nv,) in intermediate expressions. ``wrenches``: F^e by body."""
        n, columns = len(self.tree.bodies), self.tree.columns
        # first with rows and columns in the order of the bodies
        M, C, N = (np.full(shape, sympy.S.Zero, dtype=object) for shape in ((n, n), (n, n), (n,)))
        rates = [s * self.v[k] for s, k in zip(self.tree.S, columns, strict=True)]
        B = self._gyroscopic(rates)
        for j in range(n):
            F = self._backward(
                {k: self.tree.M[k] @ own[j] for k, own in enumerate(self.J) if j in own}, "F", j
            )
            for i, block in self.J[j].items():
                M[i, j] = M[j, i] = self._dot(block, F[j])
            G = self._backward(self._coriolis(j, rates, B), "G", j)
            for i in G:
                C[i, j] = self._dot(self.tree.S[i], G[i])
            for i, block in self.J[j].items():
                C[i, j] = self._dot(block, G[j])
            M[j, j] += self.tree.armature[j]
        E = self._backward(self._gravity(wrenches), "E", None)
        for i in range(n):
            position = self.q[self.tree.positions[i]]
            spring = self.tree.stiffness[i] * (position - self.tree.rest_position[i])
            N[i] = self._dot(self.tree.S[i], E[i]) + spring
        order = np.argsort(columns)
        return M[np.ix_(order, order)], C[np.ix_(order, order)], N[order]

    def _named(self, values: Array, name: str) -> Array:
        """Return six symbols that stand for the six values, registered under ``name``."""
        return np.array(
            [self.definitions.named(x, f"{name}_{row}") for x, row in zip(values, _ROWS, strict=True)],
            dtype=object,
        )

    def _direct(self, k: int) -> Array:
        """Return X_k = Ad_{H_{p,k}^-1} (18)."""
        number, position = self.labels[k], self.tree.positions[k]
        if not self.tree.is_floating(k):
            own = exp(
                self.tree.S[k],
                self.q[position],
                lambda angle: self.definitions.named(sympy.sin(angle), f"s{number}"),
                lambda angle: self.definitions.named(sympy.cos(angle), f"c{number}"),
            )
        elif k == self.tree.floating:  # its position moves nothing: gravity is the same everywhere
            r = np.array(self.q[position + 3 : position + 7], dtype=object)
            own = homogeneous(
                quaternion_rotation(r, self.definitions.named(2 / (r @ r), "k0")), np.zeros(3, int)
            )
        else:
            return np.eye(6, dtype=object)
        H = self.tree.H0[k] @ own
        self._name_entries(H, np.ndindex(3, 4), f"H{number}")
        X = adjoint(inverse(H))
        self._name_entries(X, ((row, column) for row in range(3) for column in range(3, 6)), f"T{number}")
        return X

    def _name_entries(self, matrix: Array, at: Iterable[tuple[Any, ...]], name: str) -> None:
        """Replace entries (row, column) of a matrix by symbols that stand for them."""
        for row, column in at:
            entry = sympy.expand(matrix[row, column])
            matrix[row, column] = self.definitions.named(entry, f"{name}_{row + 1}{column + 1}")

    def _columns(self) -> list[dict[int, Array]]:
        """Return the blocks of T S: for each body the columns of the joints that move it."""
        J: list[dict[int, Array]] = []
        for k, parent in enumerate(self.tree.parents):
            before = {} if parent is None else J[parent]
            name = f"J{self.labels[k]}"
            own = {j: self._named(self.X[k] @ x, f"{name}_{self.names[j]}") for j, x in before.items()}
            J.append({**own, k: self.tree.S[k]})
        return J

    def _gyroscopic(self, rates: list[Array]) -> list[Array]:
        """Return B of every body, from its twist V = T S v."""
        V: list[Array] = []
        B = []
        for k, parent in enumerate(self.tree.parents):
            number = self.labels[k]
            moved = 0 if parent is None else self.X[k] @ V[parent]
            V.append(self._named(moved + rates[k], f"V{number}"))
            upper = np.triu(gyroscopic(self.tree.M[k], V[k], sympy.S.Half), 1)  # it is skew-symmetric
            self._name_entries(upper, zip(*np.triu_indices(6, 1), strict=True), f"B{number}")
            B.append(upper - upper.T)
        return B

    def _coriolis(self, j: int, rates: list[Array], B: list[Array]) -> dict[int, Array]:
        """Return the blocks of column j of (M T ad_Sq + B) T S."""
        rows: dict[int, Array] = {}
        wrench: dict[int, Array] = {}
        for k, own in enumerate(self.J):
            if j not in own:
                continue
            rate = np.full(6, sympy.S.Zero, dtype=object)
            if k != j and not self.tree.is_floating(k):
                moved = self.X[k] @ rows[self.tree.parents[k]]  # type: ignore[index]  # j is above k
                rate = moved - ad(rates[k]) @ own[j]
            rows[k] = self._named(rate, f"Jdot{self.labels[k]}_{self.names[j]}")
            wrench[k] = self.tree.M[k] @ rows[k] + B[k] @ own[j]
        return wrench

    def _gravity(self, wrenches: dict[int, Array]) -> dict[int, Array]:
        """Return the blocks of M T_H0 Vdot0 - F^e."""
        A: list[Array] = []
        blocks = {}
        for k, parent in enumerate(self.tree.parents):
            before = self.tree.Vdot0 if parent is None else A[parent]
            A.append(self._named(self.X[k] @ before, f"A{self.labels[k]}"))
            blocks[k] = self.tree.M[k] @ A[k]
            if k in wrenches:
                blocks[k] = blocks[k] - wrenches[k]
        return blocks

    def _backward(self, blocks: dict[int, Array], name: str, j: int | None) -> dict[int, Array]:
        """Return T^T times a column: each block plus those of the bodies it carries."""
        total = dict(blocks)
        column = "" if j is None else f"_{self.names[j]}"
        for k in sorted(total, reverse=True):
            total[k] = self._named(total[k], f"{name}{self.labels[k]}{column}")
            parent = self.tree.parents[k]
            if parent in total:
                total[parent] = total[parent] + self.X[k].T @ total[k]
        return total

    @staticmethod
    def _dot(a: Array, b: Array) -> Expression:
        return sympy.Add(*(x * y for x, y in zip(a, b, strict=True)))


# The closed form of one robot.

FUNCTIONS = ("M", "C", "N", "tau")
#: Terms of all of a matrix up to which it is printed written out.
_PRINTED = 400


class SymbolicClosedForm:
    """M(q) a + C(q, v) v + N(q) = tau as SymPy expressions (Meister & Gutenkunst, eqs. 36-39).

    Joint k + 1 of ``joint_names`` has the symbols q1, v1, a1, ..., a floating base, which does not count,
    (x y z ew ex ey ez), (vx vy vz wx wy wz), (ax ay az dwx dwy dwz); intermediate expressions have the
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
        self.q, self.v, self.a = (vector_symbols(tree, letter) for letter in "qva")
        self._coordinates = {name: self.q[graph.q_slice(name)] for name in graph.joint_names}
        self.loaded_links = tuple(wrenches)
        self.wrenches = tuple(sympy.Symbol(f"f{k + 1}") for k in range(6 * len(self.loaded_links)))
        definitions = Definitions()
        loads = _loads(tree, self.loaded_links, self.wrenches)
        exact_tree, self.values = symbolic_tree(tree, parameters == "symbols")
        M, C, N = Sweeps(exact_tree, self.q, self.v, definitions).matrices(loads)
        self.definitions = definitions.table
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
        matrix = self._matrix(name)
        entries = [
            written_out(f"an entry of {name} of '{self.name}'", entry, self.definitions, largest)
            for entry in matrix
        ]
        return sympy.ImmutableMatrix(*matrix.shape, entries)

    @property
    def operations(self) -> dict[str, int]:
        """Return the numbers of operations of M, C, N and tau, each intermediate expression counted once."""
        return {
            name: int(sympy.count_ops([*self._matrix(name), *self._definitions_of(name).values()]))
            for name in FUNCTIONS
        }

    def python_function(self, name: str) -> Callable[..., Array]:
        """Return M(q), C(q, v), N(q) or tau(q, v, a) as a Python function of vectors of numbers.

        With symbols for parameters, or wrenches, their vectors follow the others; those of wrenches only in N
        and tau.

        Raises:
            StateError: another name. The function: vectors of other lengths.
        """
        matrix, vectors = self._matrix(name), self._vectors_of(name)
        shape = matrix.shape if name in ("M", "C") else (len(self.v),)
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

    def c99(self, prefix: str) -> str:
        """Return C99 text of the functions PREFIX_M, PREFIX_C, PREFIX_N and PREFIX_tau, which need <math.h>.

        Arguments as of :meth:`python_function`, then ``out``: row by row, all matrices in full.

        Raises:
            StateError: no prefix of names in C: letters, digits and '_', a letter first.
            UnsupportedModelError: the robot has no joints.
        """
        if not self.q:
            raise UnsupportedModelError(f"'{self.name}' has no joints: there are no equations to write in C")
        if not isinstance(prefix, str) or re.fullmatch(r"[A-Za-z]\w*", prefix, re.ASCII) is None:
            raise StateError(f"{prefix!r} cannot be a prefix in C: letters, digits and '_', a letter first")
        lines = [f"/* M(q) a + C(q, v) v + N(q) = tau [SI units]; joints: {', '.join(self.joint_names)} */"]
        lines += [
            f"/* parameters[{k}]: {symbol} = {value!r} */"
            for k, (symbol, value) in enumerate(self.values.items())
        ]
        lines += ["#include <math.h>"]
        squares = create_expand_pow_optimization(3)  # x*x takes less time than pow(x, 2)
        for name in FUNCTIONS:
            matrix, vectors = self._matrix(name), self._vectors_of(name)
            at = {
                symbol: sympy.Symbol(f"{vector}[{k}]")
                for vector, symbols in vectors.items()
                for k, symbol in enumerate(symbols)
            }
            inputs = ", ".join(
                f"const double {vector}[{len(symbols)}]" for vector, symbols in vectors.items()
            )
            lines += ["", f"void {prefix}_{name}({inputs}, double out[{len(matrix)}])", "{"]
            named = [(f"const double {symbol}", own) for symbol, own in self._definitions_of(name).items()]
            named += [(f"out[{k}]", entry) for k, entry in enumerate(matrix)]
            lines += [f"    {to} = {sympy.ccode(squares(own.xreplace(at)))};" for to, own in named]
            lines += [f"    (void){vector};" for vector in vectors] + ["}"]  # some robots' M is constant
        return "\n".join([*lines, ""])

    def _vectors_of(self, name: str) -> dict[str, tuple[Any, ...]]:
        """Return the arguments of a function by name, in order."""
        vectors = {"q": self.q}
        vectors |= {"v": self.v} if name in ("C", "tau") else {}
        vectors |= {"a": self.a} if name == "tau" else {}
        vectors |= {"parameters": tuple(self.values)} if self.values else {}
        vectors |= {"wrenches": self.wrenches} if self.wrenches and name in ("N", "tau") else {}
        return vectors

    def _definitions_of(self, name: str) -> dict[Any, Expression]:
        """Return the definitions that a function depends on, in the order of computation."""
        used, waiting = set[Any](), [*self._matrix(name).free_symbols]
        while waiting:
            symbol = waiting.pop()
            if symbol in self.definitions and symbol not in used:
                used.add(symbol)
                waiting += self.definitions[symbol].free_symbols
        return {symbol: own for symbol, own in self.definitions.items() if symbol in used}

    def __str__(self) -> str:
        lines = [f"M(q) a + C(q, v) v + N = tau of '{self.name}'"]
        lines += [f"  {' '.join(map(str, own))}: {name}" for name, own in self._coordinates.items()]
        lines += [f"  {symbol} = {value:.6g}" for symbol, value in self.values.items()]
        known: dict[Any, int] = {}
        entries = [*self.M, *self.C, *self.N]
        terms = sum(number_of_terms(entry, self.definitions, known) for entry in entries)
        short = terms <= _PRINTED
        matrices = {name: self.written_out(name) if short else self._matrix(name) for name in ("M", "C", "N")}
        if not short:
            lines += [f"{symbol} = {_text(own)}" for symbol, own in self.definitions.items()]
        for name, matrix in matrices.items():
            for (i, j), entry in np.ndenumerate(np.array(matrix, dtype=object)):
                if name == "M" and j < i:
                    continue
                label = f"{name}[{i + 1}]" if name == "N" else f"{name}[{i + 1},{j + 1}]"
                lines.append(f"{label} = {_text(entry)}")
        return "\n".join(lines)

    def _matrix(self, name: str) -> Any:
        """Return M, C, N or tau. Raises StateError: another name."""
        if name not in FUNCTIONS:
            raise StateError(f"{name!r} is none of the functions {', '.join(FUNCTIONS)}")
        return getattr(self, name)


def _text(expression: Expression) -> str:
    """Return an expression as text, with short decimals in place of fractions."""
    fractions = {x for x in expression.atoms(sympy.Rational) if not x.is_Integer}
    decimals = {x: sympy.Float(f"{float(x):.15g}") for x in fractions}
    return str(sympy.sstr(expression.xreplace(decimals), full_prec=False))


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
