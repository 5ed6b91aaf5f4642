"""Cross products of small arrays: several times as fast as np.cross, which is made for large ones."""

from ..dynamics.arguments import Array

__all__ = ["cross"]


def cross(a: Array, b: Array) -> Array:
    """Return a x b of arrays (..., 3), broadcast against each other."""
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]
