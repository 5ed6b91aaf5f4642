"""Tensions of springs of one design from all coordinates, in NumPy. Until the batch gives them."""

import numpy as np

from ...algebra import to_rotation_translation


def tensions(graph, coordinates):
    """(s, springs)."""
    poses = {}

    def body(index):
        if index is None:
            return np.eye(3), np.zeros(3)
        if index not in poses:
            joint = graph.joints[index]
            R0, p0 = body(graph.link_pose(joint.parent_link)[0])
            Rj, pj = to_rotation_translation(joint.x_parent_joint)
            q = coordinates[:, graph.q_slice(joint.name).start]
            a = np.asarray(joint.axis)
            R, p = R0 @ Rj, p0 + (R0 @ pj)
            if joint.type.value == "prismatic":
                p = p + (R @ a) * q[:, None]
            else:
                K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
                s, c = np.sin(q)[:, None, None], np.cos(q)[:, None, None]
                R = R @ (np.eye(3) + s * K + (1 - c) * (K @ K))
            poses[index] = R, p
        return poses[index]

    out = np.empty((len(coordinates), len(graph.springs)))
    for k, spring in enumerate(graph.springs):
        ends = []
        for anchor in spring.anchors:
            index, x = graph.link_pose(anchor.link)
            R, p = body(index)
            Rx, px = to_rotation_translation(x * anchor.x_link_anchor)
            ends.append(p + R @ px)
        length = np.linalg.norm(ends[0] - ends[1], axis=-1)
        out[:, k] = spring.initial_force + spring.stiffness * (length - spring.free_length)
    return out
