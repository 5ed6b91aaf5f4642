"""Armature and springs in the words of other tools: torques by closed form and by MuJoCo."""

import re

import mujoco
import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import DRAKE
from helpers.robots.urdf_text import inertial, joint, robot

ROTOR, RATIO = 1.5e-4, 80.0
ARMATURE = ROTOR * RATIO**2
LENGTH, MASS = 0.4, 2.0


def arm(words="", of_joint="", kinds=("revolute", "revolute"), tags=()):
    """Two links that swing about y; ``of_joint``: further elements of the first joint."""
    bodies = [
        f'<link name="{name}">{inertial(MASS, (LENGTH, 0, 0), 0.01 * np.eye(3))}</link>' for name in "ab"
    ]
    joints = [
        joint("j", kinds[0], "base", "a", (0, 0, 1), axis=(0, 1, 0), more=of_joint),
        joint("k", kinds[1], "a", "b", (2 * LENGTH, 0, 0), axis=(0, 1, 0)),
    ]
    return robot("arm", ['<link name="base"/>', *bodies, *joints, words], tags)


def transmission(actuator="", joint_part="", more="", name="t", of="j"):
    return (
        f'<transmission name="{name}"><type>transmission_interface/SimpleTransmission</type>'
        f'<joint name="{of}">{joint_part}</joint><actuator name="m">{actuator}</actuator>{more}'
        "</transmission>"
    )


REDUCTION = f"<mechanicalReduction>{RATIO}</mechanicalReduction>"
OF_DRAKE = f'<drake:gear_ratio {DRAKE} value="{RATIO}"/><drake:rotor_inertia {DRAKE} value="{ROTOR}"/>'
#: Words below <robot> and in the joint, and what they make of the inertia.
DRIVES = {
    "Cassie": (transmission(f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>"), ""),
    "PR2": (transmission(more=f"{REDUCTION}<rotorInertia>{ROTOR}</rotorInertia>"), ""),
    "in the transmission's joint": (
        transmission("", f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>"),
        "",
    ),
    "an attribute": (transmission(f'{REDUCTION}<motorInertia value="{ROTOR}"/>'), ""),
    "ros2_control": (
        '<ros2_control name="c" type="system">'
        + transmission(
            f"<motor_inertia>{ROTOR}</motor_inertia>", f"<mechanical_reduction>{RATIO}</mechanical_reduction>"
        )
        + "</ros2_control>",
        "",
    ),
    "Drake": (transmission(f"<mechanicalReduction>3</mechanicalReduction>{OF_DRAKE}"), ""),
    "Drake, in the joint": ("", f"<actuator name='m'>{OF_DRAKE}</actuator>"),
    "seen at the joint": ("", f'<dynamics armature="{ARMATURE}" damping="0"/>'),
    "RaiSim": (
        transmission("<mechanicalReduction>1</mechanicalReduction>"),
        f'<dynamics rotor_inertia="{ARMATURE}"/>',
    ),
    "a ratio beside": ("", f'<dynamics rotor_inertia="{ROTOR}" gear_ratio="{RATIO}"/>'),
    "a motor with two interfaces": (
        transmission(f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>")
        + transmission(f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>", name="u"),
        "",
    ),
    "attributes of the actuator": (
        transmission().replace(
            "<actuator", f'<actuator motorInertia="{ROTOR}" mechanicalReduction="{RATIO}"'
        ),
        "",
    ),
    "two motors": (
        transmission(f"{REDUCTION}<motorInertia>{ROTOR / 4}</motorInertia>")
        + transmission(f"{REDUCTION}<motorInertia>{ROTOR * 3 / 4}</motorInertia>", name="u").replace(
            'actuator name="m"', 'actuator name="n"'
        ),
        "",
    ),
    "the same in two places": (
        transmission(f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>"),
        f'<dynamics armature="{ARMATURE}"/>',
    ),
    "zero in the joint": (
        transmission(f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>"),
        '<dynamics armature="0" rotor_inertia="0"/>',
    ),
}


def mujoco_torque(q, v, a, armature=0.0, stiffness=0.0, reference=0.0):
    """Of the same arm, built in MuJoCo."""
    body = (
        '<body pos="{}"><joint name="{}" axis="0 1 0"/><inertial pos="{} 0 0" mass="{}" '
        'diaginertia="0.01 0.01 0.01"/>'
    )
    first = body.format("0 0 1", "j", LENGTH, MASS)
    second = body.format(f"{2 * LENGTH} 0 0", "k", LENGTH, MASS)
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{first}{second}</body></body></worldbody></mujoco>"
    )
    model.dof_armature[0], model.jnt_stiffness[0], model.qpos_spring[0] = armature, stiffness, reference
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
    mujoco.mj_inverse(model, data)
    return data.qfrc_inverse


STATES = np.random.default_rng(0).normal(size=(3, 3, 2))


@pytest.mark.parametrize(("words", "of_joint"), DRIVES.values(), ids=DRIVES)
def test_the_inertia_of_a_drive(words, of_joint):
    graph = md.load_urdf(arm(words, of_joint), strict=True)
    for q, v, a in STATES:
        expected = mujoco_torque(q, v, a, ARMATURE)
        np.testing.assert_allclose(md.inverse_dynamics(graph, q, v, a), expected, atol=1e-12)
    assert graph.joint("j").armature == pytest.approx(ARMATURE, rel=1e-15)
    assert graph.joint("k").armature == 0.0
    assert any("read as armature of joints [kg m^2, or kg]: j 0.96 (line " in note for note in graph.notes)


SILENT = {
    "a reduction": (transmission(REDUCTION), ""),
    "a reduction that is no number": (
        transmission("<mechanicalReduction>reduction</mechanicalReduction>"),
        "",
    ),
    "no inertia": (transmission(f"{REDUCTION}<motorInertia>0</motorInertia>"), '<dynamics armature="0"/>'),
    "a spring without stiffness": ("", '<dynamics spring_reference="1" spring_stiffness="0"/>'),
    "a simulation's numbers": (
        '<gazebo reference="j"><implicitSpringDamper>1</implicitSpringDamper><stopKp>1e7</stopKp>'
        "<springReference>1</springReference><provideFeedback>true</provideFeedback></gazebo>",
        "",
    ),
}


@pytest.mark.parametrize(("words", "of_joint"), SILENT.values(), ids=SILENT)
def test_what_changes_no_torque_is_not_mentioned(words, of_joint):
    graph = md.load_urdf(arm(words, of_joint), strict=True)
    assert (graph.warnings, graph.notes) == ((), ())
    assert (graph.joint("j").armature, graph.joint("j").stiffness) == (0.0, 0.0)


TWO = {
    "the joint, its transmission": DRIVES["zero in the joint"][0],
    "a transmission, ros2_control": (
        transmission(f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>")
        + f'<ros2_control name="c">{transmission("<motorInertia>9</motorInertia>")}</ros2_control>'
    ),
}


@pytest.mark.parametrize(
    ("words", "of_joint", "armature"),
    [
        (TWO["the joint, its transmission"], '<dynamics armature="2"/>', 2.0),
        (transmission(f"{OF_DRAKE}<motorInertia>7</motorInertia>"), "", ARMATURE),
        ("", f'<dynamics rotor_inertia="{ROTOR}" motor_inertia="1" gear_ratio="{RATIO}"/>', ARMATURE),
        (
            transmission(f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>")
            + transmission(f"{REDUCTION}<motorInertia>{2 * ROTOR}</motorInertia>", name="u"),
            "",
            ARMATURE,
        ),
        (
            transmission(
                f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>", REDUCTION[:21] + "1" + REDUCTION[-22:]
            ),
            "",
            ARMATURE,
        ),
        (
            transmission(
                f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>", "<motorInertia>1</motorInertia>"
            ),
            "",
            ARMATURE,
        ),
    ],
)
def test_two_inertias_of_one_joint(words, of_joint, armature):
    """The first counts, and both are named; nothing is said where our tags settle it."""
    graph = md.load_urdf(arm(words, of_joint))
    assert graph.joint("j").armature == pytest.approx(armature, rel=1e-14)
    (finding,) = graph.warnings
    assert finding.kind == "contradicting inertia"
    assert re.search(r"of joint 'j': \S+ by .*, which counts, and \S+ by ", str(finding))
    with pytest.raises(md.UrdfError, match=r"^strict: line "):
        md.load_urdf(arm(words, of_joint), strict=True)
    ours = md.load_urdf(arm(words, of_joint, tags=['<joint_dynamics joint="j" armature="4"/>']), strict=True)
    assert ours.joint("j").armature == 4.0


RATIOS_ELSEWHERE = (
    (transmission(REDUCTION), f'<dynamics rotor_inertia="{ROTOR}"/>'),
    (
        transmission(f'<drake:gear_ratio {DRAKE} value="{RATIO}"/>'),
        f'<drake:rotor_inertia {DRAKE} value="{ROTOR}"/>',
    ),
    (transmission(f"<motorInertia>{ROTOR}</motorInertia>"), f'<dynamics gear_ratio="{RATIO}"/>'),
)


@pytest.mark.parametrize(("words", "of_joint"), RATIOS_ELSEWHERE)
def test_a_ratio_that_stands_elsewhere_than_its_inertia_is_asked_about(words, of_joint):
    """Of a tool of its own it says nothing; of one that shares files it is what makes 0.96 kg m^2."""
    graph = md.load_urdf(arm(words, of_joint), strict=True)
    assert graph.joint("j").armature == ROTOR
    (finding,) = graph.warnings
    assert (finding.kind, finding.asks) == ("contradicting inertia", True)
    assert re.search(
        r"the inertia of joint 'j' is 0.00015 by .* and not 0.96 by .*; is that right\?$", str(finding)
    )
    tags = ['<joint_dynamics joint="j" armature="0.96"/>']
    assert md.load_urdf(arm(words, of_joint, tags=tags), strict=True).warnings == ()


@pytest.mark.parametrize("inertia", ['<dynamics rotor_inertia="1" gear_ratio="0"/>', ""])
def test_several_motors_and_no_ratio_are_named(inertia):
    two = f"<actuator name='m'>{OF_DRAKE}</actuator><actuator name='n'>{OF_DRAKE}</actuator>"
    (finding,) = md.load_urdf(arm("", inertia or two)).warnings
    why = (
        '<dynamics gear_ratio=""> is zero' if inertia else "rotor inertias of joint 'j', of 2 motors, are not"
    )
    assert why in str(finding)


STIFFNESS, REST = 12.5, 0.3
GAZEBO = f"<springStiffness>{STIFFNESS}</springStiffness>", f"<springReference>{REST}</springReference>"
SPRINGS = {
    "Gazebo": (
        f'<gazebo reference="j">{"".join(GAZEBO)}<implicitSpringDamper>1</implicitSpringDamper></gazebo>',
        "",
    ),
    "SDF": (
        f'<gazebo reference="j"><axis><dynamics><spring_reference>{REST}</spring_reference>'
        f"<spring_stiffness>{STIFFNESS}</spring_stiffness></dynamics></axis></gazebo>",
        "",
    ),
    "attributes of Gazebo's block": (
        f'<gazebo reference="j" springStiffness="{STIFFNESS}"/>'
        f'<gazebo reference=" j " springReference="{REST}"/>',
        "",
    ),
    "attributes as in SDF": ("", f'<dynamics spring_stiffness="{STIFFNESS}" spring_reference="{REST}"/>'),
    "MuJoCo's word": ("", f'<dynamics stiffness="{STIFFNESS}" springref="{REST}"/>'),
    "attributes": ("", f'<dynamics damping="1" stiffness="{STIFFNESS}" rest_position="{REST}"/>'),
}


@pytest.mark.parametrize(("words", "of_joint"), SPRINGS.values(), ids=SPRINGS)
def test_a_spring_at_a_joint(words, of_joint):
    graph = md.load_urdf(arm(words, of_joint), strict=True)
    for q, v, a in STATES:
        expected = mujoco_torque(q, v, a, 0.0, STIFFNESS, REST)
        np.testing.assert_allclose(md.inverse_dynamics(graph, q, v, a), expected, atol=1e-12)
    assert any("read as springs at joints [N m/rad, or N/m]: j 12.5 about 0.3" in one for one in graph.notes)


@pytest.mark.parametrize(
    ("words", "of_joint", "spring"),
    [
        ('<gazebo reference="j">{0}{1}</gazebo>', '<dynamics stiffness="2"/>', (2.0, 0.0)),
        ('<gazebo reference="j">{0}{1}</gazebo>', '<dynamics stiffness="0" rest="7"/>', (12.5, 0.3)),
        (
            '<gazebo reference="j">{0}{1}</gazebo><gazebo reference="j">'
            "<springStiffness>5</springStiffness></gazebo>",
            "",
            (5.0, 0.3),
        ),
    ],
)
def test_two_springs_of_one_joint(words, of_joint, spring):
    """A whole spring counts, <dynamics> first: stiffness of one and rest of another are no spring."""
    graph = md.load_urdf(arm(words.format(*GAZEBO), of_joint))
    assert (graph.joint("j").stiffness, graph.joint("j").rest_position) == spring
    for q, v, a in STATES:
        expected = mujoco_torque(q, v, a, 0.0, *spring)
        np.testing.assert_allclose(md.inverse_dynamics(graph, q, v, a), expected, atol=1e-12)
    zero = '"0"' in of_joint
    assert [finding.kind for finding in graph.warnings] == ["contradicting spring"] * (not zero)


@pytest.mark.parametrize(
    ("words", "of_joint", "spring", "asks"),
    [
        ("", '<dynamics stiffness="2" spring_stiffness="3"/>', (2.0, 0.0), False),
        ('<gazebo reference="j">{1}</gazebo>', '<dynamics stiffness="2"/>', (2.0, 0.0), True),
        ('<gazebo reference="j">{0}</gazebo>', '<dynamics rest_position="0.4"/>', (12.5, 0.0), True),
    ],
)
def test_stiffness_and_rest_in_two_places(words, of_joint, spring, asks):
    graph = md.load_urdf(arm(words.format(*GAZEBO), of_joint))
    assert (graph.joint("j").stiffness, graph.joint("j").rest_position) == spring
    assert [(finding.kind, finding.asks) for finding in graph.warnings] == [("contradicting spring", asks)]
    tags = ['<joint_dynamics joint="j" stiffness="2" rest_position="0.4"/>']
    assert md.load_urdf(arm(words.format(*GAZEBO), of_joint, tags=tags), strict=True).warnings == ()


def test_a_plugin_of_gazebo_has_springs_of_its_own():
    words = f'<gazebo reference="j"><plugin name="p" filename="f">{GAZEBO[0]}</plugin></gazebo>'
    assert md.load_urdf(arm(words), strict=True).joint("j").stiffness == 0.0


def damper(more="", body="a"):
    prefix = "drake:linear_spring_damper"
    return (
        f'<{prefix} {DRAKE}><{prefix}_body_A name="base"/><{prefix}_p_AP value="0 0 2"/>'
        f'<{prefix}_body_B name="{body}"/><{prefix}_p_BQ value="0.4 0 0"/>{more}'
        f'<{prefix}_stiffness value="500"/><{prefix}_damping value="7"/></{prefix}>'
    )


FREE = '<drake:linear_spring_damper_free_length value="0.6"/>'


@pytest.mark.parametrize(("q", "v"), [(0.3, 0.0), (-0.7, 1.1), (1.2, -2.0)])
def test_a_spring_between_links(q, v):
    """From a point 1 m above the axis to one at 0.4 m from it: its length by the law of cosines."""
    graph = md.load_urdf(arm(damper(FREE), kinds=("revolute", "fixed")), strict=True)
    # z of the point is -0.4 sin q below the axis; the anchor is 1 above
    length = np.sqrt(1.0 + 0.16 + 0.8 * np.sin(q))
    slope = 0.4 * np.cos(q) / length
    force = 500.0 * (length - 0.6) + 7.0 * slope * v
    weights = -9.81 * np.cos(q) * (MASS * LENGTH + MASS * 3 * LENGTH)
    tau = md.inverse_dynamics(graph, [q], [v], [0.0])
    np.testing.assert_allclose(tau, [weights + force * slope], atol=1e-12)


WRONG = {
    "a transmission of two joints": (
        '<transmission name="d"><joint name="j"/><joint name="k"/><actuator name="m">'
        "<motorInertia>1</motorInertia></actuator></transmission>",
        "",
        "inertia",
        "rotor inertias of transmission 'd', of 2 joints, are not read",
    ),
    "an unknown joint": (
        transmission("<motorInertia>1</motorInertia>", of="x"),
        "",
        "inertia",
        "of joint 'x' is not read: the joint does not exist",
    ),
    "a spring between unknown links": (damper(FREE, "x"), "", "spring", "'x' is no link of the URDF"),
    "a spring without a length": (damper(), "", "spring", "it lacks free_length"),
}


@pytest.mark.parametrize(("words", "of_joint", "kind", "why"), WRONG.values(), ids=WRONG)
def test_what_is_not_read_is_named(words, of_joint, kind, why):
    graph = md.load_urdf(arm(words, of_joint))
    (finding,) = graph.warnings
    assert finding.kind == f"{kind} of another tool"
    assert why in str(finding)
    assert "; torques are those without it; write <" in str(finding)
    with pytest.raises(md.UrdfError, match=r"^strict: line "):
        md.load_urdf(arm(words, of_joint), strict=True)


def test_a_spring_at_a_floating_joint_is_named():
    text = arm("", '<dynamics stiffness="3"/>', ("floating", "revolute"))
    (finding,) = md.load_urdf(text).warnings
    assert "'j' is not read: the joint is floating" in str(finding)


def test_an_armature_at_a_fixed_joint_changes_nothing():
    graph = md.load_urdf(arm("", '<dynamics armature="3"/>', ("fixed", "revolute")), strict=True)
    assert graph.notes == ()


@pytest.mark.parametrize(
    ("words", "of_joint", "message"),
    [
        (transmission("<motorInertia>1e-4 kg</motorInertia>"), "", "<motorInertia>: value="),
        ("", '<dynamics armature="much"/>', "armature='much' is not a number"),
        ("", '<dynamics armature="-1"/>', "armature = -1 cannot be negative"),
    ],
)
def test_invalid_numbers(words, of_joint, message):
    with pytest.raises(md.DescriptionError, match=r"^line \d+: ") as caught:
        md.load_urdf(arm(words, of_joint))
    assert message in str(caught.value)
