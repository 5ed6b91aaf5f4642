"""Quantities of chains and trees of 1 to 60 joints of all types: Pinocchio, power, jacobians."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees, moved, passive_torques
from helpers.random_examples.trees import random_trees
from helpers.robots import closed_robots
from helpers.robots.urdf_text import spring
from helpers.tree_dynamics import assert_close, random_state


def state_of(tree):
    """With quaternions of unit length, so that small steps are steps."""
    graph = tree.graph
    q, v, a = tree.state(graph)
    return graph, graph.integrate(q, np.zeros(graph.nv)), v, a


@examples(40)
@given(tree=joint_trees())
def test_centre_of_mass_and_momentum_are_pinocchios(tree):
    graph, q, v, a = state_of(tree)
    theirs = PinocchioTree(graph)
    model, data, state = theirs.model, theirs.data, [theirs.q(q), theirs.v(v), theirs.v(a)]
    pinocchio.centerOfMass(model, data, *state)
    ours = md.centre_of_mass(graph, q, v, a)
    for mine, expected in zip(ours[1:], (data.com[0], data.vcom[0], data.acom[0]), strict=True):
        assert_close(mine, expected, 1e-12, 1.0)
    pinocchio.ccrba(model, data, *state[:2])
    A = np.asarray(data.Ag).reshape(6, -1) @ theirs.fold()
    assert_close(md.centroidal_momentum_matrix(graph, q), A, 1e-12, 1.0)
    assert_close(md.centre_of_mass_jacobian(graph, q), A[:3] / ours.mass, 1e-12, 1.0)
    pinocchio.computeCentroidalMomentumTimeVariation(model, data, *state)
    assert_close(md.centroidal_momentum(graph, q, v), data.hg.vector, 1e-12, 1.0)
    assert_close(md.centroidal_momentum_rate(graph, q, v, a), data.dhg.vector, 1e-12, 1.0)


@examples(40)
@given(tree=joint_trees())
def test_energies_are_those_of_the_mass_matrix_and_of_power(tree):
    graph, q, v, _ = state_of(tree)
    kinetic = 0.5 * v @ md.mass_matrix(graph, q) @ v
    assert_close(md.kinetic_energy(graph, q, v), kinetic, 1e-12)
    step, rest = 1e-5, np.zeros(graph.nv)
    ends = [md.potential_energy(graph, moved(graph, q, sign * step * v)) for sign in (1, -1)]
    power = (md.gravity_torque(graph, q) + passive_torques(graph, q, rest)) @ v
    scale = max(abs(power), abs(ends[0]), 1.0)
    assert abs((ends[0] - ends[1]) / (2 * step) - power) <= 1e-7 * scale


@examples(40)
@given(tree=joint_trees())
def test_motions_of_the_last_link_follow_its_jacobian(tree):
    graph, q, v, a = state_of(tree)
    link, step = graph.links[-1], 1e-5
    for axes, kind in (("root", "classical"), ("link", "spatial")):
        J = md.jacobian(graph, q, link, axes)
        assert_close(md.frame_velocity(graph, q, v, link, axes), J @ v, 1e-12, 1.0)
        drift = md.jacobian_drift(graph, q, v, link, axes)
        ends = [md.jacobian(graph, moved(graph, q, s * step * v), link, axes) @ v for s in (1, -1)]
        assert_close((ends[0] - ends[1]) / (2 * step), drift, 1e-6, max(1.0, np.abs(J @ v).max()))
        acceleration = md.frame_acceleration(graph, q, v, a, link, axes, kind=kind)
        assert_close(acceleration, J @ a + drift, 1e-12, 1.0)


# The centre of mass and its Jacobian: against Pinocchio, differences, poses of links; rows; bad input.

ROCK = (
    '<robot name="rock"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
    '<child link="b"/></joint></robot>'
)


def test_bad_input_is_named(load_robot, boxed_arm):
    graph = load_robot("charmie")
    q = np.ones(graph.nq)
    for compute in (md.centre_of_mass, md.centre_of_mass_jacobian, md.potential_energy):
        with pytest.raises(md.StateError, match="its black boxes are tool"):
            compute(boxed_arm, boxed_arm.neutral())
    with pytest.raises(md.StateError, match=r"v\[3\] of joint .* is nan"):
        md.centre_of_mass(graph, q, np.where(np.arange(19) == 3, np.nan, 1.0))
    with pytest.raises(md.StateError, match="a is given without v"):
        md.centre_of_mass(graph, q, a=q)
    with pytest.warns(md.ModelWarning):
        empty = md.load_urdf(ROCK)
    for compute in (md.centre_of_mass, md.centre_of_mass_jacobian):
        with pytest.raises(md.StateError, match="the moving bodies of 'rock' have no mass"):
            compute(empty, [0.0])


# Kinetic and potential energy: against Pinocchio, the mass matrix, power; joint springs and armatures.


@examples(60)
@given(tree=random_trees())
def test_energies_of_random_trees_agree_with_pinocchio_and_the_mass_matrix(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, _ = tree.state(graph)
    pin = md.crosscheck.PinocchioModel(graph)
    kinetic = pinocchio.computeKineticEnergy(pin.model, pin.data, pin.q(q), pin.v(v))
    potential = pinocchio.computePotentialEnergy(pin.model, pin.data, pin.q(q))
    assert md.kinetic_energy(graph, q, v) == pytest.approx(kinetic, rel=1e-11)
    assert md.kinetic_energy(graph, q, v) == pytest.approx(0.5 * v @ md.mass_matrix(graph, q) @ v, rel=1e-11)
    scale = sum(body.mass for body in graph.bodies) * 9.81
    assert md.potential_energy(graph, q) == pytest.approx(potential, rel=1e-11, abs=1e-12 * scale)


def test_springs_at_joints_and_armatures_count(load_robot):
    """Those of a mimic joint at its own position."""
    plain = load_robot("vendor_arm")
    joints = tuple(
        replace(joint, armature=0.1 + k, stiffness=2.0 + k, rest_position=0.3 * k)
        for k, joint in enumerate(plain.joints)
    )
    graph = replace(plain, joints=joints)
    q, v, _ = random_state(graph, 3)
    stretch = np.array([graph.joint_position(j, q)[0] - j.rest_position for j in joints])
    rates = np.array([graph.joint_rate(j, v)[0] for j in joints])
    elastic = 0.5 * sum(j.stiffness * x * x for j, x in zip(joints, stretch, strict=True))
    turning = 0.5 * sum(j.armature * x * x for j, x in zip(joints, rates, strict=True))
    assert any(joint.mimic for joint in joints)
    assert md.potential_energy(graph, q) - md.potential_energy(plain, q) == pytest.approx(elastic)
    assert md.kinetic_energy(graph, q, v) - md.kinetic_energy(plain, q, v) == pytest.approx(turning)
    rows = md.potential_energy(graph, [q, q])
    assert rows == pytest.approx(md.potential_energy(graph, q))
    assert md.kinetic_energy(graph, [q, q], [v, v]) == pytest.approx(md.kinetic_energy(graph, q, v))


def test_energies_that_overflow_are_no_numbers(load_robot):
    plain = load_robot("vendor_arm")
    name = f"joint {plain.joint_names[0]}"
    graph = plain.with_parameters({f"{name} armature": 1e300, f"{name} stiffness": 1e300})
    q = np.full(graph.nq, 1e10)
    with pytest.raises(md.StateError, match="so large that the energy is not"):
        md.kinetic_energy(graph, graph.neutral(), q)
    with pytest.raises(md.StateError, match="so large that the energy is not"):
        md.potential_energy(graph, [q, q])


def test_springs_between_links_are_not_left_out_in_silence():
    text = closed_robots.text_of("four_bar")
    tag = spring("s", [("ground", [0, 0, 0]), ("coupler", [0, 0, 0])], 10.0, 0.1, 0.0)
    graph = md.load_urdf(text.replace("</modular_dynamics>", f"{tag}</modular_dynamics>"))
    with pytest.raises(md.UnsupportedModelError, match="would leave out its springs s; energy"):
        md.potential_energy(graph, graph.neutral())


# Centroidal momentum, its matrix and its rate: against Pinocchio, forces from outside, rows.


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
