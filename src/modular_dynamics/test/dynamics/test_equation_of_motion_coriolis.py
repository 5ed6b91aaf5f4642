"""C(q, v): the bias, Mdot - 2 C skew-symmetric, Pinocchio's matrix; floating bases, mimic joints, rows."""

from dataclasses import replace

import numpy as np
import pinocchio
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import assert_close, differences, random_state, random_states


def assert_is_coriolis(graph, q, v):
    C = md.coriolis_matrix(graph, q, v)
    h = md.nonlinear_effects(graph, q, v) - md.nonlinear_effects(
        graph, q, 0.0 * v
    )  # without gravity and springs
    scale = max(np.abs(md.nonlinear_effects(graph, q, v)).max(), np.abs(h).max(), 1e-9)
    assert np.abs(C @ v - h).max() <= 1e-11 * scale

    def M(time):
        return md.mass_matrix(graph, graph.integrate(q, v, time[0])).ravel()

    rate = differences(M, np.zeros(1), 1e-5).reshape(graph.nv, graph.nv)
    assert np.abs(rate - C - C.T).max() <= 1e-6 * max(np.abs(rate).max(), 1.0)


@examples(60)
@given(tree=random_trees(largest=25))
def test_random_trees_have_a_skew_symmetric_difference(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, _ = tree.state(graph)
    assert_is_coriolis(graph, q, v)


@examples(30)
@given(tree=joint_trees(largest=12), seed=st.integers(0, 100))
def test_joints_of_all_types_with_armatures_have_it_too(tree, seed):
    """Floating joints with armature among them, whose M is not that of a rigid body."""
    graph, rng = tree.graph, np.random.default_rng(seed)
    graph = graph.with_parameters({f"joint {joint.name} armature": rng.random() for joint in graph.joints})
    q, v, _ = tree.state(graph)
    assert_is_coriolis(graph, graph.integrate(q, np.zeros(graph.nv)), v)


def test_robots_have_a_skew_symmetric_difference(tree_robot):
    q, v, _ = random_state(tree_robot, 1)
    assert_is_coriolis(tree_robot, q, v)


@examples(60)
@given(tree=random_trees(largest=25))
def test_it_is_pinocchios(tree):
    """Which is Christoffel's, too; mimic joints add up as in M."""
    graph = md.load_urdf(tree.urdf)
    q, v, _ = tree.state(graph)
    pin = md.crosscheck.PinocchioModel(graph)
    theirs = pinocchio.computeCoriolisMatrix(pin.model, pin.data, pin.q(q), pin.v(v))
    theirs = theirs.reshape(pin.model.nv, pin.model.nv)
    rows = np.array([pin.tau(column) for column in theirs.T]).T
    expected = np.array([pin.tau(row) for row in rows])
    assert_close(md.coriolis_matrix(graph, q, v), expected, 1e-9, 1.0)


def test_christoffels_symbols_are_symmetric(load_robot):
    """C(q, a) b = C(q, b) a where velocities are derivatives of coordinates."""
    graph = load_robot("branched_38dof")
    q, a, b = random_state(graph, 2)
    assert_close(md.coriolis_matrix(graph, q, a) @ b, md.coriolis_matrix(graph, q, b) @ a, 1e-11)


def test_springs_at_joints_are_not_part_of_it(load_robot):
    """C v is the bias less gravity and springs; an armature, constant, is not part of it either."""
    bare = load_robot("vendor_arm")
    joints = tuple(replace(joint, stiffness=2.0, rest_position=0.3, armature=0.1) for joint in bare.joints)
    graph = replace(bare, joints=joints)
    q, v, _ = random_state(graph, 4)
    springs = md.nonlinear_effects(graph, q, np.zeros(graph.nv)) - md.gravity_torque(graph, q)
    assert np.abs(springs).max() > 0.1
    C = md.coriolis_matrix(graph, q, v)
    assert_close(C, md.coriolis_matrix(bare, q, v), 1e-11)
    assert_close(C @ v, md.nonlinear_effects(graph, q, v) - md.gravity_torque(graph, q) - springs, 1e-11)


def test_rows_are_the_single_states(tree_robot):
    q, v, _ = random_states(tree_robot, 20, 3)
    batch = md.coriolis_matrix(tree_robot, q, v, threads=2)
    for k in range(20):
        assert_close(batch[k], md.coriolis_matrix(tree_robot, q[k], v[k]), 1e-12)
