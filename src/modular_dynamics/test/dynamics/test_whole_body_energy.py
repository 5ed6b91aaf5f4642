"""Kinetic and potential energy: against Pinocchio, the mass matrix, power; joint springs and armatures."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees
from helpers.robots import closed_robots
from helpers.robots.urdf_text import spring
from helpers.tree_dynamics import assert_close, differences, random_state, random_states


@examples(60)
@given(tree=random_trees())
def test_random_trees_agree_with_pinocchio_and_the_mass_matrix(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, _ = tree.state(graph)
    pin = md.crosscheck.PinocchioModel(graph)
    kinetic = pinocchio.computeKineticEnergy(pin.model, pin.data, pin.q(q), pin.v(v))
    potential = pinocchio.computePotentialEnergy(pin.model, pin.data, pin.q(q))
    assert md.kinetic_energy(graph, q, v) == pytest.approx(kinetic, rel=1e-11)
    assert md.kinetic_energy(graph, q, v) == pytest.approx(0.5 * v @ md.mass_matrix(graph, q) @ v, rel=1e-11)
    scale = sum(body.mass for body in graph.bodies) * 9.81
    assert md.potential_energy(graph, q) == pytest.approx(potential, rel=1e-11, abs=1e-12 * scale)


@examples(30)
@given(data=st.data(), tree=random_trees(largest=20))
def test_random_trees_agree_with_the_twists_of_the_composition(data, tree):
    """Kinetic energy body by body, and the linear momentum, whose size does not depend on axes."""
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    q, v, a = tree.state(graph)
    twists = [twist.vec6() for twist in md.compose(graph, q, v, a).twists]  # omega, velocity of the CoM
    kinetic = sum(
        0.5 * (body.mass * twist[3:] @ twist[3:] + twist[:3] @ body.inertia @ twist[:3])
        for body, twist in zip(graph.bodies, twists, strict=True)
    )
    assert md.kinetic_energy(graph, q, v) == pytest.approx(kinetic, rel=1e-11)
    poses = md.frame_poses(graph, q, [body.name for body in graph.bodies])
    momentum = sum(
        body.mass * pose[:3, :3] @ twist[3:]
        for body, pose, twist in zip(graph.bodies, poses, twists, strict=True)
    )
    assert_close(md.centroidal_momentum(graph, q, v)[:3], momentum, 1e-11, 1.0)


def test_power_is_the_rate_of_energy(tree_robot):
    q, v, a = random_state(tree_robot, 1)
    tau = md.inverse_dynamics(tree_robot, q, v, a)

    def energy(time):
        there = tree_robot.integrate(q, v, time[0])
        rate = v + time[0] * a
        return np.array([md.kinetic_energy(tree_robot, there, rate) + md.potential_energy(tree_robot, there)])

    assert differences(energy, np.zeros(1), 1e-5)[0, 0] == pytest.approx(tau @ v, rel=1e-6)
    hold = md.gravity_torque(tree_robot, q) @ v

    def potential(time):
        return np.array([md.potential_energy(tree_robot, tree_robot.integrate(q, v, time[0]))])

    assert differences(potential, np.zeros(1))[0, 0] == pytest.approx(hold, rel=1e-5, abs=1e-5)


def test_rows_are_the_single_states(tree_robot):
    q, v, _ = random_states(tree_robot, 30, 2)
    kinetic = md.kinetic_energy(tree_robot, q, v, threads=2)
    potential = md.potential_energy(tree_robot, q)
    assert kinetic.shape == potential.shape == (30,)
    for k in range(30):
        assert_close(kinetic[k], md.kinetic_energy(tree_robot, q[k], v[k]), 1e-13)
        assert_close(potential[k], md.potential_energy(tree_robot, q[k]), 1e-13)


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


def test_closed_robots_have_the_energy_of_their_parts():
    graph = md.load_urdf(closed_robots.path("crane"))
    q = md.close_loops(graph, closed_robots.STATES["crane"])
    v = np.random.default_rng(0).normal(size=graph.nv)
    expected = md.kinetic_energy(graph, q, v) + md.potential_energy(graph, q)
    assert md.energy(graph, q, v) == pytest.approx(expected, rel=1e-12)


def test_springs_between_links_are_not_left_out_in_silence():
    text = closed_robots.text_of("four_bar")
    tag = spring("s", [("ground", [0, 0, 0]), ("coupler", [0, 0, 0])], 10.0, 0.1, 0.0)
    graph = md.load_urdf(text.replace("</modular_dynamics>", f"{tag}</modular_dynamics>"))
    with pytest.raises(md.UnsupportedModelError, match="would leave out its springs s; energy"):
        md.potential_energy(graph, graph.neutral())


def test_black_boxes_are_refused(boxed_arm):
    with pytest.raises(md.StateError, match="its black boxes are tool"):
        md.potential_energy(boxed_arm, boxed_arm.neutral())
