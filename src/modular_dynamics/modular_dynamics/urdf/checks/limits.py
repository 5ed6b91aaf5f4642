"""Limits, damping and friction of joints: impossible ones are removed."""

from collections.abc import Iterator
from dataclasses import replace

from ...model import Finding
from ..description import JointDescription, RobotDescription

__all__ = ["immovable_joints", "possible_friction", "possible_limits", "zero_limits"]


def possible_limits(robot: RobotDescription) -> tuple[RobotDescription, list[Finding]]:
    """The robot without impossible limits, and a finding for each of them.

    Impossible are negative effort and velocity limits, and a lower limit above the upper one.
    """
    joints, findings = dict(robot.joints), list[Finding]()
    for joint in robot.joints.values():
        limits = joint.limits
        for name, article, value in _bounds(joint):
            if value is not None and value < 0.0:
                limits = replace(limits, **{name: None})
                text, assumed = (
                    f"joint '{joint.name}' has {article} {name} limit of {value:g}",
                    "; it is taken as none",
                )
                findings.append(Finding("negative limit", "joint", joint.name, text, joint.line, assumed))
        lower, upper = limits.lower, limits.upper
        if lower is not None and upper is not None and lower > upper:
            limits = replace(limits, lower=None, upper=None)
            text = f"joint '{joint.name}' has the lower limit {lower:g} above the upper limit {upper:g}"
            assumed = "; its position is unlimited"
            findings.append(Finding("reversed limits", "joint", joint.name, text, joint.line, assumed))
        joints[joint.name] = replace(joint, limits=limits)
    return replace(robot, joints=joints), findings


def possible_friction(robot: RobotDescription) -> tuple[RobotDescription, list[Finding]]:
    """Negative damping and friction, which would drive a joint, count as zero."""
    joints, findings = dict(robot.joints), list[Finding]()
    for joint in robot.joints.values():
        damping, friction = max(joint.damping, 0.0), max(joint.friction, 0.0)
        joints[joint.name] = replace(joint, damping=damping, friction=friction)
        for name, value in (("damping", joint.damping), ("friction", joint.friction)):
            if value < 0.0:
                text, assumed = f"joint '{joint.name}' has a {name} of {value:g}", "; it is taken as zero"
                findings.append(Finding("negative friction", "joint", joint.name, text, joint.line, assumed))
    return replace(robot, joints=joints), findings


def immovable_joints(robot: RobotDescription) -> Iterator[Finding]:
    """Joints whose position limits are both zero: URDF's default, so they were probably forgotten.

    They count as none, as all limits without a range. Of a joint that mimics another one, that one's count.
    """
    for joint in robot.joints.values():
        if joint.mimic is None and joint.limits.lower == joint.limits.upper == 0.0:
            text = (
                f"joint '{joint.name}', {joint.type}, has lower and upper limits of zero, as "
                "they also are where <limit> lacks them"
            )
            yield Finding(
                "position limits of zero",
                "joint",
                joint.name,
                text,
                joint.line,
                "; they count as none",
                asks=True,
            )


def zero_limits(robot: RobotDescription) -> Iterator[Finding]:
    """Effort and velocity limits of zero, which most vendors write for unknown limits; they are kept."""
    for joint in robot.joints.values():
        for name, article, value in _bounds(joint):
            if joint.moves and value == 0.0:
                text = f"joint '{joint.name}' has {article} {name} limit of zero"
                yield Finding(f"{name} limit of zero", "joint", joint.name, text, joint.line)


def _bounds(joint: JointDescription) -> tuple[tuple[str, str, float | None], ...]:
    return ("effort", "an", joint.limits.effort), ("velocity", "a", joint.limits.velocity)
