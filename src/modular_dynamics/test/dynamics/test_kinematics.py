"""Frame poses and jacobians: against Pinocchio, the composition and virtual work; bad input."""

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
from modular_dynamics.algebra import rotation_matrix, to_rotation_translation, translation

assert_close = partial(tree_dynamics.assert_close, least=1.0)


def assert_agrees(graph, q, links):
    """Poses of all links, and jacobians of some, are Pinocchio's."""
    pin = md.crosscheck.PinocchioModel(graph)
    pinocchio.computeJointJacobians(pin.model, pin.data, pin.q(q))
    pinocchio.updateFramePlacements(pin.model, pin.data)
    # "universe" is the root link that a floating base adds; a joint may have a link's name
    frames = {
        link: 0 if link == "universe" else pin.model.getFrameId(link, pinocchio.FrameType.BODY)
        for link in graph.links
    }
    theirs = np.array([pin.data.oMf[frame].homogeneous for frame in frames.values()])
    assert_close(md.frame_poses(graph, q), theirs)
    for link in links:
        for axes, reference in (("root", pinocchio.LOCAL_WORLD_ALIGNED), ("link", pinocchio.LOCAL)):
            theirs = pinocchio.getFrameJacobian(pin.model, pin.data, frames[link], reference)
            # one column comes as 1-D
            expected = np.array([pin.tau(row) for row in theirs.reshape(6, -1)])
            assert_close(md.jacobian(graph, q, link, axes), expected)


@examples(100)
@given(data=st.data(), tree=random_trees(largest=30))
def test_random_trees_agree_with_pinocchio(data, tree):
    graph = md.load_urdf(tree.urdf)
    q, _, _ = tree.state(graph)
    assert_agrees(graph, q, [data.draw(st.sampled_from(graph.links))])


@examples(40)
@given(data=st.data(), tree=random_trees(largest=20))
def test_random_trees_agree_with_the_composition(data, tree):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    q, v, a = tree.state(graph)
    composed = md.compose(graph, q, v, a)
    for subsystem, motion in zip(graph.subsystems, composed.motions, strict=True):
        for k, x_a_body in zip(subsystem.indices, motion.x_a_body, strict=True):
            body = graph.bodies[k]
            x_ground_body = motion.x_ground_a * x_a_body
            for link, x_body_link in body.links.items():
                rotation, position = to_rotation_translation(x_ground_body * x_body_link)
                (pose,) = md.frame_poses(graph, q, [link])
                assert_close(pose[:3], np.column_stack([rotation, position]))
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
    unboxed, boxed = md.load_urdf(ROBOTS / "vendor_arm.urdf"), boxed_arm
    assert sorted(boxed.links) == sorted(unboxed.links)
    assert "tv7_gripper_base" in boxed.subsystem("tool").fixed_links
    values = dict(zip(unboxed.joint_names, np.random.default_rng(7).normal(size=unboxed.nq), strict=True))
    ours, theirs = ([values[name] for name in graph.joint_names] for graph in (boxed, unboxed))
    assert_close(md.frame_poses(boxed, ours), md.frame_poses(unboxed, theirs, boxed.links))
    order = [unboxed.joint_names.index(name) for name in boxed.joint_names]
    for link in boxed.links:
        assert_close(md.jacobian(boxed, ours, link), md.jacobian(unboxed, theirs, link)[:, order])


def test_closed_loops_are_open_trees_here(load_robot):
    tree = load_robot("four_link")
    ends = '<predecessor link="base"/><successor link="left_branch"/>'
    tags = f'<loop_joint name="top" type="fixed">{ends}</loop_joint><passive joint="bend"/>'
    text = tree.urdf.replace("</modular_dynamics>", f"{tags}</modular_dynamics>")
    closed = md.load_urdf(text)
    assert closed.loop_joints
    assert closed.nq == tree.nq
    q = np.random.default_rng(8).normal(size=tree.nq)
    assert np.array_equal(md.frame_poses(closed, q), md.frame_poses(tree, q))
    assert np.array_equal(md.jacobian(closed, q, "left_branch"), md.jacobian(tree, q, "left_branch"))


def test_a_robot_that_cannot_move():
    graph = md.load_urdf(
        '<robot name="rock"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
        '<child link="b"/><origin xyz="1 2 3"/></joint></robot>'
    )
    assert md.frame_poses(graph, [])[1][:3, 3] == pytest.approx([1, 2, 3])
    assert md.jacobian(graph, [], "b").shape == (6, 0)


@pytest.mark.slow
@examples(30)
@given(data=st.data(), tree=random_trees(largest=20))
def test_jacobians_say_the_virtual_work(data, tree):
    """What a wrench on a link does to the torques, J^T says."""
    graph = md.load_urdf(tree.urdf)
    q, v, a = tree.state(graph)
    link = data.draw(st.sampled_from(graph.links))
    wrench = np.random.default_rng(tree.seed).normal(size=6)
    free = md.inverse_dynamics(graph, q, v, a)
    loaded = md.inverse_dynamics(graph, q, v, a, external_wrenches={link: wrench})
    work = md.jacobian(graph, q, link, "link").T @ wrench
    assert np.abs(free - loaded - work).max() <= 1e-11 * max(np.abs(free).max(), 1.0)


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda g, q: md.frame_poses(g, q, ["lid"]), "no link 'lid' in 'charmie'; its links: .*body_12a"),
        (lambda g, q: md.frame_pose(g, q, "lid"), "no link 'lid' in 'charmie'; its links: "),
        (lambda g, q: md.frame_velocity(g, q, q, "lid"), "no link 'lid' in 'charmie'; its links: "),
        (lambda g, q: md.frame_poses(g, q, "body_12a"), "links is 'body_12a'; a sequence"),
        (lambda g, q: md.frame_poses(g, q, 3), "links is 3; a sequence"),
        (lambda g, q: md.frame_poses(g, q, [["body_12a"]]), "a sequence of link names"),
        (lambda g, q: md.jacobian(g, q, ["body_12a"]), "a name is needed"),
        (lambda g, q: md.jacobian(g, q, "body_12a", "world"), "axes is 'world'; 'root' or 'link' is needed"),
        (lambda g, q: md.jacobian_drift(g, q, q, "body_12a", "world"), "axes is 'world'; 'root' or 'link'"),
        (
            lambda g, q: md.frame_velocities(g, q, q, point="com"),
            "point is 'com'; 'link' or 'root' is needed",
        ),
        (lambda g, q: md.frame_accelerations(g, q, q, q, kind="linear"), "kind is 'linear'; 'classical' or"),
        (lambda g, q: md.frame_velocities(g, q, q[1:]), r"v has shape \(18,\); 'charmie' needs \(19,\)"),
        (lambda g, q: md.frame_accelerations(g, q, q, q * np.nan), r"a\[0\] of joint 'base_x' is nan"),
    ],
)
def test_bad_input_is_named(load_robot, compute, message):
    with pytest.raises(md.StateError, match=message):
        compute(load_robot("charmie"), np.ones(19))


def test_a_zero_quaternion_is_refused_whichever_link_is_asked_for(load_robot):
    graph = load_robot("four_link", floating_base=True)
    for link in ("universe", graph.links[-1]):
        with pytest.raises(md.StateError, match="zero quaternion"):
            md.jacobian(graph, np.zeros(graph.nq), link)


# Velocities and accelerations of links, and Jdot v: against Pinocchio and differences; rows; bad input.

#: Axes, point, and what Pinocchio calls them.
REFERENCES = [
    ("root", "link", pinocchio.LOCAL_WORLD_ALIGNED),
    ("link", "link", pinocchio.LOCAL),
    ("root", "root", pinocchio.WORLD),
]


def assert_agrees_of_motions(graph, q, v, a, links):
    pin = md.crosscheck.PinocchioModel(graph)
    arguments = pin.model, pin.data
    pinocchio.forwardKinematics(*arguments, pin.q(q), pin.v(v), pin.v(a))
    pinocchio.updateFramePlacements(*arguments)
    for axes, point, reference in REFERENCES:
        ours = md.frame_velocities(graph, q, v, links, axes, point)
        accelerations = {
            kind: md.frame_accelerations(graph, q, v, a, links, axes, point, kind)
            for kind in ("classical", "spatial")
        }
        for k, link in enumerate(links):
            if link == "universe":
                continue
            frame = pin.model.getFrameId(link, pinocchio.FrameType.BODY)
            theirs = pinocchio.getFrameVelocity(*arguments, frame, reference).vector
            assert_close(ours[k], theirs, 1e-11)
            theirs = pinocchio.getFrameAcceleration(*arguments, frame, reference).vector
            assert_close(accelerations["spatial"][k], theirs, 1e-11)
            theirs = pinocchio.getFrameClassicalAcceleration(*arguments, frame, reference).vector
            assert_close(accelerations["classical"][k], theirs, 1e-11)


@examples(60)
@given(data=st.data(), tree=random_trees(largest=40))
def test_random_trees_agree_with_pinocchio_motions(data, tree):
    graph = md.load_urdf(tree.urdf)
    assert_agrees_of_motions(graph, *tree.state(graph), [data.draw(st.sampled_from(graph.links))])
