"""Closed robots as URDF text: the same loops, gears and springs, and the same torques."""

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.mechanisms import random_mechanisms
from helpers.read_back import assert_close, assert_same, read_back
from helpers.robots.closed_robots import STATES
from helpers.robots.mjcf_text import four_bar
from modular_dynamics.algebra import from_xyz_rpy
from modular_dynamics.mjcf import load_mjcf

POSE = from_xyz_rpy([0.3, -0.2, 0.5], [0.4, 1.1, -2.0])


def test_a_mechanism_of_mjcf():
    graph = load_mjcf(four_bar())
    read = read_back(graph)
    assert_same(read, graph)
    state = np.array([0.1]), np.array([0.4]), np.array([-0.3])
    ours = md.InverseDynamics(graph).solve(*state)
    assert_close(md.inverse_dynamics(read, *state), ours.tau)


@pytest.mark.parametrize("name", STATES)
def test_closed_loops_give_the_same_torques(load_robot, name):
    graph, q = load_robot(name), STATES[name]
    rng = np.random.default_rng(1)
    changed = graph.with_payload(graph.bodies[-1].name, mass=1.5, com=[0.01, 0.02, 0.03])
    for one in (graph, changed):
        read, (v, a) = read_back(one), rng.normal(size=(2, len(q)))
        ours = md.InverseDynamics(one).solve(q, v, a)
        theirs = md.InverseDynamics(read).solve(q, v, a)
        assert_close(theirs.tau, ours.tau, 1e-11)  # positions are solved for to 1e-12
        assert_close(theirs.coordinates, ours.coordinates, 1e-11)
        for kept in ("gears", "passive_joints"):
            assert getattr(read, kept) == getattr(one, kept)


@pytest.mark.parametrize("name", ["crane", "exoskeleton"])
def test_closed_loops_with_a_locked_joint_and_an_attached_robot(load_robot, name):
    graph, q = load_robot(name), STATES[name]
    graph = graph.lock({graph.independent_joint_names[0]: q[0]})
    graph = graph.attach(load_robot("four_link"), graph.bodies[-1].name, POSE, prefix="tool_")
    rng = np.random.default_rng(1)
    q = np.array([*q[1:], *rng.normal(size=4)])
    read, (v, a) = read_back(graph), rng.normal(size=(2, len(q)))
    ours, theirs = (md.InverseDynamics(each).solve(q, v, a) for each in (graph, read))
    assert_close(theirs.tau, ours.tau, 1e-11)
    assert_same(read, graph)


@examples(15)
@given(mechanism=random_mechanisms(largest=8))
def test_random_mechanisms_with_chosen_independent_joints(mechanism):
    graph = mechanism.graph
    read = read_back(graph)
    assert_same(read, graph)
    assert read.independent == graph.independent
    for loop, its in zip(graph.loop_joints, read.loop_joints, strict=True):
        assert_close(its.axis, loop.axis, 1e-15)
        for end, other in zip(loop.anchors, its.anchors, strict=True):
            assert end.link == other.link
            assert_close(other.x_link_anchor.vec8(), end.x_link_anchor.vec8(), 1e-15)
