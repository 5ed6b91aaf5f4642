"""Arithmetic on symbols means what arithmetic on numbers does; operations of generated code, exactly."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modular_dynamics.codegen.program import Program, used_lines

BINARY = {"+": operator.add, "-": operator.sub, "*": operator.mul}
LEAVES = st.sampled_from(["x", "y", "z"]) | st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, -3.0])


def _extend(inner):
    return st.tuples(st.sampled_from(list(BINARY)), inner, inner) | st.tuples(st.just("neg"), inner)


def _value(tree, names):
    if isinstance(tree, tuple):
        if tree[0] == "neg":
            return -_value(tree[1], names)
        a, b = (_value(part, names) for part in tree[1:])
        return BINARY[tree[0]](a, b)
    return names.get(tree, tree) if isinstance(tree, str) else tree


def evaluated(program, symbol, inputs):
    """A program carried out line by line: independent of LLVM."""
    values = []
    for kind, first, second, number in program.operations:
        if kind == "input":
            values.append(inputs[second])
        elif kind == "constant":
            values.append(number)
        elif kind == "neg":
            values.append(-values[first])
        else:
            operation = getattr(operator, "truediv" if kind == "div" else kind)
            values.append(operation(values[first], values[second]))
    return values[symbol.line]


@given(st.recursive(LEAVES, _extend, max_leaves=30))
def test_symbols_compute_what_numbers_do(tree):
    program = Program()
    numbers = {"x": 1.25, "y": -0.75, "z": 3.0}
    symbols = {name: program.input(0, k) for k, name in enumerate(numbers)}
    symbolic = _value(tree, symbols)
    if isinstance(symbolic, float):
        return
    expected = _value(tree, numbers)
    value = evaluated(program, symbolic, list(numbers.values()))
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_nothing_is_listed_twice_and_zeros_vanish():
    program = Program()
    x, y = program.input(0, 0), program.input(0, 1)
    assert (x * y).line == (y * x).line
    assert (x * 0.0 + y * 1.0).line == y.line
    assert (0.0 - (-x)).line == x.line
    assert (x - x).number == 0.0
    assert (x / 2.0).line == (x * 0.5).line
    assert (2.0 - program.constant(0.5)).number == 1.5
    before = len(program.operations)
    _ = x * y + y * x
    assert len(program.operations) == before + 1


def test_numbers_of_numpy_are_numbers():
    program = Program()
    x = program.input(0, 0)
    assert (np.float64(2.0) * x).line == (2.0 * x).line
    assert (1.0 / x).operation.kind == "div"


def test_sines_of_constants_are_constants_and_others_are_operations():
    program = Program()
    x = program.input(0, 0)
    assert program.sine(program.constant(0.5)).number == np.sin(0.5)
    assert program.cosine(program.constant(0.0)).number == 1.0
    assert program.sine(x).operation == ("sin", x.line, 0, 0.0)
    assert used_lines(program, [program.cosine(x)])[0] == x.line
