"""The group of rigid motions and its algebra: adjoint, by which twists and wrenches change frames, bracket,
exponential of pure and logarithm of unit dual quaternions.
"""

import math

from .dual_quaternion import DualQuaternion, Quaternion

__all__ = ["adjoint", "cross", "exp", "log"]

#: Below this angle [rad] series replace quotients that tend to 0/0.
_SMALL = 1e-4
#: Distance [rad] from the angle |u| = pi within which the rotation axis is only rounding errors.
_UNIQUE = 1e-9


def adjoint(x_b_a: DualQuaternion, a: DualQuaternion) -> DualQuaternion:
    """Return Ad(x) a = x a x* (Silva & Adorno, eq. 8): a pure dual quaternion from frame a to frame b.

    Args:
        x_b_a: unit dual quaternion that takes a's coordinates to b's.
        a: twist omega + eps v or wrench f + eps m, expressed in frame a.
    """
    return x_b_a * a * x_b_a.conjugate()


def cross(a: DualQuaternion, b: DualQuaternion) -> DualQuaternion:
    """Return a x b = (a b - b a) / 2 of two pure dual quaternions: the Lie bracket of twists."""
    return (a * b - b * a) * 0.5


def exp(a: DualQuaternion) -> DualQuaternion:
    """Return exp of a pure dual quaternion a = u + eps w, |u| = phi/2: the pose after the screw motion 2 a.

    With a = (omega + eps v) t / 2 it is the motion of a body with the constant twist omega + eps v during
    time t. The primary part is cos|u| + u sin|u|/|u|; the dual part is its derivative in direction w:
    -sinc|u| (u.w) + w sinc|u| + u (u.w) (cos|u| - sinc|u|)/|u|^2.
    """
    u, w = a.primary, a.dual
    angle = u.norm()
    along = u.dot(w)
    cosine = math.cos(angle)
    if angle < _SMALL:
        square = angle * angle
        sinc = 1.0 - square / 6.0 + square * square / 120.0
        slope = -1.0 / 3.0 + square / 30.0
    else:
        sinc = math.sin(angle) / angle
        slope = (cosine - sinc) / (angle * angle)
    return DualQuaternion(
        Quaternion(cosine) + u * sinc, Quaternion(-sinc * along) + w * sinc + u * (along * slope)
    )


def log(x: DualQuaternion) -> DualQuaternion:
    """Return the logarithm of a unit dual quaternion: the pure a = u + eps w with exp(a) = x, |u| <= pi.

    The primary part is r_v alpha / sin(alpha), alpha = phi / 2 and r_v the imaginary part of r; the dual part
    is its derivative in the direction of x's dual part. x and -x are the same pose and have different
    logarithms; the one of x itself is returned.

    Raises:
        ValueError: x = -1 (a rotation by 2 pi), whose logarithm is not unique.
    """
    r, d = x.primary, x.dual
    sine = math.sqrt(r.x**2 + r.y**2 + r.z**2)
    angle = math.atan2(sine, r.w)
    if angle < _SMALL:
        square = angle * angle
        scale = 1.0 + square / 6.0 + 7.0 * square * square / 360.0
        slope = 1.0 / 3.0 + 2.0 * square / 15.0
    elif math.pi - angle < _UNIQUE:
        raise ValueError("log is not unique at r = -1, a rotation by 2 pi: take the log of -x, the same pose")
    else:
        scale = angle / sine
        slope = (sine - angle * r.w) / sine**3
    u = Quaternion(0.0, r.x, r.y, r.z)
    w = Quaternion(0.0, d.x, d.y, d.z)
    return DualQuaternion(u * scale, w * scale - u * (d.w * slope))
