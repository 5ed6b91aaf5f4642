"""The wrenches of loop joints and springs: on their links, and carried by the tree's joints."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...algebra import to_rotation_translation
from ...dynamics import frame_poses
from ...dynamics.arguments import Array
from ...model import SubsystemGraph, body_of_link
from ..cross_products import cross

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
        bodies = [body_of_link(graph, link) for link in links]
        self._ends = np.array([[index[a.link] for a in pair] for pair in self.anchors], int).reshape(-1, 2)
        self._positions = np.array([[position for _, position in pair] for pair in poses]).reshape(-1, 2, 3)
        self._axes = np.array([pair[1][0] for pair in poses[: len(loops)]]).reshape(-1, 3, 3)
        self._body_links = np.array([index[body.name] for body in graph.bodies], int)
        # (links, n), (bodies, n): 1 for elements that act with their second end, -1 with their first one;
        # a body's row has those of all bodies that it carries
        self._on_links, self._on_joints = (np.zeros((k, len(self._ends))) for k in (len(links), len(bodies)))
        for k, pair in enumerate(self._ends.tolist()):
            for sign, link in zip((-1.0, 1.0), pair, strict=True):
                self._on_links[link, k] += sign
                carrier = bodies[link]
                while carrier is not None:
                    self._on_joints[carrier, k] += sign
                    carrier = graph.parents[carrier]
        self._on_joints = self._on_joints[: len(graph.bodies)]

    def __call__(
        self, q: Array, cut_wrenches: Mapping[str, Array], tensions: Mapping[str, float]
    ) -> ClosingWrenches:
        """Return the wrenches at coordinates q (nq,) from the wrenches and tensions of `ClosedLoopResult`."""
        poses, cuts, ends = frame_poses(self._tree, q), len(self._loop_names), self._ends
        R, p = poses[:, :3, :3], poses[:, :3, 3]
        points = (R[ends] @ self._positions[..., None])[..., 0] + p[ends]
        points[:cuts, 0] = points[:cuts, 1]
        wrenches = np.array([cut_wrenches[name] for name in self._loop_names]).reshape(-1, 2, 3)
        axes = R[ends[:cuts, 1]] @ self._axes
        on_second = np.zeros((len(ends), 2, 3))
        on_second[:cuts] = wrenches @ axes.swapaxes(1, 2)
        lines = points[cuts:, 0] - points[cuts:, 1]
        lengths = np.sqrt((lines * lines).sum(axis=1, keepdims=True))
        pulls = np.array([tensions[name] for name in self._spring_names]).reshape(-1, 1)
        on_second[cuts:, 0] = pulls * lines / np.where(lengths > 0.0, lengths, 1.0)
        about_root = on_second.copy()
        # both ends of a spring are on the line of its force, so either can be the point of application
        about_root[:, 1] += cross(points[:, 1], on_second[:, 0])
        rows = about_root.reshape(-1, 6)
        on_links, on_joints = self._on_links @ rows, self._on_joints @ rows
        bodies_R, bodies_p = R[self._body_links], p[self._body_links]
        local = _into_frames(on_links, R, p)
        return ClosingWrenches(
            bodies_R,
            bodies_p,
            points,
            on_second[:, 0],
            on_second[:, 1],
            {link: local[k] for link, k in self._anchored},
            _into_frames(on_joints, bodies_R, bodies_p),
        )


def _into_frames(about_root: Array, R: Array, p: Array) -> Array:
    """Return wrenches (k, 6), given about the root's origin and in its axes, at and in the frames R, p."""
    moved = about_root.reshape(-1, 2, 3).copy()
    moved[:, 1] -= cross(p, moved[:, 0])
    local: Array = (moved @ R).reshape(-1, 6)
    return local
