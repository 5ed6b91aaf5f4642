"""A graph as arguments of the compiled core: _core.pyi, and include/modular_dynamics/model.hpp."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import (
    ARMATURE,
    AT_ROOT,
    CUT,
    FRICTION,
    GOOD,
    NO_INERTIA,
    OVERFLOW,
    OWN_AXES,
    SPATIAL,
    SPRINGS,
    UNKNOWN,
    WHOLE,
    Frames,
    Robot,
)
from ..algebra import DualQuaternion, rotation_matrix, to_rotation_translation, translation
from ..exceptions import StateError
from ..model import JointType, SubsystemGraph, black_box_loads, carrying_body, link_wrenches
from .arguments import Array

__all__ = [
    "ARMATURE",
    "AT_ROOT",
    "FRICTION",
    "GOOD",
    "NO_INERTIA",
    "OVERFLOW",
    "OWN_AXES",
    "SPATIAL",
    "SPRINGS",
    "Frames",
    "Robot",
    "core_frames",
    "core_robot",
    "integers",
    "loads_on_bodies",
    "passing_of",
    "robot_arrays",
]

#: Numbers of the core's enum class JointType.
_TYPES = {
    JointType.REVOLUTE: 0,
    JointType.CONTINUOUS: 0,
    JointType.PRISMATIC: 1,
    JointType.FLOATING: 2,
    JointType.SPHERICAL: 3,
}
_Z = (0.0, 0.0, 1.0)  # stands in for the axis of joints that have none


def core_robot(graph: SubsystemGraph, kernels: str | None = None) -> Robot:
    """Return the core's robot of a graph: the tree, with closed loops left open.

    Args:
        kernels: a name of ``_core.kernels``; None: the default ones.

    Raises:
        ValueError: there are no such kernels, or this processor cannot run them.
    """
    return Robot(**robot_arrays(graph), kernels=kernels)


def robot_arrays(graph: SubsystemGraph) -> dict[str, Any]:
    """Return the arguments of `_core.Robot`: of the tree, with closed loops left open."""
    joints, bodies = graph.joints, graph.bodies
    drivers = [graph.driver(joint) for joint in joints]
    mimics = [joint.mimic for joint in joints]
    return {
        "parent": integers(-1 if parent is None else parent for parent in graph.parents),
        "type": integers(_TYPES[joint.type] for joint in joints),
        "q": integers(graph.q_slice(name).start for name in drivers),
        "v": integers(graph.v_slice(name).start for name in drivers),
        "mimics": np.array([mimic is not None for mimic in mimics], bool),
        "axis": _numbers((_Z if joint.axis is None else joint.axis for joint in joints), 3),
        "R_parent_joint": _numbers((rotation_matrix(joint.x_parent_joint.primary) for joint in joints), 3, 3),
        "p_parent_joint": _numbers((translation(joint.x_parent_joint) for joint in joints), 3),
        "mass": _numbers(body.mass for body in bodies),
        "com": _numbers((body.com for body in bodies), 3),
        "inertia": _numbers((body.inertia for body in bodies), 3, 3),
        "multiplier": _numbers(1.0 if mimic is None else mimic.multiplier for mimic in mimics),
        "offset": _numbers(0.0 if mimic is None else mimic.offset for mimic in mimics),
        "armature": _numbers(joint.armature for joint in joints),
        "stiffness": _numbers(joint.stiffness for joint in joints),
        "rest_position": _numbers(joint.rest_position for joint in joints),
        "damping": _numbers(joint.damping for joint in joints),
        "friction": _numbers(joint.friction for joint in joints),
        "gravity": np.array(graph.gravity, np.float64),
        "size": np.array([graph.nq, graph.nv], np.int64),
    }


def core_frames(graph: SubsystemGraph, links: Sequence[str], robot: Robot | None = None) -> Frames:
    """Return the frames of links for the core; robot: by ``core_robot``, by default the graph's own.

    Raises:
        StateError: a link that the graph does not have.
    """
    try:
        carried = [graph.link_pose(link) for link in links]
    except KeyError as error:
        raise StateError(str(error.args[0])) from None
    poses = [to_rotation_translation(x_body_link) for _, x_body_link in carried]
    return Frames(
        graph.once(core_robot) if robot is None else robot,
        body=integers(-1 if body is None else body for body, _ in carried),
        R=_numbers((R for R, _ in poses), 3, 3),
        p=_numbers((p for _, p in poses), 3),
    )


def loads_on_bodies(
    graph: SubsystemGraph,
    external: Mapping[str, ArrayLike] | None,
    boxes: Mapping[str, DualQuaternion] | None = None,
) -> Array | None:
    """Return [force, moment] (n, 6) from outside on each joint's body, at its origin and in its axes.

    None, which the core takes for no loads, where nothing is given.

    Args:
        external: {link: [force N, moment N m]} on the link, at and in its frame. Those on the ground do not
            count.
        boxes: wrenches of black boxes, as f + eps m in their connection frames.

    Raises:
        StateError: an unknown link, or not six finite numbers.
    """
    if external is None and not boxes:
        return None
    loads = np.zeros((len(graph.joints), 6))
    for link, wrench in link_wrenches({} if external is None else external).items():
        body = carrying_body(graph, link)
        if body is not None:
            R, p = graph.once(_pose_in_body, link)
            force = R @ wrench[:3]
            loads[body, :3] += force
            loads[body, 3:] += R @ wrench[3:] + np.cross(p, force)
    for body, zeta in black_box_loads(graph, boxes or {}):
        loads[body] += zeta.vec6()
    return loads


def _pose_in_body(graph: SubsystemGraph, link: str) -> tuple[Array, Array]:
    """Return rotation and position of a link's frame in that of its body."""
    return to_rotation_translation(graph.link_pose(link)[1])


def passing_of(graph: SubsystemGraph, boxes: Iterable[str]) -> NDArray[np.int64]:
    """Return for each joint (n,) how its wrench is passed on, where these subsystems are black boxes.

    UNKNOWN inside a box. CUT of the joints that a box carries: they add nothing to it, because the wrench
    that is given for the box includes theirs. WHOLE of all others: passed on to the parent.
    """
    names, passing = {*boxes}, np.full(len(graph.joints), WHOLE, np.int64)
    for subsystem in graph.subsystems:
        predecessor = graph.predecessor(subsystem)
        is_carried_by_box = predecessor is not None and predecessor.name in names
        for k in subsystem.indices:
            if subsystem.name in names:
                passing[k] = UNKNOWN
            elif is_carried_by_box and graph.parents[k] not in subsystem.indices:
                passing[k] = CUT
    return passing


def integers(values: Iterable[object]) -> NDArray[np.int64]:
    """Return whole numbers, or nested lists of them, as an array of the core's type."""
    return np.array([*values], np.int64)


def _numbers(values: Iterable[ArrayLike], *row: int) -> Array:
    """Return a contiguous array (n, *row)."""
    return np.ascontiguousarray(np.array([*values], np.float64).reshape(-1, *row))
