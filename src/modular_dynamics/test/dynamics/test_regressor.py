"""tau = Y theta: inverse dynamics, Pinocchio, composition; identification; batches; bad input."""

import re

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees
from helpers.tree_dynamics import assert_close, random_states


def pinocchios(graph, q, v, a):
    """Pinocchio's regressor and parameters in the graph's order of joints and bodies."""
    pin = md.crosscheck.PinocchioModel(graph)
    theirs = pinocchio.computeJointTorqueRegressor(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(a))
    theirs = theirs.reshape(pin.model.nv, -1)  # one row comes as 1-D
    columns = np.concatenate([10 * (index - 1) + np.arange(10) for index in pin.ids])
    theta = np.concatenate([pin.model.inertias[index].toDynamicParameters() for index in pin.ids])
    Y = np.zeros((graph.nv, columns.size))
    for joint in graph.joints:  # a mimic joint's torque is its driver's
        scale = 1.0 if joint.mimic is None else joint.mimic.multiplier
        Y[graph.v_slice(graph.driver(joint))] += scale * theirs[pin.v_slice(joint), columns]
    return Y, theta


def assert_agrees(graph, *state):
    Y, theta = md.regressor(graph, *state), md.inertial_parameters(graph)
    assert_close(Y @ theta, md.inverse_dynamics(graph, *state))
    theirs, their_theta = pinocchios(graph, *state)
    assert_close(Y, theirs)
    assert_close(theta, their_theta)


@pytest.mark.slow
@examples(100)
@given(data=st.data(), tree=random_trees())
def test_random_trees_agree_with_inverse_dynamics_and_pinocchio(data, tree):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    assert_agrees(graph, *tree.state(graph))


def test_robots_agree_with_inverse_dynamics_and_pinocchio(tree_robot):
    for state in zip(*random_states(tree_robot, 5, 1), strict=True):
        assert_agrees(tree_robot, *state)


@pytest.mark.parametrize("name", ["four_link", "vendor_arm"])
def test_other_parameters_same_regressor(load_robot, name):
    """The composition of a robot with other masses, centres of mass and inertias."""
    graph = load_robot(name, floating_base=True)
    rng = np.random.default_rng(2)
    inertial = re.compile(r"<inertial>.*?</inertial>", re.DOTALL)

    def another(_):
        mass, d = rng.uniform(1, 5), rng.uniform(-0.2, 0.2, 3)
        return (
            f'<inertial><origin xyz="{d[0]} {d[1]} {d[2]}" rpy="1 2 3"/><mass value="{mass}"/>'
            '<inertia ixx="0.1" ixy="0.01" ixz="0.02" iyy="0.12" iyz="-0.01" izz="0.15"/></inertial>'
        )

    other = md.load_urdf(inertial.sub(another, graph.urdf), floating_base=True)
    assert other.joint_names == graph.joint_names
    (q,), (v,), (a,) = random_states(graph, 1, 3)
    Y = md.regressor(graph, q, v, a)
    assert np.array_equal(md.regressor(other, q, v, a), Y)
    assert not np.allclose(md.inertial_parameters(other), md.inertial_parameters(graph))
    assert_close(Y @ md.inertial_parameters(other), md.compose(other, q, v, a).tau)


@pytest.mark.slow
def test_identification(tree_robot):
    """Least squares on simulated torques finds what torques of other motions depend on."""
    count = 4 * 10 * len(tree_robot.bodies) // tree_robot.nv
    seen, unseen = random_states(tree_robot, count, 4), random_states(tree_robot, 20, 5)
    Y = md.regressor(tree_robot, *seen)
    tau = md.inverse_dynamics(tree_robot, *seen)
    theta, _, rank, _ = np.linalg.lstsq(Y.reshape(-1, Y.shape[2]), tau.ravel(), rcond=1e-10)
    assert rank < theta.size  # so these are not the true parameters, but as good
    predicted = md.regressor(tree_robot, *unseen) @ theta
    expected = md.inverse_dynamics(tree_robot, *unseen)
    assert np.abs(predicted - expected).max() <= 1e-9 * np.abs(expected).max()


def test_gravity_is_included(load_robot):
    graph = load_robot("vendor_arm")
    q, rest = np.random.default_rng(6).normal(size=graph.nq), np.zeros(graph.nv)
    Y = md.regressor(graph, q, rest, rest)
    assert_close(Y @ md.inertial_parameters(graph), md.gravity_torque(graph, q))
    weightless = md.load_urdf(ROBOTS / "vendor_arm.urdf", gravity=(0, 0, 0))
    assert np.array_equal(md.regressor(weightless, q, rest, rest), np.zeros_like(Y))


def test_bad_rows_are_named(load_robot):
    graph = load_robot("charmie")
    v = np.ones((3, 19))
    v[1, 4] = np.inf
    with pytest.raises(md.StateError, match=r"row 1: v\[4\]"):
        md.regressor(graph, np.ones((3, 19)), v, np.ones((3, 19)))


def test_parameters_of_black_boxes_are_not_known(boxed_arm):
    with pytest.raises(md.StateError, match=r"theta of .* is not known: its black boxes are tool"):
        md.inertial_parameters(boxed_arm)
