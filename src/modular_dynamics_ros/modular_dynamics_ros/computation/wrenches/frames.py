"""Where the frames of wrenches are on a robot: links, and connection points of black boxes.

Poses are homogeneous matrices H_a_b (4, 4): p_a = H_a_b p_b.
"""

from typing import NamedTuple

import numpy as np

import modular_dynamics as md
from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics.algebra.matrix_forms import homogeneous, inverse, skew
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import BadMessage, listed


def wrench_matrix(H_a_b: Array) -> Array:
    """Return the matrix (6, 6) that moves [force, moment] from origin and axes of b to those of a."""
    R, p = H_a_b[:3, :3], H_a_b[:3, 3]
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = matrix[3:, 3:] = R
    matrix[3:, :3] = skew(p) @ R
    return matrix


def connection_frame(box: str) -> str:
    """Return the name of a black box's connection frame, for wrenches given there."""
    return f"{box}/connection_point"


class LinkFrames:
    """The links of one robot.

    Attributes:
        names: of the links.
    """

    def __init__(self, robot: Robot) -> None:
        self._graph, self.names = robot.graph, frozenset(robot.graph.links)
        self._without_prefix = robot.link
        self._boxes = {
            link: one.name
            for one in robot.graph.subsystems
            if one.black_box
            for link in (*one.fixed_links, *(link for body in one.bodies for link in body.links))
        }

    def frame(self, box: str | None, frame_id: str) -> str:
        """Return the name of a message's frame without the prefix of TF, which it may lack.

        Args:
            box: the black box whose wrench it is; the prefix may be its name, too. None: an external wrench.
        """
        frame = self._without_prefix(frame_id)
        own = box is not None and frame_id == connection_frame(box) and frame not in self.names
        return frame_id if own else frame

    def require_link(self, frame: str) -> None:
        """Raise BadMessage if a frame is no link, naming the links."""
        if frame in self.names:
            return
        links = f"its links: {listed(self._graph.links, 8)}"
        if not frame:
            text = f"header.frame_id is empty; the name of a link of '{self._graph.name}' is needed; {links}"
            raise BadMessage("no frame", text)
        raise BadMessage("unknown frame", f"no link '{frame:.80}' in '{self._graph.name}'; {links}")

    def require_outside(self, frame: str) -> None:
        """Raise BadMessage if a frame is no link, or one of a black box, on which no external wrench acts."""
        self.require_link(frame)
        if (box := self._boxes.get(frame)) is not None:
            text = f"link '{frame}' belongs to black box '{box}', whose wrench contains what acts on it"
            raise BadMessage("inside a black box", text)


class Placement(NamedTuple):
    """The pose of a link relative to a connection point.

    Attributes:
        links: the link that carries the point, and the link, where joints between them move; else None.
        to_connection: (6, 6) takes wrenches from the link (`links` None), or from the carrying link.
    """

    links: tuple[str, str] | None
    to_connection: Array


class BlackBoxFrames:
    """Takes wrenches from the frames of links to the connection frames of one robot's black boxes."""

    def __init__(self, robot: Robot) -> None:
        self._robot, self._placements = robot, dict[tuple[str, str], Placement]()

    def place(self, box: str, link: str) -> None:
        """Make sure that the pose of a link is known at every state.

        Raises:
            BadMessage: joints move it whose positions the state does not hold.
        """
        if (box, link) not in self._placements:
            self._placements[box, link] = self._placement(box, link)

    def fixed(self, box: str, link: str) -> bool:
        """Return whether a link that `place` accepted is fixed to the connection point at every state."""
        return self._placements[box, link].links is None

    def at_connection(self, box: str, link: str, wrench: Array, q: Array) -> Array:
        """Return a wrench in the frame of a link that `place` accepted, in the connection frame.

        Args:
            q: positions (nq,).
        """
        links, to_connection = self._placements[box, link]
        if links is not None:
            H_root_carrier, H_root_link = md.frame_poses(self._robot.graph, q, links)
            wrench = wrench_matrix(inverse(H_root_carrier) @ H_root_link) @ wrench
        moved: Array = to_connection @ wrench
        return moved

    def _placement(self, box: str, link: str) -> Placement:
        if link == connection_frame(box):
            return Placement(None, np.eye(6))
        graph, connection = self._robot.graph, self._robot.graph.subsystem(box).connection
        body, x_body_link = graph.link_pose(link)
        between = self._above(body) ^ self._above(connection.body)
        if not between:
            x = connection.x_body_connection.conjugate() * x_body_link
            return Placement(None, wrench_matrix(homogeneous(*to_rotation_translation(x))))
        moving = dict.fromkeys(graph.driver(graph.joints[k]) for k in sorted(between))
        if unknown := [name for name in moving if name not in self._robot.state_names]:
            raise BadMessage(
                "pose not known",
                f"link '{link}' moves with {listed(unknown)} inside a black box: its pose is not known; "
                f"give the wrench in the frame of a link outside, such as '{connection.link}'",
            )
        x = connection.x_link_connection.conjugate()
        matrix = wrench_matrix(homogeneous(*to_rotation_translation(x)))
        return Placement((connection.link, link), matrix)

    def _above(self, body: int | None) -> set[int]:
        """Return the joints from a body to the ground, as indices, which equal those of their bodies."""
        joints = set[int]()
        while body is not None:
            joints.add(body)
            body = self._robot.graph.parents[body]
        return joints
