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
from .numba_support.compilation import inlined
from .numba_support.lane_functions import any_differs, chosen
from .numba_support.memory import load, store, zero_float64x8

__all__ = [
    "SMALLEST_NORM",
    "all_finite",
    "block_rows",
    "joint_states",
    "joint_states_of_lanes",
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


@inlined
def _turn(states, block, at, angles):
    """Store sines and cosines of angles at an index of their blocks."""
    sine, cosine = sincos(angles)
    store(states, SINE * block + at, sine)
    store(states, COSINE * block + at, cosine)


@inlined
def joint_states(topology, constants, q, states):
    """Sines and cosines of revolute joints (0 and 1 for the others), shifts of prismatic ones (else 0)."""
    n, wide = topology.shape[0] - 1, zero_float64x8()
    block = block_rows(n)
    for i in range(n):
        angle, shift = 0.0, 0.0
        if topology[i, KIND] == REVOLUTE:
            angle = constants[i, MULTIPLIER] * q[topology[i, Q]]
        elif topology[i, KIND] == PRISMATIC:
            shift = constants[i, MULTIPLIER] * q[topology[i, Q]] + constants[i, OFFSET]
        states[SINE * block + i], states[SHIFT * block + i] = angle, shift
    squares = 0.0  # at first only their sum: one test instead of one for each angle
    for k in range(n):
        squares += states[k] * states[k]
    if squares > FAR**2:
        for k in range(n):
            states[k] = _wrapped(states[k])
    for i in range(n):  # only now: a large angle would swallow digits of it
        if topology[i, KIND] == REVOLUTE and constants[i, OFFSET] != 0.0:
            states[SINE * block + i] += constants[i, OFFSET]
    for k in range(0, n, 8):
        _turn(states, block, k, load(states, SINE * block + k, wide))


# no calls in branches: with arrays as their arguments, Numba would count references for each joint
@inlined
def joint_states_of_lanes(topology, constants, q, states, lanes, like):
    """The same of ``lanes`` states side by side; ``states`` are zeros at first."""
    n = topology.shape[0] - 1
    block, squares = block_rows(n) * lanes, like
    for i in range(n):
        angle, offset = like, 0.0
        if topology[i, KIND] == REVOLUTE:
            angle = constants[i, MULTIPLIER] * load(q, topology[i, Q] * lanes, like)
            offset = constants[i, OFFSET]
        elif topology[i, KIND] == PRISMATIC:
            shift = constants[i, MULTIPLIER] * load(q, topology[i, Q] * lanes, like) + constants[i, OFFSET]
            store(states, SHIFT * block + i * lanes, shift)
        squares = squares + angle * angle
        _turn(states, block, i * lanes, angle + offset)
    if any_differs(chosen(FAR**2 - squares, like, like + 1.0), like):  # some are far, or not numbers
        for i in range(n):
            if topology[i, KIND] == REVOLUTE:
                at = SINE * block + i * lanes
                for k in range(lanes):
                    angle = constants[i, MULTIPLIER] * q[topology[i, Q] * lanes + k]
                    states[at + k] = _wrapped(angle) + constants[i, OFFSET]
                _turn(states, block, i * lanes, load(states, at, like))


@inlined
def _wrapped(angle):
    """A large angle between -pi and pi."""
    if abs(angle) > FAR:
        angle = math.atan2(math.sin(angle), math.cos(angle))
    return angle
