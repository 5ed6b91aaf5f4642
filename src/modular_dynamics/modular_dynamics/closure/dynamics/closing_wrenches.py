"""The wrenches of loop joints and springs: on their links, and carried by the tree's joints."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...algebra import to_rotation_translation
from ...dynamics import frame_poses
from ...dynamics.arrays.arguments import Array
from ...model import SubsystemGraph
from ..cross_products import cross

__all__ = ["ClosingElements", "ClosingWrenches"]


class ClosingElements:
    """The loop joints, then the springs of one graph: ``names``, and ``anchors`` of both ends.

    The first end of each is its predecessor's anchor, or the spring's first one; the wrench of a cut joint is
    given at the second end.

    Attributes:
        links: with anchors. signs (links + bodies, n): of the wrench on the second end in the sum of the
            wrenches on a link, or on a body and all that its joint carries.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self._graph, self._loops = graph, len(graph.loop_joints)
        self.names = [loop.name for loop in graph.loop_joints] + [spring.name for spring in graph.springs]
        self.anchors = [(loop.predecessor, loop.successor) for loop in graph.loop_joints]
        self.anchors += [spring.anchors for spring in graph.springs]
        self.links = tuple(dict.fromkeys(anchor.link for pair in self.anchors for anchor in pair))
        self._frames = *self.links, *(body.name for body in graph.bodies)
        indices = [[self.links.index(anchor.link) for anchor in pair] for pair in self.anchors]
        self._ends = np.array(indices, int).reshape(-1, 2)
        poses = [[to_rotation_translation(a.x_link_anchor) for a in pair] for pair in self.anchors]
        self._axes = np.array([pair[1][0] for pair in poses]).reshape(-1, 3, 3)
        self._positions = np.array([[position for _, position in pair] for pair in poses]).reshape(-1, 2, 3)
        on_links = (self._ends == np.arange(len(self.links))[:, None, None]) @ [-1.0, 1.0]
        carried = np.array([[link in body.links for link in self.links] for body in graph.bodies], float)
        for body, parent in reversed(list(enumerate(graph.parents))):
            if parent is not None:
                carried[parent] += carried[body]
        self.signs = np.concatenate([on_links, carried @ on_links])

    def __call__(
        self, q: Array, cut_wrenches: Mapping[str, Array], tensions: Mapping[str, float]
    ) -> "ClosingWrenches":
        """At coordinates q (nq,) with the wrenches and tensions of ``ClosedLoopDynamics``."""
        matrices = frame_poses(self._graph, q, self._frames)
        R, o = matrices[:, :3, :3], matrices[:, :3, 3]
        points = o[self._ends] + (R[self._ends] @ self._positions[..., None])[..., 0]
        forces, moments = np.zeros((2, len(points), 3))
        cuts, springs = slice(0, self._loops), slice(self._loops, None)
        if self._loops:
            axes = R[self._ends[cuts, 1]] @ self._axes[cuts]
            wrenches = np.array([cut_wrenches[name] for name in self.names[cuts]])
            forces[cuts] = (axes @ wrenches[:, :3, None])[..., 0]
            moments[cuts] = (axes @ wrenches[:, 3:, None])[..., 0]
            points[cuts, 0] = points[cuts, 1]
        if len(self.names) > self._loops:
            lines = points[springs, 0] - points[springs, 1]
            lengths = np.sqrt((lines * lines).sum(axis=1))
            pulls = np.array([tensions[name] for name in self.names[springs]])
            pulls = np.divide(pulls, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
            forces[springs] = pulls[:, None] * lines
        return ClosingWrenches(self, R, o, points, forces, moments)


@dataclass(frozen=True, eq=False)
class ClosingWrenches:
    """The wrenches of loop joints and springs at one configuration, in the root link's axes.

    Attributes:
        rotations (k, 3, 3), origins (k, 3) [m]: of the links with anchors, then of all bodies.
        points (n, 2, 3): of both ends [m]; of a cut joint both are the second one.
        forces, moments (n, 3): on the second end [N], [N m].
    """

    elements: ClosingElements
    rotations: Array
    origins: Array
    points: Array
    forces: Array
    moments: Array

    @property
    def on_links(self) -> dict[str, Array]:
        """By link with anchors the sum [force, moment] at and in its frame."""
        links = self.elements.links
        return dict(zip(links, self._summed(slice(len(links))), strict=True))

    @property
    def carried_by_joints(self) -> Array:
        """(bodies, 6): the sum on each body and on all that its joint carries, at and in the body's frame."""
        return self._summed(slice(len(self.elements.links), None))

    def _summed(self, frames: slice) -> Array:
        signs, onto = self.elements.signs[frames], np.transpose(self.rotations[frames], (0, 2, 1))
        # both ends of a spring are on the line of its force: either is the point of application
        arms = self.points[:, 1] - self.origins[frames, None]
        moments = np.einsum("kn,kni->ki", signs, self.moments + cross(arms, self.forces))
        parts = [(onto @ part[..., None])[..., 0] for part in (signs @ self.forces, moments)]
        return np.concatenate(parts, axis=1)
