"""URDF text or file -> SubsystemGraph."""

from __future__ import annotations

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
from .annotations import Annotations, check_references, read_annotations
from .assemble import assemble
from .checks import check_inertias, check_tree, resolve_mimics, warn_dubious
from .description import JointDescription, LinkDescription, RobotDescription
from .partition import partition as make_groups
from .reader import read_robot
from .source import parse_xml, read_text
from .tags import read_partition, read_tags

__all__ = ["load_urdf"]

#: Name of the joint that ``floating_base`` adds; Pinocchio names its own so.
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
        strict: refuse what is otherwise a :class:`ModelWarning`.

    Raises:
        UrdfError, PartitionError: the description is refused; the message names the element and its line.
    """
    text = read_text(source)
    root = parse_xml(text)
    robot = read_robot(root)
    check_tree(robot)
    check_inertias(robot)
    robot = resolve_mimics(robot)
    said = _merged(read_tags(root), None if partition is None else read_partition(partition))
    warn_dubious(robot, {end.link for loop in said.loop_joints for end in (loop.predecessor, loop.successor)})
    if floating_base:
        robot = _floating(robot)
    for warning in robot.warnings:
        if strict:
            raise UrdfError(f"strict: {warning}")
        python_warnings.warn(warning, ModelWarning, stacklevel=2)
    groups, notes = make_groups(robot, said.subsystems)
    check_references(robot, said)
    tree = assemble(robot, groups)
    return SubsystemGraph(
        name=robot.name,
        joints=tree.joints,
        bodies=tree.bodies,
        parents=tree.parents,
        subsystems=tree.subsystems,
        joint_names=tree.joint_names,
        gravity=_gravity(gravity),
        ground=tree.ground,
        loop_joints=said.loop_joints,
        passive_joints=said.passive,
        gears=said.gears,
        springs=said.springs,
        urdf=text,
        floating_base=floating_base,
        warnings=tuple(robot.warnings),
        notes=tuple(notes),
    )


def _gravity(gravity: ArrayLike) -> np.ndarray:
    try:
        vector = np.array(gravity, dtype=float)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise StateError(f"gravity is {gravity!r}; three finite numbers [m/s^2] are needed")
    vector.flags.writeable = False
    return vector


def _merged(tags: dict[str, Any] | None, file: dict[str, Any] | None) -> Annotations:
    """Sections of the file win over those of the tags."""
    from_tags = Annotations() if tags is None else read_annotations(tags)
    if file is None:
        return from_tags
    from_file = read_annotations(file)
    return replace(from_tags, **{key: getattr(from_file, key) for key in file if hasattr(from_file, key)})


def _floating(robot: RobotDescription) -> RobotDescription:
    present = [joint.name for joint in robot.joints.values() if joint.type == "floating"]
    if present:
        raise UrdfError(f"floating_base was asked for, but joint '{present[0]}' floats already")
    taken = {"universe", ROOT_JOINT} & {*robot.links, *robot.joints}
    if taken:
        raise UrdfError(
            f"floating_base adds link 'universe' and joint '{ROOT_JOINT}'; taken: {', '.join(taken)}"
        )
    joint = JointDescription(ROOT_JOINT, "floating", "universe", robot.root, DualQuaternion.identity)
    return replace(
        robot,
        links={"universe": LinkDescription("universe"), **robot.links},
        joints={ROOT_JOINT: joint, **robot.joints},
    )
