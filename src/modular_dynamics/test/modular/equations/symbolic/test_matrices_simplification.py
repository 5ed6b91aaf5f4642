"""Writing out of intermediate expressions."""

import pytest

import modular_dynamics as md

sympy = pytest.importorskip("sympy")

from modular_dynamics.modular.equations.symbolic.matrices import (  # noqa: E402
    number_of_terms,
    readable,
    written_out,
)

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
