"""Results and the intermediate expressions that they need, as functions of vectors."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .symbols import Expression

__all__ = ["Function", "used_definitions"]


class Function(NamedTuple):
    """A function of vectors of symbols.

    Attributes:
        name: M, C, N or tau. purpose: what it is, in one line.
        inputs: names and symbols of its vectors. shape: of its result. results: row by row.
        definitions: what the results need, in the order of computation.
    """

    name: str
    purpose: str
    inputs: tuple[tuple[str, tuple[Any, ...]], ...]
    shape: tuple[int, ...]
    results: tuple[Expression, ...]
    definitions: tuple[tuple[Any, Expression], ...]


def used_definitions(
    results: Sequence[Expression], table: Mapping[Any, Expression]
) -> tuple[tuple[Any, Expression], ...]:
    """Return the definitions that the results depend on, in the table's order."""
    used: set[Any] = set()
    open_symbols = [symbol for result in results for symbol in result.free_symbols]
    while open_symbols:
        symbol = open_symbols.pop()
        if symbol in table and symbol not in used:
            used.add(symbol)
            open_symbols += table[symbol].free_symbols
    return tuple((symbol, own) for symbol, own in table.items() if symbol in used)
