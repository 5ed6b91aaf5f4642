"""Sums over all moving bodies: first moment, momentum and its rate, kinetic energy.

In the root link's axes, about its origin o. A body with mass m, first moment h = m c, inertia I about its
origin p, which moves with v and a, has with r = p - o

    l = m v + omega x h               dl/dt = m a + alpha x h + omega x (omega x h)
    k = I omega + h x v + r x l       dk/dt = I alpha + omega x I omega + h x a + r x dl/dt
    T = (v . l + omega . (I omega + h x v)) / 2
"""

from ..drivers import batch_float64, single
from ..layout import INERTIA, MASS, MOMENT, V
from ..math.vectors import (
    cross,
    crosses,
    dot,
    plus_cross,
    plus_scaled,
    symmetric_times,
    times,
    transposed_times,
)
from ..numba_support.compilation import inlined, kernel, spliced
from ..numba_support.memory import load, store
from ..numba_support.neighbours import add3, load3, row3, row6
from ..placement import load_pose
from .frame_motions import ACCELERATION, ALPHA, LINEAR, MOTION_COLUMNS, OMEGA, ground_at_rest, move_body

__all__ = ["SUMS", "whole_body", "whole_body_float64"]

# results: of all bodies
FIRST = 0  # 3: sum of m c
MOMENTUM = 3  # 6: linear, angular about the root's origin
RATE = 9  # 6: the derivative of that
KINETIC = 15  # 1
SUMS = 16


@inlined
def _add_body(i, constants, work, out, lanes, like):
    """Add what body i contributes to the sums."""
    at = i * MOTION_COLUMNS * lanes
    R, p = load_pose(work, at, lanes, like)
    omega = load3(work, at + OMEGA * lanes, lanes, like)
    linear = load3(work, at + LINEAR * lanes, lanes, like)
    alpha = load3(work, at + ALPHA * lanes, lanes, like)
    acceleration = load3(work, at + ACCELERATION * lanes, lanes, like)
    mass, h = constants[i, MASS], times(R, row3(constants, i, MOMENT))
    xx, yy, zz, xy, xz, yz = row6(constants, i, INERTIA)
    inertia = yy + zz, xx + zz, xx + yy, -xy, -xz, -yz
    own_omega, own_alpha = transposed_times(R, omega), transposed_times(R, alpha)
    spun = symmetric_times(inertia, own_omega)
    swing = cross(omega, h)
    momentum = plus_scaled(swing, mass, linear)
    about = plus_cross(times(R, spun), h, linear)
    force = plus_scaled(crosses(alpha, h, omega, swing), mass, acceleration)
    moment = plus_cross(symmetric_times(inertia, own_alpha), own_omega, spun)
    moment = plus_cross(times(R, moment), h, acceleration)
    add3(out, FIRST * lanes, lanes, like, plus_scaled(h, mass, p))
    add3(out, MOMENTUM * lanes, lanes, like, momentum)
    add3(out, (MOMENTUM + 3) * lanes, lanes, like, plus_cross(about, p, momentum))
    add3(out, RATE * lanes, lanes, like, force)
    add3(out, (RATE + 3) * lanes, lanes, like, plus_cross(moment, p, force))
    twice = dot(linear, momentum) + dot(omega, about)
    store(out, KINETIC * lanes, load(out, KINETIC * lanes, like) + 0.5 * twice)


@spliced
def recursion(topology, constants, q, v, vdot, states, work, out, lanes, like):
    """The 16 sums."""
    n = topology.shape[0] - 1
    for k in range(SUMS):
        store(out, k * lanes, like)
    ground_at_rest(n, work, lanes, like)
    for i in range(n):
        move_body(i, topology, constants, q, v, vdot, states, work, lanes, like)
        _add_body(i, constants, work, out, lanes, like)


@kernel()
def whole_body(topology, constants, work, q, v, vdot, out):
    """The 16 sums at q, v, vdot. Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does."""
    nv = topology[topology.shape[0] - 1, V]
    if v.shape[0] != nv or vdot.shape[0] != nv or out.shape[0] != SUMS:
        return 1
    return single(recursion, MOTION_COLUMNS, topology, constants, work, q, v, vdot, out)


@kernel(nogil=True)
def whole_body_float64(topology, constants, q, v, vdot, out, checked, zeros, queue):
    """Rows of q, v, vdot -> rows of 16 sums: see :func:`.drivers.batch_float64`."""
    batch_float64(recursion, MOTION_COLUMNS, topology, constants, q, v, vdot, out, checked, zeros, queue)
