"""Inertias that no rigid body has: what is used as given, and what is refused."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots import urdf_text

ROBOT = """<robot name="r"><link name="base"/>
<link name="arm">{arm}</link>
<link name="tip">{tip}</link>
<joint name="j" type="{type}"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="k" type="fixed"><parent link="arm"/><child link="tip"/></joint></robot>"""
GOOD = (0.1, 0.1, 0.1)


def inertial(mass, moments, com=(0.0, 0.0, 0.0)):
    return urdf_text.inertial(mass, com, np.diag(moments))


def robot(arm, tip="", kind="revolute"):
    return ROBOT.format(arm=arm, tip=tip, type=kind)


@pytest.mark.parametrize(
    ("kind", "link"),
    [
        ("negative moment of inertia", inertial(1e-6, (-3.5e-8, 3.5e-8, 9.1e-8))),
        ("broken triangle inequality", inertial(5.1, (0.02, 0.05, 0.1))),
    ],
)
def test_used_as_given_with_one_warning(kind, link):
    text = robot(inertial(1.0, GOOD), link)
    with pytest.warns(md.ModelWarning, match="line 3: link 'tip' .* used as given") as caught:
        graph = md.load_urdf(text)
    assert len(caught) == 1
    assert [(one.kind, one.name) for one in graph.warnings] == [(kind, "tip")]
    with pytest.raises(md.UrdfError, match="strict: line 3: link 'tip'"):
        md.load_urdf(text, strict=True)
    assert md.crosscheck.rnea_residual(graph, *np.ones((3, 1))).max() < 1e-14


@pytest.mark.parametrize(
    "link",
    [
        inertial(1.0, (0.1, 0.2, 0.3 + 1e-11)),
        inertial(1.0, (0.333333, 0.333333, 0.666667)),  # a thin plate, six digits
        inertial(1.0, (-1e-12, 0.1, 0.1)),
        inertial(1.3, (1e-15, -1e-15, 1e-16)),  # zero but for rounding errors
    ],
)
def test_rounding_of_a_right_inertia_is_no_finding(link, recwarn):
    assert md.load_urdf(robot(inertial(1.0, GOOD), link)).warnings == ()
    assert not recwarn.list


@pytest.mark.parametrize(("given", "says"), [("0.008", True), ("-0.01", True), ("0.0", False), ("0", False)])
def test_a_matrix_that_contradicts_itself(given, says):
    text = robot(inertial(1.0, GOOD).replace("ixz=", f'iyx="{given}" ixz='))
    findings = md.load_urdf(text).warnings
    assert [finding.kind for finding in findings] == ["contradicting inertia"] * says
    if says:
        assert str(findings[0]).startswith(
            f"line 2: <inertia> of link 'arm' has ixy=0.0 and iyx={given}, which is the same entry; ixy"
        )
        with pytest.raises(md.UrdfError, match=r"^strict: line 2"):
            md.load_urdf(text, strict=True)


NEGATIVE_ABOUT_Z = inertial(1.0, (0.1, 0.1, -0.05))


@pytest.mark.filterwarnings("ignore::modular_dynamics.exceptions.ModelWarning")
def test_a_moment_about_the_joint_is_that_of_the_whole_body():
    with pytest.raises(
        md.UrdfError, match=r"line 4: joint 'j' turns link 'arm', whose moment .* is -0\.05 kg"
    ):
        md.load_urdf(robot(NEGATIVE_ABOUT_Z))
    assert md.load_urdf(robot(NEGATIVE_ABOUT_Z, kind="prismatic")).nv == 1  # it does not turn the body
    # m r^2 = 0.04 by Steiner, then 0.0625
    with pytest.raises(md.UrdfError, match=r"is -0\.01 kg"):
        md.load_urdf(robot(inertial(1.0, (0.1, 0.1, -0.05), com=(0.2, 0, 7))))
    graph = md.load_urdf(robot(inertial(1.0, (0.1, 0.1, -0.05), com=(0, 0.25, 7))))
    assert md.mass_matrix(graph, [0.3])[0, 0] == pytest.approx(0.0125, rel=1e-12)
    # a fixed link adds its own
    graph = md.load_urdf(robot(NEGATIVE_ABOUT_Z, inertial(1.0, GOOD)))
    assert md.mass_matrix(graph, [0.3])[0, 0] == pytest.approx(0.05, rel=1e-12)


# Limits that cannot be meant: none is taken, with one warning of each kind.

ROBOT_OF_LIMITS = f"""<robot name="r">
<link name="a"/>
<link name="b">{inertial(1.0, GOOD)}</link>
<joint name="j" type="{{}}"><parent link="a"/><child link="b"/>
  <limit lower="{{}}" upper="{{}}" effort="{{}}" velocity="{{}}"/></joint>
</robot>"""


def test_negative_damping_and_friction_are_taken_as_zero():
    text = ROBOT_OF_LIMITS.format("revolute", -1, 1, 5, 6)
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
    text = ROBOT_OF_LIMITS.format(*values)
    with pytest.warns(md.ModelWarning) as caught:
        limits = md.load_urdf(text).joints[0].limits
    assert [str(warning.message) for warning in caught] == messages
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == kept
    with pytest.raises(md.UrdfError, match="strict: line 4: joint 'j'"):
        md.load_urdf(text, strict=True)


def test_possible_limits_stay_as_they_are(recwarn):
    limits = md.load_urdf(ROBOT_OF_LIMITS.format("revolute", -1, -1, 0, 2)).joints[0].limits
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
        ((-1e16, 1e308, 1e30, 1e16), (-1e16, 1e308, 1e30, 1e16)),  # as vendors write them
    ):
        limits = md.load_urdf(ROBOT_OF_LIMITS.format(kind, *given)).joints[0].limits
        assert (limits.lower, limits.upper, limits.effort, limits.velocity) == kept


@pytest.mark.parametrize("limit", ['lower="0" upper="0"', ""])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_of_zero_that_leave_no_motion_are_warned_of(kind, limit):
    text = ROBOT_OF_LIMITS.format(kind, 0, 0, 5, 6).replace('lower="0" upper="0"', limit)
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(text)
    assert [str(warning.message) for warning in caught] == [
        "line 4: joint 'j' has lower and upper limits of zero, as they also are "
        "where <limit> lacks them; they count as none"
    ]
    assert [finding.kind for finding in graph.warnings] == ["position limits of zero"]
    assert (graph.position_limits.lower, graph.position_limits.upper) == (-np.inf, np.inf)


def test_of_a_mimic_joint_the_limits_of_the_other_count(recwarn):
    other = f"""<link name="c">{inertial(1.0, GOOD)}</link>
      <joint name="k" type="revolute"><parent link="a"/><child link="c"/>
      <limit effort="1" velocity="1"/><mimic joint="j"/></joint></robot>"""
    text = ROBOT_OF_LIMITS.format("revolute", -1, 1, 5, 6).replace("</robot>", other)
    assert md.load_urdf(text).warnings == ()
    assert not recwarn.list
