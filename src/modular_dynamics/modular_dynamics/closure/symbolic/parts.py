"""Frames of few operations for bodies whose neighbours turn about parallel axes.

Bodies whose joints have parallel axes, one after the other, form a plane: all turn about its normal. A body's
frame has that normal as z, so that one angle, the sum of those of the joints before it, tells how it stands
in its plane. Its origin lies on its joint's axis, slid to where its place in the parent has the
fewest numbers; its x points along a vector that matters (Denavit & Hartenberg do the same along a chain).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arrays.model_arrays import constants_of
from ...exceptions import UnsupportedModelError
from ...kernels import layout
from ...model import JointType, SubsystemGraph
from ..constraints.rows import loop_rows, spring_rows

__all__ = ["Part", "Plain", "parts_of"]

Array = NDArray[np.float64]
#: What roundings leave of an exact zero [m or 1].
TINY = 1e-12


@dataclass(frozen=True)
class Plain:
    """A plane of parallel axes: the body that carries it (None: the ground), its axes in that frame."""

    carrier: int | None
    axes: Array


@dataclass
class Part:
    """A body in its own frame.

    Attributes:
        sign: of the joint's turn about z. plane: index of its plane.
        offset: angle of the frame's x [rad] where all coordinates are zero.
        place: of its origin in the parent's frame [m]; at coordinate zero for a prismatic joint.
        axis: of a prismatic joint, in the parent's frame; None: revolute.
        mass, moment, second: mass [kg], mass times centre of mass [kg m], second moments of mass
            (tr(I)/2 - I) [kg m^2] about the origin.
        anchors: (2, 3) places of ends [m], by index of a loop joint, or by -1, -2 ... of a spring; NaN where
            this body has none.
    """

    name: str
    parent: int | None
    sign: float
    plane: int
    offset: float
    place: Array
    axis: Array | None
    mass: float
    moment: Array
    second: Array
    anchors: dict[int, Array] = field(default_factory=dict)


def parts_of(graph: SubsystemGraph) -> tuple[list[Part], list[Plain], dict[int, Array]]:
    """Parts of all joints, their planes, and anchors (2, 3) that loops have on the ground.

    Raises:
        UnsupportedModelError: floating, mimic or black-box joints; a prismatic joint not on a revolute one.
    """
    for joint in graph.joints:
        if joint.type is JointType.FLOATING or joint.mimic is not None:
            raise UnsupportedModelError(
                f"symbolic methods know no floating or mimic joint, as '{joint.name}' is"
            )
    first = _Frames(graph, np.zeros(len(graph.joints)))
    frames = _Frames(graph, first.best_offsets())
    return frames.parts, frames.planes, frames.ground


class _Frames:
    def __init__(self, graph: SubsystemGraph, offsets: Array) -> None:
        self.graph, self.constants = graph, constants_of(graph)
        self.parts: list[Part] = []
        self.planes: list[Plain] = []
        self.turns: list[Array] = []
        self.shifts: list[Array] = []
        for k in range(len(graph.joints)):
            self._add(k, float(offsets[k]))
        self.ground: dict[int, Array] = {}
        for rows, spring in ((loop_rows(graph), False), (spring_rows(graph), True)):
            for k, ends in enumerate(rows.arrays.ends):
                for side, body in enumerate(ends):
                    self._anchor(-1 - k if spring else k, side, int(body), rows.arrays.anchors[k, side, 9:])

    def _anchor(self, loop: int, side: int, body: int, place: Array) -> None:
        known = self.ground
        if body < len(self.parts):
            known, place = self.parts[body].anchors, _clean(self.turns[body].T @ (place - self.shifts[body]))
        known.setdefault(loop, np.full((2, 3), np.nan))[side] = place

    def _add(self, k: int, offset: float) -> None:
        graph, row, parent = self.graph, self.constants[k], self.graph.parents[k]
        turn = np.eye(3) if parent is None else self.turns[parent]
        shift = np.zeros(3) if parent is None else self.shifts[parent]
        turned = turn.T @ row[layout.ROTATION : layout.ROTATION + 9].reshape(3, 3)
        place = turn.T @ (row[layout.POSITION : layout.POSITION + 3] - shift)
        axis = _clean(turned[:, 2])
        slide, sliding = 0.0, None
        if graph.joints[k].type is JointType.PRISMATIC:
            if parent is None or self.parts[parent].axis is not None:
                raise UnsupportedModelError(
                    f"prismatic joint '{graph.joints[k].name}' is on no revolute joint"
                )
            plane, sign, base, offset = self.parts[parent].plane, 0.0, np.eye(3), 0.0
            sliding = axis
            if abs(axis[2]) > TINY:
                raise UnsupportedModelError(
                    f"prismatic joint '{graph.joints[k].name}' is not across its parent's axis"
                )
        else:
            plane, sign, base = self._plane(parent, axis)
            slide = _slide(place, axis)
        own = turned.T @ base @ _about_z(offset - (self._offset(parent, plane) if sliding is None else 0.0))
        self.turns.append(own)
        self.shifts.append(np.array([0.0, 0.0, slide]))
        mass, moment, second = _moved(row, own, self.shifts[-1])
        offset = offset if sliding is None else self._offset(parent, plane)
        place = _clean(place + slide * turned[:, 2])
        name = graph.joints[k].name
        self.parts.append(Part(name, parent, sign, plane, offset, place, sliding, mass, moment, second))

    def _offset(self, parent: int | None, plane: int) -> float:
        return self.parts[parent].offset if parent is not None and self.parts[parent].plane == plane else 0.0

    def _plane(self, parent: int | None, axis: Array) -> tuple[int, float, Array]:
        """Index of the plane, sign of the joint in it, and its axes as the parent sees them."""
        if parent is not None and abs(axis[2]) > 1.0 - TINY:
            return self.parts[parent].plane, float(np.sign(axis[2])), np.eye(3)
        for index, plane in enumerate(self.planes):
            along = float(plane.axes[:, 2] @ axis)
            if plane.carrier == parent and abs(along) > 1.0 - TINY:
                return index, float(np.sign(along)), plane.axes
        normal = np.array([-axis[1], axis[0], 0.0])
        x = normal / np.linalg.norm(normal) if np.linalg.norm(normal) > TINY else np.array([1.0, 0.0, 0.0])
        axes = _clean(np.column_stack([x, np.cross(axis, x), axis]))
        self.planes.append(Plain(parent, axes))
        return len(self.planes) - 1, 1.0, axes

    def best_offsets(self) -> Array:
        """The angle of each frame's x that most of what is fixed in it has, up to quarter turns."""
        offsets = np.zeros(len(self.parts))
        for k, part in enumerate(self.parts):
            mine = [child for child in self.parts if child.parent == k]
            fixed = [child.place for child in mine] + [child.axis for child in mine if child.axis is not None]
            # a plane that stands on it obliquely costs most: all of its inertia would have to be turned
            fixed += 4 * [plane.axes[:, 2] for plane in self.planes if plane.carrier == k]
            fixed += [end for ends in part.anchors.values() for end in ends if np.isfinite(end[0])]
            angles = [
                float(np.arctan2(v[1], v[0])) % (np.pi / 2) for v in fixed if np.hypot(v[0], v[1]) > TINY
            ]
            angles = [0.0 if min(a, np.pi / 2 - a) < TINY else a for a in angles]
            if angles and part.axis is None:
                offsets[k] = max([0.0, *angles], key=lambda a: sum(abs(a - b) < TINY for b in angles))
        return offsets


def _slide(place: Array, axis: Array) -> float:
    """How far along its axis a joint has the fewest components of its place."""
    slides = [0.0, *(-float(p / a) for p, a in zip(place, axis, strict=True) if abs(a) > 0.1)]
    return min(slides, key=lambda s: (np.count_nonzero(abs(place + s * axis) > TINY), abs(s)))


def _moved(row: Array, turn: Array, shift: Array) -> tuple[float, Array, Array]:
    """Mass, first and second moments of a body about a shifted origin, in turned axes."""
    mass, h = float(row[layout.MASS]), row[layout.MOMENT : layout.MOMENT + 3]
    xx, yy, zz, xy, xz, yz = row[layout.INERTIA : layout.INERTIA + 6]
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    J = J - np.outer(h, shift) - np.outer(shift, h) + mass * np.outer(shift, shift)
    return mass, _clean(turn.T @ (h - mass * shift)), _clean(turn.T @ J @ turn)


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _clean(array: Array) -> Array:
    """Without what roundings left of exact zeros and ones."""
    result = np.where(abs(array) < TINY, 0.0, array)
    return np.where(abs(abs(result) - 1.0) < TINY, np.sign(result), result)
