"""Inertias that no rigid body has: what is used as given, and what is refused."""

import numpy as np
import pytest

import modular_dynamics as md

ROBOT = """<robot name="r"><link name="base"/>
<link name="arm">{arm}</link>
<link name="tip">{tip}</link>
<joint name="j" type="{type}"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="k" type="fixed"><parent link="arm"/><child link="tip"/></joint></robot>"""
GOOD = (0.1, 0.1, 0.1)


def inertial(mass, moments, com=(0.0, 0.0, 0.0), ixy=0.0):
    xx, yy, zz = (repr(moment) for moment in moments)
    return (
        f'<inertial><origin xyz="{com[0]} {com[1]} {com[2]}"/><mass value="{mass!r}"/>'
        f'<inertia ixx="{xx}" ixy="{ixy!r}" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/></inertial>'
    )


def robot(arm, tip="", kind="revolute"):
    return ROBOT.format(arm=arm, tip=tip, type=kind)


@pytest.mark.parametrize(
    ("kind", "link"),
    [
        ("inertia of rounding errors", inertial(1.3, (0.0, 0.0, 0.0), ixy=2.4e-35)),
        ("inertia of rounding errors", inertial(1.3, (1e-15, -1e-15, 1e-16))),
        ("negative moment of inertia", inertial(1e-6, (-3.5e-8, 3.5e-8, 9.1e-8))),
        ("negative moment of inertia", inertial(5.1, (-0.02, 0.05, 0.1))),
        ("broken triangle inequality", inertial(5.1, (0.02, 0.05, 0.1))),
        ("broken triangle inequality", inertial(1.0, (0.3333, 0.3333, 0.6667))),
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
        inertial(0.0, (0,) * 3),
    ],
)
def test_rounding_of_a_right_inertia_is_no_finding(link, recwarn):
    assert md.load_urdf(robot(inertial(1.0, GOOD), link)).warnings == ()
    assert not recwarn.list


@pytest.mark.parametrize(("given", "says"), [("0.008", True), ("-0.01", True), ("0.0", False), ("0", False)])
def test_a_matrix_that_contradicts_itself(given, says):
    text = robot(inertial(1.0, GOOD).replace('ixz="0"', f'iyx="{given}" ixz="0"'))
    findings = md.load_urdf(text).warnings
    assert [finding.kind for finding in findings] == ["contradicting inertia"] * says
    if says:
        assert str(findings[0]).startswith(
            f"line 2: <inertia> of link 'arm' has ixy=0.0 and iyx={given}, which is the same entry; ixy"
        )
        with pytest.raises(md.UrdfError, match=r"^strict: line 2"):
            md.load_urdf(text, strict=True)


@pytest.mark.parametrize("mass", [-1.0, -1e-6])
def test_a_negative_mass_is_refused(mass):
    with pytest.raises(md.UrdfError, match=r"line 3: link 'tip' has mass .* it cannot be negative"):
        md.load_urdf(robot(inertial(1.0, GOOD), inertial(mass, GOOD)))


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
