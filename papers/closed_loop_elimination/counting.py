"""Operations of an expression graph, shared and counted as in Table 1 of Schappler et al.

CasADi's instructions are read once: an operation that occurs again is not listed again, numbers are folded,
signs are moved into sums and differences, and operations that no result needs are not counted. Weights and
columns are the paper's: sums and differences 1, products 1, quotients 4, roots 5, sines and cosines 10, arc
tangents 15, assignments 1. An assignment stores one intermediate that is used more than once, or one entry of
the result, unless that is an input or a number.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from papers.closed_loop_elimination.symbols import import_casadi

#: Table 1, second row.
WEIGHTS = {"add": 1, "mul": 1, "div": 4, "sqrt": 5, "sin": 10, "atan": 15, "assign": 1}
_COLUMN = {
    "add": "add", "sub": "add", "neg": "add", "mul": "mul", "div": "div",
    "sqrt": "sqrt", "sin": "sin", "cos": "sin", "atan2": "atan",
}  # fmt: skip


class Count(NamedTuple):
    """Numbers of operations by column of Table 1."""

    add: int = 0
    mul: int = 0
    div: int = 0
    sqrt: int = 0
    sin: int = 0
    atan: int = 0
    assign: int = 0

    @property
    def weighted(self) -> int:
        """The paper's weighted sum."""
        return sum(weight * getattr(self, name) for name, weight in WEIGHTS.items())


def count(results: Any, inputs: Sequence[Any]) -> Count:
    """Return the operations of a column of results, all together; ``inputs``: its symbols, as columns."""
    function = import_casadi().Function("f", list(inputs), [results])
    graph = OperationGraph()
    outputs = graph.read(function)
    uses = {k: times for k, times in graph.uses(outputs).items() if graph.nodes[k][0] in _COLUMN}
    numbers = Counter(_COLUMN[graph.nodes[k][0]] for k in uses)
    return Count(**numbers, assign=sum(times > 1 or k in outputs for k, times in uses.items()))


def lower(matrix: Any) -> Any:
    """Return the lower triangle of a symmetric matrix, as a column."""
    return import_casadi().vertcat(*(matrix[i, : i + 1].T for i in range(matrix.shape[0])))


class OperationGraph:
    """Operations, each once: (kind, operands ...), ("in", argument, index) or ("const", value)."""

    def __init__(self) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.index: dict[tuple[Any, ...], int] = {}

    def read(self, function: Any) -> list[int]:
        """Read the instructions of a CasADi function; return the nodes of the results that are not zero."""
        ca = import_casadi()
        kinds: dict[int, Callable[..., int]] = {
            ca.OP_ADD: self.add, ca.OP_SUB: self.sub, ca.OP_MUL: self.mul, ca.OP_DIV: self.div,
            ca.OP_NEG: self.neg, ca.OP_SQ: lambda a: self.mul(a, a),
            ca.OP_TWICE: lambda a: self.mul(self.const(2.0), a),
            ca.OP_INV: lambda a: self.div(self.const(1.0), a),
            ca.OP_SQRT: lambda a: self.put("sqrt", a), ca.OP_SIN: lambda a: self.put("sin", a),
            ca.OP_COS: lambda a: self.put("cos", a), ca.OP_ATAN2: lambda a, b: self.put("atan2", a, b),
        }  # fmt: skip
        work: dict[int, int] = {}
        outputs: dict[int, int] = {}
        for k in range(function.n_instructions()):
            kind = function.instruction_id(k)
            operands, results = function.instruction_input(k), function.instruction_output(k)
            if kind == ca.OP_CONST:
                work[results[0]] = self.const(function.instruction_constant(k))
            elif kind == ca.OP_INPUT:
                work[results[0]] = self.put("in", *operands)
            elif kind == ca.OP_OUTPUT:
                outputs[results[1]] = work[operands[0]]
            else:
                work[results[0]] = kinds[kind](*(work[i] for i in operands))
        return [outputs[k] for k in sorted(outputs)]

    def put(self, *node: Any) -> int:
        """Return the index of a node, which is added if it is new."""
        if node not in self.index:
            self.index[node] = len(self.nodes)
            self.nodes.append(node)
        return self.index[node]

    def const(self, value: float) -> int:
        """Return the node of a number."""
        return self.put("const", float(value) + 0.0)

    def value(self, a: int) -> float | None:
        """Return the value of a node that is a number; None for another node."""
        return self.nodes[a][1] if self.nodes[a][0] == "const" else None

    def negated(self, a: int) -> int | None:
        """Return x if a is -x; None for another node."""
        return self.nodes[a][1] if self.nodes[a][0] == "neg" else None

    def neg(self, a: int) -> int:
        """Return -a; not an operation of its own if a is a number, a negative or a difference."""
        if (value := self.value(a)) is not None:
            return self.const(-value)
        if (x := self.negated(a)) is not None:
            return x
        if self.nodes[a][0] == "sub":
            return self.sub(self.nodes[a][2], self.nodes[a][1])
        return self.put("neg", a)

    def add(self, a: int, b: int) -> int:
        """Return a + b."""
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.const(x + y)
        if x == 0.0 or y == 0.0:
            return b if x == 0.0 else a
        if (n := self.negated(b)) is not None:
            return self.sub(a, n)
        if (n := self.negated(a)) is not None:
            return self.sub(b, n)
        if a == b:
            return self.mul(self.const(2.0), a)
        return self.put("add", *sorted((a, b)))

    def sub(self, a: int, b: int) -> int:  # noqa: PLR0911  (one rule, one return)
        """Return a - b."""
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.const(x - y)
        if a == b:
            return self.const(0.0)
        if x == 0.0 or y == 0.0:
            return self.neg(b) if x == 0.0 else a
        if (n := self.negated(b)) is not None:
            return self.add(a, n)
        if (n := self.negated(a)) is not None:
            return self.neg(self.add(n, b))
        if (reverse := self.index.get(("sub", b, a))) is not None:
            return self.put("neg", reverse)
        return self.put("sub", a, b)

    def mul(self, a: int, b: int) -> int:  # noqa: PLR0911  (one rule, one return)
        """Return a b."""
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.const(x * y)
        if y is not None:
            a, b, x = b, a, y
        if x is not None:
            if x in {0.0, 1.0, -1.0}:
                return a if x == 0.0 else b if x == 1.0 else self.neg(b)
            node = self.nodes[b]
            if node[0] == "mul" and (inner := self.value(node[1])) is not None:
                return self.mul(self.const(x * inner), node[2])
            if x < 0.0:
                return self.neg(self.mul(self.const(-x), b))
        for n, other in ((self.negated(a), b), (self.negated(b), a)):
            if n is not None:
                return self.neg(self.mul(n, other))
        if x is not None:
            return self.put("mul", a, b)
        return self.put("mul", *sorted((a, b)))

    def div(self, a: int, b: int) -> int:
        """Return a / b."""
        x, y = self.value(a), self.value(b)
        if y is not None:
            return self.mul(self.const(1.0 / y), a)
        if x == 0.0:
            return a
        for n, other, first in ((self.negated(a), b, True), (self.negated(b), a, False)):
            if n is not None:
                return self.neg(self.div(n, other) if first else self.div(other, n))
        return self.put("div", a, b)

    def uses(self, outputs: Sequence[int]) -> Counter[int]:
        """Return how often each needed operation is used, results included."""
        used = Counter(outputs)
        for k in range(max(outputs, default=-1), -1, -1):
            if k in used and self.nodes[k][0] not in {"in", "const"}:
                used.update(self.nodes[k][1:])
        return used
