"""Exact numbers and named expressions."""

import numpy as np
import pytest

sympy = pytest.importorskip("sympy")

from modular_dynamics.modular.equations.symbolic.matrices import Definitions, exact  # noqa: E402  # needs SymPy


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (np.cos(np.pi / 2), 0),
        (-1.0 - 2e-16, -1),
        (0.03 + 0.06, sympy.Rational(9, 100)),
        (1e-9, sympy.Rational(1, 10**9)),
        (-0.1, sympy.Rational(-1, 10)),
    ],
)
def test_rounding_does_not_count(number, expected):
    assert exact(number) == expected


def test_small_numbers_are_kept_where_nothing_was_rounded():
    assert exact(1e-20, 0.0) == sympy.Rational(1, 10**20)


def test_equal_expressions_have_one_name_whatever_their_sign():
    x, y = sympy.symbols("x y")
    definitions = Definitions()
    first = definitions.named(x - y, "a")
    assert definitions.named(x - y, "b") == first
    assert definitions.named(y - x, "c") == -first
    assert len(definitions.table) == 1


def test_numbers_and_multiples_of_symbols_need_no_name():
    x = sympy.Symbol("x")
    definitions = Definitions()
    for plain in (0, sympy.Rational(3, 2), x, -x, 2 * x):
        assert definitions.named(plain, "a") == plain
    assert definitions.table == {}
