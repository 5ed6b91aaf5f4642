"""Misspelt elements and attributes: reported where they resemble what URDF has, silent elsewhere."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS

ROBOT = """<robot name="r"><link name="a"/>
<link name="b"><inertial><origin xyz="0 0 1"/><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <axis xyz="0 1 0"/><limit effort="5" velocity="6"/></joint>
</robot>"""


@pytest.mark.parametrize(
    ("old", "new", "kind", "text"),
    [
        (
            "<axis",
            "<Axis",
            "element",
            "line 5: joint 'j' has an element <Axis>, which is unknown and ignored; is <axis> meant?",
        ),
        (
            "</robot>",
            "<jiont name='k'/></robot>",
            "element",
            "line 6: robot 'r' has an element <jiont>, which is unknown and ignored; is <joint> meant?",
        ),
        (
            "<origin",
            "<orgin",
            "element",
            "line 2: <inertial> of link 'b' has an element <orgin>, which is unknown and ignored; "
            "is <origin> meant?",
        ),
        (
            "<axis",
            "<dynamic damping='1'/><axis",
            "element",
            "line 5: joint 'j' has an element <dynamic>, which is unknown and ignored; is <dynamics> meant?",
        ),
        (
            '<link name="b">',
            '<link name="b"><Inertial/>',
            "element",
            "line 2: link 'b' has an element <Inertial>, which is unknown and ignored; is <inertial> meant?",
        ),
        (
            'xyz="0 0 1"',
            'xzy="0 0 1"',
            "attribute",
            "line 2: <origin> of link 'b' has an attribute 'xzy', which is unknown and ignored; "
            "is 'xyz' meant?",
        ),
        (
            "<axis",
            "<dynamics Damping='1'/><axis",
            "attribute",
            "line 5: <dynamics> of joint 'j' has an attribute 'Damping', which is unknown and ignored; "
            "is 'damping' meant?",
        ),
    ],
)
def test_what_is_ignored_but_was_meant_is_named(old, new, kind, text):
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(ROBOT.replace(old, new, 1))
    assert [str(warning.message) for warning in caught] == [text]
    assert [finding.kind for finding in graph.warnings] == [f"misspelt {kind}"]
    with pytest.raises(md.UrdfError, match="strict: line "):
        md.load_urdf(ROBOT.replace(old, new, 1), strict=True)


def test_the_default_takes_its_place():
    """Which is why it matters: torques are of another axis."""
    with pytest.warns(md.ModelWarning, match="<Axis>"):
        graph = md.load_urdf(ROBOT.replace("<axis", "<Axis"))
    np.testing.assert_array_equal(graph.joints[0].axis, [1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    "other",
    [
        "<gazebo reference='a'/><transmission name='t'/><ros2_control name='c'/><sensor name='s'/>",
        "<loop_joint name='l'/><frame name='f'/><cable/><RefLink/><force_element/><collision_filter_group/>",
        "<vendor:Link xmlns:vendor='http://vendor'/>",
    ],
)
def test_elements_of_other_tools_are_silent(other, recwarn):
    assert md.load_urdf(ROBOT.replace("</robot>", other + "</robot>")).warnings == ()
    assert not recwarn.list


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<axis", "<traits spring_k='1'/><controller_gains Kp='1'/><anchor xyz='0 0 0'/><axis"),
        ("<axis", "<joint_properties damping='1'/><axis"),
        ("<inertial>", "<contact/><gravity/><self_collision_checking/><surface/><inertial>"),
        ("effort=", "k_velocity='1' command_effort='1' gear_velocity='1' effort="),
        ("<axis xyz", "<axis rpy='0 0 0' xyz"),
        ('ixy="0"', "ixy='0' iyx='0' izx='0' izy='0'"),
        ("<axis", "<dynamics D='1' K='1' mu_coulomb='0' mu_viscous='0'/><axis"),
    ],
)
def test_what_published_robots_add_is_silent(old, new, recwarn):
    assert md.load_urdf(ROBOT.replace(old, new, 1)).warnings == ()
    assert not recwarn.list


@pytest.mark.parametrize("path", sorted(ROBOTS.glob("*.urdf")), ids=lambda path: path.stem)
def test_our_robots_are_well_spelt(path):
    kinds = {finding.kind for finding in md.load_urdf(path).warnings}
    assert not kinds & {"misspelt element", "misspelt attribute"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<inertial>", "<Visual/><visuals/><inertial>"),  # nothing that dynamics reads
        ("</robot>", "<materials/></robot>"),
        ('<origin xyz="0 0 1"', '<origin xyz="0 0 1" rpy="0 0 0" ypr="0 0 0" zyx="0 0 0"'),
        ('effort="5"', 'effort="5" efforts="1 2"'),
    ],
)
def test_what_dynamics_does_not_miss_is_not_reported(old, new):
    assert old in ROBOT
    assert md.load_urdf(ROBOT.replace(old, new, 1), strict=True).warnings == ()
