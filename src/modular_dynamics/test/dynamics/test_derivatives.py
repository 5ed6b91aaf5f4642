"""Derivatives of inverse dynamics against Pinocchio, finite differences and themselves in batches."""

from functools import partial

import numpy as np
import pinocchio
from hypothesis import given

import modular_dynamics as md
from helpers import tree_dynamics
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import differences, random_state

assert_close = partial(tree_dynamics.assert_close, least=1e-3)


def by_pinocchio(graph, q, v, a):
    """The same three matrices, in our order of joints, mimic joints folded in."""
    pin = md.crosscheck.PinocchioModel(graph)
    theirs = pinocchio.computeRNEADerivatives(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(a))
    # columns of dv_pinocchio / dv: linear, so read off unit velocities
    fold = np.array([pin.v(unit) for unit in np.eye(graph.nv)]).T
    return [fold.T @ np.asarray(matrix) @ fold for matrix in theirs]


@examples(100)
@given(tree=random_trees(largest=14))
def test_random_trees_against_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    state = random_state(graph, tree.seed)
    for result, expected in zip(
        md.inverse_dynamics_derivatives(graph, *state), by_pinocchio(graph, *state), strict=True
    ):
        assert_close(result, expected, 1e-10)


def test_robots_against_pinocchio_and_differences(tree_robot):
    q, v, a = random_state(tree_robot, 1)
    dq, dv, da = md.inverse_dynamics_derivatives(tree_robot, q, v, a)
    assert_close(da, md.mass_matrix(tree_robot, q), 1e-12)
    assert_close(dv, differences(lambda x: md.inverse_dynamics(tree_robot, q, x, a), v), 1e-7)
    if tree_robot.nq > tree_robot.nv:
        q[3:7] /= np.linalg.norm(q[3:7])
    else:
        assert_close(dq, differences(lambda x: md.inverse_dynamics(tree_robot, x, v, a), q), 1e-7)
    result = md.inverse_dynamics_derivatives(tree_robot, q, v, a)
    for ours, theirs in zip(result, by_pinocchio(tree_robot, q, v, a), strict=True):
        assert_close(ours, theirs, 1e-10)


def test_external_wrenches_count(load_robot):
    graph = load_robot("charmie")
    q, v, a = random_state(graph, 2)
    external = {"body_12a": np.arange(6.0)}
    dq = md.inverse_dynamics_derivatives(graph, q, v, a, external_wrenches=external).dq
    assert_close(
        dq, differences(lambda x: md.inverse_dynamics(graph, x, v, a, external_wrenches=external), q), 1e-7
    )
    without = md.inverse_dynamics_derivatives(graph, q, v, a).dq
    assert np.abs(dq - without).max() > 0.1
