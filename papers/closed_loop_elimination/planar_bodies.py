"""Bodies in planes of parallel joint axes, with frames chosen for few operations.

Bodies whose joints have parallel axes, one after the other, belong to one plane: all rotate about its normal.
The normal is the z axis of each body's frame, so that one angle, the sum of the joint angles up to the body,
is its orientation in the plane. The frame's origin lies on the joint axis, shifted along it so that its
position in the parent has few components; its x axis points along a vector that occurs often (Denavit &
Hartenberg do the same along a chain).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics.dynamics.arguments import Array
from modular_dynamics.exceptions import UnsupportedModelError
from modular_dynamics.model import Anchor, Body, Joint, JointType, SubsystemGraph

#: One end of a loop or spring: its body (None: the ground), and its position in that body's frame [m].
End = tuple[int | None, Array]
#: Rounding errors of an exact zero are smaller [m or 1].
_ROUNDING = 1e-12


class MotionPlane(NamedTuple):
    """A plane of parallel axes: the body that carries it (None: the ground), and its axes in that frame."""

    carrier: int | None
    axes: Array


@dataclass
class PlanarBody:
    """A body in its own frame.

    Attributes:
        sign: of the joint's rotation about z; 0 for a prismatic joint. plane: index of its plane.
        offset: angle of the frame's x axis [rad] where all coordinates are zero.
        position: of its origin in the parent's frame [m]; for a prismatic joint at coordinate zero.
        axis: of a prismatic joint, in the parent's frame; None: revolute.
        mass, moment, second: mass [kg], mass times centre of mass [kg m], second moments of mass
            (tr(I)/2 - I) [kg m^2] about the origin.
    """

    name: str
    parent: int | None
    sign: float
    plane: int
    offset: float
    position: Array
    axis: Array | None
    mass: float
    moment: Array
    second: Array


def planar_model_of(graph: SubsystemGraph) -> PlanarModel:
    """Return the bodies, planes and ends of a graph.

    Raises:
        UnsupportedModelError: floating, spherical or mimic joints; armatures or springs at joints; a
            prismatic joint whose parent joint is not revolute or not perpendicular to it.
    """
    for joint in graph.joints:
        if joint.type.nv > 1 or joint.mimic is not None:
            raise UnsupportedModelError(
                f"symbolic methods support joints with one coordinate of their own; '{joint.name}' is "
                f"{joint.type.value if joint.mimic is None else 'a mimic joint'}"
            )
        if joint.armature != 0.0 or joint.stiffness != 0.0:
            raise UnsupportedModelError(
                f"symbolic methods do not support armatures and springs at joints; '{joint.name}' has one"
            )
    return PlanarModel(graph, PlanarModel(graph, np.zeros(len(graph.joints))).best_offsets())


class PlanarModel:
    """Bodies of all joints, with given angles of their frames' x axes, and what is fixed in these.

    Attributes:
        bodies: of all joints. planes: of the bodies.
        loop_ends, spring_ends: both ends of each loop joint and of each spring.
    """

    def __init__(self, graph: SubsystemGraph, offsets: Array) -> None:
        self._graph, self._alignments = graph, [_alignment(joint) for joint in graph.joints]
        self.bodies: list[PlanarBody] = []
        self.planes: list[MotionPlane] = []
        # of each frame in the body's, turned so that its joint's axis is z
        self._rotations: list[Array] = []
        self._shifts: list[Array] = []
        for k, offset in enumerate(offsets.tolist()):
            self._add(k, offset)
        self.loop_ends = [[*map(self._end, loop.anchors)] for loop in graph.loop_joints]
        self.spring_ends = [[*map(self._end, spring.anchors)] for spring in graph.springs]

    def same_plane_parent(self, k: int) -> int | None:
        """Return body k's parent if it is in the same plane; None if the plane's carrier is the parent."""
        parent = self.bodies[k].parent
        return parent if parent is not None and self.bodies[parent].plane == self.bodies[k].plane else None

    def _end(self, anchor: Anchor) -> End:
        """Return one end of a loop joint or spring."""
        body, x_body_link = self._graph.link_pose(anchor.link)
        _, position = to_rotation_translation(x_body_link * anchor.x_link_anchor)
        if body is None:
            return None, position
        aligned = self._alignments[body].T @ position
        return body, _clean(self._rotations[body].T @ (aligned - self._shifts[body]))

    def _add(self, k: int, offset: float) -> None:
        """Add the body of joint k; ``offset`` counts where that is revolute."""
        joint, parent, own_axes = self._graph.joints[k], self._graph.parents[k], self._alignments[k]
        before = None if parent is None else self.bodies[parent]
        rotation, shift = np.eye(3), np.zeros(3)
        if parent is not None:
            rotation, shift = self._rotations[parent], self._shifts[parent]
        turned = np.eye(3) if parent is None else self._alignments[parent]
        placed, origin = to_rotation_translation(joint.x_parent_joint)
        position = rotation.T @ (turned.T @ origin - shift)
        rotation = rotation.T @ turned.T @ placed @ own_axes
        direction, along = _clean(rotation[:, 2]), 0.0
        if joint.type is not JointType.PRISMATIC:
            axis, (plane, sign, base) = None, self._plane(parent, direction)
            along = _fewest_components(position, direction)
            turn = offset - (before.offset if before is not None and before.plane == plane else 0.0)
            own = rotation.T @ base @ _about_z(turn)
        elif before is None or before.axis is not None:
            fault = f"the parent of prismatic joint '{joint.name}' is not a revolute joint"
            raise UnsupportedModelError(fault)
        elif abs(direction[2]) > _ROUNDING:
            fault = f"prismatic joint '{joint.name}' is not perpendicular to the axis of its parent joint"
            raise UnsupportedModelError(fault)
        else:
            axis, plane, sign, offset, own = direction, before.plane, 0.0, before.offset, rotation.T
        position = _clean(position + along * rotation[:, 2])
        self._rotations.append(own)
        self._shifts.append(np.array([0.0, 0.0, along]))
        inertia = _moved_inertia(self._graph.bodies[k], own_axes, own, self._shifts[-1])
        self.bodies.append(PlanarBody(joint.name, parent, sign, plane, offset, position, axis, *inertia))

    def _plane(self, parent: int | None, axis: Array) -> tuple[int, float, Array]:
        """Return the plane's index, the joint's sign in it, and the plane's axes in the parent's frame."""
        if parent is not None and abs(axis[2]) > 1.0 - _ROUNDING:
            return self.bodies[parent].plane, float(np.sign(axis[2])), np.eye(3)
        for index, plane in enumerate(self.planes):
            along = float(plane.axes[:, 2] @ axis)
            if plane.carrier == parent and abs(along) > 1.0 - _ROUNDING:
                return index, float(np.sign(along)), plane.axes
        normal = np.array([-axis[1], axis[0], 0.0])
        length = np.linalg.norm(normal)
        x = normal / length if length > _ROUNDING else np.array([1.0, 0.0, 0.0])
        axes = _clean(np.column_stack([x, np.cross(axis, x), axis]))
        self.planes.append(MotionPlane(parent, axes))
        return len(self.planes) - 1, 1.0, axes

    def best_offsets(self) -> Array:
        """Return each x axis angle: that of most vectors fixed in the frame, up to multiples of 90 deg."""
        offsets = np.zeros(len(self.bodies))
        for k, body in enumerate(self.bodies):
            children = [child for child in self.bodies if child.parent == k]
            fixed = [child.position for child in children]
            fixed += [child.axis for child in children if child.axis is not None]
            # an oblique plane costs most operations: all of its inertia would have to be rotated
            fixed += 4 * [plane.axes[:, 2] for plane in self.planes if plane.carrier == k]
            ends = [end for pair in (*self.loop_ends, *self.spring_ends) for end in pair]
            fixed += [position for owner, position in ends if owner == k]
            inclined = [v for v in fixed if np.hypot(v[0], v[1]) > _ROUNDING]
            angles = [float(np.arctan2(v[1], v[0])) % (np.pi / 2) for v in inclined]
            angles = [0.0 if min(a, np.pi / 2 - a) < _ROUNDING else a for a in angles]
            if angles and body.axis is None:
                offsets[k] = max([0.0, *angles], key=lambda a: sum(abs(a - b) < _ROUNDING for b in angles))
        return offsets


def _fewest_components(position: Array, axis: Array) -> float:
    """Return the shift along a joint's axis that leaves the fewest components of its position."""
    shifts = [0.0, *(-float(p / a) for p, a in zip(position, axis, strict=True) if abs(a) > 0.1)]
    return min(shifts, key=lambda s: (np.count_nonzero(abs(position + s * axis) > _ROUNDING), abs(s)))


def _alignment(joint: Joint) -> Array:
    """Return the rotation body <- frame whose z axis is the joint's axis."""
    axis = joint.axis
    # the coordinate axis least along it gives the best-conditioned one; along x, y, z results are exact
    first = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = first - axis * (axis @ first)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])


def _moved_inertia(body: Body, aligned: Array, rotation: Array, shift: Array) -> tuple[float, Array, Array]:
    """Return mass, first and second moments of a body about a shifted origin, in rotated axes.

    Args:
        aligned: rotation body <- frame in which `shift` is, and `rotation` begins.
    """
    mass, c = body.mass, aligned.T @ body.com
    inertia = aligned.T @ body.inertia @ aligned
    h, J = mass * c, 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(c, c)
    J = J - np.outer(h, shift) - np.outer(shift, h) + mass * np.outer(shift, shift)
    return mass, _clean(rotation.T @ (h - mass * shift)), _clean(rotation.T @ J @ rotation)


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _clean(array: Array) -> Array:
    """Return an array without rounding errors of exact zeros and ones."""
    result = np.where(abs(array) < _ROUNDING, 0.0, array)
    return np.where(abs(abs(result) - 1.0) < _ROUNDING, np.sign(result), result)
