"""Where piecewise polynomials are largest, from their Bernstein coefficients.

No value of a polynomial exceeds its largest coefficient, and the first and last coefficients are values.
Each halving of the interval (de Casteljau) brings the coefficients four times closer to the polynomial.
Source: G. Farin, Curves and Surfaces for CAGD, chapters 5 and 6.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.values import Array

ENOUGH = 1e-6  # relative accuracy of an excess; all digits would take twice as long
HALVINGS = 52  # shares of a piece that differ by less are the same number


class Extreme(NamedTuple):
    """A value at a share (0 to 1) of a piece."""

    piece: int
    share: float
    value: float


def largest(pieces: Array, above: float, tolerance: float) -> Extreme | None:
    """Return the largest value of polynomials over shares from 0 to 1; None where none exceeds `above`.

    It is less than the true one by `tolerance` at most, by a millionth of what it is above `above`, or by
    rounding. A polynomial that exceeds `above` by less than `tolerance` between its ends may not be found.

    Args:
        pieces: (degree + 1, m) Bernstein coefficients of m polynomials.
    """
    found, limit = None, above
    for share, ends in ((0.0, pieces[0]), (1.0, pieces[-1])):
        found, above = _better(found, above, ends, np.arange(len(ends)), np.full(len(ends), share))
    relevant = above + max(tolerance, ENOUGH * (above - limit))
    (piece,) = np.nonzero(pieces.max(axis=0) > relevant)
    part, start, width = pieces[:, piece], np.zeros(len(piece)), 1.0
    for _ in range(HALVINGS):
        if not piece.size:
            break
        first, second = _halves(part)
        width *= 0.5
        found, above = _better(found, above, second[0], piece, start + width)
        # skip parts that cannot exceed the best value by more than the tolerance
        relevant = above + max(tolerance, ENOUGH * (above - limit))
        one, two = (half.max(axis=0) > relevant for half in (first, second))
        part = np.hstack((first[:, one], second[:, two]))
        piece = np.hstack((piece[one], piece[two]))
        start = np.hstack((start[one], start[two] + width))
    return found


def _better(
    found: Extreme | None, above: float, values: Array, piece: NDArray[np.intp], share: Array
) -> tuple[Extreme | None, float]:
    """Return the extreme of the largest value above ``above``, and that value; else ``found``."""
    if not values.size or not values[k := int(values.argmax())] > above:
        return found, above
    return Extreme(int(piece[k]), float(share[k]), float(values[k])), float(values[k])


def _halves(part: Array) -> tuple[Array, Array]:
    """Return the coefficients of both halves of each polynomial (degree + 1, m)."""
    first, second, row = np.empty_like(part), np.empty_like(part), part
    first[0], second[-1] = row[0], row[-1]
    for k in range(1, len(part)):
        row = 0.5 * (row[:-1] + row[1:])
        first[k], second[-1 - k] = row[0], row[-1]
    return first, second
