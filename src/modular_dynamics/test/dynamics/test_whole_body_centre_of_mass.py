"""The centre of mass and its Jacobian: against Pinocchio, differences, poses of links; rows; bad input."""

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import assert_close, differences, random_state, random_states

ROCK = (
    '<robot name="rock"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
    '<child link="b"/></joint></robot>'
)


def assert_agrees(graph, q, v, a):
    pin = md.crosscheck.PinocchioModel(graph)
    pinocchio.centerOfMass(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(a))
    ours = md.centre_of_mass(graph, q, v, a)
    # at index 1 and on: Pinocchio's universe holds what is fixed to the root link
    mass = sum(inertia.mass for inertia in list(pin.model.inertias)[1:])
    assert ours.mass == pytest.approx(mass, rel=1e-13)
    for mine, theirs in zip(ours[1:], (pin.data.com[0], pin.data.vcom[0], pin.data.acom[0]), strict=True):
        assert_close(mine, theirs, 1e-11, 1.0)
    theirs = pinocchio.jacobianCenterOfMass(pin.model, pin.data, pin.q(q))
    expected = np.array([pin.tau(row) for row in theirs.reshape(3, -1)])
    assert_close(md.centre_of_mass_jacobian(graph, q), expected, 1e-11, 1.0)


@examples(60)
@given(tree=random_trees())
def test_random_trees_agree_with_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    assert_agrees(graph, *tree.state(graph))


def test_robots_agree_with_pinocchio(tree_robot):
    for state in zip(*random_states(tree_robot, 3, 1), strict=True):
        assert_agrees(tree_robot, *state)


def test_it_is_the_mean_of_the_bodies_and_moves_as_the_jacobian_says(tree_robot):
    q, v, a = random_state(tree_robot)
    poses = md.frame_poses(tree_robot, q, [body.name for body in tree_robot.bodies])
    places = [
        pose[:3, :3] @ body.com + pose[:3, 3] for pose, body in zip(poses, tree_robot.bodies, strict=True)
    ]
    mean = np.average(places, axis=0, weights=[body.mass for body in tree_robot.bodies])
    result = md.centre_of_mass(tree_robot, q, v, a)
    assert_close(result.position, mean, 1e-13, 1.0)
    assert_close(md.centre_of_mass_jacobian(tree_robot, q) @ v, result.velocity, 1e-12, 1.0)

    def at(time):
        return md.centre_of_mass(tree_robot, tree_robot.integrate(q, v, time[0]), v + time[0] * a)

    (velocity,) = differences(lambda time: at(time).position, np.zeros(1), 1e-5).T
    (acceleration,) = differences(lambda time: at(time).velocity, np.zeros(1), 1e-5).T
    assert_close(velocity, result.velocity, 1e-7, 1.0)
    assert_close(acceleration, result.acceleration, 1e-6, 1.0)


def test_without_rates_there_are_none(load_robot):
    graph = load_robot("charmie")
    q, v, _ = random_state(graph)
    assert md.centre_of_mass(graph, q)[2:] == (None, None)
    assert md.centre_of_mass(graph, q, v).acceleration is None
    assert np.array_equal(md.centre_of_mass(graph, q).position, md.centre_of_mass(graph, q, v).position)


def test_rows_are_the_single_states(tree_robot):
    states = random_states(tree_robot, 30, 2)
    batch = md.centre_of_mass(tree_robot, *states, threads=2)
    jacobians = md.centre_of_mass_jacobian(tree_robot, states[0])
    assert md.centre_of_mass(tree_robot, states[0])[2:] == (None, None)
    for k in range(30):
        single = md.centre_of_mass(tree_robot, *(rows[k] for rows in states))
        for mine, theirs in zip(batch[1:], single[1:], strict=True):
            assert_close(mine[k], theirs, 1e-13, 1.0)
        assert_close(jacobians[k], md.centre_of_mass_jacobian(tree_robot, states[0][k]), 1e-13, 1.0)


def test_bad_input_is_named(load_robot, boxed_arm):
    graph = load_robot("charmie")
    q = np.ones(graph.nq)
    with pytest.raises(md.StateError, match="its black boxes are tool"):
        md.centre_of_mass(boxed_arm, boxed_arm.neutral())
    with pytest.raises(md.StateError, match=r"v\[3\] of joint .* is nan"):
        md.centre_of_mass(graph, q, np.where(np.arange(19) == 3, np.nan, 1.0))
    with pytest.raises(md.StateError, match="a is given without v"):
        md.centre_of_mass(graph, q, a=q)
    with pytest.raises(md.StateError, match=r"row 1: q\[0\]"):
        md.centre_of_mass(graph, [q, np.inf * q])
    with pytest.warns(md.ModelWarning):
        empty = md.load_urdf(ROCK)
    for compute in (md.centre_of_mass, md.centre_of_mass_jacobian):
        with pytest.raises(md.StateError, match="the moving bodies of 'rock' have no mass"):
            compute(empty, [0.0])
