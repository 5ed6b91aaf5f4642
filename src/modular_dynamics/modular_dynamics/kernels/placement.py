"""Where each body is in its parent: the pose (R row by row, P) as 12 numbers."""

from numba import njit

from .layout import COSINE, FLOATING, KIND, POSITION, ROTATION, SHIFT, SINE, Q
from .numba_support.lanes import FAST
from .numba_support.memory import load, load3, store3
from .states import block_rows

__all__ = ["load_pose", "place", "place_floating", "pose_of", "store_pose"]


@njit(inline="always", fastmath=FAST, error_model="numpy")
def place(i, topology, constants, states, lanes, like):
    """(R row by row, P) of body i, not floating: Rz(q) or a shift along z after the constant pose."""
    k0, k1, k2 = constants[i, ROTATION], constants[i, ROTATION + 1], constants[i, ROTATION + 2]
    k3, k4, k5 = constants[i, ROTATION + 3], constants[i, ROTATION + 4], constants[i, ROTATION + 5]
    k6, k7, k8 = constants[i, ROTATION + 6], constants[i, ROTATION + 7], constants[i, ROTATION + 8]
    m = block_rows(topology.shape[0] - 1)
    sine = load(states, (SINE * m + i) * lanes, like)
    cosine = load(states, (COSINE * m + i) * lanes, like)
    # added for every kind of joint: a branch here costs more than three products
    shift = load(states, (SHIFT * m + i) * lanes, like)
    return (
        k0 * cosine + k1 * sine,
        k1 * cosine - k0 * sine,
        k2 + like,
        k3 * cosine + k4 * sine,
        k4 * cosine - k3 * sine,
        k5 + like,
        k6 * cosine + k7 * sine,
        k7 * cosine - k6 * sine,
        k8 + like,
        constants[i, POSITION] + k2 * shift,
        constants[i, POSITION + 1] + k5 * shift,
        constants[i, POSITION + 2] + k8 * shift,
    )


@njit(inline="always", fastmath=FAST, error_model="numpy")
def place_floating(i, topology, constants, q, lanes, like):
    """(R row by row, P) of a floating body i: the pose of q after the constant one."""
    k0, k1, k2 = constants[i, ROTATION], constants[i, ROTATION + 1], constants[i, ROTATION + 2]
    k3, k4, k5 = constants[i, ROTATION + 3], constants[i, ROTATION + 4], constants[i, ROTATION + 5]
    k6, k7, k8 = constants[i, ROTATION + 6], constants[i, ROTATION + 7], constants[i, ROTATION + 8]
    at = topology[i, Q] * lanes
    x, y, z = load3(q, at, lanes, like)
    w = load(q, at + 3 * lanes, like)
    a, b, c = load3(q, at + 4 * lanes, lanes, like)
    s = 2.0 / (w * w + a * a + b * b + c * c)
    m0, m1, m2 = 1.0 - s * (b * b + c * c), s * (a * b - w * c), s * (a * c + w * b)
    m3, m4, m5 = s * (a * b + w * c), 1.0 - s * (a * a + c * c), s * (b * c - w * a)
    m6, m7, m8 = s * (a * c - w * b), s * (b * c + w * a), 1.0 - s * (a * a + b * b)
    return (
        k0 * m0 + k1 * m3 + k2 * m6,
        k0 * m1 + k1 * m4 + k2 * m7,
        k0 * m2 + k1 * m5 + k2 * m8,
        k3 * m0 + k4 * m3 + k5 * m6,
        k3 * m1 + k4 * m4 + k5 * m7,
        k3 * m2 + k4 * m5 + k5 * m8,
        k6 * m0 + k7 * m3 + k8 * m6,
        k6 * m1 + k7 * m4 + k8 * m7,
        k6 * m2 + k7 * m5 + k8 * m8,
        constants[i, POSITION] + k0 * x + k1 * y + k2 * z,
        constants[i, POSITION + 1] + k3 * x + k4 * y + k5 * z,
        constants[i, POSITION + 2] + k6 * x + k7 * y + k8 * z,
    )


@njit(inline="always", fastmath=FAST, error_model="numpy")
def pose_of(i, topology, constants, q, states, lanes, like):
    """(R row by row, P) of any body i."""
    if topology[i, KIND] == FLOATING:
        return place_floating(i, topology, constants, q, lanes, like)
    return place(i, topology, constants, states, lanes, like)


@njit(inline="always")
def store_pose(work, at, lanes, pose):
    """Write (R, P) into 12 neighbouring quantities."""
    store3(work, at, lanes, pose[0], pose[1], pose[2])
    store3(work, at + 3 * lanes, lanes, pose[3], pose[4], pose[5])
    store3(work, at + 6 * lanes, lanes, pose[6], pose[7], pose[8])
    store3(work, at + 9 * lanes, lanes, pose[9], pose[10], pose[11])


@njit(inline="always")
def load_pose(work, at, lanes, like):
    """Read (R, P) from 12 neighbouring quantities."""
    r0, r1, r2 = load3(work, at, lanes, like)
    r3, r4, r5 = load3(work, at + 3 * lanes, lanes, like)
    r6, r7, r8 = load3(work, at + 6 * lanes, lanes, like)
    px, py, pz = load3(work, at + 9 * lanes, lanes, like)
    return r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz
