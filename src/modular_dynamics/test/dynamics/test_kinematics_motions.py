"""Velocities and accelerations of links, and Jdot v: against Pinocchio and differences; rows; bad input."""

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import assert_close, differences, random_states

#: Axes, point, and what Pinocchio calls them.
REFERENCES = [
    ("root", "link", pinocchio.LOCAL_WORLD_ALIGNED),
    ("link", "link", pinocchio.LOCAL),
    ("root", "root", pinocchio.WORLD),
]


def assert_agrees(graph, q, v, a, links):
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
            assert_close(ours[k], theirs, 1e-11, 1.0)
            theirs = pinocchio.getFrameAcceleration(*arguments, frame, reference).vector
            assert_close(accelerations["spatial"][k], theirs, 1e-11, 1.0)
            theirs = pinocchio.getFrameClassicalAcceleration(*arguments, frame, reference).vector
            assert_close(accelerations["classical"][k], theirs, 1e-11, 1.0)


@examples(60)
@given(data=st.data(), tree=random_trees(largest=40))
def test_random_trees_agree_with_pinocchio(data, tree):
    graph = md.load_urdf(tree.urdf)
    assert_agrees(graph, *tree.state(graph), [data.draw(st.sampled_from(graph.links))])


def test_robots_agree_with_pinocchio(tree_robot):
    for state in zip(*random_states(tree_robot, 3, 1), strict=True):
        assert_agrees(tree_robot, *state, tree_robot.links)


@examples(40)
@given(data=st.data(), tree=random_trees(largest=20))
def test_velocities_are_jacobians_times_v_and_their_rates(data, tree):
    graph = md.load_urdf(tree.urdf)
    q, v, a = tree.state(graph)
    link = data.draw(st.sampled_from(graph.links))
    for axes in ("root", "link"):
        J, drift = md.jacobian(graph, q, link, axes), md.jacobian_drift(graph, q, v, link, axes)
        assert_close(md.frame_velocity(graph, q, v, link, axes), J @ v, least=1.0)
        kind = "classical" if axes == "root" else "spatial"
        acceleration = md.frame_acceleration(graph, q, v, a, link, axes, kind=kind)
        assert_close(acceleration, J @ a + drift, least=1.0)

        def velocity(time, axes=axes):
            there = graph.integrate(q, v, float(time[0]))
            return md.frame_velocity(graph, there, v + time[0] * a, link, axes)

        (rate,) = differences(velocity, np.zeros(1), 1e-5).T
        assert np.abs(rate - acceleration).max() <= 1e-6 * max(1.0, np.abs(acceleration).max())


def test_rows_are_the_single_states(tree_robot):
    q, v, a = random_states(tree_robot, 30, 2)
    link = tree_robot.links[-1]
    batches = (
        md.frame_velocities(tree_robot, q, v, axes="link", threads=2),
        md.frame_accelerations(tree_robot, q, v, a, None, "root", "root", "spatial", threads=2),
        md.jacobian_drift(tree_robot, q, v, link, "link"),
    )
    for k in range(30):
        singles = (
            md.frame_velocities(tree_robot, q[k], v[k], axes="link"),
            md.frame_accelerations(tree_robot, q[k], v[k], a[k], None, "root", "root", "spatial"),
            md.jacobian_drift(tree_robot, q[k], v[k], link, "link"),
        )
        for single, batch in zip(singles, batches, strict=True):
            assert_close(batch[k], single, 1e-13, 1.0)


def test_links_of_black_boxes_move_too(boxed_arm):
    q, v, _ = (rows[0] for rows in random_states(boxed_arm, 1, 3))
    for link in boxed_arm.links:
        expected = md.jacobian(boxed_arm, q, link) @ v
        assert_close(md.frame_velocity(boxed_arm, q, v, link), expected, least=1.0)


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda g, x: md.frame_velocity(g, x, x, "lid"), "no link 'lid' in 'charmie'"),
        (lambda g, x: md.frame_velocities(g, x, x, "body_12a"), "links is 'body_12a'; a sequence"),
        (
            lambda g, x: md.frame_velocities(g, x, x, axes="world"),
            "axes is 'world'; 'root' or 'link' is needed",
        ),
        (
            lambda g, x: md.frame_velocities(g, x, x, point="com"),
            "point is 'com'; 'link' or 'root' is needed",
        ),
        (lambda g, x: md.frame_accelerations(g, x, x, x, kind="linear"), "kind is 'linear'; 'classical' or"),
        (lambda g, x: md.frame_velocities(g, x, x[1:]), r"v has shape \(18,\); 'charmie' needs \(19,\)"),
        (lambda g, x: md.frame_accelerations(g, x, x, x * np.nan), r"a\[0\] of joint 'base_x' is nan"),
        (lambda g, x: md.jacobian_drift(g, x, x, "body_12a", "world"), "axes is 'world'"),
        (lambda g, x: md.frame_velocities(g, x, [x]), r"v has shape \(1, 19\)"),
        (lambda g, x: md.jacobian_drift(g, [x, x], [x, x * np.inf], "body_12a"), "row 1: .*is inf"),
    ],
)
def test_bad_input_is_named(load_robot, compute, message):
    with pytest.raises(md.StateError, match=message):
        compute(load_robot("charmie"), np.ones(19))
