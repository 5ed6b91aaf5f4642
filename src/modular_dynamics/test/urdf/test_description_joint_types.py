"""Planar joints, and joints that our tags change: what the model has of them."""

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from benchmark.setting.robots import random_inertial
from helpers.robots.urdf_text import joint, robot
from helpers.tree_dynamics import assert_close

LINKS = ('<link name="base"/>', *(f'<link name="{name}">{{}}</link>' for name in ("upper", "lower")))


def two_links(kind, axis=(0, 0, 1), tags=(), more=""):
    """A revolute joint, and behind it one of another kind."""
    rng = np.random.default_rng(0)
    links = [LINKS[0], *(link.format(random_inertial(rng)) for link in LINKS[1:])]
    first = joint("shoulder", "revolute", "base", "upper", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), (0, 0.6, 0.8))
    second = joint("elbow", kind, "upper", "lower", (0.3, 0.1, -0.2), (0.1, -0.7, 0.2), axis, more=more)
    return robot("two", [*links, first, second], tags)


def test_a_planar_joint_becomes_three():
    more = '<dynamics damping="0.5" friction="0.25"/>'
    graph = md.load_urdf(two_links("planar", (0, 1, 0), more=more))
    assert graph.joint_names == ("shoulder", "elbow_x", "elbow_y", "elbow_theta")
    assert [joint.type.value for joint in graph.joints[1:]] == ["prismatic", "prismatic", "continuous"]
    assert [body.mass for body in graph.bodies[1:3]] == [0.0, 0.0]
    # z turned to y about x takes y to -z
    axes = [joint.axis for joint in graph.joints[1:]]
    np.testing.assert_allclose(axes, [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=1e-15)
    assert [(joint.damping, joint.friction) for joint in graph.joints[1:]] == [(0.5, 0.25)] * 3
    assert graph.warnings == ()


def test_a_planar_joint_is_pinocchios():
    """Its velocities are in the child's axes, ours are the coordinates' rates."""
    text = two_links("planar")
    graph, model = md.load_urdf(text), pinocchio.buildModelFromXML(text)
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, graph.nv))
    angle, rate = q[3], v[3]
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    change = rate * np.array([[-np.sin(angle), np.cos(angle)], [-np.cos(angle), -np.sin(angle)]])
    theirs_q = np.array([*q[:3], np.cos(angle), np.sin(angle)])
    theirs_v = np.array([v[0], *turn @ v[1:3], rate])
    theirs_a = np.array([a[0], *(turn @ a[1:3] + change @ v[1:3]), a[3]])
    tau = np.asarray(pinocchio.rnea(model, model.createData(), theirs_q, theirs_v, theirs_a))
    tau[1:3] = turn.T @ tau[1:3]
    assert_close(md.inverse_dynamics(graph, q, v, a), tau, 1e-13)


def test_the_names_of_a_planar_joint_must_be_free():
    text = two_links("planar").replace('"shoulder"', '"elbow_theta"')
    with pytest.raises(md.UrdfError, match=r"planar joint 'elbow' becomes .* already used: elbow_theta"):
        md.load_urdf(text)


@pytest.mark.parametrize("axis", [(0, 0, -1), (0.48, 0.6, 0.64), (1, 0, 0)])
def test_the_axes_of_a_planar_joint_are_a_frame(axis):
    joints = md.load_urdf(two_links("planar", axis)).joints[1:]
    x, y, n = (joint.axis for joint in joints)
    np.testing.assert_allclose(n, axis, atol=1e-15)
    np.testing.assert_allclose(np.cross(x, y), n, atol=1e-15)


def test_tags_give_joints_their_type_and_dynamics():
    tags = [
        '<spherical joint="elbow"/>',
        '<joint_dynamics joint="elbow" armature="0.1"/>',
        '<joint_dynamics joint="shoulder" armature="0.2" stiffness="3" rest_position="-0.5"/>',
    ]
    graph = md.load_urdf(two_links("floating", tags=tags))
    shoulder, elbow = graph.joints
    assert (shoulder.armature, shoulder.stiffness, shoulder.rest_position) == (0.2, 3.0, -0.5)
    assert (elbow.type, elbow.armature, graph.nq, graph.nv) == (md.JointType.SPHERICAL, 0.1, 5, 4)
    np.testing.assert_array_equal(graph.neutral(), [0, 1, 0, 0, 0])
    assert "elbow: spherical, upper → lower" in str(graph)
    file = {
        "version": 1,
        "spherical": ["elbow"],
        "joint_dynamics": [
            {"joint": "elbow", "armature": 0.1},
            {"joint": "shoulder", "armature": 0.2, "stiffness": 3, "rest_position": -0.5},
        ],
    }
    same = md.load_urdf(two_links("floating"), file)
    q, v, a = graph.neutral() + 0.1, np.ones(4), np.arange(4.0)
    np.testing.assert_array_equal(md.inverse_dynamics(same, q, v, a), md.inverse_dynamics(graph, q, v, a))


def test_a_floating_base_carries_a_spherical_joint_on_the_root_link():
    text = two_links("floating", tags=['<spherical joint="elbow"/>']).replace(
        '<parent link="upper"/>', '<parent link="base"/>'
    )
    graph = md.load_urdf(text, floating_base=True)
    assert [joint.type.value for joint in graph.joints] == ["floating", "revolute", "spherical"]
