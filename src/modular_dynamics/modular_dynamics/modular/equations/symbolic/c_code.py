"""Functions of expressions as C99, written by the library's own generator of C.

Every function checks its arguments and results and returns a status: see the generated header.
"""

from collections.abc import Sequence
from functools import reduce
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from numpy.typing import NDArray

from ....codegen.c_files import Coordinates, Recording, Robot, header, source, test_program
from ....codegen.program import Listing, Program, program
from ....exceptions import UnsupportedModelError
from .functions import Function
from .symbols import Expression, sympy

__all__ = ["C99", "c99", "program_of"]

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


def c99(
    stem: str,
    prefix: str,
    robot: str,
    joints: Sequence[Coordinates],
    notes: Sequence[str],
    functions: Sequence[Function],
    states: Sequence[tuple[tuple[NDArray[Any], ...], NDArray[Any]]],
) -> C99:
    """Return header, functions and test program.

    Args:
        stem: name of the files. prefix: of all names. notes: lines about the robot.
        states: for each function the vectors (states, length), and its results (states, numbers) in the
            numeric closed form.
    """
    about = Robot(robot, stem, prefix, tuple(joints), tuple(notes), _version())
    programs = [program_of(function) for function in functions]
    recordings = [
        Recording(one, inputs, (results,), (max(float(abs(results).max(initial=0.0)), 1.0),), _TOLERANCE)
        for one, (inputs, results) in zip(programs, states, strict=True)
    ]
    return C99(header(about, programs), source(about, programs), test_program(about, recordings))


def _version() -> str:
    try:
        return f"{version('modular_dynamics')}, closed form by SymPy"
    except PackageNotFoundError:
        return "from its sources, closed form by SymPy"


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
