"""Angles in degrees: reported with a question, and used as given."""

import warnings

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS

ROBOT = """<robot name="r"><link name="a"/>
<link name="b"><inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="1"/>
  <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.2" rpy="0 0 0"/>
  <limit lower="-1" upper="1" effort="5" velocity="6"/></joint>
</robot>"""


def changed(*replaced):
    text = ROBOT
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("old", "new", "kind", "text"),
    [
        (
            'lower="-1"',
            'lower="-180"',
            "limit in degrees",
            "line 4: joint 'j' has a limit of 180 rad; are these degrees?",
        ),
        (
            'upper="1"',
            'upper="179.5"',
            "limit in degrees",
            "line 4: joint 'j' has a limit of 179.5 rad; are these degrees?",
        ),
        (
            '"0 0 0"',
            '"90 0 0"',
            "angle in degrees",
            "line 4: <origin> of joint 'j' has rpy='90 0 0' [rad]; are these degrees?",
        ),
        (
            '"0.1 0.2 0.3"',
            '"0 -45 0"',
            "angle in degrees",
            "line 2: <origin> of link 'b' has rpy='0 -45 0' [rad]; are these degrees?",
        ),
    ],
)
def test_a_question_is_asked(old, new, kind, text):
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(changed((old, new)))
    assert [str(warning.message) for warning in caught] == [text]
    assert [finding.kind for finding in graph.warnings] == [kind]


def test_they_are_used_as_given():
    with pytest.warns(md.ModelWarning, match="degrees"):
        graph = md.load_urdf(changed(('lower="-1"', 'lower="-180"')))
    assert graph.joints[0].limits.lower == -180.0


@pytest.mark.parametrize(
    "replaced",
    [
        # two turns, and what stands for none in published robots
        [('lower="-1" upper="1"', 'lower="-12.56" upper="12.56"')],
        [('lower="-1" upper="1"', 'lower="-999999" upper="999999"')],
        [('lower="-1" upper="1"', 'lower="-1e16" upper="1e16"')],
        [('"revolute"', '"prismatic"'), ('lower="-1" upper="1"', 'lower="-180" upper="180"')],
        [('"revolute"', '"continuous"'), ('lower="-1" upper="1"', 'lower="-180" upper="180"')],
        # a turn
        [('"0 0 0"', '"6.2832 -6.2832 0"')],
    ],
)
def test_what_may_be_meant_is_silent(replaced, recwarn):
    assert md.load_urdf(changed(*replaced)).warnings == ()
    assert not recwarn.list


@pytest.mark.parametrize("path", sorted(ROBOTS.glob("*.urdf")), ids=lambda path: path.stem)
def test_our_robots_have_no_such_numbers(path):
    assert md.load_urdf(path).warnings == ()


@pytest.mark.parametrize("limit", ["15.7", "628.3", "1000"])
def test_limits_that_no_degrees_have_are_not_asked_about(limit):
    assert md.load_urdf(changed(('lower="-1"', f'lower="-{limit}"')), strict=True).warnings == ()


def test_questions_refuse_no_description():
    """A winch may turn a hundred times."""
    with pytest.warns(md.ModelWarning, match="are these degrees"):
        assert (
            md.load_urdf(changed(('lower="-1"', 'lower="-100"')), strict=True).joint("j").limits.lower == -100
        )


MIMIC = '<link name="c"/><joint name="k" type="{}"><parent link="a"/><child link="c"/>{}{}</joint></robot>'
LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="6"/>'


def tagged(tags, robot=ROBOT):
    return robot.replace("</robot>", f'<modular_dynamics version="1">\n{tags}</modular_dynamics></robot>')


def follower(kind, offset):
    mimic = f'<mimic joint="j" offset="{offset}"/>'
    return ROBOT.replace("</robot>", MIMIC.format(kind, LIMIT, mimic))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (follower("revolute", 90), "line 6: joint 'k': the offset of its <mimic> is 90 rad"),
        (follower("revolute", -45.5), "joint 'k': the offset of its <mimic> is -45.5 rad"),
        (follower("revolute", 6.28), ""),
        (follower("prismatic", 90), ""),
        (
            follower("prismatic", '0" multiplier="57.3'),
            "line 6: joint 'k': the multiplier of its <mimic> is 57.3; are these degrees?",
        ),
        (follower("revolute", '0" multiplier="-0.01745'), "the multiplier of its <mimic> is -0.01745; are"),
        (follower("prismatic", '0" multiplier="57'), ""),
        (
            tagged('<joint_dynamics joint="j" stiffness="5" rest_position="30"/>'),
            "line 7: joint 'j': the rest_pos",
        ),
        (tagged('<joint_dynamics joint="j" stiffness="5" rest_position="-3"/>'), ""),
        (
            tagged('<gear joint="k" driver="j" ratio="1" offset="180"/>', follower("revolute", 0)).replace(
                '<mimic joint="j" offset="0"/>', ""
            ),
            "line 7: joint 'k': the offset of its gear is 180 rad",
        ),
        (
            tagged(
                '<spring name="s" stiffness="1" free_length="0.1"><anchor link="a" rpy="0 90 0"/>'
                '<anchor link="b"/></spring>'
            ),
            "spring 's' has an anchor with rpy='0 90 0' [rad]; are these degrees?",
        ),
        (
            tagged(
                '<loop_joint name="p" type="fixed"><predecessor link="a"/>'
                '<successor link="b" rpy="0 0 -180"/></loop_joint>'
            ),
            "loop joint 'p' has an anchor with rpy='0 0 -180' [rad]; are these degrees?",
        ),
        (
            ROBOT.replace(
                "</robot>",
                '<loop_joint name="p" type="fixed"><link1 link="a" rpy="0 -90 0"/><link2 link="b"/>'
                "</loop_joint></robot>",
            ),
            "loop joint 'p' has an anchor with rpy='0 -90 0' [rad]; are these degrees?",
        ),
    ],
)
def test_offsets_and_anchors_in_degrees(text, asked):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        questions = [str(one) for one in md.load_urdf(text).warnings if one.kind == "angle in degrees"]
    assert len(questions) == bool(asked)
    assert asked in "".join(questions)


def test_those_of_a_partition_file_are_asked_about_with_the_files_line(tmp_path):
    path = tmp_path / "tags.yaml"
    path.write_text(
        "version: 1\nloop_joints:\n  - {name: p, type: fixed, predecessor: {link: a},\n"
        "     successor: {link: b, rpy: [0, 0, 180]}}\njoint_dynamics:\n"
        "  - {joint: j, stiffness: 1, rest_position: 90}\n",
        "utf-8",
    )
    with pytest.warns(md.ModelWarning, match="degrees"):
        graph = md.load_urdf(ROBOT, path)
    assert [str(one) for one in graph.warnings if one.kind == "angle in degrees"] == [
        "tags.yaml, line 6: joint 'j': the rest_position of its spring is 90 rad; are these degrees?",
        "tags.yaml, line 3: loop joint 'p' has an anchor with rpy='0 0 180' [rad]; are these degrees?",
    ]


@pytest.mark.parametrize(
    ("gravity", "size"),
    [("0 0 -9810", "9810"), ("0 0 -1", "1"), ("0 0 -98.1", "98.1"), ("0 -9.81 -9.81", "13.8734")],
)
def test_a_gravity_of_no_planet_is_asked_about(gravity, size):
    tags = f'<modular_dynamics version="1" gravity="{gravity}"/></robot>'
    with pytest.warns(md.ModelWarning, match="gravity"):
        asked = md.load_urdf(changed(("</robot>", tags)), strict=True).warnings
    (finding,) = [one for one in asked if one.kind == "unusual gravity"]
    assert str(finding) == f"line 6: gravity is {size} m/s^2; is it in m/s^2?"
    assert finding.asks


@pytest.mark.parametrize(
    "gravity", ["0 0 0", "0 0 9.81", "0 0 -1.62", "0 0 -3.72", "6.94 0 -6.94", "0 0 -9.80665"]
)
def test_gravities_that_there_are(gravity, recwarn):
    tags = f'<modular_dynamics version="1" gravity="{gravity}"/></robot>'
    assert md.load_urdf(changed(("</robot>", tags)), strict=True).warnings == ()
    assert md.load_urdf(ROBOT, gravity=[0, 0, -5]).warnings == ()
    assert not recwarn.list


@pytest.mark.parametrize("closing", ["<modular_dynamics version='1'>\n{}</modular_dynamics>", "{}"])
def test_a_quaternion_of_another_length_at_an_end_of_a_loop(closing):
    """Of our tag, and of the words of another tool."""
    ours = "predecessor" if "version" in closing else "link1"
    theirs = "successor" if "version" in closing else "link2"
    loop = f'<loop_joint name="p" type="fixed"><{ours} link="a" quat_xyzw="0 2 0 2"/><{theirs} link="b"/>'
    text = ROBOT.replace("</robot>", closing.format(loop + "</loop_joint>") + "</robot>")
    with pytest.warns(md.ModelWarning, match="quaternion"):
        found = [one for one in md.load_urdf(text).warnings if one.kind == "length of a quaternion"]
    assert [finding.asks for finding in found] == [True]
    assert "loop joint 'p' has an anchor with quat_xyzw='0 2 0 2', of length 2.83, not 1" in str(found[0])
