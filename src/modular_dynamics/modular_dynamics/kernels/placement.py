"""Poses (R, p) of bodies in their parents: R as nine numbers row by row, p as three."""

from .layout import COSINE, FLOATING, KIND, POSITION, ROTATION, SHIFT, SINE, SPHERICAL, Q
from .math.vectors import matrix_product, plus, plus_scaled, times
from .numba_support.compilation import inlined
from .numba_support.memory import load
from .numba_support.neighbours import load3, load9, row3, row9, store3
from .states import block_rows

__all__ = [
    "composed",
    "load_axis",
    "load_pose",
    "place",
    "place_by_quaternion",
    "place_floating",
    "place_spherical",
    "pose_of",
    "store_pose",
]


@inlined
def place(i, topology, constants, states, lanes, like):
    """(R, p) of body i on a joint of one axis: Rz(q) or a shift along z after the constant pose."""
    k0, k1, k2, k3, k4, k5, k6, k7, k8 = row9(constants, i, ROTATION)
    m = block_rows(topology.shape[0] - 1)
    sine = load(states, (SINE * m + i) * lanes, like)
    cosine = load(states, (COSINE * m + i) * lanes, like)
    # added for every kind of joint: a branch here costs more than three products
    shift = load(states, (SHIFT * m + i) * lanes, like)
    rotation = (
        k0 * cosine + k1 * sine,
        k1 * cosine - k0 * sine,
        k2 + like,
        k3 * cosine + k4 * sine,
        k4 * cosine - k3 * sine,
        k5 + like,
        k6 * cosine + k7 * sine,
        k7 * cosine - k6 * sine,
        k8 + like,
    )
    return rotation, plus_scaled(row3(constants, i, POSITION), shift, (k2, k5, k8))


@inlined
def _rotation(q, at, lanes, like):
    """R of the quaternion w x y z that begins at ``at``; of any length."""
    w = load(q, at, like)
    a, b, c = load3(q, at + lanes, lanes, like)
    s = 2.0 / (w * w + a * a + b * b + c * c)
    return (
        1.0 - s * (b * b + c * c),
        s * (a * b - w * c),
        s * (a * c + w * b),
        s * (a * b + w * c),
        1.0 - s * (a * a + c * c),
        s * (b * c - w * a),
        s * (a * c - w * b),
        s * (b * c + w * a),
        1.0 - s * (a * a + b * b),
    )


# floating and spherical joints apart, not one function that chooses where to read: lanes would be far slower
@inlined
def place_floating(i, topology, constants, q, lanes, like):
    """(R, p) of a floating body i: the pose of q after the constant one."""
    at = topology[i, Q] * lanes
    moved = _rotation(q, at + 3 * lanes, lanes, like), load3(q, at, lanes, like)
    return composed((row9(constants, i, ROTATION), row3(constants, i, POSITION)), moved)


@inlined
def place_spherical(i, topology, constants, q, lanes, like):
    """(R, p) of a body i on a spherical joint: the rotation of q after the constant pose."""
    rotation = matrix_product(row9(constants, i, ROTATION), _rotation(q, topology[i, Q] * lanes, lanes, like))
    return rotation, plus(row3(constants, i, POSITION), (like, like, like))


@inlined
def place_by_quaternion(i, topology, constants, q, lanes, like):
    """(R, p) of a body i on a floating or spherical joint."""
    if topology[i, KIND] == FLOATING:
        return place_floating(i, topology, constants, q, lanes, like)
    return place_spherical(i, topology, constants, q, lanes, like)


@inlined
def pose_of(i, topology, constants, q, states, lanes, like):
    """(R, p) of any body i."""
    if topology[i, KIND] == FLOATING:
        return place_floating(i, topology, constants, q, lanes, like)
    if topology[i, KIND] == SPHERICAL:
        return place_spherical(i, topology, constants, q, lanes, like)
    return place(i, topology, constants, states, lanes, like)


@inlined
def composed(first, second):
    """The pose ``second`` after the pose ``first``: (R S, R p + P)."""
    return matrix_product(first[0], second[0]), plus(first[1], times(first[0], second[1]))


@inlined
def store_pose(work, at, lanes, pose):
    """Write (R, p) into 12 neighbouring quantities."""
    rotation, position = pose
    store3(work, at, lanes, rotation[:3])
    store3(work, at + 3 * lanes, lanes, rotation[3:6])
    store3(work, at + 6 * lanes, lanes, rotation[6:])
    store3(work, at + 9 * lanes, lanes, position)


@inlined
def load_pose(work, at, lanes, like):
    """Read (R, p) from 12 neighbouring quantities."""
    return load9(work, at, lanes, like), load3(work, at + 9 * lanes, lanes, like)


@inlined
def load_axis(work, at, axis, lanes, like):
    """Column x, y or z (0 1 2) of a stored R: that axis of the body."""
    first = at + axis * lanes
    return load(work, first, like), load(work, first + 3 * lanes, like), load(work, first + 6 * lanes, like)
