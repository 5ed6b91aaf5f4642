"""Links as rows of the kernels' arrays: each is a frame fixed in the body that carries it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...algebra import DualQuaternion, to_rotation_translation
from ...exceptions import StateError
from ...kernels import layout
from ...model import JointType, SubsystemGraph
from ..execution.workspaces import workspace_of
from .arguments import Array
from .model_arrays import Arrays, alignment, constants_of, topology_of

__all__ = ["with_links"]


def with_links(graph: SubsystemGraph, links: Sequence[str]) -> Arrays:
    """Topology and constants of the joints that carry these links, and, after them, of the links.

    Raises:
        StateError: a link that the graph does not have.
    """
    try:
        carried = [graph.link_pose(link) for link in links]
    except KeyError as error:
        raise StateError(str(error.args[0])) from None
    topology, constants = workspace_of(graph, _tree)
    carrying = _carrying(graph, [body for body, _ in carried])
    count = len(carrying) + len(links)
    rows = {old: new for new, old in enumerate(carrying)} | {len(graph.joints): count}
    small = np.zeros((count + 1, layout.TOPOLOGY_COLUMNS), np.int64)
    values = np.zeros((count + 1, layout.CONSTANT_COLUMNS))
    small[: len(carrying)], small[-1] = topology[carrying], topology[-1]
    small[: len(carrying), layout.PARENT] = [rows[k] for k in small[: len(carrying), layout.PARENT].tolist()]
    values[: len(carrying)], values[-1] = constants[carrying], constants[-1]
    for k, (body, x_body_link) in enumerate(carried, len(carrying)):
        small[k, layout.KIND] = layout.FIXED
        small[k, layout.PARENT] = count if body is None else rows[body]
        values[k, layout.ROTATION : layout.POSITION + 3] = _in_aligned_frame(graph, body, x_body_link)
    return small, values


def _tree(graph: SubsystemGraph) -> Arrays:
    """Topology and constants of all joints. They are kept: a graph may have solvers for many links."""
    return topology_of(graph, frozenset()), constants_of(graph)


def _carrying(graph: SubsystemGraph, bodies: Sequence[int | None]) -> list[int]:
    """Joints between these bodies and the ground, in order.

    Floating joints always: whether a quaternion is accepted must not depend on the links that are asked for.
    """
    indices = {k for k, joint in enumerate(graph.joints) if joint.type is JointType.FLOATING}
    for body in bodies:
        k = body
        while k is not None and k not in indices:
            indices.add(k)
            k = graph.parents[k]
    return sorted(indices)


def _in_aligned_frame(graph: SubsystemGraph, body: int | None, x_body_link: DualQuaternion) -> Array:
    """R row by row and P of a link in its body's aligned frame."""
    rotation, position = to_rotation_translation(x_body_link)
    turned = np.eye(3) if body is None else alignment(graph.joints[body])
    return np.concatenate([(turned.T @ rotation).ravel(), turned.T @ position])
