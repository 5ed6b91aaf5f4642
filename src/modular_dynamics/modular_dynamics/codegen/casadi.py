"""Programs as functions of CasADi's SX symbols. CasADi is imported only here, and only when asked for."""

import operator
from typing import Any

from .program import Program

__all__ = ["casadi_function"]

_BINARY = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}


def casadi_function(program: Program) -> Any:
    """Return a casadi.Function with the program's inputs and results by name: columns and matrices.

    Pivots and reach are left out: it checks nothing. Raises ImportError: CasADi cannot be imported.
    """
    import casadi  # noqa: PLC0415  # optional

    inputs = [casadi.SX.sym(name, length) for name, length in program.inputs]
    elements = [casadi.vertsplit(vector) for vector in inputs]
    values: list[Any] = []
    unary: dict[str, Any] = {
        "neg": operator.neg,
        **{name: getattr(casadi, name) for name in ("sin", "cos", "sqrt", "floor")},
    }
    binary: dict[str, Any] = {**_BINARY, "atan2": casadi.atan2}
    for line in program.lines:
        if line.kind == "input":
            values.append(elements[line.first][line.second])
        elif line.kind == "constant":
            values.append(casadi.SX(line.value))
        elif line.kind in unary:
            values.append(unary[line.kind](values[line.first]))
        else:
            values.append(binary[line.kind](values[line.first], values[line.second]))
    outputs = []
    for result in program.results:
        column = casadi.vertcat(*(values[line] for line in result.lines))
        if len(result.shape) > 1:  # row by row; CasADi's order is column by column
            column = casadi.reshape(column, result.shape[-1], -1).T  # blocks one below the other
        outputs.append(casadi.sparsify(column))
    names = [name for name, _ in program.inputs], [result.name for result in program.results]
    return casadi.Function(program.name, inputs, outputs, *names)
