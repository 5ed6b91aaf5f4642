"""What a body needs for its motion: its wrench about its origin.

With Lambda = [alpha]x + [omega]x [omega]x, a point p of a body has the acceleration a + Lambda p: the same
matrix serves the body's first moment and the origins of its successors (Khalil & Kleinfinger 1987). Force
m a + Lambda (m c), moment vee(Lambda J - (Lambda J)^T) + m c x a, where J is the pseudo-inertia. Of Lambda's
diagonal the negatives are kept, which are sums of squares.
"""

from ...layout import INERTIA, MASS, MOMENT, PARENT
from ...math.vectors import plus, plus_scaled
from ...numba_support.compilation import inlined
from ...numba_support.neighbours import add3, load3, load9, row3, row6, store3
from .layout import ACCELERATION, ALPHA, FORCE, LAMBDA, OMEGA, TORQUE, motion_at, wrench_at

__all__ = ["add_to_parent", "at_joint", "store_motion", "store_reduced_wrench", "store_wrench"]


@inlined
def at_joint(p, i, topology, work, lanes, like):
    """The parent's angular velocity, angular acceleration, and acceleration of its point p, in its axes."""
    before = motion_at(topology[i, PARENT], topology, lanes)
    origin = load3(work, before + ACCELERATION * lanes, lanes, like)
    return (
        load3(work, before + OMEGA * lanes, lanes, like),
        load3(work, before + ALPHA * lanes, lanes, like),
        plus(origin, _times_point(load9(work, before + LAMBDA * lanes, lanes, like), p)),
    )


@inlined
def _times_point(matrix, p):
    """Lambda p"""
    d00, l01, l02, l10, d11, l12, l20, l21, d22 = matrix
    return (
        l01 * p[1] + l02 * p[2] - d00 * p[0],
        l10 * p[0] + l12 * p[2] - d11 * p[1],
        l20 * p[0] + l21 * p[1] - d22 * p[2],
    )


@inlined
def store_motion(i, omega, alpha, acceleration, topology, work, lanes):
    """Store the motion of body i. Returns Lambda, and the squares of the angular velocity's components."""
    ox, oy, oz = omega
    ex, ey, ez = alpha
    x2, y2, z2 = ox * ox, oy * oy, oz * oz
    matrix = (
        y2 + z2,
        ox * oy - ez,
        ox * oz + ey,
        ox * oy + ez,
        x2 + z2,
        oy * oz - ex,
        ox * oz - ey,
        oy * oz + ex,
        x2 + y2,
    )
    at = motion_at(i, topology, lanes)
    store3(work, at + OMEGA * lanes, lanes, omega)
    store3(work, at + ALPHA * lanes, lanes, alpha)
    store3(work, at + ACCELERATION * lanes, lanes, acceleration)
    store3(work, at + LAMBDA * lanes, lanes, matrix[:3])
    store3(work, at + (LAMBDA + 3) * lanes, lanes, matrix[3:6])
    store3(work, at + (LAMBDA + 6) * lanes, lanes, matrix[6:])
    return matrix, (x2, y2, z2)


@inlined
def store_wrench(i, motion, acceleration, constants, work, lanes):
    """Store the wrench of body i; ``motion`` is what :func:`store_motion` returns."""
    matrix, (x2, y2, z2) = motion
    _, l01, l02, l10, _, l12, l20, l21, _ = matrix
    ux, uy, uz = acceleration
    hx, hy, hz = row3(constants, i, MOMENT)
    xx, yy, zz, xy, xz, yz = row6(constants, i, INERTIA)
    force = plus_scaled(_times_point(matrix, (hx, hy, hz)), constants[i, MASS], acceleration)
    moment = (
        l20 * xy + l21 * yy + (z2 - y2) * yz - l10 * xz - l12 * zz + hy * uz - hz * uy,
        l01 * yz + l02 * zz + (x2 - z2) * xz - l20 * xx - l21 * xy + hz * ux - hx * uz,
        l10 * xx + l12 * xz + (y2 - x2) * xy - l01 * yy - l02 * yz + hx * uy - hy * ux,
    )
    store3(work, wrench_at(i, lanes) + FORCE * lanes, lanes, force)
    store3(work, wrench_at(i, lanes) + TORQUE * lanes, lanes, moment)


@inlined
def store_reduced_wrench(i, motion, acceleration, constants, work, lanes):
    """The same of a body whose mass, first moment along z and second moment zz are its parent's."""
    (d00, l01, l02, l10, d11, l12, l20, l21, _), (x2, y2, z2) = motion
    ux, uy, uz = acceleration
    hx, hy, _ = row3(constants, i, MOMENT)
    xx, yy, _, xy, xz, yz = row6(constants, i, INERTIA)
    force = l01 * hy - d00 * hx, l10 * hx - d11 * hy, l20 * hx + l21 * hy
    moment = (
        l20 * xy + l21 * yy + (z2 - y2) * yz - l10 * xz + hy * uz,
        l01 * yz + (x2 - z2) * xz - l20 * xx - l21 * xy - hx * uz,
        l10 * xx + l12 * xz + (y2 - x2) * xy - l01 * yy - l02 * yz + hx * uy - hy * ux,
    )
    store3(work, wrench_at(i, lanes) + FORCE * lanes, lanes, force)
    store3(work, wrench_at(i, lanes) + TORQUE * lanes, lanes, moment)


@inlined
def add_to_parent(i, force, moment, topology, work, lanes, like):
    """Add a wrench about the parent's origin, in the parent's axes, to the parent's."""
    before = wrench_at(topology[i, PARENT], lanes)
    add3(work, before + FORCE * lanes, lanes, like, force)
    add3(work, before + TORQUE * lanes, lanes, like, moment)
