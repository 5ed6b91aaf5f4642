"""Procedures as functions of CasADi's SX symbols. CasADi is imported only here, and only when asked for."""

import operator
from typing import Any

from .procedure import Procedure
from .program import used_lines

__all__ = ["casadi_function"]

_BINARY = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}


def casadi_function(procedure: Procedure) -> Any:
    """A casadi.Function with the procedure's inputs and results by name: columns and matrices.

    Pivots and reach are left out: it checks nothing. Raises ImportError: CasADi cannot be imported.
    """
    import casadi  # noqa: PLC0415  # optional

    inputs = [casadi.SX.sym(name, length) for name, length in procedure.inputs]
    elements = [casadi.vertsplit(vector) for vector in inputs]
    values: dict[int, Any] = {}
    unary: dict[str, Any] = {
        "neg": operator.neg,
        **{name: getattr(casadi, name) for name in ("sin", "cos", "sqrt", "floor")},
    }
    binary: dict[str, Any] = {**_BINARY, "atan2": casadi.atan2}
    symbols = [symbol for result in procedure.results for symbol in result.symbols]
    for line in used_lines(procedure.program, symbols):
        operation = procedure.program.operations[line]
        if operation.kind == "input":
            values[line] = elements[operation.first][operation.second]
        elif operation.kind == "constant":
            values[line] = casadi.SX(operation.value)
        elif operation.kind in unary:
            values[line] = unary[operation.kind](values[operation.first])
        else:
            values[line] = binary[operation.kind](values[operation.first], values[operation.second])
    outputs = []
    for result in procedure.results:
        column = casadi.vertcat(*(values[symbol.line] for symbol in result.symbols))
        if len(result.shape) > 1:  # row by row; CasADi's order is column by column
            column = casadi.reshape(column, result.shape[-1], -1).T  # blocks one below the other
        outputs.append(casadi.sparsify(column))
    names = [name for name, _ in procedure.inputs], [result.name for result in procedure.results]
    return casadi.Function(procedure.name, inputs, outputs, *names)
