"""Loop joints of a changed graph: those whose two links are now fixed to each other, and whether they fit."""

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion, to_rotation_translation
from ...exceptions import ModelError
from ..closure import Anchor, LoopJoint
from ..structure import Structure

__all__ = ["check_closed", "closes_nothing"]

#: Largest distance [m], and length of a difference of unit vectors, at which two ends fit together.
_CLOSED = 1e-6


def closes_nothing(graph: Structure, loop: LoopJoint) -> bool:
    """Return whether the two links of a loop joint are fixed to each other, so that it closes no loop."""
    return graph.link_pose(loop.predecessor.link)[0] == graph.link_pose(loop.successor.link)[0]


def check_closed(graph: Structure, loop: LoopJoint) -> None:
    """Check that the two ends of a loop joint, fixed to each other, fit together as its type requires.

    Raises:
        ModelError: they do not; says by how much.
    """
    before, after = _pose(graph, loop.predecessor), _pose(graph, loop.successor)
    R, p = to_rotation_translation(before.conjugate() * after)
    a = loop.axis
    shift = p - a * (a @ p) if loop.type in ("prismatic", "planar") else p
    if loop.type == "revolute":
        turn = float(np.linalg.norm(R @ a - a))
    elif loop.type == "universal":  # a universal joint's second axis is fixed in the successor
        turn = abs(float(a @ R @ _second_axis(a)))
    else:
        turn = 0.0 if loop.type in ("spherical", "planar") else float(np.linalg.norm(R - np.eye(3)))
    distance = float(np.linalg.norm(shift))
    if max(distance, turn) > _CLOSED:
        raise ModelError(
            f"at these positions the {loop.type} loop joint '{loop.name}' is open by {distance:.3g} m and "
            f"{turn:.3g} (orientation), and its links '{loop.predecessor.link}' and '{loop.successor.link}' "
            "would be fixed to each other; lock the joints at positions at which the loop is closed"
        )


def _pose(graph: Structure, anchor: Anchor) -> DualQuaternion:
    return graph.link_pose(anchor.link)[1] * anchor.x_link_anchor


def _second_axis(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a universal joint's second axis: the coordinate axis least along the first, orthogonalized."""
    second = np.eye(3)[int(np.argmin(np.abs(axis)))]
    perpendicular: NDArray[np.float64] = second - axis * (axis @ second)
    return perpendicular / np.linalg.norm(perpendicular)
