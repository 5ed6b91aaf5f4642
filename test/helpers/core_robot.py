"""A graph's spanning tree as the robot of the compiled core (include/modular_dynamics/model.hpp)."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helpers.core_module import core_module
from modular_dynamics.algebra import rotation_matrix, to_rotation_translation, translation
from modular_dynamics.model import JointType, SubsystemGraph

__all__ = ["core_frames", "core_robot"]

#: Numbers of enum class JointType.
_TYPES = {
    JointType.REVOLUTE: 0,
    JointType.CONTINUOUS: 0,
    JointType.PRISMATIC: 1,
    JointType.FLOATING: 2,
    JointType.SPHERICAL: 3,
}
_Z = (0.0, 0.0, 1.0)  # of joints that have no axis


def core_robot(graph: SubsystemGraph, kernels: str | None = None) -> Any:
    """Return the robot that the compiled functions read: a tree, with closed loops left open.

    Args:
        kernels: "baseline", "x86-64-v2", "x86-64-v3" or "x86-64-v4": the functions compiled for that
            generation of processors; None: the newest that this processor can run.

    Raises:
        ValueError: this processor cannot run these kernels.
    """
    joints, bodies = graph.joints, graph.bodies
    drivers = [graph.driver(joint) for joint in joints]
    mimics = [joint.mimic for joint in joints]
    return core_module().Robot(
        parent=_integers(-1 if parent is None else parent for parent in graph.parents),
        type=_integers(_TYPES[joint.type] for joint in joints),
        q=_integers(graph.q_slice(name).start for name in drivers),
        v=_integers(graph.v_slice(name).start for name in drivers),
        mimics=np.array([mimic is not None for mimic in mimics], bool),
        axis=_numbers((_Z if joint.axis is None else joint.axis for joint in joints), 3),
        R_parent_joint=_numbers((rotation_matrix(joint.x_parent_joint.primary) for joint in joints), 3, 3),
        p_parent_joint=_numbers((translation(joint.x_parent_joint) for joint in joints), 3),
        mass=_numbers(body.mass for body in bodies),
        com=_numbers((body.com for body in bodies), 3),
        inertia=_numbers((body.inertia for body in bodies), 3, 3),
        multiplier=_numbers(1.0 if mimic is None else mimic.multiplier for mimic in mimics),
        offset=_numbers(0.0 if mimic is None else mimic.offset for mimic in mimics),
        armature=_numbers(joint.armature for joint in joints),
        stiffness=_numbers(joint.stiffness for joint in joints),
        rest_position=_numbers(joint.rest_position for joint in joints),
        damping=_numbers(joint.damping for joint in joints),
        friction=_numbers(joint.friction for joint in joints),
        gravity=np.array(graph.gravity, np.float64),
        size=np.array([graph.nq, graph.nv], np.int64),
        kernels=kernels,
    )


def core_frames(graph: SubsystemGraph, robot: Any, links: Sequence[str]) -> Any:
    """Return links of a graph as frames on the bodies of its robot.

    Raises:
        KeyError: a link that the graph does not have.
    """
    carried = [graph.link_pose(link) for link in links]
    poses = [to_rotation_translation(x_body_link) for _, x_body_link in carried]
    return core_module().Frames(
        robot,
        body=_integers(-1 if body is None else body for body, _ in carried),
        R=_numbers((rotation for rotation, _ in poses), 3, 3),
        p=_numbers((position for _, position in poses), 3),
    )


def _integers(values: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(values), np.int64)


def _numbers(values: Iterable[Any], *shape: int) -> NDArray[np.float64]:
    return np.array(list(values), np.float64).reshape(-1, *shape)
