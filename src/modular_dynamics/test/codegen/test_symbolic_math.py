"""What kernels call of `math`, on symbols, and what of it is folded."""

import math

import numpy as np
import pytest

from modular_dynamics.codegen import symbolic_math
from modular_dynamics.codegen.procedure import Procedure, Result
from modular_dynamics.codegen.program import Program

ONE = ("sin", "cos", "sqrt", "floor")
TWO = ("atan2", "hypot")


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_symbols_numbers_and_both_agree_with_math(name):
    function, expected = getattr(symbolic_math, name), getattr(math, name)
    numbers = [0.7, -1.3][: 1 if name in ONE else 2]
    assert function(*numbers) == expected(*numbers)
    program = Program()
    symbols = [program.input(0, k) for k in range(len(numbers))]
    constants = [program.constant(x) for x in numbers]
    assert function(*constants).number == pytest.approx(expected(*numbers), rel=1e-15)
    mixed = [function(*symbols)]
    if name in TWO:
        mixed += [function(symbols[0], numbers[1]), function(numbers[0], symbols[1])]
    procedure = Procedure(
        "f", "", program, (("x", len(numbers)),), (Result("y", tuple(mixed), (len(mixed),)),)
    )
    (values,) = procedure.values([np.array([numbers])])
    assert values == pytest.approx(np.full((1, len(mixed)), expected(*numbers)), rel=1e-15)


def test_opposite_angles_share_sine_and_cosine():
    program = Program()
    x = program.input(0, 0)
    assert symbolic_math.cos(-x).line == symbolic_math.cos(x).line
    assert symbolic_math.sin(-x).operation.kind == "neg"
    assert symbolic_math.sin(-x).operation.first == symbolic_math.sin(x).line
