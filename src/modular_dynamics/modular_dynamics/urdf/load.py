"""URDF text or file -> SubsystemGraph."""

import warnings as python_warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra import DualQuaternion
from ..exceptions import ModelWarning, StateError, UrdfError
from ..model import SubsystemGraph
from .assembly import assemble
from .checks.robot import check_inertias, check_references, check_tree, resolve_mimics, suspicious_joints
from .checks.tags import checked_annotations, with_partition
from .description import Annotations, JointDescription, LinkDescription, RobotDescription
from .elements import read_robot
from .joint_types import with_joint_tags, with_planar_joints
from .partition import partition as make_groups
from .source import parse_xml, read_text
from .tags import read_partition, read_tags

__all__ = ["gravity_vector", "load_urdf"]

#: Name of the joint that ``floating_base`` adds, as in Pinocchio.
ROOT_JOINT = "root_joint"


def load_urdf(
    source: str | Path,
    partition: str | Path | Mapping[str, Any] | None = None,
    *,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    floating_base: bool = False,
    strict: bool = False,
) -> SubsystemGraph:
    """The graph of subsystems of a robot.

    Args:
        source: URDF text, or the path of a file.
        partition: YAML file (or its content) with the same content as the tags; where it has a section,
            it wins over the tags. Without tags or file, every unbranched chain is a subsystem.
        gravity: gravitational acceleration in the root link's frame [m/s^2].
        floating_base: let the root link float: q gains x y z and a quaternion w x y z, v and tau six numbers.
        strict: raise an error instead of a :class:`ModelWarning`.

    Raises:
        UrdfError, PartitionError: the description is invalid; the message names the element and its line.
    """
    text = read_text(source)
    root = parse_xml(text)
    robot = read_robot(root)
    check_tree(robot)
    inertia_warnings = check_inertias(robot)
    robot, mimic_warnings = resolve_mimics(robot)
    robot = with_planar_joints(robot)
    annotations = _annotations(read_tags(root), read_partition(partition))
    loop_links = {end.link for loop in annotations.loop_joints for end in (loop.predecessor, loop.successor)}
    warnings = [*inertia_warnings, *mimic_warnings, *suspicious_joints(robot, loop_links)]
    if floating_base:
        robot = _floating(robot, annotations)
    for warning in warnings:
        if strict:
            raise UrdfError(f"strict: {warning}")
        python_warnings.warn(warning, ModelWarning, stacklevel=2)
    groups, notes = make_groups(robot, annotations.subsystems)
    check_references(robot, annotations)
    return replace(
        assemble(with_joint_tags(robot, annotations), groups, gravity_vector(gravity)),
        loop_joints=annotations.loop_joints,
        passive_joints=annotations.passive,
        gears=annotations.gears,
        springs=annotations.springs,
        urdf=text,
        floating_base=floating_base,
        warnings=tuple(warnings),
        notes=tuple(notes),
    )


def gravity_vector(gravity: ArrayLike) -> np.ndarray:
    """A gravitational acceleration as an array that cannot be written to. Raises StateError."""
    try:
        vector = np.array(gravity, dtype=float)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise StateError(f"gravity is {gravity!r}; three finite numbers [m/s^2] are needed")
    vector.flags.writeable = False
    return vector


def _annotations(tags: dict[str, Any] | None, file: dict[str, Any] | None) -> Annotations:
    """Those of the tags and of the partition file; where both have a section, the file wins."""
    from_tags = Annotations() if tags is None else checked_annotations(tags)
    return with_partition(from_tags, file)


def _floating(robot: RobotDescription, annotations: Annotations) -> RobotDescription:
    present = [
        joint.name
        for joint in robot.below[robot.root]
        if joint.type == "floating" and joint.name not in annotations.spherical
    ]
    if present:
        raise UrdfError(f"floating_base is set, but joint '{present[0]}' is floating already")
    taken = {"universe", ROOT_JOINT} & {*robot.links, *robot.joints}
    if taken:
        used = ", ".join(sorted(taken))
        raise UrdfError(f"floating_base adds link 'universe' and joint '{ROOT_JOINT}'; already used: {used}")
    joint = JointDescription(ROOT_JOINT, "floating", "universe", robot.root, DualQuaternion.identity)
    return replace(
        robot,
        links={"universe": LinkDescription("universe"), **robot.links},
        joints={ROOT_JOINT: joint, **robot.joints},
    )
