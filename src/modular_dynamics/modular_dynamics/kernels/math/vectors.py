"""Vectors as tuples of three numbers or lanes, matrices row by row, for formulas in one frame."""

from numba import njit

from ..numba_support.lanes import FAST
from ..numba_support.memory import load3, store3

__all__ = [
    "combined",
    "cross",
    "crosses",
    "dot",
    "load6",
    "load9",
    "plus",
    "plus_scaled",
    "skew",
    "skew_product",
    "store6",
    "symmetric_times",
    "times",
    "transposed_times",
]


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def dot(a, b):
    """a . b"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def cross(a, b):
    """a x b"""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def crosses(a, b, c, d):
    """a x b + c x d"""
    return (
        a[1] * b[2] - a[2] * b[1] + c[1] * d[2] - c[2] * d[1],
        a[2] * b[0] - a[0] * b[2] + c[2] * d[0] - c[0] * d[2],
        a[0] * b[1] - a[1] * b[0] + c[0] * d[1] - c[1] * d[0],
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def plus(a, b):
    """a + b"""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def plus_scaled(a, scale, b):
    """a + scale b"""
    return a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def combined(a, x, b, y, c, z):
    """a x + b y + c z of three vectors"""
    return (
        a * x[0] + b * y[0] + c * z[0],
        a * x[1] + b * y[1] + c * z[1],
        a * x[2] + b * y[2] + c * z[2],
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def symmetric_times(s, a):
    """The symmetric matrix (xx yy zz xy xz yz) times a."""
    return (
        s[0] * a[0] + s[3] * a[1] + s[4] * a[2],
        s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
        s[4] * a[0] + s[5] * a[1] + s[2] * a[2],
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def times(d, a):
    """A 3x3 matrix times a."""
    return (
        d[0] * a[0] + d[1] * a[1] + d[2] * a[2],
        d[3] * a[0] + d[4] * a[1] + d[5] * a[2],
        d[6] * a[0] + d[7] * a[1] + d[8] * a[2],
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def transposed_times(d, a):
    """The transpose of a 3x3 matrix times a."""
    return (
        d[0] * a[0] + d[3] * a[1] + d[6] * a[2],
        d[1] * a[0] + d[4] * a[1] + d[7] * a[2],
        d[2] * a[0] + d[5] * a[1] + d[8] * a[2],
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def skew(scale, a, like):
    """The matrix of x -> scale a x x."""
    x, y, z = scale * a[0], scale * a[1], scale * a[2]
    return like, -z, y, z, like, -x, -y, x, like


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def skew_product(a, b):
    """The matrix of x -> a x (b x x), b a^T - a . b."""
    xx, yy, zz = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    return (
        -yy - zz,
        a[1] * b[0],
        a[2] * b[0],
        a[0] * b[1],
        -xx - zz,
        a[2] * b[1],
        a[0] * b[2],
        a[1] * b[2],
        -xx - yy,
    )


@njit(forceinline=True)
def load6(array, at, lanes, like):
    """Six neighbouring quantities."""
    return load3(array, at, lanes, like) + load3(array, at + 3 * lanes, lanes, like)


@njit(forceinline=True)
def load9(array, at, lanes, like):
    """Nine neighbouring quantities."""
    return load6(array, at, lanes, like) + load3(array, at + 6 * lanes, lanes, like)


@njit(forceinline=True)
def store6(array, at, lanes, a, b):
    """Write two vectors one behind the other."""
    store3(array, at, lanes, a[0], a[1], a[2])
    store3(array, at + 3 * lanes, lanes, b[0], b[1], b[2])
