"""The tree of subsystems as text, with joints and connection points."""

from collections.abc import Sequence

from .subsystem import Joint, JointType, Subsystem

__all__ = ["count_of_joints", "tree_lines"]


def tree_lines(subsystems: Sequence[Subsystem]) -> list[str]:
    """One line for each subsystem and joint, indented by the tree of subsystems."""
    lines: list[str] = []

    def visit(index: int, indent: str, last: bool) -> None:
        subsystem, point = subsystems[index], subsystems[index].connection
        owner = next((one.name for one in subsystems if point.body in one.indices), "the ground")
        content = count_of_joints(subsystem) + (", black box" if subsystem.black_box else "")
        branch = "└─ " if last else "├─ "
        lines.append(f"{indent}{branch}{subsystem.name} ({content}) at link {point.link} of {owner}")
        inner = indent + ("   " if last else "│  ")
        successors = [k for k, other in enumerate(subsystems) if other.predecessor == index]
        rail = "│  " if successors else "   "
        lines.extend(f"{inner}{rail}{_joint(joint)}" for joint in subsystem.joints)
        for position, k in enumerate(successors):
            visit(k, inner, position == len(successors) - 1)

    roots = [k for k, subsystem in enumerate(subsystems) if subsystem.predecessor is None]
    for position, k in enumerate(roots):
        visit(k, "", position == len(roots) - 1)
    return lines


def count_of_joints(subsystem: Subsystem) -> str:
    """How many joints it has, in words."""
    count = len(subsystem.joints)
    return f"{count} joint" if count == 1 else f"{count} joints"


def _joint(joint: Joint) -> str:
    axis = "" if joint.type is JointType.FLOATING else f" about [{', '.join(f'{a:.4g}' for a in joint.axis)}]"
    axis = axis.replace("about", "along") if joint.type is JointType.PRISMATIC else axis
    mimic = f", mimics {joint.mimic.joint}" if joint.mimic else ""
    return f"{joint.name}: {joint.type.value}{axis}, {joint.parent_link} → {joint.child_link}{mimic}"
