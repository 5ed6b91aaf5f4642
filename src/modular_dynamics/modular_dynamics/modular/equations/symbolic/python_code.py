"""Functions of expressions as Python, of plain floats: it needs the module math alone."""

from collections.abc import Sequence
from typing import Any

from sympy.printing.pycode import PythonCodePrinter

from ....codegen.c_names import comment_text
from .functions import Function

__all__ = ["python_source"]


class _Printer(PythonCodePrinter):  # type: ignore[misc]  # SymPy carries no types
    def _print_Rational(self, number: Any) -> str:
        return repr(float(number))


def python_source(functions: Sequence[Function], notes: Sequence[str]) -> str:
    """Return a module with these functions; vectors are sequences of floats, results lists, row by row."""
    lines = ['"""Equations of motion M(q) a + C(q, v) v + N = tau."""', ""]
    lines += [f"# {comment_text(note)}" for note in notes]  # a robot's names may contain any text
    lines += ["", "from math import cos, sin"]
    for function in functions:
        lines += ["", "", *_function(function)]
    return "\n".join([*lines, ""])


def _function(function: Function) -> list[str]:
    show = _Printer({"fully_qualified_modules": False}).doprint
    arguments = ", ".join(name for name, _ in function.inputs)
    lines = [f"def {function.name}({arguments}):", f'    """{function.purpose}"""']
    for name, symbols in function.inputs:  # unpacking raises on a wrong length
        lines.append(f"    ({', '.join(map(show, symbols))},) = {name}" if symbols else f"    () = {name}")
    lines += [f"    {show(symbol)} = {show(own)}" for symbol, own in function.definitions]
    values = [show(result) for result in function.results]
    if len(function.shape) == 1:
        return [*lines, "    return [", *(f"        {value}," for value in values), "    ]"]
    rows, columns = function.shape
    lines.append("    return [")
    for row in range(rows):
        lines.append("        [" + ", ".join(values[row * columns : (row + 1) * columns]) + "],")
    return [*lines, "    ]"]
