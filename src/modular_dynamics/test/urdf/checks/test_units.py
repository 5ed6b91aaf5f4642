"""Numbers in other units than URDF's: reported with a question, and used as given."""

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS

ROBOT = """<robot name="r"><link name="a"/>
<link name="b"><inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="1"/>
  <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.2" rpy="0 0 0"/>
  <limit lower="-1" upper="1" effort="5" velocity="6"/></joint>
</robot>"""
MOMENTS = 'ixx="{0}" ixy="0" ixz="0" iyy="{0}" iyz="0" izz="{0}"'


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
            '"0 0 0.1"',
            '"0 0 100"',
            "distant centre of mass",
            "line 2: link 'b' has its centre of mass 100 m away from its origin, and all joints reach 0.2 m; "
            "are these millimetres?",
        ),
        (
            MOMENTS.format("0.01"),
            MOMENTS.format("1e4"),
            "large inertia",
            "line 2: link 'b' has a moment of inertia as of 1 kg in a distance of 122 m, and all joints "
            "reach 0.2 m; is it in kg m^2?",
        ),
        (
            'lower="-1"',
            'lower="-180"',
            "limit in degrees",
            "line 4: joint 'j' has a limit of 180 rad; are these degrees?",
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
        # a large vehicle with a small joint; a robot whose joints have no distance
        [('"0 0 0.1"', '"0 0 4.9"')],
        [('"0 0 0.2"', '"0 0 0"'), ('"0 0 0.1"', '"0 0 100"')],
        [('value="1"', 'value="0"'), ('"0 0 0.1"', '"0 0 100"'), ('"revolute"', '"fixed"')],
    ],
)
def test_what_may_be_meant_is_silent(replaced, recwarn):
    assert md.load_urdf(changed(*replaced)).warnings == ()
    assert not recwarn.list


def test_a_placeholder_of_a_light_link_is_silent(recwarn):
    """Published robots give 1 mg the moments of inertia 1 kg m^2: it has no weight in the whole."""
    heavy = changed(('<link name="a"/>', '<link name="a"><inertial><mass value="5000"/></inertial></link>'))
    graph = md.load_urdf(heavy.replace("0.01", "1e4"), strict=False)
    assert "large inertia" not in {finding.kind for finding in graph.warnings}
    assert {str(one.message) for one in recwarn.list} == {
        "line 1: <inertial> of link 'a' lacks <inertia>; the link is taken as a point mass"
    }


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
