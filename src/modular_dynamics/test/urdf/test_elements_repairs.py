"""What vendors leave out or repeat: loaded as Pinocchio loads it, with one warning."""

import numpy as np
import pytest

import modular_dynamics as md

ROBOT = """<robot name="r">
<link name="base"/>
<link name="arm"><inertial><origin xyz="0 0.3 0.4"/><mass value="2"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/>
  <axis xyz="0.6 0.8 0"/><origin xyz="0 0 1"/></joint>
</robot>"""
INERTIA = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
AXIS = '<axis xyz="0.6 0.8 0"/>'


def changed(old, new):
    assert old in ROBOT
    return ROBOT.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            changed(INERTIA, ""),
            "missing inertia",
            "line 3: <inertial> of link 'arm' lacks <inertia>; the link is taken as a point mass",
        ),
        (
            changed('<mass value="2"/>', '<mass value="2"/><mass value="2"/>'),
            "repeated element",
            "line 3: link 'arm' has 2 equal <mass> elements; one of them is used",
        ),
        (
            changed('<child link="arm"/>', '<child link="arm"/><child link="arm"/>'),
            "repeated element",
            "line 5: joint 'j' has 2 equal <child> elements; one of them is used",
        ),
        (
            changed('<link name="base"/>', '<link name="base" gz:pose="1"/><gz:plugin><gz:a/></gz:plugin>'),
            "undeclared prefix",
            "line 2: no xmlns attribute declares the prefix 'gz'; what carries it counts as words of another "
            "tool",
        ),
        (
            changed(AXIS, AXIS + "<!-- --- the\naxis --->"),
            "hyphens in a comment",
            "line 6: a comment has '--' in it, which XML forbids; it is left out, as all comments are",
        ),
    ],
)
def test_loaded_with_one_warning(text, kind, message):
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(text)
    assert [str(warning.message) for warning in caught] == [message]
    assert [one.kind for one in graph.warnings] == [kind]
    assert md.crosscheck.rnea_residual(graph, *np.array([[0.4], [1.2], [-0.7]])).max() < 1e-14
    assert md.load_urdf(graph.to_urdf()).joint_names == ("j",)
    with pytest.raises(md.UrdfError, match="strict: line"):
        md.load_urdf(text, strict=True)


@pytest.mark.parametrize(
    "text",
    [
        changed("<robot ", '<robot xmlns="http://drake.mit.edu" '),
        changed("</robot>", '<gazebo xmlns="http://x"><!-- a --><a/></gazebo></robot>'),
    ],
)
def test_names_without_a_prefix_are_those_of_urdf(text):
    """Namespaces are nothing to other readers of URDF; all of the robot is loaded."""
    graph = md.load_urdf(text, strict=True)
    assert set(graph.links) == {"base", "arm"}
    assert md.crosscheck.rnea_residual(graph, *np.array([[0.4], [1.2], [-0.7]])).max() < 1e-14


def test_hyphens_elsewhere_are_no_comments():
    text = changed("</robot>", "<!-- -- --><gazebo><![CDATA[<!-- -- -->]]></gazebo></robot>")
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(text)
    assert len(caught) == 1
    assert graph.urdf == text
    message = "line 8: malformed XML: Opening and ending tag mismatch"
    with pytest.raises(md.UrdfError, match=message):
        md.load_urdf(changed("</robot>", "<!-- --\n --><a:b></robot>"))


def test_a_link_without_inertia_is_a_point_mass():
    with pytest.warns(md.ModelWarning, match="point mass"):
        graph = md.load_urdf(changed(INERTIA, ""))
    # distance of the centre of mass from the axis
    distance = np.linalg.norm(np.cross([0.6, 0.8, 0.0], [0.0, 0.3, 0.4]))
    assert md.mass_matrix(graph, [0.0])[0, 0] == pytest.approx(2.0 * distance**2, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            changed(AXIS, AXIS + '<dynamics damping="1 2 3"/>'),
            r"joint 'j', <dynamics>: damping='1 2 3' has 3 numbers; needed: 1",
        ),
        (changed(AXIS, AXIS + '<axis xyz="0 0 1"/>'), "joint 'j' has 2 <axis> elements; one is allowed"),
        (changed('<mass value="2"/>', ""), "link 'arm': <inertial> lacks <mass>"),
        (changed("</robot>", '<gz:a/><link name="x"></robot>'), "malformed XML"),
    ],
)
def test_what_has_no_clear_meaning_is_refused(text, message):
    with pytest.raises(md.UrdfError, match=message):
        md.load_urdf(text)
