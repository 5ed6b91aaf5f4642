"""An assembly as URDF text with tags (docs/urdf_tags.md): the text of its graph, with the modules' shapes."""

from collections.abc import Mapping
from typing import NamedTuple

from lxml import etree

from ...algebra import DualQuaternion
from ...model import SubsystemGraph
from ...urdf.writing import element, number, numbers, origin, robot_element, text_of
from ..modules.shape import Shape
from .structure import Structure

__all__ = ["urdf_of"]

#: Attributes of the shapes, in the order of ``Shape.size``; those of a box are one.
_SIZES = {"box": (), "cylinder": ("radius", "length"), "sphere": ("radius",)}


class _Drawn(NamedTuple):
    """A shape and its pose in a link."""

    shape: Shape
    x_link_shape: DualQuaternion


def urdf_of(structure: Structure, graph: SubsystemGraph) -> str:
    """Return an assembly's URDF text: see :meth:`.Assembly.to_urdf`; ``graph``: that of the assembly."""
    robot = robot_element(graph)
    drawn = _drawn(structure, graph)
    for link in robot.findall("link"):
        _draw(link, drawn.get(str(link.get("name")), []))
    colors = dict.fromkeys(one.shape.color for shapes in drawn.values() for one in shapes)
    for k, color in enumerate(colors):
        material = element("material", name=_material(color))
        element("color", material, rgba=numbers(color))
        robot.insert(k, material)
    return text_of(robot)


def _drawn(structure: Structure, graph: SubsystemGraph) -> Mapping[str, list[_Drawn]]:
    """Return the shapes of each link, by link."""
    drawn: dict[str, list[_Drawn]] = {}
    for placed in structure.placed.values():
        for name, body in placed.type.bodies.items():
            site = placed.sites[name]
            x_link_module = graph.link_pose(site.link)[1].conjugate() * site.x
            drawn[site.link] = [_Drawn(shape, x_link_module * shape.x_module_shape) for shape in body.shapes]
    return drawn


def _draw(link: etree._Element, shapes: list[_Drawn]) -> None:
    """Add shapes to a link, each drawn and for collisions."""
    for kind in ("visual", "collision"):
        for shape, x in shapes:
            own = element(kind, link)
            own.append(origin(x))
            geometry = element(shape.kind, element("geometry", own))
            if shape.kind == "box":
                geometry.set("size", numbers(shape.size))
            for attribute, size in zip(_SIZES[shape.kind], shape.size, strict=False):
                geometry.set(attribute, number(size))
            if kind == "visual":
                element("material", own, name=_material(shape.color))


def _material(color: tuple[float, ...]) -> str:
    return "rgba " + numbers(color)
