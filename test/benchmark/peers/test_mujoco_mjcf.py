"""The comparison with MuJoCo's inverse dynamics finds differences."""

from dataclasses import replace

import numpy as np

import modular_dynamics as md
from benchmark.peers.mujoco_mjcf import loop_differences, relative, rigid_bodies, tree_difference
from helpers.robots.mjcf_text import four_bar, two_arms
from modular_dynamics.mjcf.source import compiled


def heavier(graph):
    """The graph with one percent more mass in its last body."""
    *others, last = graph.bodies
    return replace(graph, bodies=(*others, replace(last, mass=1.01 * last.mass)))


def test_a_wrong_mass_is_found_in_a_tree():
    model = compiled(two_arms()).model
    graph = md.load_mjcf(model)
    assert tree_difference(graph, model) < 1e-12
    assert tree_difference(heavier(graph), model) > 1e-4


def test_a_wrong_mass_and_a_wrong_anchor_are_found_in_a_loop():
    model = compiled(four_bar()).model
    graph = md.load_mjcf(model)
    assert max(loop_differences(graph, model)) < 1e-10
    assert loop_differences(heavier(graph), model).torque > 1e-4
    (loop,) = graph.loop_joints
    shift = md.algebra.from_xyz_rpy([1e-3, 0.0, 0.0], [0.0, 0.0, 0.0])
    moved = replace(loop.successor, x_link_anchor=loop.successor.x_link_anchor * shift)
    elsewhere = replace(graph, loop_joints=(replace(loop, successor=moved),))
    assert loop_differences(elsewhere, model).position > 1e-4


def test_friction_and_the_medium_are_left_out_of_a_copy():
    text = two_arms(joints=('damping="3" frictionloss="2"', "")).replace(
        "<worldbody>", '<option density="5"/><worldbody>'
    )
    model = compiled(text).model
    rigid = rigid_bodies(model, True)
    assert (model.opt.density, rigid.opt.density) == (5.0, 0.0)
    assert model.dof_damping.any()
    assert not rigid.dof_damping.any()


def test_differences_are_relative_to_the_largest_torque():
    assert relative(np.array([1.0, 2.0]), np.array([1.0, 4.0])) == 0.5
