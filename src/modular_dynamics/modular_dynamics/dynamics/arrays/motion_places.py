"""Which bodies share the memory of their motions: those that are not needed at the same time."""

import numpy as np

from ...kernels import layout
from ...kernels.recursions.torques.layout import PLACE, TORQUES_TOPOLOGY
from .arguments import Topology

__all__ = ["with_motion_places"]


def with_motion_places(topology: Topology) -> Topology:
    """The topology with column PLACE, the place of each body's motion; the ground's is 0.

    A body's motion is needed from its own turn to its last successor's, and is read before the successor
    writes its own. So a chain has one place, and a tree as many as motions are needed at the same time.
    """
    ground = len(topology) - 1
    result = np.zeros((ground + 1, TORQUES_TOPOLOGY), np.int64)
    result[:, : topology.shape[1]] = topology
    parents = topology[:-1, layout.PARENT].tolist()
    last = {parent: body for body, parent in enumerate(parents)}
    places, free, count = {ground: 0}, list[int](), 1
    for body, parent in enumerate(parents):
        if last[parent] == body:
            free.append(places[parent])
        if not free:
            free.append(count)
            count += 1
        place = places[body] = free[-1]
        result[body, PLACE] = place
        if body in last:
            free.pop()
    return result
