"""Joints that the model describes differently from URDF: planar ones, and those that our tags change."""

from dataclasses import replace

import numpy as np

from ..algebra import DualQuaternion, Quaternion, rotation_about, rotation_matrix
from ..exceptions import PartitionError, UrdfError
from .description import Annotations, JointDescription, LinkDescription, RobotDescription

__all__ = ["with_joint_tags", "with_planar_joints"]


def with_planar_joints(robot: RobotDescription) -> RobotDescription:
    """Each planar joint NAME as prismatic joints NAME_x and NAME_y and a continuous one, NAME_theta.

    Between them are links without mass, NAME_x_link and NAME_y_link. NAME_theta turns about the planar
    joint's axis n; NAME_x and NAME_y move along the joint frame's x and y, turned by the shortest rotation
    that takes its z to n. Each of the three gets the damping and friction of the planar joint.

    Raises:
        UrdfError: one of these names is taken.
    """
    links, joints = dict(robot.links), dict[str, JointDescription]()
    for joint in robot.joints.values():
        if joint.type != "planar":
            joints[joint.name] = joint
            continue
        name, line = joint.name, joint.line
        new_links = [f"{name}_x_link", f"{name}_y_link"]
        new_joints = [f"{name}_x", f"{name}_y", f"{name}_theta"]
        taken = [n for n in new_links if n in links] + [
            n for n in new_joints if n in robot.joints or n in joints
        ]
        if taken:
            raise UrdfError(
                f"planar joint '{name}' becomes the joints {', '.join(new_joints)} and the links "
                f"{', '.join(new_links)}; already used: {', '.join(taken)}",
                line,
            )
        links.update({link: LinkDescription(link, line=line) for link in new_links})
        turn = rotation_matrix(_from_z(joint.axis))
        ends = [joint.parent, *new_links, joint.child]
        kinds = ("prismatic", turn[:, 0]), ("prismatic", turn[:, 1]), ("continuous", joint.axis)
        for k, (kind, axis) in enumerate(kinds):
            placed = joint.x_parent_joint if k == 0 else DualQuaternion.identity
            joints[new_joints[k]] = replace(
                joint,
                name=new_joints[k],
                type=kind,
                parent=ends[k],
                child=ends[k + 1],
                x_parent_joint=placed,
                axis=axis,
            )
    return replace(robot, links=links, joints=joints)


def _from_z(axis: np.ndarray) -> Quaternion:
    """The shortest rotation that takes z to a unit vector; half a turn about x for -z."""
    normal = np.array([-axis[1], axis[0], 0.0])
    sine = float(np.linalg.norm(normal))
    if sine < 1e-12:
        return Quaternion(1.0) if axis[2] > 0.0 else Quaternion(0.0, 1.0, 0.0, 0.0)
    return rotation_about(normal / sine, float(np.arctan2(sine, axis[2])))


def with_joint_tags(robot: RobotDescription, annotations: Annotations) -> RobotDescription:
    """The joints with what <spherical> and <joint_dynamics> say of them.

    Raises:
        PartitionError: a spherical joint that the URDF does not describe as floating; a joint that does not
            move; a spring at a joint with several coordinates.
    """
    joints = dict(robot.joints)
    for name in annotations.spherical:
        joint = joints[name]
        if joint.type != "floating":
            raise PartitionError(
                f"spherical joint '{name}' is {joint.type} in the URDF; type=\"floating\" is needed, so that "
                "other programs read a joint that can turn as this one does",
                annotations.lines.get(("spherical", name)),
            )
        joints[name] = replace(joint, type="spherical")
    for dynamics in annotations.joint_dynamics:
        joint, line = joints[dynamics.joint], annotations.lines.get(("joint_dynamics", dynamics.joint))
        if not joint.moves:
            raise PartitionError(f"joint_dynamics of joint '{joint.name}': it is fixed", line)
        if dynamics.stiffness != 0.0 and joint.type in ("floating", "spherical"):
            raise PartitionError(
                f"joint_dynamics of joint '{joint.name}': it is {joint.type}; springs are supported at "
                "joints with one coordinate",
                line,
            )
        joints[joint.name] = replace(
            joint,
            armature=dynamics.armature,
            stiffness=dynamics.stiffness,
            rest_position=dynamics.rest_position,
        )
    return replace(robot, joints=joints)
