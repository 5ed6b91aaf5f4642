"""Procedures carried out line by line."""

import numpy as np

from modular_dynamics.codegen.procedure import Procedure, Result
from modular_dynamics.codegen.program import Program


def test_values_are_those_of_the_operations_for_every_state():
    program = Program()
    x, y = program.input(0, 1), program.input(1, 0)
    first = -(program.sine(x) / (y * y + 1.0)) - program.cosine(y)
    results = Result("a", (first, program.constant(2.0)), (2,)), Result("b", (x + y,), (1,))
    procedure = Procedure("f", "", program, (("x", 2), ("y", 1)), results)
    x_rows, y_rows = np.array([[9.0, 0.1], [9.0, 0.2], [9.0, -3.0]]), np.array([[1.5], [0.0], [-2.0]])
    a, b = procedure.values((x_rows, y_rows))
    x_given, y_given = x_rows[:, 1], y_rows[:, 0]
    expected = -np.sin(x_given) / (y_given**2 + 1.0) - np.cos(y_given)
    np.testing.assert_allclose(a, np.column_stack([expected, [2.0] * 3]), rtol=1e-15)
    np.testing.assert_array_equal(b[:, 0], x_given + y_given)
    assert procedure.operations == 8
