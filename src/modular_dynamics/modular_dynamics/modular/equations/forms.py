"""Parts of the equations of Meister & Gutenkunst; their matrices are those of algebra/matrix_forms.py.

The functions take arrays of numbers or, as arrays of objects, of symbols; they keep exact zeros.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...algebra.matrix_forms import Array, ad, dual_bracket_matrix, homogeneous, inverse, skew
from ...algebra.matrix_forms import adjoint_matrix as adjoint

__all__ = [
    "Array",
    "ad",
    "adjoint",
    "exp",
    "generalized_mass",
    "homogeneous",
    "inverse",
    "skew",
]


def generalized_mass(mass: Any, com: Array, inertia: Array) -> Array:
    """Return M_i (6, 6) = [[m 1, -m c^], [m c^, I - m c^ c^]] of a body with centre of mass c, I about it.

    It is diag(m 1, I), as eq. 29 must read for twists (v, w), where the frame is at the centre of mass.
    """
    c, identity = skew(com), np.eye(3, dtype=int)
    matrix = np.zeros((6, 6), np.result_type(com, inertia))
    matrix[:3, :3] = mass * identity
    matrix[:3, 3:], matrix[3:, :3] = -mass * c, mass * c
    matrix[3:, 3:] = inertia - mass * (c @ c)
    return matrix


def gyroscopic(M: Array, V: Array, half: Any = 0.5) -> Array:
    """Return B (6, 6), skew-symmetric, with B V = -ad_V^T M V: (M ad_V - ad_V^T M - b) / 2, see numeric.py.

    half: 1/2 as M and V have their numbers.
    """
    bracket = M @ ad(V)
    B: Array = half * (bracket - bracket.T - dual_bracket_matrix(M @ V))
    return B


def exp(
    s: Array, q: Any, sin: Callable[[Any], Any] = math.sin, cos: Callable[[Any], Any] = math.cos
) -> Array:
    """Return exp(s^ q) (4, 4) of a unit twist s = (v, w), |w| = 1, or w = 0 and |v| = 1 (eqs. 8-12).

    R = 1 + w^ sin q + w^^2 (1 - cos q), as eq. 8 must read; p = (1 - R) (w x v) + w w.v q.
    """
    v, w = s[:3], s[3:]
    identity = np.eye(3, dtype=int)
    if not any(w):
        return homogeneous(identity + 0 * skew(v), v * q)
    turn = skew(w)
    R = identity + turn * sin(q) + (turn @ turn) * (1 - cos(q))
    return homogeneous(R, (identity - R) @ (turn @ v) + w * ((w @ v) * q))
