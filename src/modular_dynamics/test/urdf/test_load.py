"""URDF -> graph: robots as Pinocchio reads them, the order of coordinates, what is refused."""

import re
from dataclasses import asdict, replace

import numpy as np
import pinocchio
import pytest
import yaml

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.text.sizes import MAX_BYTES
from modular_dynamics.urdf.source import parse_xml
from modular_dynamics.urdf.tags import checked_annotations, read_tags


def test_charmie(load_robot):
    graph = load_robot("charmie")
    assert [s.name for s in graph.subsystems] == ["base", "torso", "left_arm", "right_arm", "head"]
    assert [len(s.joints) for s in graph.subsystems] == [3, 2, 6, 6, 2]
    bodies = {link for body in graph.bodies for link in body.links if link.startswith("body_")}
    assert len(bodies) == 24
    assert graph.nv == 19
    assert sum(body.mass for body in graph.bodies) == pytest.approx(55.6, abs=1e-12)


def test_every_robot_is_free_of_warnings(recwarn):
    for path in ROBOTS.glob("*.urdf"):
        md.load_urdf(path, strict=True)
    assert not recwarn.list


def test_a_loop_joint_may_have_the_name_of_a_fixed_joint():
    fixed = '<joint name="J2" type="fixed"><parent link="crank"/><child link="a"/></joint><link name="a"/>'
    text = (ROBOTS / "four_bar.urdf").read_text().replace("<modular_dynamics", f"{fixed}<modular_dynamics", 1)
    assert [loop.name for loop in md.load_urdf(text).loop_joints] == ["J2"]


def test_masses_and_inertias_are_pinocchios(load_robot):
    for name in ("charmie", "vendor_arm", "branched_38dof"):
        graph = load_robot(name)
        model = pinocchio.buildModelFromXML(graph.urdf)
        for body, joint in zip(graph.bodies, graph.joints, strict=True):
            theirs = model.inertias[model.getJointId(joint.name)]
            assert body.mass == pytest.approx(theirs.mass, rel=1e-14)
            assert body.com == pytest.approx(theirs.lever, abs=1e-14)
            assert body.inertia == pytest.approx(theirs.inertia, abs=1e-14)


def test_the_examples_in_the_document_agree():
    text = (ROBOTS.parent / "docs/reference/urdf_tags.md").read_text(encoding="utf-8")
    (xml,), (partition,) = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("xml", "yaml"))
    tags = checked_annotations(read_tags(parse_xml(f"<robot>{xml}</robot>")[0]))
    file = checked_annotations(yaml.safe_load(partition))
    assert [replace(spec, line=None) for spec in tags.subsystems] == list(file.subsystems)
    assert (tags.passive, tags.gears) == (file.passive, file.gears)
    for section in ("loop_joints", "springs"):
        (ours,), (theirs,) = getattr(tags, section), getattr(file, section)
        for key, value in asdict(ours).items():
            np.testing.assert_equal(asdict(theirs)[key], value)


def test_order_of_coordinates_is_document_order_within_subsystems():
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="second" type="continuous"><parent link="b"/><child link="c"/></joint>
      <joint name="first" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
    partition = {"version": 1, "subsystems": [{"name": "all", "joints": ["first", "second"]}]}
    with pytest.warns(md.ModelWarning, match="link 'c' moves, has no mass"):
        graph = md.load_urdf(text, partition)
    assert graph.joint_names == ("second", "first")  # the document's
    assert [joint.name for joint in graph.joints] == ["first", "second"]  # the tree's


def test_a_floating_base_twice_is_refused(load_robot):
    graph = load_robot("four_link", floating_base=True)
    assert graph.joint_names[0] == "root_joint"
    assert (graph.nq, graph.nv) == (11, 10)
    text = graph.urdf.replace("</robot>", "").replace('type="continuous"', 'type="floating"')
    with pytest.raises(md.UrdfError, match="is floating already"):
        md.load_urdf(text + "</robot>", floating_base=True)


@pytest.mark.parametrize(("kind", "name"), [("link", "universe"), ("joint", "root_joint")])
def test_names_of_the_floating_base_that_the_robot_has(load_robot, kind, name):
    """The added joint and ground link get other names; the robot is the same as without the clash."""
    without = load_robot("four_link", floating_base=True)
    taken = without.joint_names[1] if kind == "joint" else load_robot("four_link").links[0]
    text = without.urdf.replace(f'"{taken}"', f'"{name}"')
    assert md.load_urdf(text).warnings == ()
    message = rf"line \d+: {kind} '{name}' has the name of .* floating_base adds; that one is now '{name}_'"
    with pytest.warns(md.ModelWarning, match=message):
        graph = md.load_urdf(text, floating_base=True)
    q, v, a = np.ones(graph.nq), np.ones(graph.nv), np.ones(graph.nv)
    np.testing.assert_array_equal(md.inverse_dynamics(graph, q, v, a), md.inverse_dynamics(without, q, v, a))
    assert md.crosscheck.rnea_residual(graph, q, v, a).max() < 1e-12
    with pytest.raises(md.UrdfError, match=rf"strict: line \d+: {kind} '{name}'"):
        md.load_urdf(text, floating_base=True, strict=True)


@pytest.mark.parametrize("gravity", ["down", [1, 2], [[1], [2, 3], [4]], [0, 0, float("nan")]])
def test_bad_gravity(gravity):
    with pytest.raises(md.StateError, match="three finite numbers"):
        md.load_urdf(ROBOTS / "four_link.urdf", gravity=gravity)


def test_long_chains_of_fixed_links():
    """Vendors' calibration frames and the like: deeper than Python's recursion limit."""
    links = "".join(f'<link name="l{k}"/>' for k in range(1501))
    joints = "".join(
        f'<joint name="j{k}" type="{"continuous" if k == 0 else "fixed"}"><parent link="l{k}"/>'
        f'<child link="l{k + 1}"/></joint>'
        for k in range(1500)
    )
    with pytest.warns(md.ModelWarning, match="ends a chain"):
        graph = md.load_urdf(f'<robot name="r">{links}{joints}</robot>')
    assert len(graph.bodies[0].links) == 1500


# Everything that docs/reference/urdf_tags.md rejects raises an error that names the element and its line.

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
ANCHORS = '<anchor link="base"/><anchor link="lower"/>'
SPRING = f'<spring name="s" stiffness="{{}}" free_length="{{}}">{ANCHORS}</spring>'


def tagged(tags: str, version: str = 'version="1"', **types: str) -> str:
    """The robot with tags, and with other types of these joints."""
    text = ROBOT
    for name, kind in types.items():
        text = text.replace(f'name="{name}" type="revolute"', f'name="{name}" type="{kind}"')
    return text.replace("</robot>", f"<modular_dynamics {version}>\n{tags}\n</modular_dynamics>\n</robot>")


def replaced(old: str, new: str) -> str:
    assert old in ROBOT
    return ROBOT.replace(old, new, 1)


#: (what is replaced in ROBOT, by what, message)
CHANGED = [
    ('<robot name="arm">', "<robot>", "line 1: <robot> lacks 'name'"),
    ('name="lower"', 'name="upper"', "line 4: two links are named 'upper'"),
    ('name="elbow"', 'name="shoulder"', "line 7: two joints are named 'shoulder'"),
    ('<link name="base"/>', "<link/>", "line 2: <link> lacks 'name'"),
    ('type="revolute"', 'type="hinge"', "line 5: joint 'shoulder' has unknown type 'hinge'"),
    (' type="revolute">', "><type>revolute</type>", "'shoulder' has no type .it is an attribute of <joint>"),
    ('<child link="lower"/>', '<child link="hand"/>', "line 7: .*unknown link 'hand'"),
    ('<parent link="base"/>', "", "line 5: joint 'shoulder' lacks <parent"),
    (
        "</robot>",
        '<joint name="again" type="fixed"><parent link="base"/><child link="lower"/></joint></robot>',
        "line 9: joints 'elbow' and 'again' have the same child link 'lower'",
    ),
    ('xyz="0 1 0"', 'xyz="0 1e200 0"', "line 6: .*xyz='0 1e200 0' is too large; at most 1e.09"),
    ('xyz="0 1 0"', 'xyz="1e9 1.1e9 0"', "line 6: .*xyz='1e9 1.1e9 0' is too large; at most 1e.09"),
    ("</robot>", '<link name="other"/></robot>', "line 9: several root links: base, other"),
    (
        "</robot>",
        '<link name="a"/><link name="b"/><link name="c"/><link name="d"/>'
        '<joint name="cd" type="fixed"><parent link="c"/><child link="d"/></joint>'
        '<joint name="ac" type="fixed"><parent link="a"/><child link="c"/></joint>'
        '<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>'
        '<joint name="ba" type="fixed"><parent link="b"/><child link="a"/></joint>'
        "</robot>",
        "line 9: joints 'cd', 'ac', 'ab', 'ba' form a cycle, or are below one",
    ),
    ('type="revolute"', 'type="spherical"', 'write type="floating", and <spherical joint=""/> in <modular'),
    ('value="2"', 'value="two"', "line 3: link 'upper', <mass>: value='two' is not a number"),
    ('value="2"', 'value="nan"', "value='nan' is not finite"),
    ('xyz="0 0 1"', 'xyz="0 inf 1"', "line 6: .*<origin>: xyz='0 inf 1' is not finite"),
    ('axis xyz="0 1 0"', 'axis xyz="0 0 0"', "line 6: .* has no direction"),
    ('axis xyz="0 1 0"', 'axis xyz="0 0 1e-155"', "line 6: .* has no direction"),
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
]
REFUSED_URDF = [
    (ROBOT[:-3], r"line 9: malformed XML"),
    ("my robot\nhas arms", "neither URDF text"),
    ("/no/such/robot.urdf", "no URDF file at '/no/such/robot.urdf'"),
    ("<mujoco/>", "root element is <mujoco>, not <robot>.*load_mjcf"),
    ('<robot name="x"/>', "robot 'x' has no links"),
    ('<!DOCTYPE r [<!ENTITY e "1">]>' + ROBOT, "DTD .* or entity is not allowed"),
    ('<!DOCTYPE r [<!ENTITY b SYSTEM "file:///etc/passwd">]>' + ROBOT, "DTD .* or entity is not allowed"),
    ("<robot>" + " " * MAX_BYTES, "at most 20000000 are accepted"),
    (tagged("").replace("</robot>", "<modular_dynamics/></robot>"), "a second <modular_dynamics> element"),
    (tagged("<branch/>"), "line 10: unknown tag <branch>.*known: <subsystem>"),
    (tagged('<subsystem name="a" root="upper"/>'), "line 10: .*unknown attribute 'root'; .*root_link"),
    (tagged("<passive>elbow</passive>"), "line 10: <passive> contains the text 'elbow'"),
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
    (
        '<subsystem name="a" root_link="upper"/>\n<subsystem name="a" root_link="lower"/>',
        "line 11: 'subsystems' has two entries named 'a'",
    ),
    ('<subsystem name="a"/>', "line 10: .*either its joints or its root_link"),
    (BLACK_BOX, "black_box='perhaps' is neither true nor false"),
    (LOOP.format("hand"), "line 10: loop joint 'l' names .*'hand'"),
    (LOOP.format("lower").replace("revolute", "ball"), "has type 'ball'; one of revolute"),
    (LOOP.format("base"), "line 10: loop joint 'l' closes no loop: its two ends are both on link 'base'"),
    (LOOP.replace('"l"', '"elbow"').format("lower"), "loop joint 'elbow' has the name of joint 'elbow'"),
    ('<gear joint="elbow" driver="wrist" ratio="2"/>', "gear of joint 'elbow' names .* 'wrist'"),
    (
        '<gear joint="elbow" driver="elbow" ratio="2"/>',
        "line 10: gear of joint 'elbow': a joint cannot be its own driver",
    ),
    ('<spherical joint="wrist"/>', "line 10: spherical joint 'wrist' names the unknown joint"),
    ('<spherical joint="elbow"/>', "line 10: spherical joint 'elbow' is revolute .*\"floating\" is needed"),
    (
        '<joint_dynamics joint="elbow" armature="-1"/>',
        "line 10: joint_dynamics of joint 'elbow': armature = -1 cannot be negative",
    ),
    (
        '<joint_dynamics joint="elbow"/>\n<joint_dynamics joint="elbow"/>',
        "line 11: 'joint_dynamics' has two entries named 'elbow'",
    ),
    (SPRING.format(-1, 1), "spring 's': stiffness = -1 cannot be negative"),
    (SPRING.format("1e13", 1), r"spring 's': stiffness='1e13' is too large; at most 1e\+12"),
    (SPRING.format(1, "1e308"), r"spring 's': free_length='1e308' is too large; at most 1e\+09"),
]
REFUSED_PARTITION = [
    (
        tagged('<passive joint="elbow"/>', elbow="fixed"),
        "line 10: passive joint 'elbow' is fixed; one with a motion of its own is needed",
    ),
    (tagged("", 'version="2"'), "version '2'.*1 is needed"),
    (
        tagged(LOOP.format("upper"), shoulder="fixed"),
        "line 10: loop joint 'l' closes no loop: its ends, on the links 'base' and 'upper', are fixed",
    ),
    (
        tagged('<joint_dynamics joint="elbow" armature="1"/>', elbow="fixed"),
        "line 10: joint_dynamics of joint 'elbow': it is fixed",
    ),
    (
        tagged('<joint_dynamics joint="elbow" stiffness="1"/>', elbow="floating"),
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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<mass value="1"/>', '<mass value="0"/>', "link 'lower' moves, has no mass and ends a chain"),
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
