"""Vectors as tuples of three numbers or lanes, matrices row by row, for formulas in one frame."""

from ..numba_support.compilation import inlined

__all__ = [
    "combined",
    "cross",
    "crosses",
    "dot",
    "matrix_product",
    "minus",
    "plus",
    "plus_cross",
    "plus_scaled",
    "scaled",
    "skew",
    "skew_product",
    "symmetric_times",
    "times",
    "transposed_times",
]


@inlined
def dot(a, b):
    """a . b"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    """a x b"""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def crosses(a, b, c, d):
    """a x b + c x d"""
    return (
        a[1] * b[2] - a[2] * b[1] + c[1] * d[2] - c[2] * d[1],
        a[2] * b[0] - a[0] * b[2] + c[2] * d[0] - c[0] * d[2],
        a[0] * b[1] - a[1] * b[0] + c[0] * d[1] - c[1] * d[0],
    )


@inlined
def plus(a, b):
    """a + b"""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inlined
def plus_cross(a, b, c):
    """a + b x c"""
    return (
        a[0] + b[1] * c[2] - b[2] * c[1],
        a[1] + b[2] * c[0] - b[0] * c[2],
        a[2] + b[0] * c[1] - b[1] * c[0],
    )


@inlined
def minus(a, b):
    """a - b"""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def scaled(scale, a):
    """scale a"""
    return scale * a[0], scale * a[1], scale * a[2]


@inlined
def plus_scaled(a, scale, b):
    """a + scale b"""
    return a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]


@inlined
def combined(a, x, b, y, c, z):
    """a x + b y + c z of three vectors"""
    return (
        a * x[0] + b * y[0] + c * z[0],
        a * x[1] + b * y[1] + c * z[1],
        a * x[2] + b * y[2] + c * z[2],
    )


@inlined
def symmetric_times(s, a):
    """The symmetric matrix (xx yy zz xy xz yz) times a."""
    return (
        s[0] * a[0] + s[3] * a[1] + s[4] * a[2],
        s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
        s[4] * a[0] + s[5] * a[1] + s[2] * a[2],
    )


@inlined
def times(d, a):
    """A 3x3 matrix times a."""
    return (
        d[0] * a[0] + d[1] * a[1] + d[2] * a[2],
        d[3] * a[0] + d[4] * a[1] + d[5] * a[2],
        d[6] * a[0] + d[7] * a[1] + d[8] * a[2],
    )


@inlined
def transposed_times(d, a):
    """The transpose of a 3x3 matrix times a."""
    return (
        d[0] * a[0] + d[3] * a[1] + d[6] * a[2],
        d[1] * a[0] + d[4] * a[1] + d[7] * a[2],
        d[2] * a[0] + d[5] * a[1] + d[8] * a[2],
    )


@inlined
def skew(scale, a, like):
    """The matrix of x -> scale a x x."""
    x, y, z = scale * a[0], scale * a[1], scale * a[2]
    return like, -z, y, z, like, -x, -y, x, like


@inlined
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


@inlined
def matrix_product(a, b):
    """A 3x3 matrix times another."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )
