"""Instants between the points of a trajectory at which efforts are computed, too.

Efforts between points are no polynomials: they are looked at where joints have moved on, and at the end of a
piece of the spline after which velocities or accelerations jump.
"""

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.queries.spline import pieces
from modular_dynamics_ros.computation.values import Array, Instants

SPACING = 0.05  # [rad or m] that a joint moves from one instant to the next
MOST = 20_000  # instants between the points of a trajectory; beyond them they are farther apart
BENT = 24  # parts of a piece with non-linear accelerations
#: Share of a joint's largest velocity or acceleration; smaller jumps are not sampled, as they change efforts
#: by no more than that share.
JUMP = 0.05


class Samples(NamedTuple):
    """The points of a trajectory and instants between them, in order.

    Attributes:
        points: (k,) the point at or before each. instants: (k,) [ns]. q, v, a: (k, n). is_point: (k,).
    """

    points: NDArray[np.intp]
    instants: Instants
    q: Array
    v: Array
    a: Array
    is_point: NDArray[np.bool_]

    def where(self, index: int) -> str:
        """Return where sample ``index`` lies on the trajectory, for messages."""
        point, instant = int(self.points[index]), 1e-9 * float(self.instants[index])
        return f"point {point}" if self.is_point[index] else f"{instant:.6g} s, after point {point}"


def samples(instants: Instants, q: Array, v: Array, a: Array, degree: int) -> Samples:
    """Return samples of a trajectory with all fields.

    Args:
        instants: (m,) [ns], strictly increasing. q, v, a: (m, n), see `spline.completed`.
        degree: of the spline through them: 1, 3 or 5.
    """
    count = len(instants)
    given = Samples(np.arange(count), instants, q, v, a, np.ones(count, dtype=bool))
    if count < 2:
        return given
    h = 1e-9 * np.diff(instants)
    # by joint: Bernstein coefficients of positions, velocities and accelerations
    splines = [_derived(h, *_pieces(instants, degree, *joint)) for joint in zip(q.T, v.T, a.T, strict=True)]
    piece, share = _between(np.max([_wanted(one[0], one[2]) for one in splines], axis=0))
    ends = np.flatnonzero(np.any([_jumps(one[1]) | _jumps(one[2]) for one in splines], axis=0))
    piece, share = np.append(piece, ends), np.append(share, np.ones(len(ends)))
    values = [np.array([_value(one[k], piece, share) for one in splines]).T for k in range(3)]
    at = instants[piece] + np.rint(share * np.diff(instants)[piece]).astype(np.int64)
    between = Samples(piece, at, values[0], values[1], values[2], np.zeros(len(piece), dtype=bool))
    order = np.lexsort((np.append(np.zeros(count), share), np.append(given.points, piece)))
    return Samples(*(np.concatenate(pair)[order] for pair in zip(given, between, strict=True)))


def _pieces(instants: Instants, degree: int, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
    """Return Bernstein coefficients of positions and velocities of one joint."""
    if degree == 1:
        return np.array([q[:-1], q[1:]]), v[np.newaxis, :-1]
    return pieces(instants, q, v, a if degree == 5 else None)


def _derived(h: Array, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """Return position and velocity coefficients with those of accelerations; h (m - 1,) [s] of the pieces."""
    degree = len(v) - 1
    return q, v, degree * np.diff(v, axis=0) / h if degree else np.zeros_like(v)


def _wanted(q: Array, a: Array) -> Array:
    """Return how many parts (m - 1,) a joint's pieces need, by positions and accelerations.

    No value of a polynomial changes faster than its coefficients. Accelerations of cubics are largest at
    ends of pieces, those of quintics anywhere.
    """
    parts = (len(q) - 1) * np.abs(np.diff(q, axis=0)).max(axis=0) / SPACING
    line = np.linspace(a[0], a[-1], len(a)) if len(a) > 1 else a
    bent = np.abs(a - line).max(axis=0) > JUMP * np.abs(a).max()
    return np.asarray(np.where(bent, np.maximum(parts, BENT), parts))


def _between(wanted: Array) -> tuple[NDArray[np.intp], Array]:
    """Return pieces and shares of samples, for the wanted parts of each piece (m - 1,)."""
    counts = np.maximum(np.ceil(wanted / max(1.0, wanted.sum() / MOST)), 1.0).astype(np.intp)
    piece = np.repeat(np.arange(len(counts)), counts - 1)
    first = np.cumsum(counts - 1) - (counts - 1)
    number = np.arange(len(piece)) - first[piece] + 1
    return piece, number / counts[piece]


def _jumps(coefficients: Array) -> NDArray[np.bool_]:
    """Return (m - 1,) whether a value jumps at the end of each piece; at the last point it ends."""
    size = np.abs(coefficients).max()
    return np.append(np.abs(coefficients[0, 1:] - coefficients[-1, :-1]) > JUMP * size, False)


def _value(coefficients: Array, piece: NDArray[np.intp], share: Array) -> Array:
    degree = len(coefficients) - 1
    weights = (comb(degree, k) * share**k * (1.0 - share) ** (degree - k) for k in range(degree + 1))
    return np.asarray(sum(w * one[piece] for w, one in zip(weights, coefficients, strict=True)))
