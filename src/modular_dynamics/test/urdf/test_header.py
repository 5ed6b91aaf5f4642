"""Gravity and floating base as attributes of <modular_dynamics>; arguments of load_urdf come first."""

import re

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics.urdf import description_header, stamp_text, stamped

TEXT = (ROBOTS / "four_link.urdf").read_text()


def tagged(attributes):
    """The robot with these attributes of its tags."""
    assert TEXT.count('<modular_dynamics version="1">') == 1
    return TEXT.replace('<modular_dynamics version="1">', f'<modular_dynamics version="1" {attributes}>')


def test_gravity_is_that_of_the_tags_unless_another_one_is_given():
    lunar = tagged('gravity="0 0 -1.62"')
    assert md.load_urdf(lunar).gravity.tolist() == [0.0, 0.0, -1.62]
    assert md.load_urdf(lunar, gravity=(0, 0, -9.81)).gravity.tolist() == [0.0, 0.0, -9.81]
    assert md.load_urdf(TEXT).gravity.tolist() == [0.0, 0.0, -9.81]
    assert not md.load_urdf(lunar).gravity.flags.writeable


@pytest.mark.parametrize(("word", "floats"), [("true", True), ("1", True), ("false", False)])
def test_the_base_floats_as_the_tags_say_unless_it_is_given(word, floats):
    text = tagged(f'floating_base="{word}"')
    graph = md.load_urdf(text)
    assert graph.floating_base == floats
    assert graph.nv == md.load_urdf(TEXT, floating_base=floats).nv
    assert md.load_urdf(text, floating_base=False).nv == 4
    assert md.load_urdf(text, floating_base=True).nv == 10


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('gravity="1 2"', "line [0-9]+: <modular_dynamics>: gravity='1 2' has 2 numbers; needed: 3"),
        ('gravity="0 0 nan"', "not finite"),
        ('floating_base="perhaps"', "<modular_dynamics>: floating_base='perhaps' is neither true nor false"),
    ],
)
def test_other_words_are_refused(attributes, message):
    with pytest.raises(md.UrdfError, match=message):
        md.load_urdf(tagged(attributes))


def test_what_the_file_states_and_an_argument_replaces_is_a_note():
    text = tagged('gravity="0 0 -1.62" floating_base="true"')
    assert not any("of the file" in note for note in md.load_urdf(text).notes)
    assert not any("of the file" in note for note in md.load_urdf(TEXT, gravity=(0.0, 0.0, -1.0)).notes)
    notes = md.load_urdf(text, gravity=(0.0, 0.0, -9.81), floating_base=False).notes
    assert [note for note in notes if "of the file" in note] == [
        "gravity of the file, [0.0, 0.0, -1.62], is not used: [0.0, 0.0, -9.81] was given",
        "floating_base of the file, True, is not used: False was given",
    ]


# The stamp of a description: written, read, refused; it says nothing about the robot.

BARE = "<robot name='r'><link name='a'/></robot>"
STAMP = 1_763_848_677_000_000_009


@pytest.mark.parametrize("stamp", [0, STAMP])
def test_a_stamp_is_read_as_it_was_written(stamp):
    assert description_header(BARE).stamp is None
    assert description_header(stamped(BARE, stamp)).stamp == stamp
    assert description_header(stamped(stamped(BARE, 7), stamp)).stamp == stamp
    assert stamp_text(STAMP) == "1763848677.000000009"


@pytest.mark.parametrize("text", ["", "12", "-1.000000000", "1.0000000000", "1.00000000x"])
def test_what_is_no_stamp_is_refused_with_its_line(text):
    urdf = f"<robot name='r'><link name='a'/>\n<modular_dynamics version='1' stamp='{text}'/></robot>"
    for read in (description_header, md.load_urdf):
        with pytest.raises(md.UrdfError, match=r"line 2: stamp '.*' of <modular_dynamics>"):
            read(urdf)


# URDF 1.0, 1.1 and 1.2: quaternions, limits that may be left out, files that need another version.

ARM = """<robot name="arm" {version}>
<link name="base"/>
<link name="rod"><inertial><origin xyz="0 0 0.24"/><mass value="2"/>
  <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial></link>
<joint name="swing" type="{type}"><parent link="base"/><child link="rod"/>
  <origin xyz="0 0 0.4" {rotation}/><axis xyz="0 1 0"/>
  {limit}</joint>
</robot>"""
LIMIT = '<limit lower="-1" upper="1" effort="9" velocity="8"/>'
NEEDED = ("1.1", "1.2")


def arm(version="1.2", rotation="", limit=LIMIT, joint_type="revolute"):
    """The text of an arm of one rod."""
    stated = "" if version is None else f'version="{version}"'
    return ARM.format(version=stated, rotation=rotation, limit=limit, type=joint_type)


def weight_torque(text, angle=0.5):
    graph = md.load_urdf(text)
    return float(md.inverse_dynamics(graph, [angle], [0.0], [0.0])[0])


@pytest.mark.parametrize("version", NEEDED)
def test_a_quaternion_of_a_joint_turns_its_axis(version):
    """The axis y becomes vertical, so gravity has no moment about it; otherwise it is m g l sin(q)."""
    turned = arm(version, 'quat_xyzw="0.70710678118654752 0 0 0.70710678118654752"')
    assert weight_torque(turned) == pytest.approx(0.0, abs=1e-15)
    assert weight_torque(arm(version)) == pytest.approx(-2 * 9.81 * 0.24 * np.sin(0.5), rel=1e-14)


@pytest.mark.parametrize("length", [1e-3, 50.0])
@pytest.mark.parametrize("seed", range(3))
def test_poses_are_those_of_pinocchio(seed, length, recwarn):
    """Of joints and inertials, up to a few roundings of numbers below 3; readers divide by the length."""
    rng = np.random.default_rng(seed)
    quaternions, xyz = rng.normal(size=(2, 4)), rng.normal(size=(2, 3))
    quaternions *= length / np.linalg.norm(quaternions, axis=1)[:, None]
    origins = [
        f'xyz="{" ".join(map(repr, p.tolist()))}" quat_xyzw="{" ".join(map(repr, q.tolist()))}"'
        for p, q in zip(xyz, quaternions, strict=True)
    ]
    text = arm("1.1").replace('xyz="0 0 0.4" ', origins[0]).replace('xyz="0 0 0.24"', origins[1])
    graph = md.load_urdf(text)
    joint, link = (
        pinocchio.SE3(pinocchio.Quaternion(q / np.linalg.norm(q)).matrix(), p)
        for p, q in zip(xyz, quaternions, strict=True)
    )
    rotation, translation = to_rotation_translation(graph.joints[0].x_parent_joint)
    np.testing.assert_allclose(rotation, joint.rotation, rtol=0, atol=2e-15)
    np.testing.assert_allclose(translation, joint.translation, rtol=0, atol=5e-15)
    tensor = link.rotation @ np.diag([0.01, 0.02, 0.03]) @ link.rotation.T
    np.testing.assert_allclose(graph.bodies[0].com, link.translation, rtol=0, atol=5e-15)
    np.testing.assert_allclose(graph.bodies[0].inertia, tensor, rtol=0, atol=1e-16)


@pytest.mark.parametrize(
    ("rotation", "message"),
    [
        ('rpy="0 0 0" quat_xyzw="0 0 0 1"', "has both 'rpy' and 'quat_xyzw'"),
        ('quat_xyzw="0 0 0 0"', "quat_xyzw='0 0 0 0' has no direction"),
        ('quat_xyzw="0 0 1"', "has 3 numbers; needed: 4"),
        ('quat_xyzw="0 0 0 nan"', "is not finite"),
    ],
)
def test_quaternions_that_say_no_rotation(rotation, message):
    with pytest.raises(md.UrdfError, match=f"^line 6: joint 'swing', <origin>.*{message}"):
        md.load_urdf(arm("1.1", rotation))


def test_a_quaternion_far_from_unit_is_a_question():
    graph = md.load_urdf(arm("1.1", 'quat_xyzw="1 0 0 1"'), strict=True)
    (finding,) = graph.warnings
    assert finding.asks
    assert str(finding) == (
        "line 6: <origin> of joint 'swing' has quat_xyzw='1 0 0 1', of length 1.41, not 1; are these the "
        "numbers x y z w of a quaternion?"
    )


@pytest.mark.parametrize("version", [None, "1.0"])
def test_version_1_0_has_no_quaternions(version):
    """All readers ignore it, as urdfdom says of such files; so does this one, and it says so."""
    text = arm(version, 'quat_xyzw="0.70711 0 0 0.70711"')
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(text)
    assert [str(warning.message) for warning in caught] == [
        "line 6: <origin> of joint 'swing' has the attribute 'quat_xyzw', which URDF 1.0 does not have; it "
        'is ignored; write <robot version="1.1"> if it is to count'
    ]
    assert [finding.kind for finding in graph.warnings] == ["attribute of a later version"]
    np.testing.assert_array_equal(to_rotation_translation(graph.joints[0].x_parent_joint)[0], np.eye(3))
    with pytest.raises(md.UrdfError, match="strict: line 6: <origin> of joint 'swing'"):
        md.load_urdf(text, strict=True)


@pytest.mark.parametrize("version", ["2.0", "1.3", "1", "", "latest"])
def test_an_unknown_version_is_said_and_read_as_the_newest(version):
    text = arm(version, 'quat_xyzw="0.70710678118654752 0 0 0.70710678118654752"')
    with pytest.warns(md.ModelWarning, match="^line 1: <robot version=.* it is read as 1.2"):
        graph = md.load_urdf(text)
    assert [finding.kind for finding in graph.warnings] == ["unknown version"]
    assert float(md.inverse_dynamics(graph, [0.5], [0.0], [0.0])[0]) == pytest.approx(0.0, abs=1e-15)
    with pytest.raises(md.UrdfError, match="strict: line 1: <robot version="):
        md.load_urdf(text, strict=True)


LOOP = """<modular_dynamics version="1"><loop_joint name="close" type="fixed">
<predecessor link="base" {}/><successor link="rod" {}/></loop_joint></modular_dynamics></robot>"""


@pytest.mark.parametrize("version", [None, "1.2"])
def test_poses_of_our_tags_have_quaternions_in_every_version(version):
    """The tags have a version of their own; so has the partition file."""
    quaternion = 'quat_xyzw="0 0.6 0 0.8"'
    text = arm(version).replace("</robot>", LOOP.format('xyz="1 2 3"', quaternion))
    (by_tags,) = md.load_urdf(text, strict=True).loop_joints
    loop = {
        "name": "close",
        "type": "fixed",
        "predecessor": {"link": "base", "xyz": [1, 2, 3]},
        "successor": {"link": "rod", "quat_xyzw": [0, 0.6, 0, 0.8]},
    }
    (by_file,) = md.load_urdf(arm(version), {"version": 1, "loop_joints": [loop]}).loop_joints
    expected = pinocchio.Quaternion(0.8, 0, 0.6, 0).matrix()
    for closing in (by_tags, by_file):
        rotation, _ = to_rotation_translation(closing.successor.x_link_anchor)
        np.testing.assert_allclose(rotation, expected, rtol=0, atol=1e-15)
    with pytest.raises(md.DescriptionError, match="has both 'rpy' and 'quat_xyzw'"):
        md.load_urdf(text.replace(quaternion, f'rpy="0 0 0" {quaternion}'))


@pytest.mark.parametrize(
    ("joint_type", "limit", "expected"),
    [
        ("revolute", 'lower="-1" upper="2"', (-1.0, 2.0, None, None)),
        ("prismatic", 'lower="-1" upper="2" velocity="4" jerk="5"', (-1.0, 2.0, None, 4.0)),
        ("continuous", "", (None, None, None, None)),
        ("continuous", 'effort="7" acceleration="2" deceleration="inf"', (None, None, 7.0, None)),
    ],
)
def test_limits_of_version_1_2_may_be_left_out(joint_type, limit, expected):
    (joint,) = md.load_urdf(arm("1.2", limit=f"<limit {limit}/>", joint_type=joint_type), strict=True).joints
    limits = joint.limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == expected


@pytest.mark.parametrize("version", [None, "1.1", "1.2"])
@pytest.mark.parametrize("infinite", ["inf", "+inf", "1.7976931348623157e308", "1e999"])
def test_an_infinite_limit_is_none(version, infinite):
    lower = infinite.lstrip("+")
    limit = f'<limit lower="-{lower}" upper="{infinite}" effort="{infinite}" velocity="{infinite}"/>'
    (joint,) = md.load_urdf(arm(version, limit=limit), strict=True).joints
    assert joint.limits == md.model.Limits()


@pytest.mark.parametrize(
    ("version", "limit", "message"),
    [
        ("1.1", 'lower="-1" upper="1" velocity="1"', " lacks 'effort'"),
        ("1.2", 'upper="1"', " lacks 'lower'"),
        ("1.2", 'lower="-1" upper="1" effort="nan"', ": effort='nan' is not finite"),
        ("1.2", 'lower="inf" upper="inf"', ": lower='inf' leaves no position"),
        ("1.0", 'lower="-inf" upper="-inf" effort="1" velocity="1"', ": upper='-inf' leaves no position"),
        ("1.2", 'lower="-1" upper="1" deceleration="-2"', ": deceleration='-2' is negative"),
    ],
)
def test_limits_that_are_refused(version, limit, message):
    with pytest.raises(md.UrdfError, match=f"^line 7: joint 'swing', <limit>{message}"):
        md.load_urdf(arm(version, limit=f"<limit {limit}/>"))


def test_version_quaternions_and_limits_are_written_again():
    quaternion, limit = 'quat_xyzw="0 0.6 0 0.8"', '<limit lower="-1" upper="1" acceleration="3" jerk="4"/>'
    shape = '<geometry><capsule radius="1" length="2"/></geometry>'
    visual = f'<visual><origin quat_xyzw="0.6 0 0 0.8"/>{shape}</visual>'
    graph = md.load_urdf(arm("1.2", quaternion, limit).replace("<inertial>", f"{visual}<inertial>"))
    text = graph.to_urdf()
    assert re.search('<robot name="arm" version="1.2">', text)
    for part in (quaternion, 'quat_xyzw="0.6 0 0 0.8"', "<capsule", 'acceleration="3"', 'jerk="4"'):
        assert part in text
    read = md.load_urdf(text, strict=True)
    assert read.joints[0].x_parent_joint == graph.joints[0].x_parent_joint
    assert read.joints[0].limits == graph.joints[0].limits
    assert read.to_urdf() == text


@pytest.mark.parametrize("version", [None, "1.0"])
def test_what_version_1_0_ignores_does_not_count_in_a_newer_text(version):
    """A robot of version 1.0 in one of version 1.1: its quaternions stay ignored, the other ones count."""
    ignored = 'quat_xyzw="0 0 1 0"'
    with pytest.warns(md.ModelWarning, match="quat_xyzw"):
        tool = md.load_urdf(arm(version, ignored))
    whole = md.load_urdf(arm("1.1", 'quat_xyzw="0 0.6 0 0.8"')).attach(tool, "rod", prefix="tool_")
    text = whole.to_urdf()
    assert 'version="1.1"' in text
    assert ignored not in text
    q, v = [0.3, -0.4], [0.5, 0.2]
    expected = md.inverse_dynamics(whole, q, v, v)
    np.testing.assert_allclose(md.inverse_dynamics(md.load_urdf(text), q, v, v), expected, rtol=1e-14)
