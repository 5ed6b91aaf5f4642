"""The wrenches of loop joints and springs: on their links, and carried by the tree's joints."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...algebra import to_rotation_translation
from ...dynamics import frame_poses
from ...dynamics.arrays.arguments import Array
from ...model import SubsystemGraph
from ..cross_products import cross

__all__ = ["ClosingElements", "ClosingWrenches", "sums_of_wrenches"]


class ClosingWrenches(NamedTuple):
    """The wrenches of the loop joints, then of the springs at one configuration, in the root link's axes.

    Attributes:
        rotations (bodies, 3, 3), origins (bodies, 3) [m]: of all bodies.
        points (n, 2, 3): of both ends [m]; of a cut joint both are the second one.
        forces, moments (n, 3): on the second end [N], [N m].
        on_links: by link with anchors the sum [force, moment] at and in its frame.
        on_joints (bodies, 6): the sum on each body and on all that its joint carries, at and in its frame.
    """

    rotations: Array
    origins: Array
    points: Array
    forces: Array
    moments: Array
    on_links: Mapping[str, Array]
    on_joints: Array


class ClosingElements:
    """The loop joints, then the springs of one graph: ``names``, and ``anchors`` of both ends.

    The first end of each is its predecessor's anchor, or the spring's first one; the wrench of a cut joint is
    given at the second end.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self._graph, self._loops = graph, len(graph.loop_joints)
        self.names = [loop.name for loop in graph.loop_joints] + [spring.name for spring in graph.springs]
        self.anchors = [(loop.predecessor, loop.successor) for loop in graph.loop_joints]
        self.anchors += [spring.anchors for spring in graph.springs]
        self._links = tuple(dict.fromkeys(anchor.link for pair in self.anchors for anchor in pair))
        self._frames = *self._links, *(body.name for body in graph.bodies)
        indices = [[self._links.index(anchor.link) for anchor in pair] for pair in self.anchors]
        self._ends = np.array(indices, int).reshape(-1, 2)
        poses = [[to_rotation_translation(a.x_link_anchor) for a in pair] for pair in self.anchors]
        self._axes = np.array([pair[1][0] for pair in poses]).reshape(-1, 3, 3)
        self._positions = np.array([[position for _, position in pair] for pair in poses]).reshape(-1, 2, 3)
        # of the wrench on the second end: in the sum on a link, and on a body and all that its joint carries
        on_links = (self._ends == np.arange(len(self._links))[:, None, None]) @ [-1.0, 1.0]
        carried = np.array([[link in body.links for link in self._links] for body in graph.bodies], float)
        for body, parent in reversed(list(enumerate(graph.parents))):
            if parent is not None:
                carried[parent] += carried[body]
        self._signs = np.concatenate([on_links, carried @ on_links])

    def __call__(
        self, q: Array, cut_wrenches: Mapping[str, Array], tensions: Mapping[str, float]
    ) -> ClosingWrenches:
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
        # both ends of a spring are on the line of its force: either is the point of application
        sums = sums_of_wrenches(self._signs, R, o, points[:, 1], forces, moments)
        links = len(self._links)
        on_links = dict(zip(self._links, sums, strict=False))
        return ClosingWrenches(R[links:], o[links:], points, forces, moments, on_links, sums[links:])


def sums_of_wrenches(signs: Array, R: Array, o: Array, points: Array, forces: Array, moments: Array) -> Array:
    """(k, 6): [force, moment] at and in frames R (k, 3, 3), o (k, 3) of ``signs`` (k, n) times n wrenches.

    These are forces and moments (n, 3) at points (n, 3), like R and o in the root link's axes.
    """
    arms, onto = points - o[:, None], np.transpose(R, (0, 2, 1))
    about = np.einsum("kn,kni->ki", signs, moments + cross(arms, forces))
    return np.concatenate([(onto @ part[..., None])[..., 0] for part in (signs @ forces, about)], axis=1)
