"""How far links extend, as far as their <visual> and <collision> say: boxes, cylinders, capsules, spheres."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...text.numbers import LARGEST, decimals

__all__ = ["Geometry", "geometries"]

#: Edges [m] of the box that holds a shape in any orientation round its axis.
_EDGES: Mapping[str, Callable[[Mapping[str, Any]], list[float]]] = {
    "box": lambda shape: decimals(shape["size"]),
    "cylinder": lambda shape: [2.0 * _number(shape, "radius")] * 2 + [_number(shape, "length")],
    "capsule": lambda shape: (
        [2.0 * _number(shape, "radius")] * 2 + [_number(shape, "length") + 2.0 * _number(shape, "radius")]
    ),
    "sphere": lambda shape: [2.0 * _number(shape, "radius")] * 3,
}


@dataclass(frozen=True, eq=False)
class Geometry:
    """What is known of the shape of a link; meshes are not read.

    Attributes:
        low, high: corners of a box in the link's frame that holds all shapes [m]; None: there are only
            meshes.
        has_mesh: whether a shape is not known.
    """

    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    has_mesh: bool = False

    @property
    def farthest(self) -> float:
        """Distance of the farthest point from the link's origin [m]."""
        if self.low is None or self.high is None:
            return 0.0
        return float(np.linalg.norm(np.maximum(np.abs(self.low), np.abs(self.high))))

    @property
    def volume(self) -> float:
        """Of the box [m^3]."""
        return 0.0 if self.low is None or self.high is None else float(np.prod(self.high - self.low))


def geometries(root: etree._Element) -> dict[str, Geometry]:
    """By link, its shape, where it has a <visual> or <collision>.

    Numbers that cannot be read, which matter to nobody else here, count as a mesh does.
    """
    found = dict[str, Geometry]()
    for link in root.findall("link"):
        shapes = [shape for tag in ("visual", "collision") for shape in link.iterfind(f"{tag}/geometry/*")]
        boxes = [box for shape in shapes for box in _box(shape)]
        has_mesh = len(boxes) < len(shapes)
        if boxes:
            low, high = np.array(boxes).min(axis=0)[0], np.array(boxes).max(axis=0)[1]
            found[link.get("name", "")] = Geometry(low, high, has_mesh)
        elif shapes:
            found[link.get("name", "")] = Geometry(has_mesh=True)
    return found


def _box(shape: etree._Element) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Corners of a box in the link's frame that holds a shape, however it is turned."""
    edges = _EDGES.get(str(shape.tag))
    if edges is None:
        return
    geometry = shape.getparent()
    origin = None if geometry is None else geometry.getparent().find("origin")  # type: ignore[union-attr]
    try:
        centre = np.array([0.0] * 3 if origin is None else decimals(origin.get("xyz", "0 0 0")))
        half = math.hypot(*edges({str(key): value for key, value in shape.attrib.items()})) / 2.0
    except (KeyError, ValueError):
        return
    if centre.shape == (3,) and np.abs(centre).max() <= LARGEST and half <= LARGEST:
        yield centre - half, centre + half


def _number(shape: Mapping[str, Any], key: str) -> float:
    (number,) = decimals(shape[key])
    return number
