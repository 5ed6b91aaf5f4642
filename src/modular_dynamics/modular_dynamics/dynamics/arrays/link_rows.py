"""Links as rows of the kernels' arrays: each a frame at rest on the body that carries it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion, to_rotation_translation
from ...exceptions import StateError
from ...kernels import layout
from ...model import JointType, SubsystemGraph
from .model_arrays import alignment, constants_of, topology_of

__all__ = ["with_links"]

Arrays = tuple[NDArray[np.int64], NDArray[np.float64]]


def with_links(graph: SubsystemGraph, links: Sequence[str]) -> Arrays:
    """Topology and constants of the joints that carry these links, and of the links behind them.

    Raises:
        StateError: a link that the graph does not have.
    """
    try:
        carried = [graph.link_pose(link) for link in links]
    except KeyError as error:
        raise StateError(str(error.args[0])) from None
    topology, constants = _tree(graph)
    kept = _carrying(graph, [body for body, _ in carried])
    count = len(kept) + len(links)
    rows = {old: new for new, old in enumerate(kept)} | {len(graph.joints): count}
    small = np.zeros((count + 1, layout.TOPOLOGY_COLUMNS), np.int64)
    values = np.zeros((count + 1, layout.CONSTANT_COLUMNS))
    small[: len(kept)], small[-1] = topology[kept], topology[-1]
    small[: len(kept), layout.PARENT] = [rows[k] for k in small[: len(kept), layout.PARENT].tolist()]
    values[: len(kept)], values[-1] = constants[kept], constants[-1]
    for k, (body, x_body_link) in enumerate(carried, len(kept)):
        small[k, layout.KIND] = layout.FIXED
        small[k, layout.PARENT] = count if body is None else rows[body]
        values[k, layout.ROTATION : layout.POSITION + 3] = _in_aligned_frame(graph, body, x_body_link)
    return small, values


def _tree(graph: SubsystemGraph) -> Arrays:
    """Of all joints; made once, for the links' solvers of a graph are many."""
    arrays: Arrays | None = getattr(graph.workspaces, "tree", None)
    if arrays is None:
        arrays = graph.workspaces.tree = topology_of(graph, frozenset()), constants_of(graph)
    return arrays


def _carrying(graph: SubsystemGraph, bodies: Sequence[int | None]) -> list[int]:
    """Joints between these bodies and the ground, in order.

    Floating joints always: whether a quaternion is good must not depend on the links that are asked for.
    """
    found = {k for k, joint in enumerate(graph.joints) if joint.type is JointType.FLOATING}
    for body in bodies:
        k = body
        while k is not None and k not in found:
            found.add(k)
            k = graph.parents[k]
    return sorted(found)


def _in_aligned_frame(
    graph: SubsystemGraph, body: int | None, x_body_link: DualQuaternion
) -> NDArray[np.float64]:
    """R row by row and P of a link in its body's aligned frame."""
    rotation, position = to_rotation_translation(x_body_link)
    turned = np.eye(3) if body is None else alignment(graph.joints[body])
    return np.concatenate([(turned.T @ rotation).ravel(), turned.T @ position])
