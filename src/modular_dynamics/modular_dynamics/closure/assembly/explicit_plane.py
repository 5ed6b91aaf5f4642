"""Recognises loops that move in a plane, as chains of rotations and translations in it."""

from dataclasses import dataclass

import numpy as np

from ...algebra import DualQuaternion, to_rotation_translation
from ...dynamics.arrays.arguments import Array
from ...dynamics.arrays.model_arrays import perpendicular_axes
from ...model import Anchor, JointType, LoopJoint, SubsystemGraph
from ..constraints.paths import to_ground

__all__ = ["PlanarLoop", "planar_loop"]

#: Largest deviation from the plane [1 or m]: rounding.
PLANARITY_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class PlanarLoop:
    """A loop cut open, seen from its predecessor: T_1 .. T_m S = P (kernels/loops/planar/steps.py).

    Attributes:
        drivers: of each joint of the chain, the one whose coordinate moves it: itself, or what it mimics.
        prismatic (m,): which joints are.
        chain (m, 4): scale and offset of the coordinate, then the centre of rotation [m], or the direction.
        ends (4,): P and S [m], all joints at zero.
    """

    name: str
    drivers: tuple[str, ...]
    prismatic: tuple[bool, ...]
    chain: Array
    ends: Array


def planar_loop(graph: SubsystemGraph, loop: LoopJoint) -> PlanarLoop | None:
    """The chain of a loop in which two points must meet in a plane; None for any other loop.

    All joints between must rotate about the plane's normal or translate in the plane. The cut must allow it:
    it is revolute or planar about the normal, or spherical.
    """
    if loop.type not in {"revolute", "spherical", "planar"}:
        return None
    (R_P, P), (R_S, S) = (_anchor(graph, anchor) for anchor in loop.anchors)
    path = _path(graph, *(graph.link_pose(end.link)[0] for end in loop.anchors))
    joints = [(graph.joints[k].type is JointType.PRISMATIC, *_axis_and_origin(graph, k)) for k, _ in path]
    axis = R_P @ loop.axis
    rotation_axes = [direction for prismatic, direction, _ in joints if not prismatic]
    normal = rotation_axes[0] if rotation_axes and loop.type == "spherical" else axis
    other = R_S @ loop.axis
    opposite = loop.type == "revolute" and float(axis @ other) < 0.0  # in the plane they stay so
    if loop.type != "spherical" and (
        opposite or not (_is_normal(axis, normal) and _is_normal(other, normal))
    ):
        return None
    if loop.type != "planar" and not abs(float((S - P) @ normal)) < PLANARITY_TOLERANCE:
        return None
    if any(graph.joints[k].type.nv > 1 for k, _ in path):
        return None
    for prismatic, direction, _ in joints:
        in_plane = abs(float(direction @ normal)) < PLANARITY_TOLERANCE
        if not (in_plane if prismatic else _is_normal(direction, normal)):
            return None
    plane = np.array(perpendicular_axes(normal))
    chain = np.zeros((len(path), 4))
    for row, (k, sense), (prismatic, direction, origin) in zip(chain, path, joints, strict=True):
        mimic = graph.joints[k].mimic
        row[:2] = (1.0, 0.0) if mimic is None else (mimic.multiplier, mimic.offset)
        row[:2] *= sense if prismatic else sense * np.sign(direction @ normal)
        row[2:] = plane @ (direction if prismatic else origin - P)
    return PlanarLoop(
        loop.name,
        tuple(graph.driver(graph.joints[k]) for k, _ in path),
        tuple(prismatic for prismatic, _, _ in joints),
        chain,
        np.concatenate([np.zeros(2), plane @ (S - P)]),
    )


def _is_normal(axis: Array, normal: Array) -> bool:
    """Whether an axis is parallel to the plane's normal."""
    return float(np.linalg.norm(np.cross(axis, normal))) < PLANARITY_TOLERANCE


def _path(graph: SubsystemGraph, before: int | None, after: int | None) -> list[tuple[int, float]]:
    """Joints from one body inward to the common body, then outward to the other; with their sense."""
    inward, outward = to_ground(graph, before), to_ground(graph, after)
    first = [(k, -1.0) for k in inward if k not in outward]
    return first + [(k, 1.0) for k in reversed(outward) if k not in inward]


def _pose(graph: SubsystemGraph, body: int | None) -> DualQuaternion:
    """x_root_body with all joints at zero."""
    x = graph.link_pose(graph.links[0])[1]
    for k in reversed(to_ground(graph, body)):
        x = x * graph.joints[k].x_parent_joint
    return x


def _axis_and_origin(graph: SubsystemGraph, k: int) -> tuple[Array, Array]:
    """Axis and origin of a joint in the root link's frame, all joints at zero."""
    rotation, origin = to_rotation_translation(_pose(graph, k))
    return rotation @ graph.joints[k].axis, origin


def _anchor(graph: SubsystemGraph, anchor: Anchor) -> tuple[Array, Array]:
    body, x_body_link = graph.link_pose(anchor.link)
    return to_rotation_translation(_pose(graph, body) * x_body_link * anchor.x_link_anchor)
