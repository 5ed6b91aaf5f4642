"""Limits that cannot be meant: none is taken, with one warning of each kind."""

import numpy as np
import pytest

import modular_dynamics as md

ROBOT = """<robot name="r"><link name="a"/>
<link name="b"><inertial><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="{}"><parent link="a"/><child link="b"/>
  <limit lower="{}" upper="{}" effort="{}" velocity="{}"/></joint>
</robot>"""


def test_negative_damping_and_friction_are_taken_as_zero():
    text = ROBOT.format("revolute", -1, 1, 5, 6)
    text = text.replace("</joint>", '<dynamics damping="-1" friction="-2"/></joint>')
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(text)
    assert [str(warning.message) for warning in caught] == [
        "negative friction: line 4: joint 'j' has a damping of -1; it is taken as zero; "
        "line 4: joint 'j' has a friction of -2; it is taken as zero"
    ]
    assert (graph.joints[0].damping, graph.joints[0].friction) == (0.0, 0.0)
    with pytest.raises(md.UrdfError, match="strict: negative friction"):
        md.load_urdf(text, strict=True)


@pytest.mark.parametrize(
    ("values", "kept", "messages"),
    [
        (
            ("revolute", 1, -1, 5, 6),
            (None, None, 5.0, 6.0),
            ["line 4: joint 'j' has the lower limit 1 above the upper limit -1; its position is unlimited"],
        ),
        (
            ("prismatic", -1, 1, -1, 6),
            (-1.0, 1.0, None, 6.0),
            ["line 4: joint 'j' has an effort limit of -1; it is taken as none"],
        ),
        (
            ("continuous", 1, -1, 5, -2),
            (None, None, 5.0, None),
            ["line 4: joint 'j' has a velocity limit of -2; it is taken as none"],
        ),
    ],
)
def test_none_is_taken(values, kept, messages):
    text = ROBOT.format(*values)
    with pytest.warns(md.ModelWarning) as caught:
        limits = md.load_urdf(text).joints[0].limits
    assert [str(warning.message) for warning in caught] == messages
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == kept
    with pytest.raises(md.UrdfError, match="strict: line 4: joint 'j'"):
        md.load_urdf(text, strict=True)


def test_possible_limits_stay_as_they_are(recwarn):
    limits = md.load_urdf(ROBOT.format("revolute", -1, -1, 0, 2)).joints[0].limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-1.0, -1.0, 0.0, 2.0)
    assert not recwarn.list


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_the_largest_float_is_no_limit(kind, recwarn):
    """It stands where URDF needs a number."""
    most = 1.7976931348623157e308
    for given, kept in (
        ((-most, most, most, most), (None, None, None, None)),
        ((-most, 1, most, 2), (None, 1.0, None, 2.0)),
        ((-1, most, 3, most), (-1.0, None, 3.0, None)),
        ((-1e308, 1e308, 1e308, 1e308), (-1e308, 1e308, 1e308, 1e308)),
    ):
        limits = md.load_urdf(ROBOT.format(kind, *given)).joints[0].limits
        assert (limits.lower, limits.upper, limits.effort, limits.velocity) == kept


@pytest.mark.parametrize("limit", ['lower="0" upper="0"', ""])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_of_zero_that_leave_no_motion_are_warned_of(kind, limit):
    text = ROBOT.format(kind, 0, 0, 5, 6).replace('lower="0" upper="0"', limit)
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(text)
    assert [str(warning.message) for warning in caught] == [
        f"line 4: joint 'j', {kind}, has lower and upper limits of zero, as they also are "
        "where <limit> lacks them; they count as none"
    ]
    assert [finding.kind for finding in graph.warnings] == ["position limits of zero"]
    assert (graph.position_limits.lower, graph.position_limits.upper) == (-np.inf, np.inf)


def test_of_a_mimic_joint_the_limits_of_the_other_count(recwarn):
    other = """<link name="c"/><joint name="k" type="revolute"><parent link="a"/><child link="c"/>
      <limit effort="1" velocity="1"/><mimic joint="j"/></joint></robot>"""
    inertial = (
        '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    )
    other = other.replace('<link name="c"/>', f'<link name="c">{inertial}</link>')
    text = ROBOT.format("revolute", -1, 1, 5, 6).replace("</robot>", other)
    assert md.load_urdf(text).warnings == ()
    assert not recwarn.list
