"""What a URDF does not say of a graph, as our tags: docs/urdf_tags.md."""

from lxml import etree

from ...model import Anchor, JointType, Subsystem, SubsystemGraph
from ..conditions import EARTH
from .parts import axis, element, number, numbers, origin

__all__ = ["tags"]


def tags(graph: SubsystemGraph, added_root: str | None = None) -> etree._Element:
    """The element <modular_dynamics>.

    Args:
        added_root: the floating joint that readers add to the URDF; None: there is none.
    """
    wrapper = element("modular_dynamics", version="1")
    if added_root is not None:
        wrapper.set("floating_base", "true")
    if tuple(graph.gravity) != EARTH:
        wrapper.set("gravity", numbers(graph.gravity))
    for subsystem in graph.subsystems:
        if [joint.name for joint in subsystem.joints] == [added_root] and subsystem.name == added_root:
            continue  # as readers name it by themselves; so the text can also be read without a floating base
        wrapper.append(_subsystem(subsystem))
    _closing_elements(graph, wrapper)
    for joint in graph.joints:
        if joint.type is JointType.SPHERICAL:
            element("spherical", wrapper, joint=joint.name)
    for joint in graph.joints:
        keys = ("armature", "stiffness", "rest_position")
        values = {key: number(getattr(joint, key)) for key in keys if getattr(joint, key)}
        if values:
            element("joint_dynamics", wrapper, joint=joint.name, **values)
    return wrapper


def _subsystem(subsystem: Subsystem) -> etree._Element:
    """By its joints; a black box that begins at a fixed link by that, and all joints below that are left."""
    box = {"black_box": "true"} if subsystem.black_box else {}
    if subsystem.fixed_links:
        return element("subsystem", name=subsystem.name, root_link=subsystem.root_link, **box)
    own = element("subsystem", name=subsystem.name, **box)
    for joint in subsystem.joints:
        element("joint", own, name=joint.name)
    return own


def _closing_elements(graph: SubsystemGraph, wrapper: etree._Element) -> None:
    """Loop joints, passive and independent joints, gears, springs."""
    for loop in graph.loop_joints:
        own = element("loop_joint", wrapper, name=loop.name, type=loop.type)
        own.append(_anchor("predecessor", loop.predecessor))
        own.append(_anchor("successor", loop.successor))
        element("axis", own, xyz=numbers(axis(loop.axis)))
    for name in graph.passive_joints:
        element("passive", wrapper, joint=name)
    if graph.independent is not None:
        chosen = element("independent", wrapper)
        for name in graph.independent:
            element("joint", chosen, name=name)
    for gear in graph.gears:
        own = element("gear", wrapper, joint=gear.joint, offset=number(gear.offset))
        for name, ratio in gear.drivers:
            element("driver", own, joint=name, ratio=number(ratio))
    for spring in graph.springs:
        law = ("stiffness", "free_length", "initial_force", "damping")
        values = {key: number(getattr(spring, key)) for key in law}
        own = element("spring", wrapper, name=spring.name, **values)
        own.extend([_anchor("anchor", anchor) for anchor in spring.anchors])


def _anchor(tag: str, anchor: Anchor) -> etree._Element:
    return origin(anchor.x_link_anchor, tag, link=anchor.link)
