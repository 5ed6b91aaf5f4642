"""Adjoints of SE(3) and se(3) on twists, their duals on wrenches, and the bracket.

Meister & Gutenkunst, eqs. 13-17. The names are the field's: Ad of the group, ad of the algebra.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import matrix_forms
from ...exceptions import StateError
from .checks import numbers, pose_matrix

__all__ = ["Ad", "ad", "bracket", "dual_Ad", "dual_ad"]

Array = NDArray[np.float64]


def Ad(H_b_a: ArrayLike) -> Array:
    """Ad(H) = [R skew(p) R; 0 R] (..., 6, 6) (eq. 13): twists (v, omega) from frame a to frame b.

    hat(Ad(H) xi) = H hat(xi) H^-1.

    Raises:
        StateError: not homogeneous matrices (..., 4, 4) with a rotation matrix and the last row 0 0 0 1.
    """
    return matrix_forms.adjoint_matrix(pose_matrix(H_b_a, "H_b_a"))


def ad(xi: ArrayLike) -> Array:
    """ad(xi) = [skew(omega) skew(v); 0 skew(omega)] (..., 6, 6) (eqs. 14, 15): ad(x) y = [x, y].

    Raises:
        StateError: not twists (..., 6), or a number that is not finite.
    """
    return matrix_forms.ad(numbers(xi, "xi", (6,)))


def bracket(a: ArrayLike, b: ArrayLike) -> Array:
    """[a, b] of twists (..., 6), or a x b of angular velocities (..., 3).

    hat([a, b]) = hat(a) hat(b) - hat(b) hat(a).

    Raises:
        StateError: different or wrong shapes, or a number that is not finite.
    """
    first = numbers(a, "a", (3,), (6,))
    second = numbers(b, "b", first.shape[-1:])
    matrix = matrix_forms.skew(first) if first.shape[-1] == 3 else matrix_forms.ad(first)
    try:
        product: Array = (matrix @ second[..., None])[..., 0]
    except ValueError:
        raise StateError(
            f"a has shape {first.shape} and b {second.shape}; leading dimensions that fit each other are "
            "needed"
        ) from None
    return product


def dual_Ad(H_b_a: ArrayLike) -> Array:
    """Ad(H_b_a)^T (..., 6, 6) (eq. 17): wrenches (f, m) from frame b to frame a, F_a = Ad(g_ba)^T F_b.

    The power of a wrench and a twist is the same in both frames: (Ad^T F_b) . xi_a = F_b . (Ad xi_a).

    Raises:
        StateError: not homogeneous matrices (..., 4, 4) with a rotation matrix and the last row 0 0 0 1.
    """
    return np.swapaxes(Ad(H_b_a), -1, -2)


def dual_ad(xi: ArrayLike) -> Array:
    """ad(xi)^T (..., 6, 6), by which wrenches and momenta change with a moving frame.

    In Newton-Euler: F = M Vdot - dual_ad(V) M V (eq. 27, one body).

    Raises:
        StateError: not twists (..., 6), or a number that is not finite.
    """
    return np.swapaxes(ad(xi), -1, -2)
