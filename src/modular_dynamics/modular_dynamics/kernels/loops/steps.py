"""Steps of the dependent coordinates: sums of single coordinates, twists of those with a quaternion."""

import math

from ..numba_support.compilation import inlined_strictly

__all__ = ["move_dependent"]

# columns of CoordinateSplit.posed
POSITION = 0  # of the joint's position in q, -1: it has none
QUATERNION = 1  # of its quaternion w x y z in q
TWIST = 2  # 6: its linear and angular velocity among the dependent coordinates; -1: not moved


@inlined_strictly
def _component(x, index, scale):
    """A component of a twist; zero if it is not among the dependent coordinates."""
    return scale * x[index] if index >= 0 else 0.0


@inlined_strictly
def _move_pose(posed, row, q, saved, x, scale):
    """p = p + R(r) v and r = r + r (0, omega) / 2, normalized: to first order, like Newton's steps."""
    at = posed[row, QUATERNION]
    w, i, j, k = saved[at], saved[at + 1], saved[at + 2], saved[at + 3]
    norm = math.sqrt(w * w + i * i + j * j + k * k)
    w, i, j, k = w / norm, i / norm, j / norm, k / norm
    first = posed[row, POSITION]
    if first >= 0:
        a = _component(x, posed[row, TWIST], scale)
        b = _component(x, posed[row, TWIST + 1], scale)
        c = _component(x, posed[row, TWIST + 2], scale)
        u, v, s = 2.0 * (j * c - k * b), 2.0 * (k * a - i * c), 2.0 * (i * b - j * a)
        q[first] = saved[first] + a + w * u + j * s - k * v
        q[first + 1] = saved[first + 1] + b + w * v + k * u - i * s
        q[first + 2] = saved[first + 2] + c + w * s + i * v - j * u
    a = 0.5 * _component(x, posed[row, TWIST + 3], scale)
    b = 0.5 * _component(x, posed[row, TWIST + 4], scale)
    c = 0.5 * _component(x, posed[row, TWIST + 5], scale)
    w, i, j, k = (
        w - i * a - j * b - k * c,
        i + w * a + j * c - k * b,
        j + w * b + k * a - i * c,
        k + w * c + i * b - j * a,
    )
    norm = math.sqrt(w * w + i * i + j * j + k * k)
    q[at], q[at + 1], q[at + 2], q[at + 3] = w / norm, i / norm, j / norm, k / norm


@inlined_strictly
def move_dependent(split, q, saved, x, scale):
    """q, from ``saved`` (nq,), perhaps q itself, by ``scale`` times a step x of the dependent coordinates."""
    indices, posed = split.dependent_q, split.posed
    for k in range(indices.shape[0]):
        if indices[k] >= 0:
            q[indices[k]] = saved[indices[k]] + scale * x[k]
    for row in range(posed.shape[0]):
        _move_pose(posed, row, q, saved, x, scale)
