"""<drake:joint>: ball, planar and universal joints by Pinocchio, others refused."""

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import DRAKE
from helpers.robots.urdf_text import inertial, joint, robot
from helpers.tree_dynamics import assert_close

SEED = np.random.default_rng(0)


def arm(kind, tag="drake:joint", of_joint=""):
    """A revolute joint, then one of Drake's."""
    inertia = np.diag([0.1, 0.2, 0.25])
    links = ['<link name="base"/>']
    links += [f'<link name="{name}">{inertial(1.5, (0.1, 0.2, 0.3), inertia)}</link>' for name in "ab"]
    first = joint("j", "revolute", "base", "a", (0, 0, 1), axis=(0, 1, 0))
    second = joint("k", kind, "a", "b", (0.3, 0.1, 0.2), (0.1, 0.2, 0.3), more=of_joint)
    if tag != "joint":
        second = second.replace("<joint", f"<{tag} {DRAKE}").replace("</joint", f"</{tag}")
    return robot("arm", [*links, first, second])


def test_a_ball_joint():
    graph = md.load_urdf(arm("ball"), strict=True)
    assert graph.joint("k").type is md.JointType.SPHERICAL
    own = arm("floating", "joint").replace(
        "</robot>", '<modular_dynamics version="1"><spherical joint="k"/></modular_dynamics></robot>'
    )
    expected = md.load_urdf(own)
    q, v, a = graph.neutral(), SEED.normal(size=4), SEED.normal(size=4)
    tau = md.inverse_dynamics(graph, q, v, a)
    np.testing.assert_array_equal(tau, md.inverse_dynamics(expected, q, v, a))
    assert "<drake:joint> read as ball joints: k (line 1)" in graph.notes
    written = graph.to_urdf()
    assert "drake" not in written
    np.testing.assert_allclose(md.inverse_dynamics(md.load_urdf(written), q, v, a), tau, atol=1e-14)


def test_a_universal_joint_turns_about_x_and_then_y():
    """As two revolute joints do in Pinocchio."""
    graph = md.load_urdf(arm("universal"), strict=True)
    assert graph.joint_names == ("j", "k_x", "k_y")
    text = arm("continuous", "joint", '<axis xyz="1 0 0"/>').replace('<child link="b"', '<child link="c"', 1)
    more = joint("l", "continuous", "c", "b", (0, 0, 0), axis=(0, 1, 0))
    text = text.replace("</robot>", f'<link name="c"/>{more}</robot>')
    model = pinocchio.buildModelFromXML(text)
    q, v, a = SEED.normal(size=(3, 3))
    wrapped = np.array([q[0], np.cos(q[1]), np.sin(q[1]), np.cos(q[2]), np.sin(q[2])])
    expected = pinocchio.rnea(model, model.createData(), wrapped, v, a)
    assert_close(md.inverse_dynamics(graph, q, v, a), np.asarray(expected), 1e-13)
    again = md.load_urdf(graph.to_urdf())
    assert_close(md.inverse_dynamics(again, q, v, a), np.asarray(expected), 1e-13)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("planar", "three joints each, NAME_x, NAME_y and NAME_theta: k (line 1)"),
        ("universal", "two joints each, NAME_x and NAME_y: k (line 1)"),
    ],
)
def test_a_type_that_becomes_several_joints_is_a_note(kind, says):
    axis = '<axis xyz="0 0 1"/>' if kind == "planar" else ""
    notes = md.load_urdf(arm(kind, of_joint=axis), strict=True).notes
    assert f"<drake:joint> read as {says}" in notes


@pytest.mark.parametrize("part", ['<axis xyz="0 0 1"/>', '<mimic joint="j" multiplier="2"/>'])
def test_what_a_universal_joint_has_of_one_axis_is_named(part):
    text = arm("universal", of_joint=part)
    with pytest.warns(md.ModelWarning, match="of the universal joint 'k' is not read"):
        graph = md.load_urdf(text)
    (finding,) = graph.warnings
    assert str(finding).startswith(
        f"line 1: {part.split()[0]}> of the universal joint 'k' is not read: it turns"
    )
    rest, expected = np.zeros(3), md.load_urdf(arm("universal"))
    q = SEED.normal(size=3)
    tau = md.inverse_dynamics(graph, q, rest, rest)
    np.testing.assert_array_equal(tau, md.inverse_dynamics(expected, q, rest, rest))


def test_its_dynamics_and_its_limits_count_about_both_axes():
    graph = md.load_urdf(arm("universal", of_joint='<dynamics armature="3"/>'), strict=True)
    assert [joint.limits.effort for joint in graph.joints] == [9.0] * 3
    assert [joint.armature for joint in graph.joints] == [0.0, 3.0, 3.0]
    assert "k_x 3 (line 1), k_y 3 (line 1)" in "".join(graph.notes)


def test_a_quaternion_of_a_joint_of_drake_counts_by_the_version_of_the_file():
    """Drake does not read it; neither does URDF 1.0."""
    text = arm("continuous", of_joint='<axis xyz="0 1 0"/>')
    turned = text.replace('rpy="0.1 0.2 0.3"', 'quat_xyzw="0 0 0.6 0.8"')
    assert turned != text
    with pytest.warns(md.ModelWarning, match="quat_xyzw"):
        graph = md.load_urdf(turned)
    (finding,) = graph.warnings
    assert finding.kind == "attribute of a later version"
    plain = md.load_urdf(text.replace('rpy="0.1 0.2 0.3"', ""))
    rest, q = np.zeros(2), SEED.normal(size=2)
    expected = md.inverse_dynamics(plain, q, rest, rest)
    np.testing.assert_array_equal(md.inverse_dynamics(graph, q, rest, rest), expected)


@pytest.mark.parametrize("kind", ["planar", "continuous", "fixed"])
def test_types_of_urdf(kind):
    ours = md.load_urdf(arm(kind, of_joint='<axis xyz="0 0 1"/>'))
    expected = md.load_urdf(arm(kind, "joint", '<axis xyz="0 0 1"/>'))
    assert ours.joint_names == expected.joint_names
    q = SEED.normal(size=ours.nq)
    rest = np.zeros(ours.nv)
    tau = md.inverse_dynamics(expected, q, rest, rest)
    np.testing.assert_array_equal(md.inverse_dynamics(ours, q, rest, rest), tau)


@pytest.mark.parametrize("kind", ["screw", "curvilinear"])
def test_other_types_are_refused(kind):
    with pytest.raises(
        md.UrdfError, match=rf"^line 1: <drake:joint> 'k' has the type '{kind}'; ball, planar"
    ):
        md.load_urdf(arm(kind))
