"""An assembly as URDF text with tags (docs/urdf_tags.md): what it is read back from is the same robot."""

from collections.abc import Iterable, Mapping
from sys import float_info
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ...algebra import DualQuaternion, to_xyz_rpy
from ...model import Anchor, Inertial, Joint, JointType, Link, SubsystemGraph
from ..modules.shape import Shape
from .structure import Structure

__all__ = ["urdf_of"]

#: URDF needs numbers where a joint has no limits.
_UNLIMITED = float_info.max
#: Attributes of the shapes, in the order of ``Shape.size``; those of a box are one.
_SIZES = {"box": (), "cylinder": ("radius", "length"), "sphere": ("radius",)}


class _Drawn(NamedTuple):
    """A shape at its pose in a link."""

    shape: Shape
    x_link_shape: DualQuaternion


def urdf_of(structure: Structure, graph: SubsystemGraph) -> str:
    """See :meth:`.Assembly.to_urdf`; ``graph``: that of the assembly."""
    robot = Element("robot", name=graph.name)
    drawn = _drawn(structure, graph)
    for color in dict.fromkeys(one.shape.color for shapes in drawn.values() for one in shapes):
        SubElement(SubElement(robot, "material", name=_material(color)), "color", rgba=_numbers(color))
    for body in (graph.ground, *graph.bodies):
        for part in body.parts or (Link(body.name, Inertial.none),):
            robot.append(_link(part, drawn.get(part.name, [])))
            if part.parent is not None:
                fixed = SubElement(robot, "joint", name=str(part.joint), type="fixed")
                x = body.links[part.parent].conjugate() * body.links[part.name]
                _ends(fixed, part.parent, part.name, x)
    for joint in graph.joints:
        _, x_body_link = graph.link_pose(joint.parent_link)
        robot.append(_joint(joint, x_body_link.conjugate() * joint.x_parent_joint))
    robot.append(_tags(graph))
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode") + "\n"


def _drawn(structure: Structure, graph: SubsystemGraph) -> Mapping[str, list[_Drawn]]:
    """The shapes of each link."""
    drawn: dict[str, list[_Drawn]] = {}
    for placed in structure.placed.values():
        for name, body in placed.type.bodies.items():
            site = placed.sites[name]
            x_link_module = graph.link_pose(site.link)[1].conjugate() * site.x
            drawn[site.link] = [_Drawn(shape, x_link_module * shape.x_module_shape) for shape in body.shapes]
    return drawn


def _link(part: Link, shapes: list[_Drawn]) -> Element:
    """Mass, if it has any, and shapes, each drawn and for collisions."""
    link, own = Element("link", name=part.name), part.inertial
    if own.mass != 0.0 or own.inertia.any():
        inertial = SubElement(link, "inertial")
        SubElement(inertial, "origin", xyz=_numbers(own.com), rpy="0 0 0")
        SubElement(inertial, "mass", value=_number(own.mass))
        entries = {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yy": (1, 1), "yz": (1, 2), "zz": (2, 2)}
        moments = {f"i{axes}": _number(own.inertia[k]) for axes, k in entries.items()}
        SubElement(inertial, "inertia", moments)
    for kind in ("visual", "collision"):
        for shape, x in shapes:
            element = SubElement(link, kind)
            element.append(_origin(x))
            geometry = SubElement(SubElement(element, "geometry"), shape.kind)
            if shape.kind == "box":
                geometry.set("size", _numbers(shape.size))
            for attribute, size in zip(_SIZES[shape.kind], shape.size, strict=False):
                geometry.set(attribute, _number(size))
            if kind == "visual":
                SubElement(element, "material", name=_material(shape.color))
    return link


def _joint(joint: Joint, x_link_joint: DualQuaternion) -> Element:
    """A moving joint. A revolute one without both ends of its range is continuous."""
    limits, kind = joint.limits, joint.type
    if kind is JointType.REVOLUTE and limits.lower is None and limits.upper is None:
        kind = JointType.CONTINUOUS
    element = Element("joint", name=joint.name, type=kind.value)
    _ends(element, joint.parent_link, joint.child_link, x_link_joint)
    if kind is JointType.FLOATING:
        return element
    SubElement(element, "axis", xyz=_numbers(joint.axis))
    given = {"effort": limits.effort, "velocity": limits.velocity}
    if kind is not JointType.CONTINUOUS:
        low = -_UNLIMITED if limits.lower is None else limits.lower
        given = {"lower": low, "upper": limits.upper} | given
    if kind is not JointType.CONTINUOUS or any(limit is not None for limit in given.values()):
        values = {key: _number(_UNLIMITED if limit is None else limit) for key, limit in given.items()}
        SubElement(element, "limit", values)
    if joint.damping or joint.friction:
        SubElement(element, "dynamics", damping=_number(joint.damping), friction=_number(joint.friction))
    return element


def _tags(graph: SubsystemGraph) -> Element:
    """Subsystems, loop joints and armatures."""
    tags = Element("modular_dynamics", version="1")
    for subsystem in graph.subsystems:
        element = SubElement(tags, "subsystem", name=subsystem.name)
        for joint in subsystem.joints:
            SubElement(element, "joint", name=joint.name)
    for loop in graph.loop_joints:
        element = SubElement(tags, "loop_joint", name=loop.name, type=loop.type)
        element.append(_anchor("predecessor", loop.predecessor))
        element.append(_anchor("successor", loop.successor))
        SubElement(element, "axis", xyz=_numbers(loop.axis))
    for joint in graph.joints:
        if joint.armature:
            SubElement(tags, "joint_dynamics", joint=joint.name, armature=_number(joint.armature))
    return tags


def _anchor(tag: str, anchor: Anchor) -> Element:
    element = _origin(anchor.x_link_anchor)
    element.tag = tag
    element.set("link", anchor.link)
    return element


def _ends(joint: Element, parent: str, child: str, x_parent_joint: DualQuaternion) -> None:
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)
    joint.append(_origin(x_parent_joint))


def _origin(x: DualQuaternion) -> Element:
    xyz, rpy = to_xyz_rpy(x)
    return Element("origin", xyz=_numbers(xyz), rpy=_numbers(rpy))


def _material(color: tuple[float, ...]) -> str:
    return "rgba " + _numbers(color)


def _numbers(values: Iterable[float]) -> str:
    return " ".join(map(_number, values))


def _number(value: float) -> str:
    """The shortest text that is read back as the same number."""
    return repr(float(value) + 0.0)  # no -0.0
