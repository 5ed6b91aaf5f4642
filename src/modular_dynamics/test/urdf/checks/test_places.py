"""Names and places in a URDF: what was meant to count is reported, what other tools have is not."""

import pytest

import modular_dynamics as md
from modular_dynamics.urdf import has_loops

ROBOT = """<robot name="r"><link name="a"/>
<link name="b"><inertial><origin xyz="0 0 1"/><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <axis xyz="0 1 0"/><limit effort="5" velocity="6"/></joint>
</robot>"""


MISSPELT = [
    ("<axis", "<Axis", "joint 'j' has an element <Axis>, which is unknown; it is ignored; is <axis> meant?"),
    ("</robot>", "<jiont name='k'/></robot>", "robot 'r' has an element <jiont>, which is unknown"),
    ("<origin", "<orgin", "<inertial> of link 'b' has an element <orgin>, which is unknown"),
    ('xyz="0 0 1"', 'xzy="0 0 1"', "<origin> of link 'b' has an attribute 'xzy', which is unknown"),
    ("<axis", "<dynamics Damping='1'/><axis", "<dynamics> of joint 'j' has an attribute 'Damping'"),
    ("<axis", "<dynamics rotorInertia='1'/><axis", "is 'rotor_inertia' meant?"),
]


@pytest.mark.parametrize(("old", "new", "text"), MISSPELT)
def test_what_is_ignored_but_was_meant_is_named(old, new, text):
    kind = "element" if "element" in text else "attribute"
    assert text in check_finding(old, new, f"misspelt {kind}")


SILENT = [
    (
        "</robot>",
        "<gazebo reference='a'/><transmission name='t'/><ros2_control name='c'/><sensor name='s'/></robot>",
    ),
    ("</robot>", "<frame name='f'/><cable/><RefLink/><version>2.1</version></robot>"),
    ("</robot>", "<sensor name='s'><parent link='a'/><origin xyz='0 0 1'/></sensor></robot>"),
    (
        "</robot>",
        "<gazebo reference='b'><inertial><mass>2</mass></inertial><pose>0 0 1 0 0 0</pose></gazebo></robot>",
    ),
    ("</robot>", "<transmission name='t'><joint name='j'><axis/></joint><passive/></transmission></robot>"),
    ("</robot>", "<group><link name='b'/><joint name='j'/></group></robot>"),
    ("</robot>", "<vendor:Link xmlns:vendor='http://vendor'/></robot>"),
    # of published robots
    ("<axis", "<traits spring_k='1'/><controller_gains Kp='1'/><joint_properties damping='1'/><axis"),
    ("<inertial>", "<contact/><gravity/><self_collision_checking/><Visual/><visuals/><inertial>"),
    ("effort=", "k_velocity='1' command_effort='1' vendor:effort='1' xmlns:vendor='http://vendor' effort="),
    ("<axis xyz", "<axis rpy='0 0 0' xyz"),
    ('ixy="0"', "ixy='0' iyx='0' izx='0' izy='0'"),
    ("<axis", "<dynamics D='1' K='1' mu_coulomb='0' mu_viscous='0'/><axis"),
    ("<inertial>", "<origin xyz='0 0 0' rpy='0 -0 0'/><material name='m'/><inertial>"),
    ("<inertial>", "<visual><pose>0 0 1 0 0 0</pose><origin xyz='0 0 1'/></visual><inertial>"),
    ("<inertial>", "<collision><d:shape xmlns:d='http://d'><axis/></d:shape></collision><inertial>"),
    ("<axis", "<calibration rising='0'/><safety_controller k_velocity='1'/><visual/><axis"),
    ("</joint>", "-</joint>"),
]


@pytest.mark.parametrize(("old", "new"), SILENT)
def test_what_other_tools_have_is_no_warning(old, new, recwarn):
    assert old in ROBOT
    assert md.load_urdf(ROBOT.replace(old, new, 1), strict=True).warnings == ()
    assert not recwarn.list


AXIS, LIMIT = '<axis xyz="0 1 0"/>', '<limit effort="5" velocity="6"/>'
WRONG_PLACES = [
    (AXIS + LIMIT, f'<limit effort="5" velocity="6">{AXIS}</limit>', "<axis> is in <joint>"),
    (AXIS, '<origin xyz="0 0 1"><Axis xyz="0 1 0"/></origin>', "<axis> is in <joint>"),
    (
        '<child link="b"/>',
        '<child link="b"><origin xyz="0 0 1"/></child>',
        "<origin> is in <inertial> or <joint>",
    ),
    ("<inertial>", '<mass value="2"/><inertial>', "<mass> is in <inertial>"),
    ("<inertial>", "<visual><inertial/></visual><inertial>", "<inertial> is in <link>"),
    ("<inertial>", f"<visual>{AXIS}</visual><inertial>", "<axis> is in <joint>"),
    ("<inertial>", f"<collision><geometry>{LIMIT}</geometry></collision><inertial>", "<limit> is in <joint>"),
    ("<inertial>", "<physics><inertial/></physics><inertial>", "<inertial> is in <link>"),
    ("<inertial>", "<joint name='k' type='fixed'/><inertial>", "<joint> is in <robot>"),
    ("<inertial>", "<visual><joint><parent/><child/></joint></visual><inertial>", "<joint> is in <robot>"),
    ("</robot>", "<limit effort='1'/></robot>", "<limit> is in <joint>"),
    ("</robot>", "<group><link name='z'><inertial/></link></group></robot>", "<link> is in <robot>"),
    (AXIS, f"<origin><xyz>0 0 1</xyz></origin>{AXIS}", "it is an attribute of <origin>"),
    (AXIS, f"<damping>1</damping>{AXIS}", "it is an attribute of <dynamics>"),
    ("</robot>", "<LoopJoint name='l'/></robot>", "<loop_joint> is in <modular_dynamics>"),
    (AXIS, f"<actuator><passive joint='j'/></actuator>{AXIS}", "<passive> is in <modular_dynamics>"),
]


@pytest.mark.parametrize(("old", "new", "right"), WRONG_PLACES)
def test_an_element_in_the_wrong_place_is_named_with_the_right_one(old, new, right):
    assert right in check_finding(old, new, "misplaced element")


def check_finding(old, new, kind):
    """The one finding's text; the line is that of the change, and ``strict`` refuses."""
    assert old in ROBOT
    text = ROBOT.replace(old, new, 1)
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(text)
    assert [finding.kind for finding in graph.warnings] == [kind]
    (warning,) = map(str, (one.message for one in caught))
    line = 1 + text.partition(new)[0].count("\n")
    assert warning.startswith(f"line {line}: ")
    assert "ignored" in warning
    with pytest.raises(md.UrdfError, match=f"^strict: line {line}: "):
        md.load_urdf(text, strict=True)
    return warning


OUR_TAGS = {
    "loop_joint": '<loop_joint type="fixed"><predecessor link="a"/><successor link="b"/></loop_joint>',
    "passive": '<passive joint="j"/>',
    "gear": '<gear joint="j" driver="k" ratio="2"/>',
    "spring": '<spring name="s" stiffness="1" free_length="1"><anchor link="a"/><anchor link="b"/></spring>',
    "joint_dynamics": '<joint_dynamics joint="j" armature="1"/>',
    "subsystem": '<subsystem name="s" root_link="b"/>',
    "spherical": '<spherical joint="j"/>',
    "independent": '<independent><joint name="j"/></independent>',
}


@pytest.mark.parametrize("tag", OUR_TAGS)
@pytest.mark.parametrize(
    ("before", "around"),
    [
        ("</robot>", "{}"),
        ("</robot>", "<gazebo>{}</gazebo>"),
        ("<axis", "{}"),
        ("<inertial>", "<visual>{}</visual>"),
    ],
)
def test_our_tags_outside_modular_dynamics(tag, before, around):
    warning = check_finding(before, around.format(OUR_TAGS[tag]) + before, "misplaced element")
    assert warning.endswith(f"; the place of <{tag}> is in <modular_dynamics>")


@pytest.mark.parametrize(
    ("before", "around", "parent"),
    [
        ("</robot>", "<gazebo>{}</gazebo>", "gazebo"),
        ("</robot>", "<gazebo reference='b'><plugin>{}</plugin></gazebo>", "plugin"),
        ("<inertial>", "{}", "link"),
        ("<axis", "{}", "joint"),
        ("</robot>", "<modular_dynamics version='1'>{}</modular_dynamics>", "modular_dynamics"),
    ],
)
def test_modular_dynamics_below_another_element_is_an_error(before, around, parent):
    """No other tool can have meant it, so it is refused also where warnings are not."""
    tags = "<modular_dynamics version='1'><passive joint='j'/></modular_dynamics>"
    text = ROBOT.replace(before, around.format(tags) + before, 1)
    for read in (md.load_urdf, has_loops):
        with pytest.raises(
            md.UrdfError, match=f"<modular_dynamics> stands in <{parent}>; its place is below <robot>"
        ):
            read(text)


def test_modular_dynamics_with_a_prefix_is_an_error():
    tags = "<md:modular_dynamics version='1' xmlns:md='http://md'/></robot>"
    with pytest.raises(md.UrdfError, match="line 6: <md:modular_dynamics> has a prefix; it needs none"):
        md.load_urdf(ROBOT.replace("</robot>", tags))


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("<joint ", "<joint axis='0 0 1' ", "<axis> is an element in <joint>"),
        ("<joint ", "<joint damping='1' ", "it is an attribute of <dynamics>"),
        ("<link ", "<link xyz='1 0 0' ", "it is an attribute of <origin> or <axis>"),
        ("<joint ", "<joint independent='false' ", "<independent> is an element in <modular_dynamics>"),
        ('<link name="b"', '<link mass="2" name="b"', "<mass> is an element in <inertial>"),
        ("<robot ", "<robot gravity='0 0 0' ", "it is an attribute of <modular_dynamics>"),
        ("<origin ", "<origin quat_wxyz='1 0 0 0' ", "'quat_wxyz', which is unknown; it is ignored"),
    ],
)
def test_attributes_that_an_element_does_not_have(old, new, hint):
    assert hint in check_finding(old, new, "unknown attribute")


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ('<mass value="1"/>', "<mass value='1'>2</mass>", '<mass value="..."/>'),
        (AXIS, f"<origin>0 0 1 0 0 0</origin>{AXIS}", '<origin xyz="..."/>'),
        (AXIS, 'axis xyz="0 1 0"/>', "is a '<' missing?"),
        ("<inertial>", "<inertial>origin xyz='0 0 1'/>", "is a '<' missing?"),
        ("</robot>", "joint name='k'</robot>", "is a '<' missing?"),
    ],
)
def test_a_text_where_urdf_has_none(old, new, hint):
    text = ROBOT.replace(old, new, 1)
    with pytest.warns(md.ModelWarning, match="contains the text") as caught:
        graph = md.load_urdf(text)
    assert str(caught[0].message).endswith(hint)
    assert [finding.kind for finding in graph.warnings] == ["stray text"]
    with pytest.raises(md.UrdfError, match="contains the text"):
        md.load_urdf(text, strict=True)


@pytest.mark.parametrize(
    ("old", "new", "error", "reason"),
    [
        ('<mass value="1"/>', "<mass>1</mass>", "<mass> lacks 'value'", '<mass value="..."/>'),
        (AXIS, "<axis><xyz>0 1 0</xyz></axis>", "<axis> lacks 'xyz'", "it is an attribute of <axis>"),
        ('<parent link="a"/>', "<parent>a</parent>", "<parent> lacks 'link'", '<parent link="..."/>'),
        ('ixy="0"', 'ix="0"', "<inertia> lacks 'ixy'", "is 'ixy' meant?"),
    ],
)
def test_an_error_names_what_stands_in_the_wrong_place_too(old, new, error, reason):
    """Where SDF's way of writing leaves an element without what it needs."""
    with pytest.raises(md.UrdfError, match=error) as caught:
        md.load_urdf(ROBOT.replace(old, new, 1))
    assert reason in str(caught.value).partition("Beside this: ")[2]
