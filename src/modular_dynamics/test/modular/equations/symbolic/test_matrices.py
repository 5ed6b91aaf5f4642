"""Exact numbers, named expressions, and writing them out."""

import numpy as np
import pytest

import modular_dynamics as md

sympy = pytest.importorskip("sympy")

from modular_dynamics.modular.equations.symbolic.matrices import (  # noqa: E402  # needs SymPy
    Definitions,
    exact,
    number_of_terms,
    readable,
    written_out,
)


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
    assert exact(1e-20, 0.0) == sympy.Rational(1, 10**20)  # nothing was rounded there


def test_equal_expressions_have_one_name_whatever_their_sign():
    x, y = sympy.symbols("x y")
    definitions = Definitions()
    first = definitions.named(x - y, "a")
    assert definitions.named(x - y, "b") == first
    assert definitions.named(y - x, "c") == -first
    for plain in (0, sympy.Rational(3, 2), x, -x, 2 * x):  # need no name
        assert definitions.named(plain, "d") == plain
    assert len(definitions.table) == 1


a, b, q1, q2, s, c = sympy.symbols("a b q1 q2 s c")


def test_squares_add_up_and_sums_of_angles_are_found():
    table = {s: sympy.sin(q1), c: sympy.cos(q1)}
    assert written_out("M", a * s**2 + a * c**2 + b, table, 100) == a + b
    product = c * sympy.cos(q2) - s * sympy.sin(q2)
    assert written_out("M", product, table, 100) == sympy.cos(q1 + q2)


def test_terms_are_counted_as_if_multiplied_out():
    table = {s: a + b, c: s * (a + 1)}
    assert number_of_terms(c**2 + s, table, {}) == 18
    with pytest.raises(
        md.UnsupportedModelError, match="an entry written out may have 18 terms, more than 17"
    ):
        written_out("an entry", c**2 + s, table, 17)


def test_fractions_are_shown_as_decimal_numbers():
    assert sympy.sstr(readable(a * sympy.Rational(9, 100) + 2), full_prec=False) == "0.09*a + 2"
