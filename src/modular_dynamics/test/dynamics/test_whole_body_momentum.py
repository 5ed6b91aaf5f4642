"""Centroidal momentum, its matrix and its rate: against Pinocchio, forces from outside, rows."""

import numpy as np
import pinocchio
from hypothesis import given

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import assert_close, random_state, random_states


def assert_agrees(graph, q, v, a):
    pin = md.crosscheck.PinocchioModel(graph)
    arguments = pin.model, pin.data, pin.q(q), pin.v(v)
    # linear and angular parts have different units and sizes
    theirs = pinocchio.computeCentroidalMomentumTimeVariation(*arguments, pin.v(a)).vector
    ours = md.centroidal_momentum_rate(graph, q, v, a)
    assert_close(ours[:3], theirs[:3], 1e-11, 1.0)
    assert_close(ours[3:], theirs[3:], 1e-11, 1.0)
    theirs, ours = pin.data.hg.vector, md.centroidal_momentum(graph, q, v)
    assert_close(ours[:3], theirs[:3], 1e-11, 1.0)
    assert_close(ours[3:], theirs[3:], 1e-11, 1.0)
    theirs = pinocchio.computeCentroidalMap(*arguments[:3])
    expected = np.array([pin.tau(row) for row in theirs.reshape(6, -1)])
    A = md.centroidal_momentum_matrix(graph, q)
    assert_close(A[:3], expected[:3], 1e-11, 1.0)
    assert_close(A[3:], expected[3:], 1e-11, 1.0)
    assert_close(A @ v, ours, 1e-11, 1.0)


@examples(60)
@given(tree=random_trees())
def test_random_trees_agree_with_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    assert_agrees(graph, *tree.state(graph))


def test_robots_agree_with_pinocchio(tree_robot):
    for state in zip(*random_states(tree_robot, 3, 1), strict=True):
        assert_agrees(tree_robot, *state)


def test_the_rate_is_what_acts_from_outside(load_robot):
    """A floating robot: the wrench at its base, and weight, which has no moment about the centre of mass."""
    graph = load_robot("charmie", floating_base=True)
    q, v, a = random_state(graph, 4)
    tau = md.inverse_dynamics(graph, q, v, a)
    pose = md.frame_poses(graph, q, [graph.joint("root_joint").child_link])[0]
    centre = md.centre_of_mass(graph, q)
    force = pose[:3, :3] @ tau[:3]
    moment = pose[:3, :3] @ tau[3:6] + np.cross(pose[:3, 3] - centre.position, force)
    expected = np.concatenate([force + centre.mass * graph.gravity, moment])
    assert_close(md.centroidal_momentum_rate(graph, q, v, a), expected, 1e-11)


def test_momentum_is_kept_without_forces(load_robot):
    """A floating robot without weight and base wrench, moved by its joints' torques alone."""
    graph = load_robot("vendor_arm", floating_base=True)
    q, v, tau = random_state(graph, 5)
    weightless = md.load_urdf(graph.urdf, floating_base=True, gravity=(0, 0, 0))
    tau[:6] = 0.0
    a = md.forward_dynamics(weightless, q, v, tau)
    size = np.abs(md.centroidal_momentum_matrix(weightless, q)).max() * np.abs(a).max()
    assert np.abs(md.centroidal_momentum_rate(weightless, q, v, a)).max() <= 1e-11 * size


def test_rows_are_the_single_states(tree_robot):
    q, v, a = random_states(tree_robot, 30, 2)
    momenta = md.centroidal_momentum(tree_robot, q, v, threads=2)
    rates = md.centroidal_momentum_rate(tree_robot, q, v, a)
    matrices = md.centroidal_momentum_matrix(tree_robot, q, threads=2)
    for k in range(30):
        assert_close(momenta[k], md.centroidal_momentum(tree_robot, q[k], v[k]), 1e-12, 1.0)
        assert_close(rates[k], md.centroidal_momentum_rate(tree_robot, q[k], v[k], a[k]), 1e-12, 1.0)
        assert_close(matrices[k], md.centroidal_momentum_matrix(tree_robot, q[k]), 1e-12, 1.0)
