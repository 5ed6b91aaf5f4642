"""Positions q of a robot as points of its configuration space: steps, differences, random points, limits.

Each function is a method of :class:`.SubsystemGraph`, of the same name. Arrays may have rows: (..., nq).
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra import motion_after, motion_between, quaternion_after, quaternion_between
from ..exceptions import StateError
from ..text.numbers import LARGEST
from .number_arrays import number_array
from .structure import Structure, state_array
from .subsystem import Joint, JointType

Array = NDArray[np.float64]
#: Largest random angle [rad] and length [m] of joints without limits, to either side.
HALF_TURN, METRE = np.pi, 1.0


class PositionLimits(NamedTuple):
    """Lower and upper limits of q, (nq,) each [rad or m]; infinite where there are none."""

    lower: Array
    upper: Array


@np.errstate(over="ignore", invalid="ignore")  # overflow is reported when the result is checked
def integrate(graph: Structure, q: ArrayLike, v: ArrayLike, dt: ArrayLike = 1.0) -> Array:
    """Return positions after moving with constant velocities v for a time dt [s]: q + v dt on the manifold.

    Of a floating joint v is a twist (linear, angular) in the child's axes, and the motion a screw, q exp(v
    dt), as in Pinocchio; of a spherical joint a rotation about an axis fixed in the child. Quaternions of the
    result have unit length. Limits are ignored.

    Args:
        q: positions (nq,) or (count, nq). v: velocities (nv,) or (count, nv). One or both with rows.
        dt: one number, or (count,).

    Returns:
        Positions (nq,) or (count, nq).

    Raises:
        StateError: a wrong shape, a number that is not finite, also of the result, or a zero quaternion.
    """
    start, rates = state_array(graph, "q", q), state_array(graph, "v", v)
    time = number_array("dt", dt)
    try:
        step = rates * time[..., None] if time.ndim else rates * time
        shape = np.broadcast_shapes(start.shape[:-1], step.shape[:-1])
    except (TypeError, ValueError) as error:
        raise StateError(f"q {start.shape}, v {rates.shape} and dt do not belong together: {error}") from None
    if not np.isfinite(time).all():
        raise StateError(f"dt is {dt!r}; finite numbers of seconds are needed")
    result = np.broadcast_to(start, (*shape, graph.nq)).copy()
    step = np.broadcast_to(step, (*shape, graph.nv))
    layout = graph.coordinate_layout
    result[..., layout.q] += step[..., layout.v]
    for kind, at_q, at_v in layout.with_quaternion:
        old, move = result[..., at_q].copy(), step[..., at_v]
        if kind is JointType.FLOATING:
            position, turned = motion_after(old[..., :3], old[..., 3:], move[..., :3], move[..., 3:])
            result[..., at_q] = np.concatenate([position, turned], axis=-1)
        else:
            result[..., at_q] = quaternion_after(old, move)
    return _checked_finite(graph, result, "q, v and dt")


@np.errstate(over="ignore", invalid="ignore")
def difference(graph: Structure, q0: ArrayLike, q1: ArrayLike, shortest: bool = False) -> Array:
    """Return velocities (nv,) or (count, nv) from q0 to q1 in one second: integrate(q0, d) = q1.

    Of floating and spherical joints by a rotation of at most half a turn; quaternions r and -r are the same.

    Args:
        q0, q1: positions (nq,) or (count, nq); one of them, or both, with rows.
        shortest: of `continuous` joints the difference modulo whole turns, from -pi to pi: integrated, it
            gives the same pose, but perhaps another number of turns. Not for joints that gears or mimic
            joints follow: the position of these depends on the number of turns.

    Raises:
        StateError: a wrong shape, a number that is not finite, also of the result, or a zero quaternion.
    """
    first, second = state_array(graph, "q0", q0), state_array(graph, "q1", q1)
    try:
        first, second = np.broadcast_arrays(first, second)
    except ValueError:
        raise StateError(f"q0 has shape {first.shape}, q1 {second.shape}; as many rows are needed") from None
    result = np.empty((*first.shape[:-1], graph.nv))
    layout = graph.coordinate_layout
    result[..., layout.v] = second[..., layout.q] - first[..., layout.q]
    if shortest:
        turns = np.round(result[..., layout.continuous] / (2.0 * np.pi))
        result[..., layout.continuous] -= 2.0 * np.pi * turns
    for kind, at_q, at_v in layout.with_quaternion:
        a, b = first[..., at_q], second[..., at_q]
        if kind is JointType.FLOATING:
            parts = motion_between(a[..., :3], a[..., 3:], b[..., :3], b[..., 3:])
            result[..., at_v] = np.concatenate(parts, axis=-1)
        else:
            result[..., at_v] = quaternion_between(a, b)
    return _checked_finite(graph, result, "q0 and q1")


def _checked_finite(graph: Structure, result: Array, inputs: str) -> Array:
    """Return the result. Raises StateError: it is not finite, though the ``inputs`` are."""
    if not np.isfinite(result).all():
        raise StateError(f"{inputs} of '{graph.name}' are finite, but so large that the result is not")
    return result


def joint_limits(joint: Joint) -> tuple[float, float]:
    """Return lower and upper limit [rad or m], infinite where there are none or where they leave no range.

    Limits beyond 1e9 count as none, each by itself: files have 1e16 or the largest float for "unlimited",
    with which nothing can be computed.
    """
    lower, upper = joint.limits.lower, joint.limits.upper
    if lower is None or upper is None or not lower < upper:
        return -np.inf, np.inf
    return (lower if lower >= -LARGEST else -np.inf), (upper if upper <= LARGEST else np.inf)


def usual_range(joint: Joint) -> tuple[float, float]:
    """Return the limits [rad or m], finite. A missing one is a turn or two metres from the other.

    Without both: half a turn or a metre to either side of zero.
    """
    lower, upper = joint_limits(joint)
    if np.isfinite([lower, upper]).all():
        return lower, upper
    reach = METRE if joint.type is JointType.PRISMATIC else HALF_TURN
    return (max(lower, min(-reach, upper - 2.0 * reach)), min(upper, max(reach, lower + 2.0 * reach)))


def position_limits(graph: Structure) -> PositionLimits:
    """Return lower and upper limits of q (nq,) [rad or m]; infinite if missing or for several coordinates.

    Limits that leave no range (both zero in many files) count as none. Those of mimic joints do not appear.
    """
    lower, upper = np.full(graph.nq, -np.inf), np.full(graph.nq, np.inf)
    for name in graph.joint_names:
        if graph.joint(name).type.nq == 1:
            lower[graph.q_slice(name)], upper[graph.q_slice(name)] = joint_limits(graph.joint(name))
    lower.flags.writeable = upper.flags.writeable = False
    return PositionLimits(lower, upper)


def velocity_limits(graph: Structure) -> Array:
    """Return largest |v| (nv,) [rad/s or m/s]; infinite where the file gives none, or zero."""
    return _limits_of(graph, "velocity")


def effort_limits(graph: Structure) -> Array:
    """Return largest |tau| (nv,) [N m or N]; infinite where the file gives none, or zero."""
    return _limits_of(graph, "effort")


def _limits_of(graph: Structure, what: str) -> Array:
    """Return the limits (nv,) of this name, a field of `Limits`; infinite where a joint has none, or zero."""
    limits = np.full(graph.nv, np.inf)
    for name in graph.joint_names:
        value = getattr(graph.joint(name).limits, what)
        if graph.joint(name).type.nv == 1 and value is not None and value > 0.0:
            limits[graph.v_slice(name)] = value
    limits.flags.writeable = False
    return limits


def random_configuration(graph: Structure, rng: "np.random.Generator", count: int | None = None) -> Array:
    """Return random positions within the limits (nq,), or (count, nq): uniform, orientations included.

    Joints without limits are drawn from half a turn to either side, or a metre; floating joints from a cube
    of two metres. Loops are not closed: see ``close_loops``.

    Raises:
        StateError: rng is no numpy.random.Generator, or a wrong count.
    """
    if not isinstance(rng, np.random.Generator):
        raise StateError(f"rng is {rng!r}; a numpy.random.Generator, as default_rng(0), is needed")
    if count is not None and (not isinstance(count, int | np.integer) or count < 0):
        raise StateError(f"count is {count!r}; a whole number, or None for one configuration, is needed")
    rows = 1 if count is None else int(count)
    result = np.empty((rows, graph.nq))
    for name in graph.joint_names:
        joint, part = graph.joint(name), graph.q_slice(name)
        if joint.type.nq == 1:
            result[:, part] = rng.uniform(*usual_range(joint), (rows, 1))
        else:
            turn = rng.standard_normal((rows, 4))
            turn /= np.linalg.norm(turn, axis=1, keepdims=True)
            result[:, part.stop - 4 : part.stop] = turn
            result[:, part.start : part.stop - 4] = rng.uniform(-METRE, METRE, (rows, joint.type.nq - 4))
    return result[0] if count is None else result


# Vectors in a graph's order from values by joint name, and back. Methods of :class:`.SubsystemGraph`.


def _size_and_slices(graph: Structure, kind: str) -> tuple[int, Callable[[str], slice]]:
    """Return length of a vector of this kind, and the function that gives a joint's slice of it."""
    if kind not in ("q", "v"):
        raise StateError(f"kind is {kind!r}; 'q', or 'v' for velocities and torques, is needed")
    return (graph.nq, graph.q_slice) if kind == "q" else (graph.nv, graph.v_slice)


def pack(
    graph: Structure, values: Mapping[str, ArrayLike], kind: str = "q", others: ArrayLike | None = None
) -> Array:
    """Return the vector of values by joint name: {"elbow": 0.3, ...} -> (nq,) or (nv,), or rows of it.

    Args:
        values: a number for each joint, or (count,); of joints with several coordinates (7,), or (count, 7).
        kind: "q" for positions; "v" for velocities, accelerations and torques.
        others: a vector with the values of all joints that are not named, as ``graph.neutral()``. Without it
            every joint of ``graph.joint_names`` must be named.

    Raises:
        StateError: an unknown or a missing joint, a wrong shape, or values that are no finite numbers.
    """
    if not isinstance(values, Mapping):
        raise StateError(f"values is {values!r}; a mapping of joint names to numbers is needed")
    size, slice_of = _size_and_slices(graph, kind)
    if unknown := [name for name in values if name not in graph.joint_names]:
        raise StateError(
            f"'{graph.name}' has no joint '{unknown[0]}' with a coordinate of its own; "
            f"its joints: {', '.join(graph.joint_names)}"
        )
    missing = [name for name in graph.joint_names if name not in values]
    if missing and others is None:
        raise StateError(
            f"values lack {', '.join(missing)} of '{graph.name}'; others=graph.neutral() sets these to zero"
        )
    widths = {name: len(range(size)[slice_of(name)]) for name in values}
    parts = {name: _checked_part(name, value, widths[name]) for name, value in values.items()}
    base = np.zeros(size) if others is None else _checked_others(others, size)
    try:
        rows = np.broadcast_shapes(base.shape[:-1], *(part.shape[:-1] for part in parts.values()))
    except ValueError as error:
        raise StateError(f"values of '{graph.name}' do not have as many rows each: {error}") from None
    vector = np.broadcast_to(base, (*rows, size)).copy()
    for name, part in parts.items():
        vector[..., slice_of(name)] = part
    return vector


def _checked_others(others: ArrayLike, size: int) -> Array:
    """Return the values of joints that are not named, as finite numbers (..., size). Raises StateError."""
    base = number_array("others", others)
    if base.shape[-1:] != (size,):
        raise StateError(f"others has shape {base.shape}; ({size},), or rows of that, is needed")
    if not np.isfinite(base).all():
        raise StateError("others has numbers that are not finite")
    return base


def _checked_part(name: str, value: ArrayLike, width: int) -> Array:
    """Return one joint's value as finite numbers (..., width). Raises StateError."""
    part = number_array(f"value of joint '{name}'", value)
    part = part[..., None] if width == 1 else part
    if part.shape[-1:] != (width,) or not np.isfinite(part).all():
        raise StateError(
            f"value of joint '{name}' is {value!r}; finite numbers ({width},) or rows are needed"
        )
    return part


def unpack(graph: Structure, vector: ArrayLike, kind: str = "q") -> dict[str, Array]:
    """Return values by joint name of a vector (nq,) or (nv,), or of rows: the inverse of :func:`pack`.

    Numbers for joints with one coordinate, arrays for others and for rows; all are copies.

    Args:
        kind: "q" for positions; "v" for velocities, accelerations and torques.

    Raises:
        StateError: a wrong shape or kind.
    """
    size, slice_of = _size_and_slices(graph, kind)
    array = number_array("the vector", vector)
    if array.shape[-1:] != (size,):
        raise StateError(f"the vector has shape {array.shape}; '{graph.name}' needs ({size},) or rows of it")
    parts = {name: array[..., slice_of(name)] for name in graph.joint_names}
    return {name: part[..., 0].copy() if part.shape[-1] == 1 else part.copy() for name, part in parts.items()}
