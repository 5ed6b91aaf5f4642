"""Words of other tools that change torques and are not read are named once by kind; others are silent."""

import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import DRAKE, LOOPS, four_bar
from modular_dynamics.model import summaries_by_kind

BELOW_THE_ROBOT = {
    "loop": [
        f"<drake:ball_constraint {DRAKE}><drake:ball_constraint_body_A name='rod'/></drake:ball_constraint>",
        "<constraint name='c' type='position'><predecessor link='rod'/></constraint>",
        "<loop_closure name='l'><link1/></loop_closure>",
        "<ros2_control name='x' type='system'><loop_joint><link1 link='rod'/></loop_joint></ros2_control>",
        "<mujoco><equality><connect site1='s' site2='t'/></equality></mujoco>",
    ],
    "coupling": [
        "<coupling name='k'><predecessor link='crank'/><successor link='rocker'/></coupling>",
        f"<drake:tendon_constraint {DRAKE}><x/></drake:tendon_constraint>",
        "<differential left='a' right='b'/>",
        "<mujoco><tendon><fixed><joint joint='a' coef='1'/></fixed></tendon></mujoco>",
        "<ros2_control name='x'><joint name='b'><param name='mimic'>a</param></joint></ros2_control>",
        "<ros2_control name='x'><joint name='b' mimic='true'/></ros2_control>",
        "<gazebo reference='b'><axis><mimic joint='a'/></axis></gazebo>",
    ],
    "spring": [
        f"<drake:linear_spring_damper {DRAKE}><x/></drake:linear_spring_damper>",
        "<force_element name='f'><torsional_spring stiffness='1'/></force_element>",
        "<gazebo reference='a'><springStiffness>5</springStiffness></gazebo>",
        "<gazebo reference='a' springStiffness='5'/>",
        "<mujoco><default><joint stiffness='5'/></default></mujoco>",
    ],
    "inertia": [
        "<motor joint='a' J='1e-5' N='100'/>",
        "<motor name='m'><inertia>1e-4</inertia><joint>a</joint></motor>",
        "<ros2_control name='c'><joint name='a'><param name='motor_inertia'>1</param></joint></ros2_control>",
        "<gazebo reference='a'><dynamics armature='2'/></gazebo>",
        "<transmission name='t'><joint name='a'/><motor rotor_inertia='1'/></transmission>",
        "<transmision><joint name='a'/><actuator><motorInertia>1</motorInertia></actuator></transmision>",
    ],
    "mass": ["<counterweight link='rod'/>"],
}
IN_JOINTS = {
    "loop": ["<loop link='rocker'/>"],
    "coupling": ["<coupling joint='b' ratio='2'/>"],
    "spring": [
        "<preload torque='5'/>",
        "<gravity_compensation torque='5'/>",
        "<torsionalStiffness value='5'/>",
        "<dynamics stiffness='5' springref='0.1'/>",
    ],
    "inertia": [
        "<actuator><inertia value='2'/></actuator>",
        "<drive><motor rotor_inertia='1e-4'/></drive>",
        "<gearbox inertia='0.5'/>",
        "<dynamics reflected_inertia='1'/>",
    ],
    "mass": [
        "<counterweight mass='3' arm='0.2'/>",
        "<actuator><mass value='2'/></actuator>",
        "<payload>2</payload>",
    ],
}
WRITE = {
    "loop": "<loop_joint>",
    "coupling": "<gear",
    "spring": "<spring>",
    "inertia": "<joint_dynamics",
    "mass": "<inertial>",
}
TEXTS = [(four_bar(words), kind) for kind, of_kind in BELOW_THE_ROBOT.items() for words in of_kind]
TEXTS += [
    (four_bar(of_joints=(words, "", "")), kind) for kind, of_kind in IN_JOINTS.items() for words in of_kind
]


@pytest.mark.filterwarnings("ignore::modular_dynamics.ModelWarning")
@pytest.mark.parametrize(("text", "kind"), TEXTS)
def test_a_word_that_changes_torques(text, kind):
    findings = [one for one in md.load_urdf(text).warnings if one.kind != "unknown attribute"]
    assert {finding.kind for finding in findings} == {f"{kind} of another tool"}
    assert str(findings[0]).startswith("line ")
    assert "is not read; torques are those without it; " in str(findings[0])
    assert WRITE[kind] in str(findings[0])
    with pytest.raises(md.UrdfError, match=r"^strict: "):
        md.load_urdf(text, strict=True)


def test_each_kind_is_said_once():
    words = "".join(f"<cable name='c{k}' l='1'/><closed_loop name='l{k}'/>" for k in range(9))
    with pytest.warns(md.ModelWarning):
        findings = md.load_urdf(four_bar(words)).warnings
    assert len(findings) == 18
    assert [line.partition(".")[0] for line in summaries_by_kind(findings)] == [
        "coupling of another tool: 9 elements, 'c0', 'c1', 'c2', 'c3' and 5 more",
        "loop of another tool: 9 elements, 'l0', 'l1', 'l2', 'l3' and 5 more",
    ]


@pytest.mark.parametrize(
    ("more", "kind"),
    [("<dynamics motor_inertia='1'/>", "inertia"), ("<limit effort='1' stiffness='40'/>", "spring")],
)
def test_springs_and_inertias_of_a_joint_that_closes_a_loop_are_named(more, kind):
    with pytest.warns(md.ModelWarning, match=r"(of|in) loop_joint 'pin' seems to be an? "):
        graph = md.load_urdf(four_bar(LOOPS["Isaac Sim"].replace("<link1", f"{more}<link1")))
    assert f"{kind} of another tool" in {finding.kind for finding in graph.warnings}
    assert len(graph.loop_joints) == 1


def test_closing_frames_of_onshape_to_robot_are_named_unless_a_loop_joint_joins_them():
    """The frames that it exports for a mate closing_pin, each fixed to one body."""
    frames = "".join(
        f"<link name='closing_pin_{k}'/><joint name='f{k}' type='fixed'><parent link='{body}'/>"
        f"<child link='closing_pin_{k}'/></joint>"
        for k, body in ((1, "rod"), (2, "rocker"))
    )
    with pytest.warns(md.ModelWarning, match="'closing_pin_1' and 'closing_pin_2' of onshape-to-robot seems"):
        (finding,) = md.load_urdf(four_bar(frames)).warnings
    assert finding.kind == "loop of another tool"
    loop = (
        '<loop_joint name="pin" type="spherical"><predecessor link="closing_pin_1"/>'
        '<successor link="closing_pin_2"/></loop_joint><passive joint="b"/><passive joint="c"/>'
    )
    assert md.load_urdf(four_bar(frames, loop), strict=True).warnings == ()


#: Names of links or joints alone say nothing, and simulations have springs and inertias of their own.
SILENT = [
    f"<drake:properties {DRAKE}><drake:point_contact_stiffness value='1'/></drake:properties>",
    "<gazebo reference='rod'><sensor name='i'/><kp>1</kp><dampingFactor>1</dampingFactor></gazebo>",
    "<gazebo reference='a'><implicitSpringDamper>1</implicitSpringDamper><stopKp>1e7</stopKp></gazebo>",
    "<mujoco><compiler balanceinertia='true'/><contact><exclude body1='rod'/></contact></mujoco>",
    "<ros2_control name='c'><joint name='a'><param name='stiffness'>1</param></joint></ros2_control>",
    "<control_loop joint='a'/><joint_constraints><x/></joint_constraints><safety_constraints max='1'/>",
    "<ground stiffness='1e5'/><controller stiffness='100'/><contact><stiffness value='1e5'/></contact>",
    "<group name='arm'><joint name='a'/><joint name='b'/><chain base_link='base' tip_link='rod'/></group>",
    "<gains><joint name='a' stiffness='300'/><joint name='b' stiffness='300'/></gains>",
    "<gazebo><plugin><joint_name>a</joint_name><spring>1</spring></plugin></gazebo>",
    "<sensor name='s'><parent link='rod'/><connect link='rocker'/></sensor>",
    "<mujoco><option gravity='0 0 -9.81'/></mujoco><gazebo reference='a'><gravity>true</gravity></gazebo>",
    "<payload>5</payload>",
]


@pytest.mark.parametrize("words", SILENT)
def test_what_concerns_other_things_is_no_warning(words, recwarn):
    of_joint = "<drive stiffness='100'/><torque_sensor stiffness='16000'/>"
    mimic = ("<ros2_control name='x'><joint name='b' mimic='true'/></ros2_control>", '<mimic joint="a"/>')
    text = four_bar(words + mimic[0], of_joints=(of_joint, mimic[1], ""))
    assert md.load_urdf(text, strict=True).warnings == ()
    assert not recwarn.list


NOTES = [
    (
        "<frame name='f'/><frame name='g'/><belt joint1='a' joint2='b'/><gazebo/><contact/>",
        "not read, and not understood: elements <frame> (line 9), <belt> (line 9)",
    ),
    ("".join(f"<vendor_{k}/>" for k in range(30)), "and 18 more"),
    (
        "<gazebo><plugin name='p' filename='libmimic_joint.so'><joint>b</joint></plugin></gazebo>",
        "not read, plugins of Gazebo that couple joints, add springs or forces: p (line 9); if",
    ),
    (
        "<gazebo reference='rod'><inertial><mass>3</mass></inertial></gazebo>",
        "not read, <inertial> in <gazebo> of rod",
    ),
    (
        "<mujoco><compiler settotalmass='9' meshdir='x'/></mujoco>",
        'not read, <compiler> of MuJoCo, by which masses differ: settotalmass="9" (line 9)',
    ),
    ("<gazebo><link name='x'/></gazebo>", "not read, because only <gazebo> has them: links x"),
    (
        "<gazebo reference='rod'><joint name='x'><parent>rod</parent><child>base</child></joint></gazebo>",
        "not read, parts of the robot inside elements of <gazebo>: <joint> 'x' (line 9)",
    ),
    ("<gazebo><model><link name='x'><inertial/></link></model></gazebo>", "<gazebo>: <link> 'x' (line 9)"),
    (
        "<mujoco><option gravity='0 0 -1' viscosity='1'><flag gravity='disable'/></option></mujoco>",
        '<option viscosity="1"> (line 9), <option gravity="0 0 -1"> (line 9), <flag gravity="disable">',
    ),
    ("<mujoco><option gravity='0 0 0'/></mujoco>", 'torques differ there: <option gravity="0 0 0"> (line 9)'),
    ("<gazebo reference='rod'><turnGravityOff>true</turnGravityOff></gazebo>", "<turnGravityOff>true"),
    ("<gazebo reference='rod'><gravity>false</gravity></gazebo>" * 5, "(line 9, line 9, line 9, ...)"),
    (
        "<gazebo><physics><gravity>0 0 -3.7</gravity></physics></gazebo>",
        "<gravity>0 0 -3.7</gravity> (line 9)",
    ),
    ("<Gazebo reference='a'><x/></Gazebo>", "not understood: elements <Gazebo> (line 9)"),
]


@pytest.mark.parametrize(("words", "text"), NOTES)
def test_what_is_not_read_otherwise_is_a_note(words, text):
    (note,) = md.load_urdf(four_bar(words), strict=True).notes
    assert text in note
