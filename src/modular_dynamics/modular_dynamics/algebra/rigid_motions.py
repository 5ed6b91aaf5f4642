"""Rotations and rigid motions of many states at once, on arrays (..., 4) of quaternions w x y z.

The exponential and the logarithm of rigid motions, linear and angular parts separately: Murray, Li & Sastry,
A Mathematical Introduction to Robotic Manipulation, appendix A.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "motion_after",
    "motion_between",
    "quaternion_after",
    "quaternion_between",
    "quaternion_product",
    "rotated",
    "unit_quaternion",
]

Array = NDArray[np.float64]
#: Below this angle [rad] series replace quotients that lose digits.
_SMALL = 0.1
#: Indices of y z x and of z x y.
_NEXT, _AFTER = np.array([1, 2, 0]), np.array([2, 0, 1])


def cross(a: Array, b: Array) -> Array:
    """Return the cross products a x b (..., 3); for few rows several times as fast as np.cross."""
    product: Array = a[..., _NEXT] * b[..., _AFTER] - a[..., _AFTER] * b[..., _NEXT]
    return product


def quaternion_product(a: Array, b: Array) -> Array:
    """Return the products a b (..., 4) of quaternions: first the rotation b, then a."""
    w, x = a[..., :1], a[..., 1:]
    u, y = b[..., :1], b[..., 1:]
    scalar = w * u - (x * y).sum(axis=-1, keepdims=True)
    return np.concatenate([scalar, w * y + u * x + cross(x, y)], axis=-1)


def unit_quaternion(r: Array) -> Array:
    """Return the unit quaternions r / |r| (..., 4)."""
    unit: Array = r / np.linalg.norm(r, axis=-1, keepdims=True)
    return unit


def rotated(r: Array, a: Array) -> Array:
    """Return the vectors (..., 3) r a r*, rotated by unit quaternions r (..., 4)."""
    turned = 2.0 * cross(r[..., 1:], a)
    result: Array = a + r[..., :1] * turned + cross(r[..., 1:], turned)
    return result


def conjugate(r: Array) -> Array:
    """Return the conjugate quaternions r* (..., 4): the inverse rotations of unit ones."""
    result: Array = r * np.array([1.0, -1.0, -1.0, -1.0])
    return result


def quaternion_after(r: Array, turn: Array) -> Array:
    """Return r exp(turn / 2): r after a rotation by ``turn`` (..., 3) [rad] about axes of the body."""
    half = 0.5 * np.linalg.norm(turn, axis=-1, keepdims=True)
    rotation = np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * turn], axis=-1)
    return unit_quaternion(quaternion_product(r, rotation))


def quaternion_between(first: Array, second: Array) -> Array:
    """Return the shortest ``turn`` (..., 3) [rad]: ``quaternion_after(first, turn)`` is second or -second."""
    r = quaternion_product(conjugate(unit_quaternion(first)), unit_quaternion(second))
    r = np.where(r[..., :1] < 0.0, -r, r)
    sine = np.linalg.norm(r[..., 1:], axis=-1, keepdims=True)
    half = np.arctan2(sine, r[..., :1])
    turn: Array = 2.0 * r[..., 1:] / np.sinc(half / np.pi)
    return turn


def motion_after(p: Array, r: Array, linear: Array, turn: Array) -> tuple[Array, Array]:
    """Return position and quaternion after the screw motion exp([linear, turn]), in the body's axes [m, rad].

    The position is p + R (l + A t x l + B t x (t x l)), with A = (1 - cos phi) / phi^2,
    B = (phi - sin phi) / phi^3, phi = |t|.
    """
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    square, is_small = angle * angle, angle < _SMALL
    large = np.where(is_small, 1.0, angle)
    series = 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0))
    B = np.where(is_small, series, (large - np.sin(large)) / large**3)
    A = 0.5 * np.sinc(0.5 * angle / np.pi) ** 2
    swept = cross(turn, linear)
    shift = linear + A * swept + B * cross(turn, swept)
    return p + rotated(unit_quaternion(r), shift), quaternion_after(r, turn)


def motion_between(p: Array, r: Array, p_end: Array, r_end: Array) -> tuple[Array, Array]:
    """Return [linear, turn] with ``motion_after(p, r, linear, turn)`` = (p_end, r_end).

    The linear part is d - t x d / 2 + C t x (t x d), with d = R^T (p_end - p) and
    C = (1 - (phi / 2) cot(phi / 2)) / phi^2.
    """
    turn = quaternion_between(r, r_end)
    shift = rotated(conjugate(unit_quaternion(r)), p_end - p)
    half = 0.5 * np.linalg.norm(turn, axis=-1, keepdims=True)
    square, is_small = half * half, half < 0.5 * _SMALL
    large = np.where(is_small, 1.0, half)
    series = (1.0 / 3.0 + square * (1.0 / 45.0 + square * (2.0 / 945.0 + square / 4725.0))) / 4.0
    C = np.where(is_small, series, (1.0 - large * np.cos(large) / np.sin(large)) / (4.0 * large**2))
    swept = cross(turn, shift)
    return shift - 0.5 * swept + C * cross(turn, swept), turn
