"""Which joints of a robot can be locked."""

import modular_dynamics as md
from modular_dynamics_ros.exceptions import NumbersError, UnknownError, listed

__all__ = ["require_joint", "require_leading"]


def require_joint(graph: md.SubsystemGraph, described: md.SubsystemGraph, name: str) -> None:
    """Raise UnknownError where the robot has no such joint; the text names those that can be locked.

    Args:
        described: the robot without changes.
    """
    if any(joint.name == name for joint in graph.joints):
        return
    if any(joint.name == name for joint in described.joints):
        why = "it is locked together with another joint, or its subsystem was detached"
        raise UnknownError(f"'{name}' does not move in '{graph.name}' as it is now: {why}")
    possible = [one for one in graph.independent_joint_names if _lockable(graph, graph.joint(one))]
    text = f"no joint '{name}' in '{graph.name}'"
    raise UnknownError(f"{text}; these can be locked: {listed(possible, 8) or 'none'}")


def _lockable(graph: md.SubsystemGraph, joint: md.Joint) -> bool:
    """Return whether a joint has one coordinate and is neither inside a black box nor on one."""
    boxes = [one for one in graph.subsystems if one.black_box]
    boxed = any(joint in box.joints or joint.parent_link in box.fixed_links for box in boxes)
    return joint.type.nv == 1 and not boxed


def require_leading(graph: md.SubsystemGraph, name: str) -> None:
    """Raise NumbersError for a joint whose position follows from others, by mimicry or gears."""
    mimic = graph.joint(name).mimic
    leaders = [] if mimic is None else [mimic.joint]
    leaders += [driver for gear in graph.gears if gear.joint == name for driver, _ in gear.drivers]
    if leaders:
        others = listed(leaders)
        raise NumbersError(
            f"the position of '{name}' follows from {others}: lock {others} alone, and it is locked, too"
        )
