"""What is done with q, v, vdot before a recursion: checks; sines and cosines of all angles at once."""

import math

from .layout import (
    COSINE,
    FLOATING,
    KIND,
    MULTIPLIER,
    OFFSET,
    PRISMATIC,
    REVOLUTE,
    SHIFT,
    SINE,
    Q,
    padded,
)
from .math.trigonometry import sincos
from .numba_support.compilation import inlined, kernel
from .numba_support.memory import load, store

__all__ = [
    "SMALLEST_NORM",
    "all_finite",
    "block_rows",
    "first_not_finite",
    "joint_states",
    "quaternions_have_direction",
    "turns_by_quaternion",
]

#: Of a joint's quaternion; what is shorter has no direction. Longer ones are normalized.
SMALLEST_NORM = 1e-6
#: Angles [rad] from which whole turns are taken off first; far below what sincos is good for.
FAR = 1e3


#: Rows of one block of joint states.
block_rows = inlined(padded)


@inlined
def turns_by_quaternion(i, topology):
    """Is joint i floating or spherical? Its twist is then in its body's own axes."""
    return topology[i, KIND] >= FLOATING


@inlined
def quaternions_have_direction(topology, q):
    """Are the quaternions of floating and spherical joints long enough to be normalized?"""
    for i in range(topology.shape[0] - 1):
        if topology[i, KIND] >= FLOATING:
            w = topology[i, Q] + (3 if topology[i, KIND] == FLOATING else 0)
            if q[w] ** 2 + q[w + 1] ** 2 + q[w + 2] ** 2 + q[w + 3] ** 2 < SMALLEST_NORM**2:
                return False
    return True


@inlined
def all_finite(values):
    """Is every element of a 1-D array finite?"""
    total = 0.0
    for k in range(values.shape[0]):
        total += values[k] * 0.0  # NaN and infinity times zero are NaN
    return total == 0.0


@kernel()
def first_not_finite(array):
    """Index of the first NaN or infinity in a 1-D float64 array; -1 where all are finite."""
    for k in range(array.shape[0]):
        if not math.isfinite(array[k]):
            return k
    return -1


@inlined
def joint_states(topology, constants, q, states, lanes, like, width, like_width):
    """Sines and cosines of revolute joints (0 and 1 for the others), shifts of prismatic ones (else 0).

    Angles are computed with ``lanes`` lanes like ``like``, their sines ``width`` neighbours at a time.
    """
    n = topology.shape[0] - 1
    block = block_rows(n) * lanes
    for i in range(n):
        angle, shift = like, like
        if topology[i, KIND] == REVOLUTE or topology[i, KIND] == PRISMATIC:
            shift = constants[i, MULTIPLIER] * load(q, topology[i, Q] * lanes, like)
            if topology[i, KIND] == REVOLUTE:
                angle, shift = shift, like
            else:
                shift = shift + constants[i, OFFSET]
        store(states, SINE * block + i * lanes, angle)
        store(states, SHIFT * block + i * lanes, shift)
    squares = 0.0  # at first only their sum: one test instead of one for each angle
    for k in range(n * lanes):
        squares += states[k] * states[k]
    if squares > FAR**2:
        for k in range(n * lanes):
            if abs(states[k]) > FAR:
                states[k] = math.atan2(math.sin(states[k]), math.cos(states[k]))
    for i in range(n):  # only now: a large angle would swallow digits of it
        if topology[i, KIND] == REVOLUTE and constants[i, OFFSET] != 0.0:
            at = SINE * block + i * lanes
            store(states, at, load(states, at, like) + constants[i, OFFSET])
    for k in range(0, n * lanes, width):
        sine, cosine = sincos(load(states, SINE * block + k, like_width))
        store(states, SINE * block + k, sine)
        store(states, COSINE * block + k, cosine)
