"""SE(3) and its algebra as matrices: eqs. 1-17 of Meister & Gutenkunst, with converters to dual quaternions.

Poses are homogeneous matrices H_a_b (4, 4), which take coordinates of b to a. Twists are ordered (v, omega),
wrenches (f, m); lengths in metres, angles in radians. Where a shape begins with "...", any leading dimensions
are allowed. All functions check their arguments and raise StateError, which says what is wrong.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modular_dynamics import algebra
from modular_dynamics.algebra import (
    DualQuaternion,
    from_rotation_translation,
    matrix_forms,
    to_rotation_translation,
)
from modular_dynamics.exceptions import StateError
from modular_dynamics.model.number_arrays import number_array

__all__ = [
    "hat",
    "homogeneous",
    "inverse",
    "vee",
    "exp",
    "log",
    "Ad",
    "ad",
    "bracket",
    "dual_Ad",
    "dual_ad",
    "prismatic_twist",
    "revolute_twist",
    "screw_twist",
    "matrix_to_pose",
    "pose_to_matrix",
    "twist_to_vector",
    "vector_to_twist",
    "vector_to_wrench",
    "wrench_to_vector",
]

Array = NDArray[np.float64]
#: Allowed deviation of R R^T from 1, of skew matrices from skew symmetry: numbers of files have ten digits.
TOLERANCE = 1e-9


def numbers(value: ArrayLike, name: str, *shapes: tuple[int, ...]) -> Array:
    """The array of finite numbers whose last dimensions are one of ``shapes``."""
    array = number_array(name, value)
    if not any(array.shape[max(array.ndim - len(shape), 0) :] == shape for shape in shapes):
        needed = " or ".join("(..., " + ", ".join(map(str, shape)) + ")" for shape in shapes)
        raise StateError(f"{name} has shape {array.shape}; {needed.replace('(..., )', '()')} is needed")
    if not np.isfinite(array).all():
        raise StateError(f"{name} is not finite: {array.tolist()}")
    return array


def finite(result: Array, what: str) -> Array:
    """``result``, computed from finite arguments: refused where they were too large for it."""
    if not np.isfinite(result).all():
        raise StateError(f"{what}: the arguments are finite, but so large that the result is not")
    return result


def rotation_matrix(value: ArrayLike, name: str) -> Array:
    """Rotation matrices (..., 3, 3): R R^T = 1, det R = 1."""
    R = numbers(value, name, (3, 3))
    with np.errstate(over="ignore", invalid="ignore"):
        errors = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if not errors <= TOLERANCE:
        raise StateError(f"{name} is no rotation matrix: R R^T differs from 1 by {errors:.2g}")
    if (np.linalg.det(R) < 0.0).any():
        raise StateError(f"{name} is no rotation matrix: its determinant is -1, a reflection")
    return R


def pose_matrix(value: ArrayLike, name: str) -> Array:
    """Homogeneous matrices (..., 4, 4): a rotation matrix, a position, and the last row 0 0 0 1."""
    H = numbers(value, name, (4, 4))
    last = H[..., 3, :]
    if (np.abs(last - np.array([0.0, 0.0, 0.0, 1.0])) > TOLERANCE).any():
        raise StateError(f"{name} is no homogeneous matrix: its last row is {last.tolist()}, not 0 0 0 1")
    rotation_matrix(H[..., :3, :3], f"the upper left block of {name}")
    return H


def direction(value: ArrayLike, name: str) -> Array:
    """Unit vectors (..., 3) along ``value``."""
    axis = numbers(value, name, (3,))
    largest = np.abs(axis).max(axis=-1, keepdims=True)
    if (largest == 0.0).any():
        raise StateError(f"{name} is zero; an axis with a direction is needed")
    scaled = axis / largest  # the squares of tiny or huge numbers would be 0 or infinite
    unit: Array = scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
    return unit


def homogeneous(R: ArrayLike, p: ArrayLike) -> Array:
    """H = [R p; 0 1] (eq. 1).

    Args:
        R: rotation matrices (..., 3, 3).
        p: positions (..., 3) [m].

    Returns:
        Homogeneous matrices (..., 4, 4).

    Raises:
        StateError: a wrong shape, a number that is not finite, no rotation matrix.
    """
    rotation, position = rotation_matrix(R, "R"), numbers(p, "p", (3,))
    try:
        return matrix_forms.homogeneous(rotation, position)
    except ValueError:
        raise StateError(
            f"R has shape {rotation.shape} and p {position.shape}; (..., 3, 3) and (..., 3) with leading "
            "dimensions that fit each other are needed"
        ) from None


def inverse(H: ArrayLike) -> Array:
    """H^-1 = [R^T -R^T p; 0 1] (..., 4, 4) of homogeneous matrices.

    Raises:
        StateError: not homogeneous matrices (..., 4, 4) with a rotation matrix and the last row 0 0 0 1.
    """
    return matrix_forms.inverse(pose_matrix(H, "H"))


def hat(a: ArrayLike) -> Array:
    """The element of so(3) of omega (..., 3), or of se(3) of a twist (v, omega) (..., 6) (eqs. 2, 3).

    Returns:
        skew(omega) (..., 3, 3), or [skew(omega) v; 0 0] (..., 4, 4).

    Raises:
        StateError: a wrong shape, or a number that is not finite.
    """
    vector = numbers(a, "a", (3,), (6,))
    return matrix_forms.skew(vector) if vector.shape[-1] == 3 else matrix_forms.twist_matrix(vector)


def vee(A: ArrayLike) -> Array:
    """The inverse of :func:`hat`: omega (..., 3) of elements of so(3), (v, omega) (..., 6) of se(3).

    Raises:
        StateError: a wrong shape, a number that is not finite, or a matrix that is not in the algebra to 1e-9
            of its largest entry: the block of omega is skew-symmetric, the last row of se(3) is zero.
    """
    matrix = numbers(A, "A", (3, 3), (4, 4))
    rotation = matrix[..., :3, :3]
    error = np.abs(rotation + np.swapaxes(rotation, -1, -2)).max(initial=0.0)
    if error > TOLERANCE * np.abs(matrix).max(initial=0.0):
        raise StateError(f"A is no element of so(3) or se(3): A + A^T of its rotation is {error:.2g}, not 0")
    antisymmetric = 0.5 * (rotation - np.swapaxes(rotation, -1, -2))
    if matrix.shape[-1] == 3:
        return matrix_forms.unskew(antisymmetric)
    if np.abs(matrix[..., 3, :]).max(initial=0.0) > TOLERANCE * np.abs(matrix).max(initial=0.0):
        raise StateError(f"A is no element of se(3): its last row is {matrix[..., 3, :].tolist()}, not 0")
    return np.concatenate([matrix[..., :3, 3], matrix_forms.unskew(antisymmetric)], axis=-1)


#: Below this angle [rad] a series replaces a quotient that loses digits.
_SMALL = 0.1


def exp(xi: ArrayLike, q: ArrayLike = 1.0) -> Array:
    """e^(hat(xi) q): rotations about axes, screw motions of any pitch, translations.

    Of omega (..., 3), with W = hat(omega q) and the angle phi = |omega q|:
    R = 1 + W sin(phi) / phi + W^2 (1 - cos(phi)) / phi^2. For |omega| = 1 that is Rodrigues' formula
    1 + hat(omega) sin(q) + hat(omega)^2 (1 - cos(q)); eq. 8 prints a "+" between hat(omega) and sin(q).
    Of a twist (v, omega) (..., 6) it is the pose [R p; 0 1] after the motion, with
    p = (1 + W (1 - cos(phi)) / phi^2 + W^2 (phi - sin(phi)) / phi^3) v q (Murray, Li & Sastry, 2.3).

    Args:
        xi: omega or twist per unit of q.
        q: the joint's coordinate [rad or m]; numbers (...).

    Returns:
        Rotation matrices (..., 3, 3), or homogeneous matrices (..., 4, 4).

    Raises:
        StateError: a wrong shape, a number that is not finite, or a motion too large for finite numbers.
    """
    unit, coordinate = numbers(xi, "xi", (3,), (6,)), numbers(q, "q", ())
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            a = unit * coordinate[..., None]
        except ValueError:
            raise StateError(
                f"q has shape {coordinate.shape} and xi {unit.shape}; leading dimensions that fit each other "
                "are needed"
            ) from None
        rotation, shift = _rodrigues(a[..., -3:])
        if a.shape[-1] == 3:
            return finite(rotation, "exp")
        return finite(matrix_forms.homogeneous(rotation, (shift @ a[..., :3, None])[..., 0]), "exp")


def _rodrigues(turn: Array) -> tuple[Array, Array]:
    """The rotation R, and its mean over the motion, by which linear velocities are multiplied."""
    phi = np.linalg.norm(turn, axis=-1)[..., None, None]
    W = matrix_forms.skew(turn)
    square, is_small = phi * phi, phi < _SMALL
    large = np.where(is_small, 1.0, phi)
    sine, cosine = np.sinc(phi / np.pi), 0.5 * np.sinc(0.5 * phi / np.pi) ** 2
    series = (1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0))) / 6.0
    slope = np.where(is_small, series, (large - np.sin(large)) / large**3)
    W2 = W @ W
    return np.eye(3) + sine * W + cosine * W2, np.eye(3) + cosine * W + slope * W2


def log(H: ArrayLike) -> Array:
    """The inverse of :func:`exp` with q = 1, |omega| <= pi; accurate at both ends, by way of the quaternion.

    At |omega| = pi, omega and -omega give the same rotation: one of the two is returned.

    Args:
        H: rotation matrices (..., 3, 3) or homogeneous matrices (..., 4, 4).

    Returns:
        omega (..., 3) [rad], or twists (v, omega) (..., 6).

    Raises:
        StateError: a wrong shape, a number that is not finite, no rotation matrix, or a last row not 0 0 0 1.
    """
    matrix = numbers(H, "H", (3, 3), (4, 4))
    if matrix.shape[-1] == 3:
        return _log(matrix_forms.homogeneous(rotation_matrix(matrix, "H"), np.zeros(3)))[..., 3:]
    return finite(_log(pose_matrix(matrix, "H")), "log")


def _log(H: Array) -> Array:
    result = np.empty((*H.shape[:-2], 6))
    for index in np.ndindex(H.shape[:-2]):
        R, p = H[index][:3, :3], H[index][:3, 3]
        half = algebra.log(algebra.from_rotation_translation(R, p))
        result[index] = 2.0 * np.concatenate([half.dual.vector, half.primary.vector])
    return result


def Ad(H_b_a: ArrayLike) -> Array:
    """Ad(H) = [R skew(p) R; 0 R] (..., 6, 6) (eq. 13): twists (v, omega) from frame a to frame b.

    hat(Ad(H) xi) = H hat(xi) H^-1.

    Raises:
        StateError: not homogeneous matrices (..., 4, 4) with a rotation matrix and the last row 0 0 0 1.
    """
    return matrix_forms.adjoint_matrix(pose_matrix(H_b_a, "H_b_a"))


def ad(xi: ArrayLike) -> Array:
    """ad(xi) = [skew(omega) skew(v); 0 skew(omega)] (..., 6, 6) (eqs. 14, 15): ad(x) y = [x, y].

    Raises:
        StateError: not twists (..., 6), or a number that is not finite.
    """
    return matrix_forms.ad(numbers(xi, "xi", (6,)))


def bracket(a: ArrayLike, b: ArrayLike) -> Array:
    """[a, b] of twists (..., 6), or a x b of angular velocities (..., 3).

    hat([a, b]) = hat(a) hat(b) - hat(b) hat(a).

    Raises:
        StateError: different or wrong shapes, or a number that is not finite.
    """
    first = numbers(a, "a", (3,), (6,))
    second = numbers(b, "b", first.shape[-1:])
    matrix = matrix_forms.skew(first) if first.shape[-1] == 3 else matrix_forms.ad(first)
    try:
        product: Array = (matrix @ second[..., None])[..., 0]
    except ValueError:
        raise StateError(
            f"a has shape {first.shape} and b {second.shape}; leading dimensions that fit each other are "
            "needed"
        ) from None
    return product


def dual_Ad(H_b_a: ArrayLike) -> Array:
    """Ad(H_b_a)^T (..., 6, 6) (eq. 17): wrenches (f, m) from frame b to frame a, F_a = Ad(g_ba)^T F_b.

    The power of a wrench and a twist is the same in both frames: (Ad^T F_b) . xi_a = F_b . (Ad xi_a).

    Raises:
        StateError: not homogeneous matrices (..., 4, 4) with a rotation matrix and the last row 0 0 0 1.
    """
    return np.swapaxes(Ad(H_b_a), -1, -2)


def dual_ad(xi: ArrayLike) -> Array:
    """ad(xi)^T (..., 6, 6), by which wrenches and momenta change with a moving frame.

    In Newton-Euler: F = M Vdot - dual_ad(V) M V (eq. 27, one body).

    Raises:
        StateError: not twists (..., 6), or a number that is not finite.
    """
    return np.swapaxes(ad(xi), -1, -2)


def revolute_twist(axis: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """s = (-omega x p, omega) (..., 6): rotation about an axis through a point (eq. 10).

    Args:
        axis: direction omega (..., 3) of the axis, of any length above zero.
        point: any point p (..., 3) [m] on it; with the frame's origin s is that of eq. 11.

    Raises:
        StateError: a wrong shape, a number that is not finite, or an axis of zeros.
    """
    return screw_twist(axis, point, 0.0)


def prismatic_twist(axis: ArrayLike) -> Array:
    """s = (v, 0) (..., 6): translation along the direction v = ``axis`` (..., 3) (eq. 12).

    Raises:
        StateError: a wrong shape, a number that is not finite, or an axis of zeros.
    """
    v = direction(axis, "axis")
    return np.concatenate([v, np.zeros_like(v)], axis=-1)


def screw_twist(axis: ArrayLike, point: ArrayLike, pitch: ArrayLike) -> Array:
    """s = (-omega x p + h omega, omega) (..., 6): rotation with translation along the axis.

    The general motion of a joint with one coordinate (Chasles' theorem).

    Args:
        axis, point: as of :func:`revolute_twist`.
        pitch: h [m/rad]; numbers (...).

    Raises:
        StateError: a wrong shape, a number that is not finite, or an axis of zeros.
    """
    omega, p, h = direction(axis, "axis"), numbers(point, "point", (3,)), numbers(pitch, "pitch", ())
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            v = np.cross(p, omega) + h[..., None] * omega
    except ValueError:
        raise StateError(
            f"axis has shape {omega.shape}, point {p.shape} and pitch {h.shape}; leading dimensions that fit "
            "each other are needed"
        ) from None
    return finite(np.concatenate([v, np.broadcast_to(omega, v.shape)], axis=-1), "the twist")


def pose_to_matrix(x_b_a: DualQuaternion) -> Array:
    """H_b_a (4, 4) of a pose, a unit dual quaternion.

    Raises:
        StateError: not a dual quaternion, not finite, or not unit to 1e-9.
    """
    _components(x_b_a, "x_b_a")
    if not x_b_a.is_unit(TOLERANCE):
        raise StateError(f"x_b_a is no pose: {x_b_a} is not a unit dual quaternion")
    return matrix_forms.homogeneous(*to_rotation_translation(x_b_a))


def matrix_to_pose(H_b_a: ArrayLike) -> DualQuaternion:
    """The unit dual quaternion x_b_a of a homogeneous matrix (4, 4), its real part not negative.

    Raises:
        StateError: not one homogeneous matrix with a rotation matrix and the last row 0 0 0 1.
    """
    H = pose_matrix(_single(H_b_a, "H_b_a", 2), "H_b_a")
    return from_rotation_translation(H[:3, :3], H[:3, 3])


def twist_to_vector(xi: DualQuaternion) -> Array:
    """(v, omega) (6,) of a twist omega + eps v, in the same frame and at the same point.

    Raises:
        StateError: not a dual quaternion, not finite, or not pure to 1e-9.
    """
    return np.roll(_pure(xi, "xi"), 3)


def vector_to_twist(V: ArrayLike) -> DualQuaternion:
    """The twist omega + eps v of (v, omega) (6,).

    Raises:
        StateError: a wrong shape, or a number that is not finite.
    """
    vector = numbers(_single(V, "V", 1), "V", (6,))
    return DualQuaternion.pure(vector[3:], vector[:3])


def wrench_to_vector(zeta: DualQuaternion) -> Array:
    """(f, m) (6,) of a wrench f + eps m, in the same frame and about the same point.

    Raises:
        StateError: not a dual quaternion, not finite, or not pure to 1e-9.
    """
    return _pure(zeta, "zeta")


def vector_to_wrench(F: ArrayLike) -> DualQuaternion:
    """The wrench f + eps m of (f, m) (6,).

    Raises:
        StateError: a wrong shape, or a number that is not finite.
    """
    vector = numbers(_single(F, "F", 1), "F", (6,))
    return DualQuaternion.pure(vector[:3], vector[3:])


def _single(value: ArrayLike, name: str, dimensions: int) -> ArrayLike:
    if np.ndim(value) > dimensions:
        raise StateError(f"{name} has shape {np.shape(value)}; one without leading dimensions is needed")
    return value


def _components(h: DualQuaternion, name: str) -> Array:
    if not isinstance(h, DualQuaternion):
        raise StateError(f"{name} is {type(h).__name__}; a DualQuaternion is needed")
    return numbers(h.vec8(), name, (8,))


def _pure(h: DualQuaternion, name: str) -> Array:
    components = _components(h, name)
    # the real parts that rounding leaves grow with the other components
    if not h.is_pure(TOLERANCE * max(1.0, float(np.abs(components).max()))):
        raise StateError(f"{name} is no twist or wrench: {h} is not a pure dual quaternion")
    return h.vec6()
