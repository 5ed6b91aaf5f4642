"""Which robots a stream of joint states can describe: the nodes refuse others, and `check` says so.

A message sensor_msgs/JointState has one position for each joint.
"""

from collections.abc import Collection

from .graph import SubsystemGraph

__all__ = ["joint_state_obstacle", "root_floating_joints", "without_torques"]

_MOST_NAMES = 4


def root_floating_joints(graph: SubsystemGraph) -> list[str]:
    """Return names of the floating joints on the ground that are not passive."""
    return [
        joint.name
        for joint, parent in zip(graph.joints, graph.parents, strict=True)
        if joint.type.value == "floating" and parent is None and joint.name not in graph.passive_joints
    ]


def joint_state_obstacle(graph: SubsystemGraph, known: Collection[str] = ()) -> str:
    """Return why joint states do not describe a robot: joints with several coordinates; empty if they do.

    Args:
        known: joints whose state comes from elsewhere, as that of a floating base from odometry.
    """
    passive = {*known, *graph.passive_joints}
    several = [joint for joint in graph.joints if joint.type.nv > 1 and joint.name not in passive]
    if not several:
        return ""
    names = [f"'{joint.name}'" for joint in several]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    of_base = several[0].name in root_floating_joints(graph)
    hint = "; floating_base:=true takes it from odometry" if of_base else ""
    return (
        f"{several[0].type.value} joint {', '.join(names[:_MOST_NAMES])}{more}: joint_states cannot "
        f"carry its state{hint}; a joint that is not passive needs exactly one coordinate"
    )


def without_torques(graph: SubsystemGraph, known: Collection[str] = ()) -> str:
    """Return why no joint's torque can be computed; empty if some can. ``known``: see above."""
    inside = {joint.name for one in graph.subsystems if one.black_box for joint in one.joints}
    if any(name not in inside and name not in known for name in graph.independent_joint_names):
        return ""
    if graph.joints and len(inside) < len(graph.joints):
        return (
            f"all joints of '{graph.name}' are passive, geared or in black boxes: no torque can be computed; "
            "the joints with motors must not be <passive>"
        )
    return f"'{graph.name}' has no moving joint outside black boxes: no torque can be computed"
