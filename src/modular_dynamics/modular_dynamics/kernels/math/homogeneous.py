"""Poses of links as homogeneous matrices (l, 4, 4), and rows of tables: three numbers of them as tuples."""

from ..numba_support.compilation import inlined

__all__ = ["origin_of", "place", "rotation_of", "set_row3"]


@inlined
def rotation_of(poses, link):
    """The nine numbers of its rotation, row by row."""
    p = poses[link]
    return p[0, 0], p[0, 1], p[0, 2], p[1, 0], p[1, 1], p[1, 2], p[2, 0], p[2, 1], p[2, 2]


@inlined
def origin_of(poses, link):
    """Its position."""
    return poses[link, 0, 3], poses[link, 1, 3], poses[link, 2, 3]


@inlined
def place(poses, link, position):
    """Where a point of its frame is."""
    x, y, z = position
    p = poses[link]
    return (
        p[0, 0] * x + p[0, 1] * y + p[0, 2] * z + p[0, 3],
        p[1, 0] * x + p[1, 1] * y + p[1, 2] * z + p[1, 3],
        p[2, 0] * x + p[2, 1] * y + p[2, 2] * z + p[2, 3],
    )


@inlined
def set_row3(table, row, column, vector):
    """Write three neighbours."""
    table[row, column], table[row, column + 1], table[row, column + 2] = vector
