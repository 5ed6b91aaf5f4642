"""Intermediate expressions written out, and made short where that is cheap."""

from collections.abc import Mapping
from typing import Any

from sympy.simplify.fu import TR8

from ....exceptions import UnsupportedModelError
from .symbols import Expression, sympy

__all__ = ["LARGEST", "number_of_terms", "readable", "written_out"]

#: Terms of one expression, products multiplied out, up to which it is written out: a second or two each.
LARGEST = 1_000
#: Terms up to which sums of angles are tried.
_FEW = 30


def number_of_terms(expression: Expression, table: Mapping[Any, Expression], known: dict[Any, int]) -> int:
    """Return the most terms an expression has with definitions inserted and products multiplied out."""
    if expression.is_Symbol:
        if expression not in known:
            own = table.get(expression)
            known[expression] = 1 if own is None else number_of_terms(own, table, known)
        return known[expression]
    counts = [number_of_terms(part, table, known) for part in expression.args]
    if expression.is_Add:
        return sum(counts)
    if expression.is_Mul:
        product = 1
        for count in counts:
            product *= count
        return product
    if expression.is_Pow:
        power: int = counts[0] ** max(int(expression.exp), 1)
        return power
    return 1


def written_out(
    what: str, expression: Expression, table: Mapping[Any, Expression], largest: int
) -> Expression:
    """Return the expression with all definitions put in, simplified.

    Of the sum of products of sines and cosines, the same with cos^2 = 1 - sin^2 or sin^2 = 1 - cos^2, and,
    where these are short, the sum of sines and cosines of sums of angles, it is the shortest.

    Raises:
        UnsupportedModelError: it may have more than ``largest`` terms.
    """
    terms = number_of_terms(expression, table, {})
    if terms > largest:
        raise UnsupportedModelError(
            f"{what} written out may have {terms} terms, more than {largest}; in intermediate expressions it "
            "is short: see .definitions, or raise the limit by largest="
        )
    flat = sympy.expand(_flat(expression, table, {}))
    choices = sorted([flat, *_by_squares(flat)], key=sympy.count_ops)
    if len(sympy.Add.make_args(choices[0])) <= _FEW:
        choices.append(sympy.expand(TR8(choices[0])))
    choices += [sympy.factor_terms(choice) for choice in choices]
    return min(choices, key=lambda choice: (sympy.count_ops(choice), len(str(choice))))


def readable(expression: Expression) -> Expression:
    """Return the expression with decimals in place of fractions, except small ones such as 1/2."""
    numbers = {x for x in expression.atoms(sympy.Rational) if not x.is_Integer}
    return expression.xreplace({x: sympy.Float(f"{float(x):.15g}") for x in numbers})


def _flat(
    expression: Expression, table: Mapping[Any, Expression], known: dict[Any, Expression]
) -> Expression:
    parts = {}
    for symbol in expression.free_symbols & table.keys():
        if symbol not in known:
            known[symbol] = sympy.expand(_flat(table[symbol], table, known))
        parts[symbol] = known[symbol]
    return expression.xreplace(parts)


def _by_squares(flat: Expression) -> list[Expression]:
    """Return the expression with sin^2 written by cos^2, and with cos^2 written by sin^2."""
    angles = {function.args[0] for function in flat.atoms(sympy.sin, sympy.cos)}
    results = []
    for kept, replaced in ((sympy.sin, sympy.cos), (sympy.cos, sympy.sin)):
        squares = {replaced(angle): (kept(angle), replaced(angle)) for angle in angles}
        result = flat.replace(
            lambda x, squares=squares: x.is_Pow and x.base in squares and x.exp.is_Integer and x.exp > 1,
            lambda x, squares=squares: (1 - squares[x.base][0] ** 2) ** (x.exp // 2) * x.base ** (x.exp % 2),
        )
        results.append(sympy.expand(result))
    return results
