"""The planar loops of a graph: which bodies each goes through, and in which order they can be solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...exceptions import UnsupportedModelError
from ...model import SubsystemGraph
from .parts import Part, Plain

__all__ = ["BASE", "Ring", "Side", "rings_of", "spans_of"]

#: Stands for a plane's carrier where bodies of the plane stand elsewhere.
BASE = -1
#: Cut joints whose two conditions in the plane are that a point coincides with a point.
POINTS = ("revolute", "spherical", "universal")


@dataclass
class Side:
    """One body of a ring: what it adds to the sum that closes it, in its own frame.

    Attributes:
        body: index of a part that turns, or BASE. vector: (2,) [m].
        slides: prismatic joints fixed in it, (part, direction (2,)).
    """

    body: int
    vector: NDArray[np.float64]
    slides: list[tuple[int, NDArray[np.float64]]]


@dataclass
class Ring:
    """A loop, or what is between the ends of a spring.

    Attributes:
        before: of each body but the first, which is common to both branches, the one before it.
        height: from one end to the other, along the plane's normal [m].
    """

    name: str
    sides: list[Side]
    before: dict[int, int]
    height: float

    @property
    def joints(self) -> list[int]:
        """Parts whose joints the loop goes through."""
        return [*self.before, *(k for side in self.sides for k, _ in side.slides)]


def rings_of(
    graph: SubsystemGraph, parts: list[Part], planes: list[Plain], ground: dict[int, NDArray[np.float64]]
) -> list[Ring]:
    """Rings of all loop joints.

    Raises:
        UnsupportedModelError: a loop that is not planar, or whose cut is no hinge.
    """
    rings = []
    for index, loop in enumerate(graph.loop_joints):
        if loop.type not in POINTS:
            raise UnsupportedModelError(
                f"loop joint '{loop.name}' is {loop.type}: symbolic methods close planar loops with hinges"
            )
        ring = _Finder(parts, planes, ground, index).ring(f"loop '{loop.name}'")
        if abs(ring.height) > 1e-6:
            raise UnsupportedModelError(
                f"{ring.name} is not planar: its ends are {ring.height:.3g} m apart along z"
            )
        rings.append(ring)
    return rings


def spans_of(
    graph: SubsystemGraph, parts: list[Part], planes: list[Plain], ground: dict[int, NDArray[np.float64]]
) -> list[Ring]:
    """From one end of each spring to the other. Raises UnsupportedModelError: bodies of different planes."""
    return [
        _Finder(parts, planes, ground, -1 - k).ring(f"spring '{spring.name}'")
        for k, spring in enumerate(graph.springs)
    ]


class _Finder:
    def __init__(
        self,
        parts: list[Part],
        planes: list[Plain],
        ground: dict[int, NDArray[np.float64]],
        loop: int,
    ) -> None:
        self.parts, self.planes = parts, planes
        self.ends: list[tuple[int | None, NDArray[np.float64]]] = [(None, np.zeros(3))] * 2
        for owner, anchors in [(None, ground), *((k, part.anchors) for k, part in enumerate(parts))]:
            for side in range(2):
                if loop in anchors and np.isfinite(anchors[loop][side, 0]):
                    self.ends[side] = owner, anchors[loop][side]

    def ring(self, name: str) -> Ring:
        """The ring of this loop."""
        deepest = [self._depth(owner) for owner, _ in self.ends]
        owner = self.ends[int(np.argmax(deepest))][0]
        if owner is None:
            raise UnsupportedModelError(f"{name} has both its ends on the ground")
        plane = self.parts[owner].plane
        ways = [self._way(name, plane, end) for end in self.ends]
        shared = 0
        while shared < min(len(way) for way in ways) and ways[0][shared] == ways[1][shared]:
            shared += 1
        sides: dict[int, Side] = {}
        before: dict[int, int] = {}
        height = 0.0
        for sign, way, (_, anchor) in zip((1.0, -1.0), ways, self.ends, strict=True):
            for k, follower in zip(way[shared - 1 :], [*way[shared:], None], strict=True):
                height += sign * self._add(sides, before, plane, k, follower, sign, anchor)
        return Ring(name, list(sides.values()), before, height)

    def _depth(self, owner: int | None) -> int:
        depth = 0
        while owner is not None:
            owner, depth = self.parts[owner].parent, depth + 1
        return depth

    def _way(self, name: str, plane: int, end: tuple[int | None, NDArray[np.float64]]) -> list[int]:
        """Parts from the plane's carrier, BASE, to an end."""
        way: list[int] = []
        k = end[0]
        while k is not None and self.parts[k].plane == plane:
            way.insert(0, k)
            k = self.parts[k].parent
        if k != self.planes[plane].carrier:
            raise UnsupportedModelError(f"{name} is not planar: it goes through axes that are not parallel")
        return [BASE, *way]

    def _turner(self, k: int) -> int:
        parent = None if k == BASE else self.parts[k].parent
        return k if k == BASE or self.parts[k].axis is None or parent is None else parent

    def _add(
        self,
        sides: dict[int, Side],
        before: dict[int, int],
        plane: int,
        k: int,
        follower: int | None,
        sign: float,
        anchor: NDArray[np.float64],
    ) -> float:
        """Adds the vector from body k's origin to the next body's, or to the cut; returns its z."""
        turner = self._turner(k)
        place = anchor if follower is None else self.parts[follower].place
        if k == BASE:
            axes = self.planes[plane].axes
            place = axes.T @ place
        side = sides.setdefault(turner, Side(turner, np.zeros(2), []))
        side.vector = side.vector + sign * place[:2]
        if follower is not None:
            axis = self.parts[follower].axis
            if axis is None:
                before[follower] = turner
            else:
                side.slides.append((follower, sign * axis[:2]))
        return float(place[2])
