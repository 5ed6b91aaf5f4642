"""Names and places in a URDF: what was meant to count is reported, what other tools have is not."""

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.urdf import has_loops

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
        "<frame name='f'/><cable/><RefLink/><force_element/><collision_filter_group/><version>2.1</version>",
        "<sensor name='s'><parent link='a'/><origin xyz='0 0 1'/></sensor><mujoco><compiler/></mujoco>",
        "<gazebo reference='b'><inertial><mass>2</mass></inertial><pose>0 0 1 0 0 0</pose><axis/></gazebo>",
        "<gazebo><model><link name='z'/><joint name='y'><axis><limit/></axis></joint></model></gazebo>",
        "<transmission name='t'><joint name='j'><axis/></joint><passive/></transmission>",
        "<ros2_control name='c'><joint name='j'><limit/></joint></ros2_control>",
        "<group><link name='b'/><joint name='j'/></group>",
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
        ("<joint ", "<joint dont_collapse='true' "),
        ("<inertial>", "<origin xyz='0 0 0' rpy='0 -0 0'/><material name='m'/><inertial>"),
        ("<axis", "<calibration rising='0'/><safety_controller k_velocity='1'/><axis"),
        ("effort=", "vendor:effort='1' xmlns:vendor='http://vendor' effort="),
    ],
)
def test_what_published_robots_add_is_silent(old, new, recwarn):
    assert md.load_urdf(ROBOT.replace(old, new, 1)).warnings == ()
    assert not recwarn.list


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<inertial>", "<Visual/><visuals/><inertial>"),  # nothing that dynamics reads
        ("</robot>", "<materials/></robot>"),
        ('<origin xyz="0 0 1"', '<origin xyz="0 0 1" rpy="0 0 0" ypr="0 0 0" zyx="0 0 0"'),
        ("<inertial>", "<visual><pose>0 0 1 0 0 0</pose><origin xyz='0 0 1'/></visual><inertial>"),
        ("<axis", "<visual/><axis"),
        ("</joint>", "-</joint>"),
    ],
)
def test_what_dynamics_does_not_miss_is_not_reported(old, new):
    assert old in ROBOT
    assert md.load_urdf(ROBOT.replace(old, new, 1), strict=True).warnings == ()


AXIS, LIMIT = '<axis xyz="0 1 0"/>', '<limit effort="5" velocity="6"/>'
POSE = "<pose>0 0 1 0 0 0</pose>"
HEAVY = "<inertial><mass value='3'/></inertial>"
ENDS = "<predecessor link='a'/><successor link='b'/>"
WRONG_PLACES = [
    (AXIS + LIMIT, f'<limit effort="5" velocity="6">{AXIS}</limit>', "<axis> is in <joint>"),
    (AXIS, f'<origin xyz="0 0 1">{AXIS}</origin>', "<axis> is in <joint>"),
    (AXIS, '<origin xyz="0 0 1"><Axis xyz="0 1 0"/></origin>', "<axis> is in <joint>"),
    (LIMIT, f'<dynamics damping="1">{LIMIT}</dynamics>', "<limit> is in <joint>"),
    (LIMIT, '<limit effort="5" velocity="6"><mimic joint="k"/></limit>', "<mimic> is in <joint>"),
    (LIMIT, '<limit effort="5" velocity="6"><dynamics damping="1"/></limit>', "<dynamics> is in <joint>"),
    ('<child link="b"/>', '<child link="b"><origin xyz="0 0 1"/></child>', "<origin> is in <joint>"),
    ('<inertial><origin xyz="0 0 1"/>', '<origin xyz="0 0 1"/><inertial>', "<origin> is in <inertial>"),
    ("<inertial>", '<mass value="2"/><inertial>', "<mass> is in <inertial>"),
    ("<inertial>", '<inertia ixx="1"/><inertial>', "<inertia> is in <inertial>"),
    ("<inertial>", "<visual><inertial/></visual><inertial>", "<inertial> is in <link>"),
    (
        "<inertial>",
        "<collision><geometry><inertial/></geometry></collision><inertial>",
        "<inertial> is in <link>",
    ),
    ("<inertial>", "<physics><inertial/></physics><inertial>", "<inertial> is in <link>"),
    ("<inertial>", "<joint name='k' type='fixed'/><inertial>", "<joint> is in <robot>"),
    ("<inertial>", "<visual><joint><parent/><child/></joint></visual><inertial>", "<joint> is in <robot>"),
    (AXIS, f"<inertial/>{AXIS}", "<inertial> is in <link>"),
    (AXIS, f"<rotor><inertia ixx='1'/></rotor>{AXIS}", "for the inertia of a drive"),
    ("</robot>", "<limit effort='1'/></robot>", "<limit> is in <joint>"),
    ("</robot>", "<group><link name='z'><inertial/></link></group></robot>", "<link> is in <robot>"),
    ("</robot>", "<group><joint name='z'><parent/><child/></joint></group></robot>", "<joint> is in <robot>"),
    ("</robot>", f"<tool><parent link='b'/>{HEAVY}</tool></robot>", "<inertial> is in <link>"),
    ("</robot>", "<up_axis>Y</up_axis></robot>", '<modular_dynamics gravity="">'),
    ("</robot>", "<base_pose rpy='1 0 0'/></robot>", '<modular_dynamics gravity="">'),
    ("</robot>", "<group><mimic joint='j' master='k'/></group></robot>", "<mimic> is in <joint>"),
    ("</robot>", f"<group><loop name='l'>{ENDS}</loop></group></robot>", "<loop> is in <robot>"),
    (
        "</robot>",
        f"<x><constraint name='l'>{ENDS}</constraint></x></robot>",
        "<constraint> is in <robot>",
    ),
    (AXIS, f"<actuator><passive joint='j'/></actuator>{AXIS}", "<passive> is in <modular_dynamics>"),
    ("<inertial>", f"{POSE}<inertial>", "of the joint above a link places it"),
    ("<mass", f"{POSE}<mass", 'write <origin xyz="" rpy=""/>'),
    ("<mass", "<CoM>0 0 1</CoM><mass", 'write <origin xyz="" rpy=""/>'),
    ("<inertial>", "<center_of_mass xyz='0 0 1'/><inertial>", 'write <origin xyz=""/> in <inertial>'),
    (AXIS, f"{POSE}{AXIS}", 'write <origin xyz="" rpy=""/>'),
    ("</robot>", f"{POSE}</robot>", '<modular_dynamics gravity="">'),
    (AXIS, f"<origin><xyz>0 0 1</xyz></origin>{AXIS}", 'write <origin xyz="..."/>'),
    (AXIS, f"<dynamics><damping>1</damping></dynamics>{AXIS}", 'write <dynamics damping="..."/>'),
    (AXIS, f"<damping>1</damping>{AXIS}", 'write <dynamics damping="..."/>'),
    (
        AXIS,
        f"<stiffness>1</stiffness>{AXIS}",
        'write <joint_dynamics stiffness="..."/> in <modular_dynamics>',
    ),
    (AXIS, f"<origin xyz='0 0 1'><units/></origin>{AXIS}", "<origin> contains no elements"),
    ("<inertial>", "<x:inertial xmlns:x='http://x'/><inertial>", "is <inertial> meant?"),
    (AXIS, f"<x:limit xmlns:x='http://x' effort='1'/>{AXIS}", "is <limit> meant?"),
]


@pytest.mark.parametrize(("old", "new", "right"), WRONG_PLACES)
def test_an_element_in_the_wrong_place_is_named_with_the_right_one(old, new, right):
    refused = check_finding(old, new, "misplaced element")
    assert right in refused


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
        ("</robot>", "<gazebo reference='b'>{}</gazebo>"),
        ("<axis", "{}"),
        ("<inertial>", "{}"),
        ("<inertial>", "<visual>{}</visual>"),
    ],
)
def test_our_tags_outside_modular_dynamics(tag, before, around):
    warning = check_finding(before, around.format(OUR_TAGS[tag]) + before, "misplaced element")
    assert warning.endswith(f"; the place of <{tag}> is in <modular_dynamics>")


@pytest.mark.parametrize("tag", ["LoopJoint", "loop-joint", "Loop_Joint", "jointDynamics", "Passive"])
def test_our_tags_in_another_spelling(tag):
    warning = check_finding("</robot>", f"<{tag} name='l'/></robot>", "misplaced element")
    assert warning.endswith("> is in <modular_dynamics>")


@pytest.mark.parametrize("tag", ["<passive/>", "<gear driver='k'/>", "<joint_dynamics armature='1'/>"])
def test_our_tags_in_a_joint_without_its_name(tag):
    check_finding("<axis", f"{tag}<axis", "misplaced element")


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


UNITS = "'unit', which is unknown and ignored; all numbers are in m, rad, kg and s"
ARMATURE = 'write <joint_dynamics joint="" armature=""/> in <modular_dynamics>'


@pytest.mark.parametrize(
    ("old", "new", "kind", "hint"),
    [
        ("<joint ", "<joint axis='0 0 1' ", "misplaced", "<axis> is an element in <joint>"),
        ("<joint ", "<joint xyz='0 0 1' ", "misplaced", "it is an attribute of <origin> or <axis>"),
        ("<joint ", "<joint damping='1' ", "misplaced", "it is an attribute of <dynamics>"),
        ("<joint ", "<joint armature='1' ", "misplaced", "it is an attribute of <joint_dynamics>"),
        ("<joint ", "<joint passive='true' ", "misplaced", "<passive> is an element in <modular_dynamics>"),
        ('<link name="b"', '<link mass="2" name="b"', "misplaced", "<mass> is an element in <inertial>"),
        ("<axis ", "<dynamics rotorInertia='1'/><axis ", "misspelt", "is 'rotor_inertia' meant?"),
        ("<axis ", "<dynamics Armature='1'/><axis ", "misspelt", "is 'armature' meant?"),
        ("<axis ", "<dynamics reflected_inertia='1'/><axis ", "misplaced", ARMATURE),
        (
            "<axis ",
            "<dynamics spring_constant='1'/><axis ",
            "misplaced",
            ARMATURE.replace("armature", "stiffness"),
        ),
        ("<inertial>", "<inertial xyz='0 0 1'>", "misplaced", "it is an attribute of <origin>"),
        ("<parent ", "<parent rpy='0 0 1' ", "misplaced", "it is an attribute of <origin>"),
        ("<axis ", "<axis rpy='1 0 0' ", "misplaced", "it is an attribute of <origin>"),
        ("<robot ", "<robot gravity='0 0 1' ", "misplaced", "it is an attribute of <modular_dynamics>"),
        ("<robot ", "<robot gravity='0 0 0' ", "misplaced", "it is an attribute of <modular_dynamics>"),
        ("<origin ", "<origin quat='0 0 0 1' ", "misplaced", 'in <robot version="1.1">)?'),
        (
            "<origin ",
            "<origin quat_wxyz='1 0 0 0' ",
            "misplaced",
            'in the order x y z w, in <robot version="1.1">',
        ),
        ("<origin ", "<origin euler='1 0 0' ", "misplaced", "is 'rpy' meant, fixed-axis angles in rad?"),
        ("<origin ", "<origin x='1' ", "misplaced", 'write xyz="x y z"'),
        ("<origin ", "<origin yaw='1' ", "misplaced", 'write rpy="roll pitch yaw"'),
        ("<limit ", "<limit min='-1' ", "misplaced", "is 'lower' meant?"),
        ("<limit ", "<limit max='1' ", "misplaced", "is 'upper' meant?"),
        ("<limit ", "<limit unit='deg' ", "unknown", UNITS),
        ("<mass ", "<mass unit='g' ", "unknown", UNITS),
        ("<origin ", "<origin relative_to='w' ", "unknown", "'relative_to', which is unknown and ignored"),
        ("<limit ", "<limit efforts='1 2' ", "unknown", "'efforts', which is unknown and ignored"),
    ],
)
def test_attributes_that_an_element_does_not_have(old, new, kind, hint):
    assert check_finding(old, new, f"{kind} attribute").endswith(hint)


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
        (AXIS, "<axis><xyz>0 1 0</xyz></axis>", "<axis> lacks 'xyz'", 'write <axis xyz="..."/>'),
        ('<parent link="a"/>', "<parent>a</parent>", "<parent> lacks 'link'", '<parent link="..."/>'),
    ],
)
def test_an_error_names_what_stands_in_the_wrong_place_too(old, new, error, reason):
    """Where SDF's way of writing leaves an element without what it needs."""
    with pytest.raises(md.UrdfError, match=error) as caught:
        md.load_urdf(ROBOT.replace(old, new, 1))
    assert reason in str(caught.value).partition("Beside this: ")[2]


OURS = (
    '<x:joint_dynamics {} joint="a" armature="1"/>',
    '<x:spring {} name="s" stiffness="1" free_length="1"/>',
    '<x:passive {} joint="a"/>',
)


@pytest.mark.parametrize("tag", OURS)
def test_our_tags_with_a_prefix_below_the_robot(tag):
    text = ROBOT.replace("</robot>", tag.format('xmlns:x="http://x"') + "</robot>")
    with pytest.warns(md.ModelWarning, match="with a prefix, which is of another tool and ignored"):
        (finding,) = md.load_urdf(text).warnings
    assert str(finding).endswith(f"; is <{tag[3:].split()[0]}> in <modular_dynamics> meant?")


def test_a_second_robot_in_the_file():
    text = ROBOT.replace("</robot>", '<robot name="other"><link name="x"/></robot></robot>')
    with pytest.warns(md.ModelWarning, match="has an element <robot>, which does not belong there"):
        (finding,) = md.load_urdf(text).warnings
    assert str(finding).endswith("and is ignored; a file describes one robot")
