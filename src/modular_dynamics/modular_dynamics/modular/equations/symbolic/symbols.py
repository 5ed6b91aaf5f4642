"""SymPy, exact numbers, and named intermediate expressions."""

from typing import Any

from ....optional_packages import needed

with needed("closed_form(..., symbolic=True)", "SymPy", "equations"):
    import sympy

__all__ = ["Definitions", "Expression", "exact", "sympy"]

#: Type alias for sympy.Expr.
Expression = Any
#: Numbers of this size are rounding errors of rotations by right angles, and of poses composed of them.
_ROUNDING = 1e-14


def exact(number: float, size: float = 1.0) -> Expression:
    """Return a rational number: -1, 0 or 1 within rounding, else the decimal number of 14 digits.

    Rotations by right angles come out exact, so that zeros stay zeros; 0.09000000000000001 is 9/100.

    Args:
        size: of the numbers from which it was computed; with 0 it is taken as it is.
    """
    nearest = round(number)
    if abs(nearest) <= 1 and abs(number - nearest) <= _ROUNDING * size:
        return sympy.Integer(nearest)
    return sympy.Rational(f"{number:.14g}")


class Definitions:
    """Names for intermediate expressions, one for equal ones, in the order in which they can be computed.

    So all that is computed grows as the number of operations, and not as their products written out.

    Attributes:
        table: what each symbol stands for: an expression of earlier symbols.
    """

    def __init__(self) -> None:
        self.table: dict[Any, Expression] = {}
        self._symbols: dict[Expression, Any] = {}

    def named(self, expression: Expression, name: str) -> Expression:
        """Return a symbol for the expression, ``name`` if it is new; a multiple of a symbol stays."""
        expression = sympy.sympify(expression)
        _, rest = expression.as_coeff_Mul()
        if rest.is_Symbol or rest is sympy.S.One or not expression:
            return expression
        sign = 1
        if expression.could_extract_minus_sign():
            expression, sign = -expression, -1
        symbol = self._symbols.get(expression)
        if symbol is None:
            symbol = self._symbols[expression] = sympy.Symbol(name)
            self.table[symbol] = expression
        return sign * symbol
