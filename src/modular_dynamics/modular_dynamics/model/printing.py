"""The tree of subsystems as text, with joints and connection points."""

from collections.abc import Sequence

from .subsystem import Joint, JointType, Subsystem


def tree_lines(subsystems: Sequence[Subsystem]) -> list[str]:
    """Return one line for each subsystem and joint, indented by the tree of subsystems."""
    lines: list[str] = []

    def add_successors(predecessor: int | None, indent: str) -> None:
        successors = [k for k, one in enumerate(subsystems) if one.predecessor == predecessor]
        for k in successors:
            subsystem, point = subsystems[k], subsystems[k].connection
            owner = next((one.name for one in subsystems if point.body in one.indices), "the ground")
            content = count_of_joints(subsystem) + (", black box" if subsystem.black_box else "")
            branch, inner = ("└─ ", "   ") if k == successors[-1] else ("├─ ", "│  ")
            lines.append(f"{indent}{branch}{subsystem.name} ({content}) at link {point.link} of {owner}")
            rail = "│  " if any(one.predecessor == k for one in subsystems) else "   "
            lines.extend(f"{indent}{inner}{rail}{_joint(joint)}" for joint in subsystem.joints)
            add_successors(k, indent + inner)

    add_successors(None, "")
    return lines


def count_of_joints(subsystem: Subsystem) -> str:
    """Return the number of a subsystem's joints, in words."""
    count = len(subsystem.joints)
    return f"{count} joint" if count == 1 else f"{count} joints"


def _joint(joint: Joint) -> str:
    axis = "" if joint.type.nv > 1 else f" about [{', '.join(f'{a:.4g}' for a in joint.axis)}]"
    axis = axis.replace("about", "along") if joint.type is JointType.PRISMATIC else axis
    mimic = f", mimics {joint.mimic.joint}" if joint.mimic else ""
    return f"{joint.name}: {joint.type.value}{axis}, {joint.parent_link} → {joint.child_link}{mimic}"
