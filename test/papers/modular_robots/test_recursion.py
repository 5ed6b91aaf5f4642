"""Recursion and products of exponentials beside the library; with a moving base; errors."""

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.robots.small_robots import small_robot
from helpers.tree_dynamics import assert_close
from papers.modular_robots.kinematics import body_poses, path_poses, paths
from papers.modular_robots.recursion import recursion

TYPES = ("revolute", "continuous", "prismatic")


@given(joint_trees(40, TYPES))
@examples(40)
def test_torques_and_poses_are_the_librarys(robot):
    graph = robot.graph
    q, v, a = robot.state(graph)
    wrenches = {graph.bodies[-1].name: np.array([3.0, -2.0, 5.0, 0.4, 0.1, -0.3])}
    for loads in (None, wrenches):
        tau = md.inverse_dynamics(graph, q, v, a, external_wrenches=loads)
        assert_close(recursion(graph, q, v, a, loads).tau, tau)
    expected = dict(zip(graph.links, md.frame_poses(graph, q), strict=True))
    for form in ("local", "global"):
        for name, H in body_poses(graph, q, form).items():
            assert_close(H, expected[name])


def test_paths_end_at_pendant_links():
    graph, q = small_robot("fork"), np.array([0.1, 0.2, 0.3, 0.4])
    assert paths(graph) == (("l1", "l2"), ("l1", "l3", "l4"))
    ends = path_poses(graph, q)
    assert list(ends) == ["l2", "l4"]
    assert_close(ends["l4"], body_poses(graph, q, "global")["l4"])
    with pytest.raises(md.StateError, match=r"'local'.*'global'"):
        path_poses(graph, q, "spatial")


def test_a_moving_base_is_the_library_s_floating_base():
    fixed = small_robot("fork")
    floating = md.load_urdf(fixed.urdf, floating_base=True)
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, fixed.nv))
    base_twist, base_rate = rng.normal(size=(2, 6))
    at_rest = np.array([0.0, 0, 0, 1, 0, 0, 0])
    tau = md.inverse_dynamics(floating, [*at_rest, *q], [*base_twist, *v], [*base_rate, *a])
    falling = np.concatenate([-floating.gravity, np.zeros(3)])
    ours = recursion(fixed, q, v, a, base_twist=base_twist, base_acceleration=base_rate + falling)
    assert floating.joint_names[1:] == fixed.joint_names
    assert_close(ours.tau, tau[6:])


def test_a_moving_base_by_virtual_joints_is_the_library_s_floating_base():
    """Torques of eqs. 22-28, and poses of eqs. 19, 20, with the base's six joints among the others."""
    graph = md.load_urdf(small_robot("fork").urdf, floating_base=True)
    rng = np.random.default_rng(7)
    q, v, a = rng.normal(size=graph.nq), *rng.normal(size=(2, graph.nv))
    assert_close(recursion(graph, q, v, a).tau, md.inverse_dynamics(graph, q, v, a))
    expected = dict(zip(graph.links, md.frame_poses(graph, q), strict=True))
    for form in ("local", "global"):
        for link, H in path_poses(graph, q, form).items():
            assert_close(H, expected[link])


def test_end_wrenches_and_twists_are_in_the_bodies_frames():
    graph = small_robot("chain")
    q, v, a = np.random.default_rng(4).normal(size=(3, 3))
    result = recursion(graph, q, v, a)
    composed = md.compose(graph, q, v, a)
    assert result.V.shape == result.Vdot.shape == result.F.shape == (3, 6)
    for k, body in enumerate(graph.bodies):  # the composition's twists are at the centres of mass
        twist = composed.twists[k]
        omega = result.V[k, 3:]
        velocity = result.V[k, :3] + np.cross(omega, body.com)
        assert_close(np.linalg.norm(omega), np.linalg.norm(twist.primary.vector))
        assert_close(np.linalg.norm(velocity), np.linalg.norm(twist.dual.vector))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"base_twist": ["1"] * 6}, "base_twist is"),
        ({"base_twist": [0.0] * 5}, "base_twist is"),
        ({"base_acceleration": [np.inf] * 6}, "base_acceleration is"),
        ({"wrenches": {"nowhere": np.zeros(6)}}, "nowhere"),
    ],
)
def test_wrong_arguments_are_named(options, words):
    with pytest.raises(md.StateError, match=words):
        recursion(small_robot("chain"), np.zeros(3), np.zeros(3), np.zeros(3), **options)
