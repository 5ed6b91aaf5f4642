"""Whether a graph that was read back is the one that was written, up to rounding."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion, to_rotation_translation
from ...model import Anchor, JointType, SubsystemGraph
from ...text.sizes import shown

__all__ = ["difference"]

#: Relative difference of numbers that is rounding.
_ROUNDING = 1e-9
#: Of what no size is known beforehand: a finger's inertia is 1e-7 kg m^2.
_MASS = "the mass or inertia"

#: What of a graph is compared: how messages name it, what has to be equal, numbers that have to be close.
_Fact = tuple[str, object, list[NDArray[np.float64]]]


def difference(graph: SubsystemGraph, read: SubsystemGraph) -> str:
    """What of a graph would be read as something else; empty where nothing is."""
    theirs = {what: (exact, values) for what, exact, values in _facts(read)}
    for what, exact, values in _facts(graph):
        if what not in theirs:
            return f"{what} would be lost"
        other, others = theirs.pop(what)
        if exact != other:
            return f"{what} would be read back as {shown(other)}, not {shown(exact)}"
        for one, its in zip(values, others, strict=True):
            size = np.abs(one).max(initial=0.0)
            if np.abs(one - its).max(initial=0.0) > _ROUNDING * (
                size if what.startswith(_MASS) else max(1.0, size)
            ):
                return f"{what} would be read back with the numbers {its.tolist()}, not {one.tolist()}"
    return f"{next(iter(theirs))} would be read back" if theirs else ""


def _facts(graph: SubsystemGraph) -> Iterator[_Fact]:
    yield "the name", graph.name, []
    yield "the order of q", graph.joint_names, []
    yield "gravity", None, [graph.gravity]
    yield "the passive joints", {*graph.passive_joints}, []
    for link in graph.links:
        body, x = graph.link_pose(link)
        yield f"link '{link}'", None if body is None else graph.bodies[body].name, _pose(x)
    for moved in (graph.ground, *graph.bodies):
        yield f"{_MASS} of body '{moved.name}'", None, [np.array([moved.mass]), moved.inertia]
        yield f"the centre of mass of body '{moved.name}'", None, [moved.com]
    for joint in graph.joints:
        free = joint.type is JointType.REVOLUTE and joint.limits.lower is joint.limits.upper is None
        kind = JointType.CONTINUOUS if free else joint.type
        ends = kind.value, joint.parent_link, joint.child_link, joint.limits, joint.mimic
        terms = joint.damping, joint.friction, joint.armature, joint.stiffness, joint.rest_position
        axis = [joint.axis] if joint.type.nv == 1 else []
        yield f"joint '{joint.name}'", (ends, terms), [*_pose(joint.x_parent_joint), *axis]
    for subsystem in graph.subsystems:
        names = {joint.name for joint in subsystem.joints}
        own = names, subsystem.black_box, {*subsystem.fixed_links}
        yield f"subsystem '{subsystem.name}'", own, _pose(subsystem.connection.x_body_connection)
    for loop in graph.loop_joints:
        numbers = [loop.axis, *_pose_of(*loop.anchors)]
        yield f"loop joint '{loop.name}'", (loop.type, *(end.link for end in loop.anchors)), numbers
    for gear in graph.gears:
        yield f"the gear of joint '{gear.joint}'", gear, []
    for spring in graph.springs:
        law = spring.stiffness, spring.free_length, spring.initial_force, spring.damping
        exact = law, *(anchor.link for anchor in spring.anchors)
        yield f"spring '{spring.name}'", exact, _pose_of(*spring.anchors)
    yield "the independent joints", graph.independent_joint_names, []


def _pose(x: DualQuaternion) -> list[NDArray[np.float64]]:
    return [*to_rotation_translation(x)]


def _pose_of(*anchors: Anchor) -> list[NDArray[np.float64]]:
    return [array for anchor in anchors for array in _pose(anchor.x_link_anchor)]
