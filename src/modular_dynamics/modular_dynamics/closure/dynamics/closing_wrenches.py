"""The wrenches of loop joints and springs: on their links, and carried by the tree's joints."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...algebra import to_rotation_translation
from ...dynamics import frame_poses
from ...dynamics.arrays.arguments import Array
from ...kernels.loops.closing_wrenches import ClosingArrays, ClosingSums, closing_wrenches
from ...model import SubsystemGraph

__all__ = ["ClosingElements", "ClosingWrenches"]


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
        self._tree = graph.tree
        loops, springs, links = graph.loop_joints, graph.springs, self._tree.links
        self.names = [loop.name for loop in loops] + [spring.name for spring in springs]
        self.anchors = [(loop.predecessor, loop.successor) for loop in loops]
        self.anchors += [spring.anchors for spring in springs]
        self._loop_names, self._spring_names = self.names[: len(loops)], self.names[len(loops) :]
        anchored = dict.fromkeys(anchor.link for pair in self.anchors for anchor in pair)
        index = {link: k for k, link in enumerate(links)}
        self._anchored = [(link, index[link]) for link in anchored]
        poses = [[to_rotation_translation(a.x_link_anchor) for a in pair] for pair in self.anchors]
        bodies = [graph.link_body(link) for link in links]
        self._arrays = ClosingArrays(
            ends=np.array([[index[a.link] for a in pair] for pair in self.anchors], int).reshape(-1, 2),
            positions=np.array([[position for _, position in pair] for pair in poses]).reshape(-1, 2, 3),
            axes=np.array([pair[1][0] for pair in poses[: len(loops)]]).reshape(-1, 9),
            links=np.arange(len(links)),
            link_bodies=np.array([-1 if body is None else body for body in bodies]),
            body_links=np.array([index[body.name] for body in graph.bodies]),
            parents=np.array([-1 if parent is None else parent for parent in graph.parents]),
        )

    def __call__(
        self, q: Array, cut_wrenches: Mapping[str, Array], tensions: Mapping[str, float]
    ) -> ClosingWrenches:
        """At coordinates q (nq,) with the wrenches and tensions of ``ClosedLoopDynamics``."""
        arrays, poses, count = self._arrays, frame_poses(self._tree, q), len(self.names)
        cuts = np.array([cut_wrenches[name] for name in self._loop_names]).reshape(-1, 6)
        pulls = np.array([tensions[name] for name in self._spring_names])
        sums = ClosingSums(
            points=np.empty((count, 2, 3)),
            forces=np.empty((count, 3)),
            moments=np.empty((count, 3)),
            on_links=np.empty((len(arrays.links), 6)),
            on_joints=np.empty((len(arrays.parents), 6)),
        )
        closing_wrenches(arrays, poses, cuts, pulls, sums)
        bodies = poses[arrays.body_links]
        on_links = {link: sums.on_links[k] for link, k in self._anchored}
        rotations, origins = bodies[:, :3, :3], bodies[:, :3, 3]
        return ClosingWrenches(
            rotations, origins, sums.points, sums.forces, sums.moments, on_links, sums.on_joints
        )
