"""The planar loops of a graph, and the paths between the ends of springs: bodies and vectors of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...exceptions import UnsupportedModelError
from ...model import SubsystemGraph
from .planar_bodies import Array, PlanarModel

__all__ = ["BASE", "PlanarLoop", "Segment", "planar_loops_of", "spring_paths_of"]

#: Index of a plane's carrier, used like the index of a body in the plane.
BASE = -1
#: Cut joints whose two conditions in the plane say that two points coincide.
_HINGES = ("revolute", "spherical", "universal")


@dataclass
class Segment:
    """One body of a loop: its term of the vector sum that closes the loop, in its own frame.

    Attributes:
        body: index of a body with a revolute joint, or BASE. vector: (2,) [m].
        slides: prismatic joints fixed in it, (body, direction (2,)).
    """

    body: int
    vector: Array
    slides: list[tuple[int, Array]]


@dataclass
class PlanarLoop:
    """A loop, or the path between the ends of a spring.

    Attributes:
        predecessor: of each body except the first, which both branches share.
        height: distance of the ends along the plane's normal [m].
    """

    name: str
    segments: list[Segment]
    predecessor: dict[int, int]
    height: float

    @property
    def joints(self) -> list[int]:
        """Bodies whose joints belong to the loop."""
        return [*self.predecessor, *(k for segment in self.segments for k, _ in segment.slides)]


class _End(NamedTuple):
    """One end of a loop or spring: its body (None: the ground), and its position in that body's frame [m]."""

    body: int | None
    position: Array


def planar_loops_of(graph: SubsystemGraph, model: PlanarModel) -> list[PlanarLoop]:
    """The loops of all loop joints.

    Raises:
        UnsupportedModelError: a loop that is not planar, or whose cut joint is not a hinge in the plane.
    """
    loops = []
    for index, joint in enumerate(graph.loop_joints):
        if joint.type not in _HINGES:
            raise UnsupportedModelError(
                f"loop joint '{joint.name}' is {joint.type}: symbolic methods close planar loops with hinges"
            )
        loop = _LoopBuilder(model, index).loop(f"loop '{joint.name}'")
        if abs(loop.height) > 1e-6:
            raise UnsupportedModelError(
                f"{loop.name} is not planar: its ends are {loop.height:.3g} m apart along z"
            )
        loops.append(loop)
    return loops


def spring_paths_of(graph: SubsystemGraph, model: PlanarModel) -> list[PlanarLoop]:
    """Paths from one end of each spring to the other.

    Raises:
        UnsupportedModelError: a spring between bodies of different planes.
    """
    return [
        _LoopBuilder(model, -1 - k).loop(f"spring '{spring.name}'") for k, spring in enumerate(graph.springs)
    ]


class _LoopBuilder:
    """One loop or spring; ``key`` is that of its anchors in the planar model."""

    def __init__(self, model: PlanarModel, key: int) -> None:
        self.bodies, self.planes = model.bodies, model.planes
        self.ends: list[_End] = [_End(None, np.zeros(3))] * 2
        owners = [(None, model.ground), *((k, body.anchors) for k, body in enumerate(self.bodies))]
        for owner, anchors in owners:
            for side in range(2):
                if key in anchors and np.isfinite(anchors[key][side, 0]):
                    self.ends[side] = _End(owner, anchors[key][side])

    def loop(self, name: str) -> PlanarLoop:
        """The loop, or the path of the spring."""
        deepest = max(self.ends, key=lambda end: self._depth(end.body)).body
        if deepest is None:
            raise UnsupportedModelError(f"{name} has both its ends on the ground")
        plane = self.bodies[deepest].plane
        branches = [self._branch(name, plane, end) for end in self.ends]
        shared = 0
        while shared < min(map(len, branches)) and branches[0][shared] == branches[1][shared]:
            shared += 1
        segments: dict[int, Segment] = {}
        predecessor: dict[int, int] = {}
        height = 0.0
        for sign, branch, end in zip((1.0, -1.0), branches, self.ends, strict=True):
            for k, following in zip(branch[shared - 1 :], [*branch[shared:], None], strict=True):
                position = end.position if following is None else self.bodies[following].position
                if k == BASE:
                    position = self.planes[plane].axes.T @ position
                self._add(segments, predecessor, k, following, sign, position)
                height += sign * float(position[2])
        return PlanarLoop(name, list(segments.values()), predecessor, height)

    def _depth(self, body: int | None) -> int:
        depth = 0
        while body is not None:
            body, depth = self.bodies[body].parent, depth + 1
        return depth

    def _branch(self, name: str, plane: int, end: _End) -> list[int]:
        """Bodies from the plane's carrier, BASE, to an end."""
        branch: list[int] = []
        k = end.body
        while k is not None and self.bodies[k].plane == plane:
            branch.insert(0, k)
            k = self.bodies[k].parent
        if k != self.planes[plane].carrier:
            raise UnsupportedModelError(f"{name} is not planar: it contains axes that are not parallel")
        return [BASE, *branch]

    def _rotating(self, k: int) -> int:
        """Body k, or the body that it slides on: the one whose rotation moves it."""
        parent = None if k == BASE else self.bodies[k].parent
        return k if k == BASE or self.bodies[k].axis is None or parent is None else parent

    def _add(
        self,
        segments: dict[int, Segment],
        predecessor: dict[int, int],
        k: int,
        following: int | None,
        sign: float,
        position: Array,
    ) -> None:
        """Add the vector from body k's origin to the following body's, or to the cut joint."""
        rotating = self._rotating(k)
        segment = segments.setdefault(rotating, Segment(rotating, np.zeros(2), []))
        segment.vector = segment.vector + sign * position[:2]
        if following is not None:
            axis = self.bodies[following].axis
            if axis is None:
                predecessor[following] = rotating
            else:
                segment.slides.append((following, sign * axis[:2]))
