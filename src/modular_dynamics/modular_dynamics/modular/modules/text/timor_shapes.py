"""Geometries in timor-python's JSON as shapes for pictures."""

from collections.abc import Mapping

import numpy as np

from ....algebra import DualQuaternion
from ..shape import Shape
from .element import Element
from .timor_values import pose_of

__all__ = ["shapes_of"]

#: Parameters in the order of the sizes of a :class:`.Shape`.
_PARAMETERS = {"box": ("x", "y", "z"), "cylinder": ("r", "z"), "sphere": ("r",)}


def shapes_of(body: Element, x_module_body: DualQuaternion) -> tuple[Shape, ...]:
    """Return a body's visible boxes, cylinders and spheres, else its collision shapes, without meshes."""
    for key in ("visual", "collision"):
        if key not in body.item:
            continue
        given = body.item[key]
        listed = [given] if isinstance(given, Mapping) else given
        elements = Element({key: listed}, body.file, body.path).elements(key)
        if found := [
            _shape(each, x_module_body) for each in elements if each.item.get("type") in _PARAMETERS
        ]:
            return tuple(found)
    return ()


def _shape(element: Element, x_module_body: DualQuaternion) -> Shape:
    kind = str(element.item["type"])
    names = _PARAMETERS[kind]
    parameters = element.element("parameters", {})
    for name in names:
        if name not in parameters.item:
            raise parameters.failure(name, " is missing")
    sizes = np.array([parameters.number(name) for name in names])
    with element.located("parameters"):
        return Shape(kind, tuple(sizes.tolist()), x_module_body * pose_of(element, "pose"))
