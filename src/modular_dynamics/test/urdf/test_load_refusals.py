"""Everything that docs/urdf_tags.md rejects raises an error that names the element and its line."""

import re
from dataclasses import replace

import pytest

import modular_dynamics as md
from modular_dynamics.text.sizes import MAX_BYTES

ROBOT = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1" rpy="0 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="2"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 1" rpy="0 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="2"/></joint>
</robot>"""  # noqa: E501 - a link a line keeps the line numbers easy to read

BLACK_BOX = '<subsystem name="b" root_link="base" black_box="perhaps"/>'
LOOP = '<loop_joint name="l" type="revolute"><predecessor link="base"/><successor link="{}"/></loop_joint>'
SPRING = '<spring name="s" stiffness="{}" free_length="1"><anchor link="base"/>{}</spring>'


def tagged(tags: str, version: str = 'version="1"') -> str:
    return ROBOT.replace("</robot>", f"<modular_dynamics {version}>\n{tags}\n</modular_dynamics>\n</robot>")


def replaced(old: str, new: str) -> str:
    assert old in ROBOT
    return ROBOT.replace(old, new, 1)


def test_the_robot_itself_is_accepted():
    assert md.load_urdf(ROBOT, strict=True).joint_names == ("shoulder", "elbow")


#: (what is replaced in ROBOT, by what, message)
CHANGED = [
    ('<robot name="arm">', "<robot>", "line 1: <robot> lacks 'name'"),
    ('name="lower"', 'name="upper"', "line 4: two links are named 'upper'"),
    ('name="elbow"', 'name="shoulder"', "line 7: two joints are named 'shoulder'"),
    ('<link name="base"/>', "<link/>", "line 2: <link> lacks 'name'"),
    ('type="revolute"', 'type="hinge"', "line 5: joint 'shoulder' has unknown type 'hinge'"),
    (' type="revolute"', "", "joint 'shoulder' has no type; one of"),
    (' type="revolute">', "><type>revolute</type>", "'shoulder' has no type .it is an attribute of <joint>"),
    ('<child link="lower"/>', '<child link="hand"/>', "line 7: .*unknown link 'hand'"),
    ('<parent link="base"/>', "", "line 5: joint 'shoulder' lacks <parent"),
    (
        "</robot>",
        '<joint name="again" type="fixed"><parent link="base"/><child link="lower"/></joint></robot>',
        "line 9: joints 'elbow' and 'again' have the same child link 'lower'",
    ),
    ('xyz="0 1 0"', 'xyz="0 1e200 0"', "line 6: .*xyz='0 1e200 0' is too large; at most 1e.09"),
    ('ixx="0.1"', 'ixx="1e308"', "line 3: link 'upper', <inertia>: ixx='1e308' is too large"),
    ('mass value="2"', 'mass value="1e308"', "line 3: link 'upper', <mass>: value='1e308' is too large"),
    ("</robot>", '<link name="other"/></robot>', "line 9: several root links: base, other"),
    (  # what hangs from the cycle is not on it
        "</robot>",
        '<link name="a"/><link name="b"/><link name="c"/><link name="d"/>'
        '<joint name="cd" type="fixed"><parent link="c"/><child link="d"/></joint>'
        '<joint name="ac" type="fixed"><parent link="a"/><child link="c"/></joint>'
        '<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>'
        '<joint name="ba" type="fixed"><parent link="b"/><child link="a"/></joint>'
        "</robot>",
        "line 9: joints 'ba', 'ab' form a cycle",
    ),
    (' izz="0.1"', "", "line 3: link 'upper', <inertia> lacks 'izz'"),
    ('type="revolute"', 'type="Revolute"', "is needed; is 'revolute' meant?"),
    ('type="revolute"', 'type="spherical"', 'write type="floating", and <spherical joint=""/> in <modular'),
    ('type="revolute"', 'type="ball"', 'write type="floating", and <spherical joint=""/> in <modular'),
    ('type="revolute"', 'type="universal"', "is needed; write two joints with a link without mass between"),
    ('type="revolute"', 'type="slider"', 'is needed; write type="prismatic"'),
    ('value="2"', 'value="two"', "line 3: link 'upper', <mass>: value='two' is not a number"),
    ('value="2"', 'value="1_0"', "value='1_0' is not a number"),
    ('value="2"', 'value="nan"', "value='nan' is not finite"),
    ('xyz="0 0 1"', 'xyz="0 inf 1"', "line 6: .*<origin>: xyz='0 inf 1' is not finite"),
    ('xyz="0 0 1"', 'xyz="0 0"', "has 2 numbers; needed: 3"),
    ('axis xyz="0 1 0"', 'axis xyz="0 0 0"', "line 6: .* has no direction"),
    (
        '<limit lower="-1" upper="1" effort="9" velocity="2"/>',
        "",
        "line 5: joint 'shoulder', revolute, lacks <limit",
    ),
    ('value="2"', 'value="-2"', "line 3: link 'upper' has mass -2 kg"),
    (
        'iyy="0.1"',
        'iyy="-0.1"',
        r"line 5: joint 'shoulder' turns link 'upper', whose moment .* is -0\.1 kg m\^2; it cannot",
    ),
    (
        'velocity="2"/></joint>',
        'velocity="2"/><mimic joint="wrist"/></joint>',
        "line 5: joint 'shoulder' mimics the missing joint 'wrist'",
    ),
    (
        'velocity="2"/></joint>',
        'velocity="2"/><mimic joint="shoulder"/></joint>',
        "mimic joints form a cycle: shoulder -> shoulder",
    ),
    (
        'type="revolute"><parent link="upper"/>',
        'type="floating"><mimic joint="shoulder"/><parent link="upper"/>',
        "line 7: floating joint 'elbow' has several coordinates; it cannot mimic",
    ),
    (
        'velocity="2"/></joint>\n</robot>',
        'velocity="2"/></joint>\n<link name="tip"/><joint name="slide" type="planar"><parent link="lower"/>'
        '<child link="tip"/><axis xyz="0 0 0"/></joint></robot>',
        "joint 'slide': <axis xyz='0 0 0'> has no direction",
    ),
]
REFUSED_URDF = [
    (ROBOT[:-3], r"line 9: malformed XML"),
    ("", "neither URDF text"),
    ("my robot\nhas arms", "neither URDF text"),
    ("/no/such/robot.urdf", "no URDF file at '/no/such/robot.urdf'"),
    ("<sdf/>", "root element is <sdf>, not <robot>.*SDF"),
    ("<mujoco/>", "root element is <mujoco>, not <robot>.*load_mjcf"),
    ('<robot name="x"/>', "robot 'x' has no links"),
    ('<!DOCTYPE r [<!ENTITY e "1">]>' + ROBOT, "DTD .* or entity is not allowed"),
    ('<!DOCTYPE robot SYSTEM "http://example.org/r.dtd">' + ROBOT, "DTD .* or entity is not allowed"),
    ("<robot>" + " " * MAX_BYTES, "at most 20000000 are accepted"),
    (tagged("").replace("</robot>", "<modular_dynamics/></robot>"), "a second <modular_dynamics> element"),
    (tagged("<branch/>"), "line 10: unknown tag <branch>.*known: <subsystem>"),
    (tagged('<subsystem name="a"><link/></subsystem>'), "unknown tag <link> in <subsystem>"),
    (tagged('<subsystem name="a" root="upper"/>'), "line 10: .*unknown attribute 'root'; .*root_link"),
    (tagged('<joint_dynamics joint="elbow" inertia="1"/>'), "unknown attribute 'inertia'; known: joint"),
    (tagged('<gear joint="elbow"><driver joint="shoulder" gain="1"/></gear>'), "unknown attribute 'gain'"),
    (tagged('<independent><joint name="elbow" x="1"/></independent>'), "unknown attribute 'x'; known: name"),
    (tagged("<passive>elbow</passive>"), "line 10: <passive> contains the text 'elbow'"),
    (tagged(LOOP.format("lower").replace("/>", "><origin/></predecessor>", 1)), "<origin> in <predecessor>"),
    (
        tagged(LOOP.format("lower").replace("</", '<axis xyz="1 0 0"/><axis xyz="0 1 0"/></')),
        "a second <axis> in <loop_joint>",
    ),
    *((replaced(old, new), message) for old, new, message in CHANGED),
]
#: (tags, message)
TAGS = [
    (
        '<subsystem name="a"><joint name="elbow"/></subsystem>\n'
        '<subsystem name="b"><joint name="elbow"/></subsystem>',
        "line 11: joint 'elbow' is in two subsystems, 'a' and 'b'",
    ),
    ('<subsystem name="a"><joint name="wrist"/></subsystem>', "line 10: .*unknown joint 'wrist'"),
    ('<subsystem name="a" root_link="hand"/>', "line 10: .*unknown link 'hand'"),
    (
        '<subsystem name="a" root_link="upper"/>\n<subsystem name="a" root_link="lower"/>',
        "line 11: two subsystems are named 'a'",
    ),
    ('<subsystem name="a"/>', "line 10: .*either its joints or its root_link"),
    ('<subsystem root_link="upper"/>', "line 10: a subsystem lacks 'name'"),
    (BLACK_BOX, "black_box='perhaps' is neither true nor false"),
    (LOOP.format("hand"), "line 10: loop joint 'l' names .*'hand'"),
    (LOOP.format("lower").replace("revolute", "ball"), "has type 'ball'; one of revolute"),
    (
        '<loop_joint name="l" type="fixed"><predecessor link="base"/></loop_joint>',
        "loop joint 'l', successor is missing",
    ),
    (LOOP.format("base"), "line 10: loop joint 'l' closes no loop: its two ends are both on link 'base'"),
    (LOOP.replace('"l"', '"elbow"').format("lower"), "loop joint 'elbow' has the name of joint 'elbow'"),
    (
        LOOP.format("lower") + SPRING.replace('"s"', '"l"').format(1, '<anchor link="lower"/>'),
        "line 10: spring 'l' has the name of loop joint 'l'",
    ),
    ('<passive joint="wrist"/>', "line 10: passive joint 'wrist' names the"),
    ('<gear joint="elbow" driver="wrist" ratio="2"/>', "gear of joint 'elbow' names .* 'wrist'"),
    (
        '<gear joint="elbow" driver="elbow" ratio="2"/>',
        "line 10: gear of joint 'elbow': a joint cannot be its own driver",
    ),
    ('<gear joint="elbow" driver="shoulder"/>', "line 10: gear .*lacks 'ratio'"),
    ('<spherical joint="wrist"/>', "line 10: spherical joint 'wrist' names the unknown joint"),
    ('<spherical joint="elbow"/>', "line 10: spherical joint 'elbow' is revolute .*\"floating\" is needed"),
    ('<joint_dynamics joint="wrist"/>', "line 10: joint_dynamics of joint 'wrist' names the unknown joint"),
    (
        '<joint_dynamics joint="elbow" armature="-1"/>',
        "line 10: joint_dynamics of joint 'elbow': armature = -1 cannot be negative",
    ),
    (
        '<joint_dynamics joint="elbow"/>\n<joint_dynamics joint="elbow"/>',
        "line 11: two joints with joint_dynamics are named 'elbow'",
    ),
    (SPRING.format(1, ""), "line 10: spring 's' has 1 anchors"),
    (SPRING.format(-1, '<anchor link="lower"/>'), "spring 's': stiffness = -1 cannot be negative"),
]
REFUSED_PARTITION = [
    (tagged("", 'version="2"'), "version '2'.*1 is needed"),
    (tagged("", ""), "version 'None'"),
    (
        tagged(LOOP.format("upper")).replace('shoulder" type="revolute"', 'shoulder" type="fixed"'),
        "line 10: loop joint 'l' closes no loop: its ends, on the links 'base' and 'upper', are fixed",
    ),
    (
        tagged('<joint_dynamics joint="elbow" armature="1"/>').replace(
            'name="elbow" type="revolute"', 'name="elbow" type="fixed"'
        ),
        "line 10: joint_dynamics of joint 'elbow': it is fixed",
    ),
    (
        tagged('<joint_dynamics joint="elbow" stiffness="1"/>').replace(
            'name="elbow" type="revolute"', 'name="elbow" type="floating"'
        ),
        "line 10: joint_dynamics of joint 'elbow': it is floating; springs are supported at joints",
    ),
    *((tagged(tags), message) for tags, message in TAGS),
]


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        *((md.UrdfError, *case) for case in REFUSED_URDF),
        *((md.PartitionError, *case) for case in REFUSED_PARTITION),
    ],
    ids=[message for _, message in REFUSED_URDF + REFUSED_PARTITION],
)
def test_refused(kind, text, message):
    with pytest.raises(kind, match=re.compile(message, re.DOTALL)):
        md.load_urdf(text)


def test_a_subsystem_in_two_places_is_refused(load_robot):
    graph = load_robot("charmie")
    partition = {"version": 1, "subsystems": [{"name": "ends", "joints": ["base_x", "head_pan"]}]}
    with pytest.raises(md.PartitionError, match=r"'ends' is not connected: .*'base_x' \(on link 'world'\)"):
        md.load_urdf(graph.urdf, partition)


def test_billion_laughs_and_files_are_not_read():
    bomb, steal = '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">', '<!ENTITY b SYSTEM "file:///etc/passwd">'
    for entities in (bomb, steal):
        with pytest.raises(md.UrdfError, match=r"a DTD .* or entity is not allowed"):
            md.load_urdf(f'<!DOCTYPE r [{entities}]><robot name="&b;"><link name="base"/></robot>')


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('ixx="0.1"', 'ixx="0.3"', "line 3: link 'upper' breaks the triangle"),
        ('<mass value="1"/>', '<mass value="0"/>', "link 'lower' moves, has no mass and ends a chain"),
        ('ixx="0.1"', 'ixx="-0.1"', "line 3: link 'upper' .* no rigid body has a negative one"),
        (
            'velocity="2"/></joint>\n  <joint name="elbow" type="revolute">',
            'velocity="2"/></joint>\n  <joint name="elbow" type="fixed"><mimic joint="shoulder"/>',
            "line 7: joint 'elbow' is fixed and has a <mimic>; it is ignored",
        ),
    ],
)
def test_vendors_files_are_accepted_with_a_warning(old, new, message):
    text = replaced(old, new)
    with pytest.warns(md.ModelWarning, match=message):
        graph = md.load_urdf(text)
    (finding,) = graph.warnings
    assert re.search(message, str(finding))
    assert finding.name in ("upper", "lower", "elbow")
    with pytest.raises(md.UrdfError, match="strict: ") as caught:
        md.load_urdf(text, strict=True)
    # what is refused is neither used nor ignored
    assert str(caught.value) == f"strict: {replace(finding, assumed='')}"
    assert not re.search("ignored|as given", str(caught.value))


def test_limits_of_zero_are_a_note_and_no_warning(recwarn):
    text = ROBOT.replace('effort="9"', 'effort="0"').replace('velocity="2"', 'velocity="0"', 1)
    graph = md.load_urdf(text, strict=True)
    assert not recwarn.list
    assert graph.warnings == ()
    assert graph.notes == (
        "effort limit of zero: 2 joints, 'shoulder', 'elbow'. The first: line 5: joint 'shoulder' has an "
        "effort limit of zero",
        "line 5: joint 'shoulder' has a velocity limit of zero",
    )


def test_one_warning_of_each_kind(recwarn):
    text = ROBOT.replace('ixx="0.1"', 'ixx="0.3"').replace('<mass value="1"/>', '<mass value="0"/>')
    graph = md.load_urdf(text)
    summed, single = (str(warning.message) for warning in recwarn.list)
    assert summed.startswith(
        "broken triangle inequality: 2 links, 'upper', 'lower'. The first: line 3: link 'upper' breaks the "
    )
    assert single == "line 4: link 'lower' moves, has no mass and ends a chain"
    assert [(one.kind, one.element, one.name, one.line) for one in graph.warnings] == [
        ("broken triangle inequality", "link", "upper", 3),
        ("broken triangle inequality", "link", "lower", 4),
        ("end without mass", "link", "lower", 4),
    ]
    with pytest.raises(md.UrdfError, match=r"strict: broken .*; line 4: link 'lower' moves"):
        md.load_urdf(text, strict=True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name="elbow" type="revolute"', 'name="elbow" type="fixed"', "is fixed"),
        (
            '"elbow" type="revolute">',
            '"elbow" type="revolute"><mimic joint="shoulder"/>',
            "mimics joint 'shoulder'",
        ),
    ],
)
def test_a_passive_joint_without_a_motion_of_its_own(old, new, message):
    """Closing loops raised a KeyError with its name."""
    assert old in ROBOT
    text = tagged('<passive joint="elbow"/>').replace(old, new)
    wanted = f"line 10: passive joint 'elbow' {message}; one with a motion of its own is needed"
    with pytest.raises(md.PartitionError, match=wanted):
        md.load_urdf(text)
