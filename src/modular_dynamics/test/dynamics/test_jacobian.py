"""Jacobians: finite differences of frame poses, virtual work."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import ROBOT_NAMES
from modular_dynamics.algebra import rotation_matrix


def integrated(graph, q, v, step):
    """q after moving with constant v (floating: in the child's axes) for a short time, to first order."""
    moved = q.copy()
    for name in graph.joint_names:
        iq, iv = graph.q_slice(name), graph.v_slice(name)
        if graph.joint(name).type is md.JointType.FLOATING:
            r = md.Quaternion(*(q[iq][3:] / np.linalg.norm(q[iq][3:])))
            turn = r * md.Quaternion(0.0, *(0.5 * step * v[iv][3:]))
            moved[iq] = [
                *(q[iq][:3] + step * rotation_matrix(r) @ v[iv][:3]),
                *[r.w + turn.w, r.x + turn.x, r.y + turn.y, r.z + turn.z],
            ]
        else:
            moved[iq] += step * v[iv]
    return moved


@pytest.mark.slow
@examples(30)
@given(data=st.data(), tree=random_trees(largest=20))
def test_virtual_work(data, tree):
    """What a wrench on a link does to the torques, J^T says."""
    graph = md.load_urdf(tree.urdf)
    q, v, vdot = tree.state(graph)
    link = data.draw(st.sampled_from(graph.links))
    wrench = np.random.default_rng(tree.seed).normal(size=6)
    free = md.inverse_dynamics(graph, q, v, vdot)
    loaded = md.inverse_dynamics(graph, q, v, vdot, {link: wrench})
    assert np.abs(free - loaded - md.jacobian(graph, q, link, "link").T @ wrench).max() <= 1e-11 * max(
        np.abs(free).max(), 1.0
    )


@pytest.mark.parametrize("name", ROBOT_NAMES)
@pytest.mark.parametrize("floating_base", [False, True])
def test_finite_differences(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    rng = np.random.default_rng(4)
    q, v, step = rng.normal(size=graph.nq), rng.normal(size=graph.nv), 1e-5
    before, here, after = (md.frame_poses(graph, integrated(graph, q, v, s)) for s in (-step, 0.0, step))
    for k, link in enumerate(graph.links):
        J = md.jacobian(graph, q, link)
        change = (after[k] - before[k]) / (2 * step)
        spin = change[:3, :3] @ here[k][:3, :3].T  # [omega]x
        found = np.array([*change[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
        # the differences leave step^2 of third derivatives and 1e-16 / step of rounding
        assert np.abs(J @ v - found).max() <= 1e-7 * max(np.abs(found).max(), 1.0)
