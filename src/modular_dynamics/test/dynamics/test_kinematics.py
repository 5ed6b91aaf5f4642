"""Frame poses and jacobians against Pinocchio and the composition; links of special robots."""

from functools import partial

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers import tree_dynamics
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees
from helpers.tree_dynamics import ROBOT_NAMES
from modular_dynamics.algebra import rotation_matrix, to_rotation_translation, translation

assert_close = partial(tree_dynamics.assert_close, least=1.0)


class Pinocchio:
    """Placements and jacobians of links by Pinocchio, in the graph's order."""

    def __init__(self, graph, q):
        self.graph, self.pin = graph, md.crosscheck.PinocchioModel(graph)
        pinocchio.computeJointJacobians(self.pin.model, self.pin.data, self.pin.q(q))
        pinocchio.updateFramePlacements(self.pin.model, self.pin.data)

    def frame(self, link):
        # "universe" is the root link that a floating base adds; a joint may have a link's name
        return 0 if link == "universe" else self.pin.model.getFrameId(link, pinocchio.FrameType.BODY)

    def placements(self):
        return np.array([self.pin.data.oMf[self.frame(link)].homogeneous for link in self.graph.links])

    def jacobian(self, link, axes):
        reference = {"root": pinocchio.LOCAL_WORLD_ALIGNED, "link": pinocchio.LOCAL}[axes]
        theirs = pinocchio.getFrameJacobian(self.pin.model, self.pin.data, self.frame(link), reference)
        return np.array([self.pin.tau(row) for row in theirs.reshape(6, -1)])  # one column comes as 1-D


@examples(100)
@given(data=st.data(), tree=random_trees(largest=30))
def test_random_trees_agree_with_pinocchio(data, tree):
    graph = md.load_urdf(tree.urdf)
    q, _, _ = tree.state(graph)
    theirs = Pinocchio(graph, q)
    assert_close(md.frame_poses(graph, q), theirs.placements())
    link = data.draw(st.sampled_from(graph.links))
    for axes in ("root", "link"):
        assert_close(md.jacobian(graph, q, link, axes), theirs.jacobian(link, axes))


@pytest.mark.parametrize("name", ROBOT_NAMES)
@pytest.mark.parametrize("floating_base", [False, True])
def test_robots_agree_with_pinocchio(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    q = np.random.default_rng(2).uniform(-3, 3, graph.nq)
    theirs = Pinocchio(graph, q)
    assert_close(md.frame_poses(graph, q), theirs.placements())
    for link in graph.links:
        for axes in ("root", "link"):
            assert_close(md.jacobian(graph, q, link, axes), theirs.jacobian(link, axes))


@examples(40)
@given(data=st.data(), tree=random_trees(largest=20))
def test_random_trees_agree_with_the_composition(data, tree):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    q, v, vdot = tree.state(graph)
    composed = md.compose(graph, q, v, vdot)
    for subsystem, motion in zip(graph.subsystems, composed.motions, strict=True):
        for k, x_a_body in zip(subsystem.indices, motion.x_a_body, strict=True):
            body = graph.bodies[k]
            x_ground_body = motion.x_ground_a * x_a_body
            for link, x_body_link in body.links.items():
                rotation, position = to_rotation_translation(x_ground_body * x_body_link)
                (found,) = md.frame_poses(graph, q, [link])
                assert_close(found[:3], np.column_stack([rotation, position]))
            linear, angular = (md.jacobian(graph, q, body.name, "link") @ v).reshape(2, 3)
            expected = composed.twists[k].vec6()  # (omega, velocity of the CoM), in the body's axes
            assert_close(np.concatenate([angular, linear + np.cross(angular, body.com)]), expected)


def test_frame_pose_is_a_unit_dual_quaternion(load_robot):
    graph = load_robot("vendor_arm", floating_base=True)
    q = np.random.default_rng(5).normal(size=graph.nq)
    for link, matrix in zip(graph.links, md.frame_poses(graph, q), strict=True):
        x = md.frame_pose(graph, q, link)
        assert x.is_unit()
        assert x.primary.w >= 0.0
        assert_close(rotation_matrix(x.primary), matrix[:3, :3])
        assert_close(translation(x), matrix[:3, 3])


def test_links_are_in_the_documented_order(load_robot):
    graph = load_robot("vendor_arm")
    ground = list(graph.ground.links)
    assert graph.links == (*ground, *(link for body in graph.bodies for link in body.links))
    q = np.random.default_rng(6).normal(size=graph.nq)
    every = dict(zip(graph.links, md.frame_poses(graph, q), strict=True))
    assert np.array_equal(every[ground[0]], np.eye(4))
    chosen = [graph.links[-1], graph.links[0], graph.links[-1]]
    assert_close(md.frame_poses(graph, q, chosen), np.array([every[link] for link in chosen]))
    assert md.frame_poses(graph, q, []).shape == (0, 4, 4)
    assert np.array_equal(md.jacobian(graph, q, ground[0]), np.zeros((6, graph.nv)))


def test_links_of_black_boxes_have_poses_too(boxed_arm):
    plain, boxed = md.load_urdf(ROBOTS / "vendor_arm.urdf"), boxed_arm
    assert sorted(boxed.links) == sorted(plain.links)
    assert "tv7_gripper_base" in boxed.subsystem("tool").fixed_links
    values = dict(zip(plain.joint_names, np.random.default_rng(7).normal(size=plain.nq), strict=True))
    ours, theirs = ([values[name] for name in graph.joint_names] for graph in (boxed, plain))
    assert_close(md.frame_poses(boxed, ours), md.frame_poses(plain, theirs, boxed.links))
    order = [plain.joint_names.index(name) for name in boxed.joint_names]
    for link in boxed.links:
        assert_close(md.jacobian(boxed, ours, link), md.jacobian(plain, theirs, link)[:, order])


def test_closed_loops_are_open_trees_here(load_robot):
    plain = load_robot("four_link")
    ends = '<predecessor link="base"/><successor link="left_branch"/>'
    tags = f'<loop_joint name="top" type="fixed">{ends}</loop_joint><passive joint="bend"/>'
    text = plain.urdf.replace("</modular_dynamics>", f"{tags}</modular_dynamics>")
    closed = md.load_urdf(text)
    assert closed.loop_joints
    assert closed.nq == plain.nq
    q = np.random.default_rng(8).normal(size=plain.nq)
    assert np.array_equal(md.frame_poses(closed, q), md.frame_poses(plain, q))
    assert np.array_equal(md.jacobian(closed, q, "left_branch"), md.jacobian(plain, q, "left_branch"))


def test_a_robot_that_cannot_move():
    graph = md.load_urdf(
        '<robot name="rock"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
        '<child link="b"/><origin xyz="1 2 3"/></joint></robot>'
    )
    assert md.frame_poses(graph, [])[1][:3, 3] == pytest.approx([1, 2, 3])
    assert md.jacobian(graph, [], "b").shape == (6, 0)
